package crs

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"trivium/core/random"
)

func TestKthIsThatOfSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Map(rapid.IntRange(-5, 5), func(v int) float64 { return float64(v) }), 1, 40).Draw(t, "x")
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		k := rapid.IntRange(1, len(x)).Draw(t, "k")
		if got, want := kth(slices.Clone(x), k), sorted[len(x)-k]; got != want {
			t.Fatalf("the %d-th largest of %v is %v, got %v", k, x, want, got)
		}
	})
}

// Few norms, many, equal ones, some far apart from the others.
func TestTopKIsThatOfSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 700).Draw(t, "n")
		r := random.New(rapid.Uint64().Draw(t, "seed"))
		kinds, far := rapid.IntRange(1, 1000).Draw(t, "kinds"), rapid.Float64Range(0, 1).Draw(t, "far")
		c := make([]float64, n)
		for i := range c {
			c[i] = float64(r.IntN(kinds))
			if r.Float64() < far {
				c[i] *= 1e9
			}
		}
		k := rapid.IntRange(1, n-1).Draw(t, "k")
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c[j], c[i]) })
		slices.Sort(order[:k])
		d := draw{n: n, k: k, c: c}
		d.largest(k)
		if len(d.index) != k {
			t.Fatalf("%d of %d, want %d", len(d.index), n, k)
		}
		for i, at := range d.index {
			if order[i] != int(at) {
				t.Fatalf("number %d is %d, want %d", i, at, order[i])
			}
		}
	})
}

// norms draws lists of norms of very different sizes, with zeros and equal ones.
var norms = rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 12), func(v int) float64 {
	if v == 0 {
		return 0
	}
	return math.Pow(3, float64(v-8))
}), 1, 30)

func TestWaterLevelGivesKPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := norms.Draw(t, "c")
		k := rapid.IntRange(1, len(c)).Draw(t, "k")
		level, certain, rest := waterLevel(c, k)
		total, ones, positive, below := 0.0, 0, 0, 0.0
		for _, v := range c {
			p := atLevel(v, level)
			total += p
			if p == 1 {
				ones++
			} else {
				below += v
			}
			if v > 0 {
				positive++
			}
		}
		if want := float64(min(k, positive)); math.Abs(total-want) > 1e-12*want {
			t.Fatalf("the probabilities of %v sum to %v, want %v", c, total, want)
		}
		if positive > k && (ones != certain || math.Abs(below-rest) > 1e-12*below) {
			t.Fatalf("%d certain with the rest %v, counted %d and %v", certain, rest, ones, below)
		}
	})
}

// The water level is the best choice of probabilities: moving a little from one pair to another makes
// the variance no smaller.
func TestWaterLevelIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := norms.Draw(t, "c")
		k := rapid.IntRange(1, len(c)).Draw(t, "k")
		level, _, _ := waterLevel(c, k)
		if level == 0 {
			return // no error at all
		}
		p := make([]float64, len(c))
		for i, v := range c {
			p[i] = atLevel(v, level)
		}
		v := func() float64 {
			s := 0.0
			for i, q := range p {
				if c[i] > 0 {
					s += (1 - q) / q * c[i] * c[i]
				}
			}
			return s
		}
		best := v()
		if got := coinVariance(c, level); math.Abs(got-best) > 1e-9*best {
			t.Fatalf("Σc(t-c) is %v, Σ(1-p)/p·c² is %v", got, best)
		}
		for i := range p {
			for j := range p {
				d := 1e-3 * min(p[j], 1-p[i])
				if i == j || d <= 0 {
					continue
				}
				p[i], p[j] = p[i]+d, p[j]-d
				if worse := v(); worse < best*(1-1e-12) {
					t.Fatalf("%v is not the best for %v: moving %g from %d to %d gives %v instead of %v", p, c, d, j, i, worse, best)
				}
				p[i], p[j] = p[i]-d, p[j]+d
			}
		}
	})
}

// Winner-take-all's certain pairs are those of the search over all their numbers that the paper makes.
func TestWTATakesTheBestNumberOfCertainPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := norms.Draw(t, "c")
		if len(c) < 2 || sum(c) == 0 {
			return
		}
		k := rapid.IntRange(1, len(c)-1).Draw(t, "k")
		sorted := slices.Clone(c)
		slices.Sort(sorted)
		slices.Reverse(sorted)
		best := math.Inf(1)
		for n := range k {
			best = min(best, sum(sorted[n:])/float64(k-n))
		}
		_, certain, rest := waterLevel(c, k)
		got := 0.0
		if rest > 0 {
			got = rest / float64(k-certain)
		} else if sum(sorted[k:]) > 0 {
			t.Fatalf("nothing left to draw of %v with k = %d", c, k)
		} else {
			return
		}
		if got > best*(1+1e-12) {
			t.Fatalf("(1-P)/(k-|C|) of %v, k = %d: %v, the best is %v", c, k, got, best)
		}
	})
}
