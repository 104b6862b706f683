package crs

import (
	"math"

	"trivium/core/tensor"
)

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
		return math.NaN()
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

// newTheory takes 2n²(m+p) flops for a m×n and b n×p.
func newTheory(a, b tensor.Matrix[float64]) (*theory, error) {
	n := a.Cols
	t := &theory{n: n, c: make([]float64, n), right: make([]float64, n)}
	if err := tensor.PairNorms(t.c, t.right, tensor.NN, a, b); err != nil {
		return nil, err
	}
	left, right := tensor.New[float64](n, n), tensor.New[float64](n, n)
	if err := tensor.Mul(nil, left, tensor.TN, a, a, 1, 0); err != nil {
		return nil, err
	}
	if err := tensor.Mul(nil, right, tensor.NT, b, b, 1, 0); err != nil {
		return nil, err
	}
	tensor.Hadamard(left.Data, left.Data, right.Data)
	t.inner = left.Data
	t.whole = tensor.Sum(t.inner)
	return t, nil
}

// ExpectedError returns E‖estimate - a·b‖²_F of a sampler, by its closed form. For samplers that
// always choose the same it is their error. It takes 2n²(m+p) flops for a m×n and b n×p.
func ExpectedError(a, b tensor.Mat32, s Sampler) (float64, error) {
	x, y := widen(a), widen(b)
	if s == nil {
		return 0, errNoSampler
	}
	if err := s.check(); err != nil {
		return 0, err
	}
	if _, err := pairNorms(tensor.NN, x, y); err != nil {
		return 0, err
	}
	t, err := newTheory(x, y)
	if err != nil {
		return 0, err
	}
	return t.of(s), nil
}

// of returns what to expect of a sampler; all pairs have no error.
func (t *theory) of(s Sampler) float64 {
	t.k = pairsKept(s.keep(), t.n, 0)
	if t.k == t.n {
		return 0
	}
	return s.variance(t)
}

func widen(a tensor.Mat32) tensor.Matrix[float64] {
	w := tensor.New[float64](a.Rows, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			w.Data[i*w.Stride+j] = float64(v)
		}
	}
	return w
}
