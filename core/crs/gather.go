package crs

import (
	"trivium/core/nn"
	"trivium/core/tensor"
)

// inputGradOf computes the columns of dx = dy·wᵀ that belong to some inputs, times their scale, from
// a sample s of the outputs, and clears the others.
func (m *multiplier[T]) inputGradOf(p *nn.Pass[T], dx, dy, w tensor.Matrix[T], s *tensor.Sample[T], only tensor.Sample[T]) error {
	if s == nil {
		return tensor.MulOnly(p.Pool, dx, tensor.NT, dy, w, only, 1, 0)
	}
	k := len(only.Index)
	m.some, m.part = room(m.some, k*w.Cols), room(m.part, dx.Rows*k)
	rows, part := tensor.Of(k, w.Cols, m.some), tensor.Of(dx.Rows, k, m.part)
	for i, j := range only.Index {
		copy(rows.Row(i), w.Row(int(j)))
	}
	if err := tensor.MulSampled(p.Pool, part, tensor.NT, dy, rows, *s, 1, 0); err != nil {
		return err
	}
	for i := range dx.Rows {
		d, r := dx.Row(i), part.Row(i)
		clear(d)
		for l, j := range only.Index {
			d[j] = r[l] * scaleOf(only, l)
		}
	}
	return nil
}

// weightGradOf computes the rows of dw = beta·dw + xᵀ·dy that belong to some inputs, times their
// scale, from a sample s of the batch; the others become beta·dw.
func (m *multiplier[T]) weightGradOf(p *nn.Pass[T], dw, x, dy tensor.Matrix[T], s *tensor.Sample[T], only tensor.Sample[T], beta T) error {
	if s == nil {
		return tensor.MulOnly(p.Pool, dw, tensor.TN, x, dy, only, 1, beta)
	}
	k := len(only.Index)
	m.some, m.part = room(m.some, x.Rows*k), room(m.part, k*dw.Cols)
	columns, part := tensor.Of(x.Rows, k, m.some), tensor.Of(k, dw.Cols, m.part)
	for i := range x.Rows {
		r, d := x.Row(i), columns.Row(i)
		for l, j := range only.Index {
			d[l] = r[j] * scaleOf(only, l)
		}
	}
	if err := tensor.MulSampled(p.Pool, part, tensor.TN, columns, dy, *s, 1, 0); err != nil {
		return err
	}
	for i := range dw.Rows {
		if beta == 0 {
			clear(dw.Row(i))
		} else if beta != 1 {
			tensor.Scale(dw.Row(i), beta, dw.Row(i))
		}
	}
	for l, j := range only.Index {
		tensor.Add(dw.Row(int(j)), dw.Row(int(j)), part.Row(l))
	}
	return nil
}

func scaleOf[T tensor.Float](s tensor.Sample[T], i int) T {
	if s.Scale == nil {
		return 1
	}
	return s.Scale[i]
}
