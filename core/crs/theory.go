package crs

// A theory is what closed forms of an error need of two factors.
type theory struct {
	n, k     int
	c, right []float64 // norms of pairs, and of the right factor's rows
	inner    []float64 // ⟨pair i, pair j⟩, n×n
	whole    float64   // ‖a·b‖², the sum of inner
}

func (t *theory) gram(i, j int) float64 { return t.inner[i*t.n+j] }

// squares returns Σcᵢ².
func (t *theory) squares() float64 {
	s := 0.0
	for _, c := range t.c {
		s += c * c
	}
	return s
}

// norm returns ‖Σ wᵢ·(pair i)‖².
func (t *theory) norm(w []float64) float64 {
	s := 0.0
	for i, x := range w {
		if x == 0 {
			continue
		}
		row := 0.0
		for j, y := range w {
			row += y * t.gram(i, j)
		}
		s += x * row
	}
	return max(s, 0)
}

// fixed returns the squared error of a sampler that always draws the same, by norms c.
func (t *theory) fixed(s Sampler, c []float64) float64 {
	d := draw{n: t.n, k: t.k, c: c}
	if err := s.draw(&d); err != nil {
		return 0
	}
	missing := make([]float64, t.n)
	for i := range missing {
		missing[i] = 1
	}
	for _, i := range d.index {
		missing[i] = 0
	}
	return t.norm(missing)
}
