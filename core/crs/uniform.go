package crs

// Uniform draws k different pairs, each set of them equally likely, and scales them by n/k. It is
// unbiased, and needs no norms, so choosing costs nothing.
type Uniform struct {
	Keep float64 // share of the pairs, above 0 and at most 1
}

func (s Uniform) String() string         { return "uniform, keep " + percent(s.Keep) }
func (s Uniform) check() error           { return checkKeep("Uniform.Keep", s.Keep) }
func (s Uniform) keep() float64          { return s.Keep }
func (s Uniform) looksAt() sight         { return seesNothing }
func (s Uniform) with(k float64) Sampler { return Uniform{k} }

// draw goes through the pairs in order and takes each with the probability that the rest of
// the sample needs it (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
func (s Uniform) draw(d *draw) error {
	r, left := d.random(), d.k
	for i := 0; left > 0; i++ {
		if r.Float64()*float64(d.n-i) < float64(left) {
			d.pick(i, float64(d.n)/float64(d.k))
			left--
		}
	}
	return nil
}

// variance has πᵢ = k/n and πᵢⱼ = k(k-1)/(n(n-1)).
func (s Uniform) variance(t *theory) float64 {
	n, k := float64(t.n), float64(t.k)
	if t.n == 1 {
		return 0
	}
	one, two := n/k-1, n*(k-1)/(k*(n-1))-1
	return (one-two)*t.squares() + two*t.whole
}
