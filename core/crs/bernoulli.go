package crs

// Bernoulli keeps each pair by a coin of its own with probability pᵢ, scaled by 1/pᵢ: unbiased, with
// E‖error‖² = Σ(1-pᵢ)/pᵢ·cᵢ². The probabilities are min(1, cᵢ/t) with t such that k pairs are
// expected, which makes this smallest. How many come is random, and may be none: then the estimate is
// zero.
type Bernoulli struct {
	Keep float64 // expected share of the pairs, above 0 and at most 1

	// Clipped takes pᵢ = min(1, k·cᵢ/Σc) instead, the usual rule in published code. Where some
	// probability is cut off at 1, fewer than k pairs are expected and the error is larger.
	Clipped bool
}

func (s Bernoulli) String() string {
	if s.Clipped {
		return "Bernoulli clipped, keep " + percent(s.Keep)
	}
	return "Bernoulli, keep " + percent(s.Keep)
}

func (s Bernoulli) check() error   { return checkKeep("Bernoulli.Keep", s.Keep) }
func (s Bernoulli) keep() float64  { return s.Keep }
func (s Bernoulli) looksAt() sight { return seesPairs }
func (s Bernoulli) with(keep float64) Sampler {
	s.Keep = keep
	return s
}

// level returns t of pᵢ = min(1, cᵢ/t).
func (s Bernoulli) level(c []float64, k int) float64 {
	if s.Clipped {
		return sum(c) / float64(k)
	}
	t, _, _ := waterLevel(c, k)
	return t
}

func (s Bernoulli) draw(d *draw) error {
	d.coins(s.level(d.c, d.k))
	return nil
}

// coins keeps each pair with probability min(1, c/t).
func (d *draw) coins(t float64) {
	r := d.random()
	for i, c := range d.c {
		switch p := atLevel(c, t); {
		case p == 1:
			d.pick(i, 1)
		case p > 0 && r.Float64() < p:
			d.pick(i, 1/p)
		}
	}
}

func (s Bernoulli) variance(t *theory) float64 {
	level := s.level(t.c, t.k)
	return coinVariance(t.c, level)
}

// coinVariance returns Σ(1-p)/p·c² for p = min(1, c/t), which is Σc·(t-c) over c < t.
func coinVariance(c []float64, t float64) float64 {
	v := 0.0
	for _, x := range c {
		if x < t {
			v += x * (t - x)
		}
	}
	return v
}
