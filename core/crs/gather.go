package crs

import (
	"trivium/core/nn"
	"trivium/core/tensor"
)

// chunk is how many inputs are gathered and multiplied at a time: so many that the product is
// worth its packing, so few that what was gathered is still near.
const chunk = 128

// inputGradOf computes the columns of dx = dy·wᵀ that belong to some inputs, times their scale, from
// a sample s of the outputs, and clears the others.
func (m *multiplier[T]) inputGradOf(p *nn.Pass[T], dx, dy, w tensor.Matrix[T], s *tensor.Sample[T], only tensor.Sample[T]) error {
	if s == nil {
		return tensor.MulOnly(p.Pool, dx, tensor.NT, dy, w, only, 1, 0)
	}
	for i := range dx.Rows {
		clear(dx.Row(i))
	}
	for from := 0; from < len(only.Index); from += chunk {
		some := part(only, from)
		k := len(some.Index)
		m.some, m.part = room(m.some, chunk*w.Cols), room(m.part, dx.Rows*chunk)
		rows, dst := tensor.Of(k, w.Cols, m.some), tensor.Of(dx.Rows, k, m.part)
		for i, j := range some.Index {
			copy(rows.Row(i), w.Row(int(j)))
		}
		if err := tensor.MulSampled(p.Pool, dst, tensor.NT, dy, rows, *s, 1, 0); err != nil {
			return err
		}
		for i := range dx.Rows {
			d, r := dx.Row(i), dst.Row(i)
			if some.Scale != nil {
				tensor.Hadamard(r, r, some.Scale)
			}
			for l, j := range some.Index {
				d[j] = r[l]
			}
		}
	}
	return nil
}

// weightGradOf computes the rows of dw = beta·dw + xᵀ·dy that belong to some inputs, times their
// scale, from a sample s of the batch; the others become beta·dw. It gathers the samples.
func (m *multiplier[T]) weightGradOf(p *nn.Pass[T], dw, x, dy tensor.Matrix[T], s *tensor.Sample[T], only tensor.Sample[T], beta T) error {
	if s == nil {
		return tensor.MulOnly(p.Pool, dw, tensor.TN, x, dy, only, 1, beta)
	}
	k := len(s.Index)
	m.some, m.part = room(m.some, k*x.Cols), room(m.part, k*dy.Cols)
	someX, someDy := tensor.Of(k, x.Cols, m.some), tensor.Of(k, dy.Cols, m.part)
	for l, i := range s.Index {
		copy(someDy.Row(l), dy.Row(int(i)))
		tensor.Scale(someX.Row(l), scaleOf(*s, l), x.Row(int(i)))
	}
	return tensor.MulOnly(p.Pool, dw, tensor.TN, someX, someDy, only, 1, beta)
}

// part returns the pairs of a sample from number from on, a chunk at most.
func part[T tensor.Float](s tensor.Sample[T], from int) tensor.Sample[T] {
	to := min(from+chunk, len(s.Index))
	p := tensor.Sample[T]{Index: s.Index[from:to]}
	if s.Scale != nil {
		p.Scale = s.Scale[from:to]
	}
	return p
}

// multiply is a product of all pairs or of a sample of them.
func multiply[T tensor.Float](p *tensor.Pool, dst tensor.Matrix[T], form tensor.Form, a, b tensor.Matrix[T], s *tensor.Sample[T]) error {
	if s == nil {
		return tensor.Mul(p, dst, form, a, b, 1, 0)
	}
	return tensor.MulSampled(p, dst, form, a, b, *s, 1, 0)
}

func scaleOf[T tensor.Float](s tensor.Sample[T], i int) T {
	if s.Scale == nil {
		return 1
	}
	return s.Scale[i]
}
