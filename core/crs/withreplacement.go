package crs

import "sort"

// WithReplacement draws pairs one after the other with probabilities qᵢ by norm, from all of them each
// time, and scales each draw by 1/(k·qᵢ). The estimate is unbiased with
// E‖error‖² = (Σcᵢ²/qᵢ - ‖ab‖²)/k, which is smallest for q in proportion to the norms cᵢ: (Σc)²/k - ‖ab‖²/k
// (Drineas, Kannan, Mahoney, 2006). A pair that is drawn twice is computed once, with twice the
// scale.
type WithReplacement struct {
	Keep    float64 // draws, as a share of the pairs: above 0 and at most 1
	Uniform bool    // all probabilities are the same, and no norms are needed
}

func (s WithReplacement) String() string {
	if s.Uniform {
		return "uniform with replacement, keep " + percent(s.Keep)
	}
	return "with replacement, keep " + percent(s.Keep)
}

func (s WithReplacement) check() error  { return checkKeep("WithReplacement.Keep", s.Keep) }
func (s WithReplacement) keep() float64 { return s.Keep }
func (s WithReplacement) with(keep float64) Sampler {
	s.Keep = keep
	return s
}

func (s WithReplacement) looksAt() sight {
	if s.Uniform {
		return seesNothing
	}
	return seesPairs
}

func (s WithReplacement) draw(d *draw) error {
	count := d.counts()
	if s.Uniform {
		for range d.k {
			count[d.random().IntN(d.n)]++
		}
		for i, m := range count {
			if m > 0 {
				d.pick(i, float64(m)*float64(d.n)/float64(d.k))
			}
		}
		return nil
	}
	total := d.throw(d.c, d.k, count)
	for i, m := range count {
		if m > 0 {
			d.pick(i, float64(m)*total/(float64(d.k)*d.c[i]))
		}
	}
	return nil
}

// counts returns d.n zeros.
func (d *draw) counts() []int32 {
	if cap(d.count) < d.n {
		d.count = make([]int32, d.n)
	}
	d.count = d.count[:d.n]
	clear(d.count)
	return d.count
}

// throw draws k times with probabilities in proportion to weight, counts what comes, and
// returns the sum of the weights.
func (d *draw) throw(weight []float64, k int, count []int32) float64 {
	edge, r, total := d.scratch(), d.random(), 0.0
	last := 0
	for i, w := range weight {
		total += w
		edge[i] = total
		if w > 0 {
			last = i
		}
	}
	for range k {
		u := r.Float64() * total
		// The first edge above u: never one of weight 0. Rounding of u·total may reach the end.
		i := sort.Search(len(edge), func(i int) bool { return edge[i] > u })
		count[min(i, last)]++
	}
	return total
}

func (s WithReplacement) variance(t *theory) float64 {
	k := float64(t.k)
	if s.Uniform {
		return (float64(t.n)*t.squares() - t.whole) / k
	}
	total := sum(t.c)
	return (total*total - t.whole) / k
}
