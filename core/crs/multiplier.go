package crs

import (
	"errors"
	"fmt"
	"strings"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// A multiplier makes the products of one layer, as its plan says. A nil selector means that
// this product is not sampled by itself.
type multiplier[T tensor.Float] struct {
	layer                  nn.Info
	least                  int // pairs
	through                bool
	forward, input, weight *selector[T]
	kept                   *tensor.Sample[T] // by the last forward product; nil: all
	record                 *layerRecord
	rows                   rowNorms[T]     // of the weights
	joined                 *joinedNorms[T] // nil: one node alone

	some, part []T // operands and result without what was left out
}

// note says which product an error came from (nn adds the layer) and passes what was chosen to
// the record.
func (m *multiplier[T]) note(p *nn.Pass[T], product string, n int, s *tensor.Sample[T], err error) error {
	if err != nil {
		var norm *NormError
		text := strings.TrimPrefix(err.Error(), "crs: ")
		if errors.As(err, &norm) {
			return fmt.Errorf("crs: %s: %w", product, plain{norm, text})
		}
		return fmt.Errorf("crs: %s: %s", product, text)
	}
	if m.record != nil {
		var index []int32
		if s != nil {
			index = s.Index
		}
		m.record.note(p.Step, product, n, s == nil, index)
	}
	return nil
}

// plain is an error without the prefix that its wrapping has already.
type plain struct {
	error
	text string
}

func (p plain) Error() string { return p.text }
func (p plain) Unwrap() error { return p.error }

// of returns how many of n pairs a sample has.
func of[T tensor.Float](s *tensor.Sample[T], n int) float64 {
	if s == nil {
		return float64(n)
	}
	return float64(len(s.Index))
}

// Forward computes y = x·w + bias from a sample of the inputs.
func (m *multiplier[T]) Forward(p *nn.Pass[T], y, x, w tensor.Matrix[T], bias []T, relu bool) (err error) {
	m.kept = nil
	if m.forward != nil {
		m.kept, err = m.forward.choose(p.Step, w.Rows, m.least, func(dst, scratch []T) error {
			g := m.forward.glance(p.Step)
			rows, err := m.rows.of(p, g.columns(w))
			if err != nil || m.forward.sampler.looksAt() == seesWeights {
				copy(dst, rows)
				return err
			}
			x := g.rows(x)
			p.Flops += 2 * float64(w.Rows) * float64(x.Rows)
			err = tensor.ColNorms(dst, x)
			m.joined.swap(dst)
			tensor.Hadamard(dst, dst, rows)
			return err
		})
		if err := m.note(p, "forward", w.Rows, m.kept, err); err != nil {
			return err
		}
	}
	p.Flops += 2 * float64(x.Rows) * float64(w.Cols) * of(m.kept, w.Rows)
	return tensor.MulBias(p.Pool, y, tensor.NN, x, w, m.kept, bias, relu)
}

// only returns the inputs that have gradients; nil means all.
func (m *multiplier[T]) only() *tensor.Sample[T] {
	if m.through {
		return m.kept
	}
	return nil
}

// InputGrad computes dx = dy·wᵀ, from a sample of the outputs, for the inputs that were used.
func (m *multiplier[T]) InputGrad(p *nn.Pass[T], dx, dy, w tensor.Matrix[T]) (err error) {
	var s *tensor.Sample[T]
	only := m.only()
	if m.input != nil {
		s, err = m.input.choose(p.Step, w.Cols, m.least, func(dst, scratch []T) error {
			dy, w := m.input.glance(p.Step).factors(tensor.NT, dy, w)
			if m.input.sampler.looksAt() == seesWeights {
				p.Flops += 2 * float64(w.Rows) * float64(w.Cols)
				return tensor.ColNorms(dst, w)
			}
			p.Flops += 2 * float64(w.Cols) * float64(dy.Rows+w.Rows)
			return tensor.PairNorms(dst, scratch, tensor.NT, dy, w)
		})
		if err := m.note(p, "input gradient", w.Cols, s, err); err != nil {
			return err
		}
	}
	p.Flops += 2 * float64(dy.Rows) * of(only, w.Rows) * of(s, w.Cols)
	if only == nil {
		return multiply(p.Pool, dx, tensor.NT, dy, w, s)
	}
	return m.inputGradOf(p, dx, dy, w, s, *only)
}

// WeightGrad computes dw = beta·dw + xᵀ·dy, from some samples of the batch, for the inputs that
// were used.
func (m *multiplier[T]) WeightGrad(p *nn.Pass[T], dw, x, dy tensor.Matrix[T], beta T) (err error) {
	var s *tensor.Sample[T]
	only := m.only()
	if m.weight != nil {
		s, err = m.weight.choose(p.Step, x.Rows, m.least, func(dst, scratch []T) error {
			x, dy := m.weight.glance(p.Step).factors(tensor.TN, x, dy)
			p.Flops += 2 * float64(x.Rows) * float64(x.Cols+dy.Cols)
			return tensor.PairNorms(dst, scratch, tensor.TN, x, dy)
		})
		if err := m.note(p, "weight gradient", x.Rows, s, err); err != nil {
			return err
		}
	}
	p.Flops += 2 * of(s, x.Rows) * of(only, x.Cols) * float64(dy.Cols)
	switch {
	case only == nil && s == nil:
		return tensor.Mul(p.Pool, dw, tensor.TN, x, dy, 1, beta)
	case only == nil:
		return tensor.MulSampled(p.Pool, dw, tensor.TN, x, dy, *s, 1, beta)
	default:
		return m.weightGradOf(p, dw, x, dy, s, *only, beta)
	}
}

// Descends tells whether the gradient of the weights is that of what was multiplied forward, so
// that only rows that were used change.
func (m *multiplier[T]) Descends() bool { return m.weight == nil }

// Descend computes w -= rate·xᵀ·dy, for the inputs that were used.
func (m *multiplier[T]) Descend(p *nn.Pass[T], w, x, dy tensor.Matrix[T], rate float64) error {
	only := m.only()
	p.Flops += 2 * float64(x.Rows) * of(only, x.Cols) * float64(dy.Cols)
	if only == nil {
		return tensor.Mul(p.Pool, w, tensor.TN, x, dy, T(-rate), 1)
	}
	if err := tensor.MulOnly(p.Pool, w, tensor.TN, x, dy, *only, T(-rate), 1); err != nil {
		return err
	}
	if m.forward.look > 1 {
		return nil // the next step looks at another part
	}
	return m.rows.renew(p, w, only.Index)
}

// failing is the multiplier of a product that cannot be: it says so when it is used.
type failing[T tensor.Float] struct {
	nn.Exact[T]
	err error
}

func (f failing[T]) Forward(*nn.Pass[T], tensor.Matrix[T], tensor.Matrix[T], tensor.Matrix[T], []T, bool) error {
	return f.err
}

func (f failing[T]) ConvForward(*nn.Pass[T], tensor.Images[T], tensor.Images[T], tensor.Images[T], tensor.Window, []T, bool) error {
	return f.err
}
