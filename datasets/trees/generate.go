package trees

import (
	"fmt"
	"math"

	"trivium/core/random"
)

// Sizes of the treebank's 8,544 training sentences: on average 19.1 words with deviation 9.3,
// from 2 to 52.
const (
	meanWords = 19.14
	mostWords = 52
	minWords  = 2
)

// Numbers of made-up words of each kind. Words of feeling are valued -2, -1, 1 and 2.
const (
	plainWords  = 600
	feelings    = 60 // of each value
	negators    = 4
	intensifier = 6
)

// Generate draws n trees. Lengths follow a chi-squared distribution with nine degrees of
// freedom scaled to the treebank's mean, which has deviation 9.0. A phrase of n words is parted
// in two at a place that favours short first parts, as in English.
//
// Two thirds of the words mean nothing, the others feel from -2 to 2, turn round or strengthen
// what follows. The feeling of a phrase is the sum of its parts', where a part of one negating
// word multiplies the other by -¾, and one of a strengthening word by 1½; its class is that
// feeling rounded, from -2 up to 2, halves to the even number. It depends on the tree: the same
// words grouped in another way may feel otherwise.
func Generate(n int, seed uint64) *Bank {
	r := random.New(seed).Split("trees")
	b := &Bank{Name: fmt.Sprintf("generated trees, seed %d", seed), Words: vocabulary(), Trees: make([]*Tree, max(n, 0))}
	for i := range b.Trees {
		t := &Tree{}
		grow(t, r, length(r))
		b.Trees[i] = t
	}
	return b
}

func length(r *random.Stream) int {
	for {
		var chi float64
		for range 9 {
			z := r.Normal()
			chi += float64(z * z)
		}
		if n := int(math.Round(chi * meanWords / 9)); n >= minWords && n <= mostWords {
			return n
		}
	}
}

func vocabulary() []string {
	words := []string{Unknown}
	for i := range plainWords {
		words = append(words, fmt.Sprintf("it%d", i))
	}
	for _, kind := range []string{"awful", "poor", "fine", "great"} {
		for i := range feelings {
			words = append(words, fmt.Sprintf("%s%d", kind, i))
		}
	}
	for i := range negators {
		words = append(words, fmt.Sprintf("not%d", i))
	}
	for i := range intensifier {
		words = append(words, fmt.Sprintf("very%d", i))
	}
	return words
}

const (
	firstFeeling = 1 + plainWords
	firstNegator = firstFeeling + 4*feelings
	firstStrong  = firstNegator + negators
)

// factor is by what a word multiplies its sister, 0 for words that do not.
func factor(word int) float64 {
	switch {
	case word >= firstStrong:
		return 1.5
	case word >= firstNegator:
		return -0.75
	}
	return 0
}

// value is what a word feels.
func value(word int) float64 {
	if word < firstFeeling || word >= firstNegator {
		return 0
	}
	return [...]float64{-2, -1, 1, 2}[(word-firstFeeling)/feelings]
}

// grow adds a phrase of n words and returns its node and feeling.
func grow(t *Tree, r *random.Stream, n int) (node int, feeling float64) {
	if n == 1 {
		w := draw(r)
		v := value(w)
		return t.add(-1, -1, w, class(v)), v
	}
	first := 1 + min(r.IntN(n-1), r.IntN(n-1), r.IntN(n-1))
	left, a := grow(t, r, first)
	right, b := grow(t, r, n-first)
	v := a + b
	if w := t.Word[left]; w >= 0 && factor(w) != 0 {
		v = factor(w) * b
	}
	return t.add(left, right, -1, class(v)), v
}

func draw(r *random.Stream) int {
	switch u := r.Float64(); {
	case u < 0.66:
		return 1 + r.IntN(plainWords)
	case u < 0.90:
		return firstFeeling + r.IntN(4*feelings)
	case u < 0.96:
		return firstNegator + r.IntN(negators)
	default:
		return firstStrong + r.IntN(intensifier)
	}
}

func class(feeling float64) int {
	return 2 + int(min(max(math.RoundToEven(feeling), -2), 2))
}
