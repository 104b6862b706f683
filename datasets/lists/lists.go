// Package lists draws the list reduction task: a list of digits, one of four things to do with
// it, and the answer's last digit, to be found by a network that reads a token at a time.
//
//	train := lists.Generate(100_000, 1)
//	train.Samples[0]         // "max-min 3 1 4: 3"
//	train.Batches(100, 1)    // numbers of samples of equal length, 100 at a time
//
// The task is that of A. Gaunt et al., "AMPNet: asynchronous model-parallel training for dynamic
// neural networks" (2017): up to ten tokens, the first naming the operation; the answer is
// rounded and taken modulo 10. [Answer] has the four operations. Where the paper leaves a choice,
// here is ours: 1 to 9 digits, each length, digit and operation equally likely; halves are rounded to the
// even number, and the modulus is never negative (as in Python); the mean of no numbers is 0.
package lists

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"trivium/core/random"
	"trivium/datasets/internal/page"
)

// Tokens 0 to 9 are digits; the operations follow.
const (
	Mean       = 10 + iota // mean(L)
	Difference             // mean(L[0::2]) - mean(L[1::2]): mean of the 1st, 3rd, … minus that of the 2nd, 4th, …
	Range                  // max(L) - min(L)
	Length                 // len(L)
	Tokens                 // number of different tokens
)

// Classes is the number of different answers, Longest the most tokens of a sample.
const (
	Classes = 10
	Longest = 10
)

var names = [...]string{"mean", "alternate", "max-min", "length"}

// A Sample is an operation and digits, and the answer.
type Sample struct {
	Tokens []int // the first is an operation
	Label  int   // 0 to 9
}

// Set is samples of list reduction.
type Set struct {
	Name    string
	Samples []Sample
}

// Generate draws n samples.
func Generate(n int, seed uint64) *Set {
	r := random.New(seed).Split("list reduction")
	s := &Set{fmt.Sprintf("list reduction, seed %d", seed), make([]Sample, max(n, 0))}
	for i := range s.Samples {
		tokens := make([]int, 2+r.IntN(Longest-1))
		tokens[0] = Mean + r.IntN(len(names))
		for j := 1; j < len(tokens); j++ {
			tokens[j] = r.IntN(10)
		}
		label, _ := Answer(tokens)
		s.Samples[i] = Sample{tokens, label}
	}
	return s
}

// Answer computes the class of an operation and digits.
func Answer(tokens []int) (int, error) {
	if len(tokens) < 2 || tokens[0] < Mean || tokens[0] > Length {
		return 0, fmt.Errorf("lists: %v is not an operation (%d to %d) and at least one digit", tokens, Mean, Length)
	}
	lo, hi := 9, 0
	var sum, count [2]float64
	for i, d := range tokens[1:] {
		if d < 0 || d > 9 {
			return 0, fmt.Errorf("lists: token %d of %v is not a digit", i+1, tokens)
		}
		lo, hi = min(lo, d), max(hi, d)
		sum[i%2] += float64(d)
		count[i%2]++
	}
	var v float64
	switch tokens[0] {
	case Mean:
		v = (sum[0] + sum[1]) / (count[0] + count[1])
	case Difference:
		v = sum[0]/count[0] - sum[1]/max(count[1], 1)
	case Range:
		v = float64(hi - lo)
	case Length:
		v = float64(len(tokens) - 1)
	}
	return (int(math.RoundToEven(v)) + 10) % 10, nil // v is above -9.5
}

// String writes the operation, the digits and the answer.
func (s Sample) String() string {
	var b strings.Builder
	for i, t := range s.Tokens {
		switch {
		case i > 0:
			fmt.Fprintf(&b, " %d", t)
		case t >= Mean && t <= Length:
			b.WriteString(names[t-Mean])
		default:
			fmt.Fprintf(&b, "token %d", t)
		}
	}
	fmt.Fprintf(&b, ": %d", s.Label)
	return b.String()
}

// Len returns the number of samples.
func (s *Set) Len() int { return len(s.Samples) }

// Batches returns numbers of samples, at most size at a time and all of equal length, in the random
// order of the seed. Every sample is in one batch.
func (s *Set) Batches(size int, seed uint64) [][]int {
	r := random.New(seed).Split("batches of lists")
	size = max(size, 1)
	byLength := map[int][]int{}
	for _, i := range r.Perm(len(s.Samples)) {
		n := len(s.Samples[i].Tokens)
		byLength[n] = append(byLength[n], i)
	}
	lengths := make([]int, 0, len(byLength))
	for n := range byLength {
		lengths = append(lengths, n)
	}
	sort.Ints(lengths)
	var all [][]int
	for _, n := range lengths {
		of := byLength[n]
		for len(of) > 0 {
			k := min(size, len(of))
			all = append(all, of[:k:k])
			of = of[k:]
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// Counts returns the number of samples with each answer.
func (s *Set) Counts() []int {
	n := make([]int, Classes)
	for _, x := range s.Samples {
		if x.Label >= 0 && x.Label < Classes {
			n[x.Label]++
		}
	}
	return n
}

// String counts the answers.
func (s *Set) String() string {
	return fmt.Sprintf("%s: %d lists; answers 0 to 9: %v", s.Name, s.Len(), s.Counts())
}

// MIMEBundle shows the first samples and counts the answers.
func (s *Set) MIMEBundle() (data, metadata map[string]any) {
	const shown = 10
	text := s.String()
	t := &page.Table{Wide: true}
	t.Head(text, 2)
	t.Columns("operation and digits", "answer")
	for _, x := range s.Samples[:min(shown, len(s.Samples))] {
		full := x.String()
		text += "\n" + full
		t.Row(page.Text(full[:strings.LastIndex(full, ":")]), fmt.Sprint(x.Label))
	}
	return map[string]any{"text/plain": text, "text/html": t.HTML()}, map[string]any{}
}
