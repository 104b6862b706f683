package nn

import (
	"trivium/core/random"
	"trivium/core/tensor"
)

// A Product says how layers multiply: exactly (nil in Network.SetProduct), or from a sample of
// the column-row pairs. It gives each layer a multiplier of its own, which may keep what
// it chose in Forward for the two gradients. What it draws should follow from the stream and
// Pass.Step alone: then a training that is resumed draws what it would have drawn.
type Product interface {
	Multiplier32(l Info, s *random.Stream) Multiplier[float32]
	Multiplier64(l Info, s *random.Stream) Multiplier[float64]
	String() string
}

// ForNet is a Product that depends on the whole network: SetProduct uses what it returns for the
// network's layers.
type ForNet interface {
	Product
	ForNet(layers []Info) Product
}

// A Multiplier makes the products of one layer during training; evaluation is always exact.
// Each method adds to p.Flops what it did. w has one row for each input.
type Multiplier[T tensor.Float] interface {
	Forward(p *Pass[T], y, x, w tensor.Matrix[T], bias []T, relu bool) error // y = x·w + bias
	InputGrad(p *Pass[T], dx, dy, w tensor.Matrix[T]) error                  // dx = dy·wᵀ
	WeightGrad(p *Pass[T], dw, x, dy tensor.Matrix[T], beta T) error         // dw = beta·dw + xᵀ·dy

	ConvForward(p *Pass[T], y, x, w tensor.Images[T], o tensor.Window, bias []T, relu bool) error
	ConvInputGrad(p *Pass[T], dx, dy, w tensor.Images[T], o tensor.Window) error
	ConvWeightGrad(p *Pass[T], dw, x, dy tensor.Images[T], o tensor.Window, beta T) error
}

// A Descender is a Multiplier that can change weights by their gradient without writing that
// down first, for [Network.Descend].
type Descender[T tensor.Float] interface {
	Multiplier[T]
	Descends() bool                                                    // whether it can in this step
	Descend(p *Pass[T], w, x, dy tensor.Matrix[T], rate float64) error // w -= rate·xᵀ·dy
}

// DescenderOf returns a multiplier as the Descender that it is in this step, nil if it is none.
func DescenderOf[T tensor.Float](m Multiplier[T]) Descender[T] {
	if e, ok := m.(Exact[T]); ok {
		return exactly[T]{e}
	}
	if d, ok := m.(Descender[T]); ok && d.Descends() {
		return d
	}
	return nil
}

// exactly is Exact as a Descender. Exact itself is none: types that embed it and change its
// WeightGrad would descend past theirs.
type exactly[T tensor.Float] struct{ Exact[T] }

func (exactly[T]) Descends() bool { return true }

func (exactly[T]) Descend(p *Pass[T], w, x, dy tensor.Matrix[T], rate float64) error {
	p.Flops += 2 * float64(dy.Rows) * float64(w.Rows) * float64(w.Cols)
	return tensor.Mul(p.Pool, w, tensor.TN, x, dy, T(-rate), 1)
}

// Exact is the multiplier that computes everything.
type Exact[T tensor.Float] struct{}

// Forward computes y = x·w + bias, and with relu set nothing below 0.
func (Exact[T]) Forward(p *Pass[T], y, x, w tensor.Matrix[T], bias []T, relu bool) error {
	p.Flops += 2 * float64(x.Rows) * float64(w.Rows) * float64(w.Cols)
	return tensor.MulBias(p.Pool, y, tensor.NN, x, w, nil, bias, relu)
}

// InputGrad computes dx = dy·wᵀ.
func (Exact[T]) InputGrad(p *Pass[T], dx, dy, w tensor.Matrix[T]) error {
	p.Flops += 2 * float64(dy.Rows) * float64(w.Rows) * float64(w.Cols)
	return tensor.Mul(p.Pool, dx, tensor.NT, dy, w, 1, 0)
}

// WeightGrad computes dw = beta·dw + xᵀ·dy.
func (Exact[T]) WeightGrad(p *Pass[T], dw, x, dy tensor.Matrix[T], beta T) error {
	p.Flops += 2 * float64(dy.Rows) * float64(dw.Rows) * float64(dw.Cols)
	return tensor.Mul(p.Pool, dw, tensor.TN, x, dy, 1, beta)
}

// ConvForward computes y, the convolution of x with w, plus bias; see tensor.ConvForward.
func (Exact[T]) ConvForward(p *Pass[T], y, x, w tensor.Images[T], o tensor.Window, bias []T, relu bool) error {
	p.Flops += convFlops(y, w)
	return tensor.ConvForward(p.Pool, y, x, w, o, nil, bias, relu)
}

// ConvInputGrad computes dx from dy; see tensor.ConvInputGrad.
func (Exact[T]) ConvInputGrad(p *Pass[T], dx, dy, w tensor.Images[T], o tensor.Window) error {
	p.Flops += convFlops(dy, w) * p.LiveShare(w.N)
	return tensor.ConvInputGrad(p.Pool, dx, dy, w, o, p.LiveOutputs(), nil)
}

// ConvWeightGrad computes dw from x and dy; see tensor.ConvWeightGrad.
func (Exact[T]) ConvWeightGrad(p *Pass[T], dw, x, dy tensor.Images[T], o tensor.Window, beta T) error {
	p.Flops += convFlops(dy, dw) * p.LiveShare(dw.N)
	return tensor.ConvWeightGrad(p.Pool, dw, x, dy, o, nil, nil, p.Live(), beta)
}

func convFlops[T tensor.Float](y, w tensor.Images[T]) float64 {
	return 2 * float64(y.N*y.H*y.W) * float64(w.N*w.C*w.H*w.W)
}

// multiplier32 and multiplier64 are the one place where a type parameter meets the two methods.
func multiplierOf[T tensor.Float](q Product, l Info, s *random.Stream) Multiplier[T] {
	var m any
	switch any(T(0)).(type) {
	case float32:
		m = q.Multiplier32(l, s)
	default:
		m = q.Multiplier64(l, s)
	}
	if m == nil {
		return nil
	}
	return m.(Multiplier[T])
}
