package crs

import (
	"trivium/core/nn"
	"trivium/core/tensor"
)

// ConvForward computes y, the convolution of x with w, plus bias, from a sample of the input
// channels.
func (m *multiplier[T]) ConvForward(p *nn.Pass[T], y, x, w tensor.Images[T], o tensor.Window, bias []T, relu bool) (err error) {
	m.kept = nil
	if m.forward != nil {
		m.kept, err = m.forward.choose(p.Step, x.C, m.least, func(dst, scratch []T) error {
			x, w := m.forward.glance(p.Step).images(x), m.forward.glance(p.Step).images(w)
			p.Flops += 2 * numbers(w)
			if m.forward.sampler.looksAt() == seesWeights {
				return tensor.ChannelNorms(dst, w)
			}
			p.Flops += 2 * numbers(x)
			err := p.ChannelNorms(dst, x)
			m.joined.swap(dst)
			return normProduct(dst, scratch, err, tensor.ChannelNorms(scratch, w))
		})
		if err := m.note(p, "forward", x.C, m.kept, err); err != nil {
			return err
		}
	}
	p.Flops += 2 * of(m.kept, x.C) * taps(y, w)
	return tensor.ConvForward(p.Pool, y, x, w, o, m.kept, bias, relu)
}

// ConvInputGrad computes dx from dy, from a sample of the output channels, for the input
// channels that were used.
func (m *multiplier[T]) ConvInputGrad(p *nn.Pass[T], dx, dy, w tensor.Images[T], o tensor.Window) (err error) {
	var s *tensor.Sample[T]
	only := m.only()
	if m.input != nil {
		s, err = m.input.choose(p.Step, w.N, m.least, func(dst, scratch []T) error {
			p.Flops += 2 * numbers(w)
			if m.input.sampler.looksAt() == seesWeights {
				return tensor.RowNorms(dst, w.Matrix())
			}
			dy := m.input.glance(p.Step).images(dy)
			p.Flops += 2 * numbers(dy)
			return normProduct(dst, scratch, tensor.ChannelNorms(dst, dy), tensor.RowNorms(scratch, w.Matrix()))
		})
		if err := m.note(p, "input gradient", w.N, s, err); err != nil {
			return err
		}
	}
	if m.input == nil {
		s = p.LiveOutputs()
	}
	p.Flops += 2 * of(only, w.C) * taps(dy, w) / float64(w.N) * of(s, w.N)
	if only != nil {
		p.LeaveLive(only.Index)
	}
	return tensor.ConvInputGrad(p.Pool, dx, dy, w, o, s, only)
}

// ConvWeightGrad computes dw from x and dy, from some of the images, for the input channels
// that were used.
func (m *multiplier[T]) ConvWeightGrad(p *nn.Pass[T], dw, x, dy tensor.Images[T], o tensor.Window, beta T) (err error) {
	var s *tensor.Sample[T]
	only := m.only()
	if m.weight != nil {
		s, err = m.weight.choose(p.Step, x.N, m.least, func(dst, scratch []T) error {
			x, dy := m.weight.glance(p.Step).factors(tensor.TN, x.Matrix(), dy.Matrix())
			p.Flops += 2 * float64(x.Rows) * float64(x.Cols+dy.Cols)
			return tensor.PairNorms(dst, scratch, tensor.TN, x, dy)
		})
		if err := m.note(p, "weight gradient", x.N, s, err); err != nil {
			return err
		}
	}
	p.Flops += 2 * of(only, x.C) * taps(dy, dw) / float64(max(x.N, 1)) * of(s, x.N) * p.LiveShare(dw.N)
	return tensor.ConvWeightGrad(p.Pool, dw, x, dy, o, s, only, p.Live(), beta)
}

// normProduct multiplies the norms of two factors, unless one could not be had.
func normProduct[T tensor.Float](dst, other []T, errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	tensor.Hadamard(dst, dst, other)
	return nil
}

func numbers[T tensor.Float](x tensor.Images[T]) float64 { return float64(x.N * x.C * x.H * x.W) }

// taps is the multiplications of a convolution for each of its input channels.
func taps[T tensor.Float](y, w tensor.Images[T]) float64 {
	return float64(y.N*y.H*y.W) * float64(w.N*w.H*w.W)
}
