package crs

import (
	"fmt"
	"slices"
)

// TopK keeps the pairs with the largest norms as they are. Among all choices of so many unscaled
// pairs it has the smallest expected error where pairs are independent with mean zero. It
// is biased: where the pairs share a direction, what is left out is missed. The error of one
// product is not random: ‖Σ of the pairs left out‖².
type TopK struct {
	Keep float64 // share of the pairs, above 0 and at most 1
}

// TopKWeights is TopK by the norms of the weights' rows alone, so that several nodes with the same
// weights choose the same without asking each other. Only what is multiplied by weights
// can be sampled so: forward products and gradients of inputs. Weights do not tell which inputs are
// empty, and one that is not chosen is not trained and hardly ever chosen again: leave layers whose inputs differ,
// such as a first layer of pixels, exact.
type TopKWeights struct {
	Keep float64 // share of the pairs, above 0 and at most 1
}

// TopKAdaptive keeps the fewest largest pairs that hold a given part of the sum of all norms:
// few where the norms are uneven, many where they are alike. It is biased as TopK is.
type TopKAdaptive struct {
	Mass float64 // of the sum of the norms, above 0 and at most 1
}

func (s TopK) String() string         { return "top-k, keep " + percent(s.Keep) }
func (s TopKWeights) String() string  { return "top-k of weights, keep " + percent(s.Keep) }
func (s TopKAdaptive) String() string { return "top-k, mass " + percent(s.Mass) }

func (s TopK) check() error        { return checkKeep("TopK.Keep", s.Keep) }
func (s TopKWeights) check() error { return checkKeep("TopKWeights.Keep", s.Keep) }
func (s TopKAdaptive) check() error {
	if s.Mass > 0 && s.Mass <= 1 {
		return nil
	}
	return &OptionError{"TopKAdaptive.Mass", fmt.Sprint(s.Mass), "it must be above 0 and at most 1, the part of the norms that is kept"}
}

func (s TopK) looksAt() sight         { return seesPairs }
func (s TopKWeights) looksAt() sight  { return seesWeights }
func (s TopKAdaptive) looksAt() sight { return seesPairs }

func (s TopK) keep() float64         { return s.Keep }
func (s TopKWeights) keep() float64  { return s.Keep }
func (s TopKAdaptive) keep() float64 { return 0 } // what MinPairs asks for is the least

func (s TopK) with(keep float64) Sampler         { return TopK{keep} }
func (s TopKWeights) with(keep float64) Sampler  { return TopKWeights{keep} }
func (s TopKAdaptive) with(keep float64) Sampler { return TopKAdaptive{keep} }

func (s TopK) draw(d *draw) error        { d.largest(d.k); return nil }
func (s TopKWeights) draw(d *draw) error { d.largest(d.k); return nil }

func (s TopKAdaptive) draw(d *draw) error {
	x := d.scratch()
	copy(x, d.c)
	slices.Sort(x)
	want, got, k := s.Mass*sum(d.c), 0.0, 0
	for k < d.n && (got < want || k < d.k) {
		got += x[d.n-1-k]
		k++
	}
	d.largest(k)
	return nil
}

// largest picks the k largest, unscaled; of equal ones the first.
func (d *draw) largest(k int) {
	t := level(d.c, d.scratch(), k)
	d.index = room(d.index, d.n)
	n, above := 0, 0
	for i, v := range d.c { // without branches, which nobody could foretell
		d.index[n] = int32(i)
		if v >= t {
			n++
		}
		if v > t {
			above++
		}
	}
	if d.index = d.index[:n]; n == k {
		return
	}
	equal := k - above // of those at the level, so many
	kept := d.index[:0]
	for _, i := range d.index {
		if d.c[i] == t {
			if equal == 0 {
				continue
			}
			equal--
		}
		kept = append(kept, i)
	}
	d.index = kept
}

func (s TopK) variance(t *theory) float64         { return t.fixed(s, t.c) }
func (s TopKWeights) variance(t *theory) float64  { return t.fixed(s, t.right) }
func (s TopKAdaptive) variance(t *theory) float64 { return t.fixed(s, t.c) }
