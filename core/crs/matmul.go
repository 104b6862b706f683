package crs

import (
	"fmt"

	"trivium/core/random"
	"trivium/core/tensor"
)

// MatMul returns an estimate of a·b from the pairs that s chooses: for a m×n and b n×p it takes 2mkp
// flops instead of 2mnp. The same seed draws the same. Factors that do not fit or have elements that
// are NaN or infinite, and factors that are zero, are errors.
func MatMul(a, b tensor.Mat32, s Sampler, seed uint64) (tensor.Mat32, error) {
	dst := tensor.New[float32](a.Rows, b.Cols)
	return dst, estimate(dst, a, b, s, seed)
}

// MatMul64 is MatMul in float64.
func MatMul64(a, b tensor.Mat64, s Sampler, seed uint64) (tensor.Mat64, error) {
	dst := tensor.New[float64](a.Rows, b.Cols)
	return dst, estimate(dst, a, b, s, seed)
}

func estimate[T tensor.Float](dst, a, b tensor.Matrix[T], s Sampler, seed uint64) error {
	if s == nil {
		return errNoSampler
	}
	if _, err := pairNorms(tensor.NN, a, b); err != nil { // also for samplers that do not look
		return err
	}
	return Mul(nil, dst, tensor.NN, a, b, s, MulOptions{Seed: seed})
}

var errNoSampler = &OptionError{"Sampler", "nil", "give a sampler such as TopK{Keep: 0.5}"}

// Pairs is which pairs of a product were chosen, and what each is multiplied by.
type Pairs struct {
	Of    int       // pairs there are
	Index []int     // of those that were chosen, ascending
	Scale []float64 // 1 where they are kept as they are
}

func (p *Pairs) String() string {
	const most = 12
	text := fmt.Sprintf("%d of %d pairs:", len(p.Index), p.Of)
	for i, at := range p.Index {
		if i == most {
			return text + " …"
		}
		text += fmt.Sprintf(" %d×%.3g", at, p.Scale[i])
	}
	return text
}

// Choose returns the pairs that MatMul would use.
func Choose(a, b tensor.Mat32, s Sampler, seed uint64) (*Pairs, error) {
	if _, err := pairNorms(tensor.NN, a, b); err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errNoSampler
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	c := newSelector[float32](s, root(seed))
	drawn, err := c.pairs(tensor.NN, a, b, MulOptions{})
	if err != nil {
		return nil, err
	}
	p := &Pairs{Of: a.Cols}
	if drawn == nil {
		drawn = &tensor.Sample[float32]{Index: everything(a.Cols)}
	}
	for i, at := range drawn.Index {
		p.Index = append(p.Index, int(at))
		p.Scale = append(p.Scale, float64(scaleOf(*drawn, i)))
	}
	return p, nil
}

func everything(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// Norms returns the norm of each pair of a·b: ‖column i of a‖·‖row i of b‖.
func Norms(a, b tensor.Mat32) ([]float64, error) {
	return pairNorms(tensor.NN, a, b)
}

// MulOptions sets how Mul draws.
type MulOptions struct {
	Seed     uint64
	Draw     uint64 // number of the draw under the seed: another for each product
	MinPairs int    // pairs kept at least; 0 means 1
	Look     int    // norms are measured on one part in so many; see Product.Look. 0 means all
}

// Mul is MatMul for programs: it writes to dst an estimate of the product of a and b in a form, shared
// by the workers of p, which may be nil. dst must be apart from a and b in memory. On an error it
// is as it was.
func Mul[T tensor.Float](p *tensor.Pool, dst tensor.Matrix[T], form tensor.Form, a, b tensor.Matrix[T], s Sampler, o MulOptions) error {
	if s == nil {
		return errNoSampler
	}
	if err := s.check(); err != nil {
		return err
	}
	c := newSelector[T](s, root(o.Seed))
	drawn, err := c.pairs(form, a, b, o)
	if err != nil {
		return err
	}
	if drawn == nil {
		return tensor.Mul(p, dst, form, a, b, 1, 0)
	}
	return tensor.MulSampled(p, dst, form, a, b, *drawn, 1, 0)
}

func root(seed uint64) *random.Stream { return random.New(seed).Split("crs") }

// inner returns the number of pairs of a product.
func inner[T tensor.Float](form tensor.Form, a tensor.Matrix[T]) int {
	if form == tensor.TN {
		return a.Rows
	}
	return a.Cols
}

// fit says why two factors have no product, nil if they have one.
func fit[T tensor.Float](form tensor.Form, a, b tensor.Matrix[T]) error {
	n, m := inner(form, a), b.Rows
	left, right := "columns", "rows"
	switch form {
	case tensor.NT:
		m, right = b.Cols, "columns"
	case tensor.TN:
		left = "rows"
	}
	if n == m {
		return nil
	}
	return fmt.Errorf("crs: a is %d×%d and b %d×%d: a has %d %s and b %d %s, which would have to be as many", a.Rows, a.Cols, b.Rows, b.Cols, n, left, m, right)
}

// pairs chooses the pairs of one product; nil means all.
func (c *selector[T]) pairs(form tensor.Form, a, b tensor.Matrix[T], o MulOptions) (*tensor.Sample[T], error) {
	if err := fit(form, a, b); err != nil {
		return nil, err
	}
	n := inner(form, a)
	if o.MinPairs < 0 || o.MinPairs > n {
		return nil, &OptionError{"MulOptions.MinPairs", fmt.Sprint(o.MinPairs), fmt.Sprintf("the product has %d pairs", n)}
	}
	if o.Look < 0 {
		return nil, &OptionError{"MulOptions.Look", fmt.Sprint(o.Look), "it must be at least 0"}
	}
	c.strict, c.look = true, o.Look
	a, b = c.glance(o.Draw).factors(form, a, b)
	return c.choose(o.Draw, n, o.MinPairs, func(dst, scratch []T) error {
		if c.sampler.looksAt() != seesWeights {
			return tensor.PairNorms(dst, scratch, form, a, b)
		}
		if form == tensor.NT {
			return tensor.ColNorms(dst, b)
		}
		return tensor.RowNorms(dst, b)
	})
}

// pairNorms returns the norms of all pairs, which must give something to choose by.
func pairNorms[T tensor.Float](form tensor.Form, a, b tensor.Matrix[T]) ([]float64, error) {
	if err := fit(form, a, b); err != nil {
		return nil, err
	}
	n := inner(form, a)
	dst, scratch, total := make([]T, n), make([]T, n), 0.0
	if err := tensor.PairNorms(dst, scratch, form, a, b); err != nil {
		return nil, err
	}
	c := make([]float64, n)
	for i, v := range dst {
		c[i] = float64(v)
		total += c[i]
	}
	if total == 0 {
		return nil, &NormError{Pair: -1, Pairs: n}
	}
	return c, checkNorms(c, total)
}
