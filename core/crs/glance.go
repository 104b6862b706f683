package crs

import "trivium/core/tensor"

// A glance is the part of an operand that norms are measured on: one in n, another in each step, so
// that in n steps all of it has been looked at. A sum of squares over many numbers is nearly told by
// a part of them, and reading less is what makes choosing cheaper. An n below 2 means all.
type glance[T tensor.Float] struct {
	n    int
	step uint64
}

// of returns the part of a range from 0 to before size; at least one number.
func (g glance[T]) of(size int) (from, to int) {
	if g.n < 2 || size < 2 {
		return 0, size
	}
	parts := min(g.n, size)
	i := int(g.step % uint64(parts))
	return i * size / parts, (i + 1) * size / parts
}

func (g glance[T]) rows(a tensor.Matrix[T]) tensor.Matrix[T] {
	from, to := g.of(a.Rows)
	return a.Slice(from, to, 0, a.Cols)
}

func (g glance[T]) columns(a tensor.Matrix[T]) tensor.Matrix[T] {
	from, to := g.of(a.Cols)
	return a.Slice(0, a.Rows, from, to)
}

func (g glance[T]) images(x tensor.Images[T]) tensor.Images[T] {
	from, to := g.of(x.N)
	size := x.C * x.H * x.W
	return tensor.Images[T]{N: to - from, C: x.C, H: x.H, W: x.W, Data: x.Data[from*size : to*size]}
}

// factors returns the parts of the factors of a product, all of the inner dimension in each.
func (g glance[T]) factors(form tensor.Form, a, b tensor.Matrix[T]) (tensor.Matrix[T], tensor.Matrix[T]) {
	if g.n < 2 || short(a) || short(b) { // what is short is for the product to report
		return a, b
	}
	switch form {
	case tensor.NT:
		return g.rows(a), g.rows(b)
	case tensor.TN:
		return g.columns(a), g.columns(b)
	}
	return g.rows(a), g.columns(b)
}

func short[T tensor.Float](a tensor.Matrix[T]) bool {
	return a.Rows < 1 || a.Cols < 1 || a.Stride < a.Cols || len(a.Data) < (a.Rows-1)*a.Stride+a.Cols
}

// floor lifts norms to at least their mean in a sum of total, so that what a glance, or other steps,
// have seen nothing of has a chance: scaled samplers stay unbiased, with scales that are not too large.
func floor(c []float64, total float64) {
	least := total / float64(len(c))
	for i, v := range c {
		if v < least {
			c[i] = least
		}
	}
}
