package nn

import "trivium/core/tensor"

// Residual adds what Body makes of x to x itself, or to what Shortcut makes of it (He et al.,
// CVPR 2016).
type Residual struct {
	Body     Chain
	Shortcut Chain // empty means x
	ReLU     bool  // nothing below 0 after the sum
}

// Kind returns "block".
func (Residual) Kind() string { return "block" }

// Shape returns the shape of both branches.
func (r Residual) Shape(in Shape) (Shape, error) {
	body, err := r.Body.Shape(in)
	if err != nil {
		return Shape{}, within("body", err)
	}
	short, err := r.Shortcut.Shape(in)
	if err != nil {
		return Shape{}, within("shortcut", err)
	}
	if body != short {
		return Shape{}, bad("the body gives %v and the shortcut %v: they must be the same to be added", body, short)
	}
	return body, nil
}

// Unit32 returns the layer in float32.
func (r Residual) Unit32(in Shape) Unit[float32] { return newResidual[float32](r, in) }

// Unit64 returns the layer in float64.
func (r Residual) Unit64(in Shape) Unit[float64] { return newResidual[float64](r, in) }

type residual[T tensor.Float] struct {
	relu, keeps bool // keeps: the body leaves the gradient it gets as it is
	body, short *chain[T]
	y           tensor.Matrix[T]
	yb, gb      buffer[T]
}

func newResidual[T tensor.Float](r Residual, in Shape) *residual[T] {
	u := &residual[T]{relu: r.ReLU, body: newChain[T](r.Body, in), short: newChain[T](r.Shortcut, in)}
	if n := len(u.body.units); n > 0 {
		k, ok := u.body.units[n-1].(interface{ keepsGradient() bool })
		u.keeps = ok && k.keepsGradient()
	}
	return u
}

func (u *residual[T]) Params() []*Param[T] { return nil }

func (u *residual[T]) parts(visit func(name string, u Unit[T])) {
	visit("body", u.body)
	visit("shortcut", u.short)
}

func (u *residual[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	a, b := u.body.Forward(p, x), u.short.Forward(p, x)
	if p.err != nil {
		return x
	}
	u.y = u.yb.matrix(a.Rows, a.Cols)
	if u.relu {
		tensor.AddReLU(flat(u.y), flat(a), flat(b))
	} else {
		tensor.Add(flat(u.y), flat(a), flat(b))
	}
	return u.y
}

// Backward gives the body a copy of the gradient if it may write to it.
func (u *residual[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) tensor.Matrix[T] {
	if u.relu {
		tensor.ReLUGrad(flat(dy), flat(dy), flat(u.y))
	}
	g := dy
	if !u.keeps {
		g = u.gb.matrix(dy.Rows, dy.Cols)
		copy(flat(g), flat(dy))
	}
	a, b := u.body.Backward(p, g, wantX), u.short.Backward(p, dy, wantX)
	if !wantX || p.err != nil {
		return a
	}
	tensor.Add(flat(a), flat(a), flat(b))
	return a
}
