package nn

import "trivium/core/tensor"

// Dense multiplies by a matrix of weights and adds a bias: y = x·w + b, w with one row for
// each input.
type Dense struct {
	Out    int
	NoBias bool
	Init   Init    // of the weights; the bias starts at 0
	Gain   float64 // multiplies the first weights; 0 means 1

	relu bool // nothing below 0: set when a ReLU follows
}

// Kind returns "dense".
func (Dense) Kind() string { return "dense" }

// Shape returns {Out, 1, 1}; any shape goes in, as the vector of its numbers.
func (d Dense) Shape(in Shape) (Shape, error) {
	if d.Out < 1 {
		return Shape{}, bad("Out is %d: give the number of outputs", d.Out)
	}
	return Vector(d.Out), nil
}

// Unit32 returns the layer in float32.
func (d Dense) Unit32(in Shape) Unit[float32] { return newDense[float32](d, in) }

// Unit64 returns the layer in float64.
func (d Dense) Unit64(in Shape) Unit[float64] { return newDense[float64](d, in) }

func (d Dense) withReLU() Layer { d.relu = true; return d }

type dense[T tensor.Float] struct {
	multiplied[T]
	in, out int
	relu    bool
	w, b    *Param[T] // b may be nil
	x, y    tensor.Matrix[T]
	yb, dxb buffer[T]
}

func newDense[T tensor.Float](d Dense, in Shape) *dense[T] {
	u := &dense[T]{in: in.Size(), out: d.Out, relu: d.relu}
	u.w = weight[T](u.in, u.out, 1, u.out, d.Init, d.Gain)
	if !d.NoBias {
		u.b = constant("bias", u.out, T(0))
	}
	return u
}

func (u *dense[T]) Params() []*Param[T] { return params(u.w, u.b) }

func (u *dense[T]) info() Info {
	return Info{MACs: int64(u.in) * int64(u.out), Inputs: u.in, Outputs: u.out}
}

func (u *dense[T]) weights(w []T) tensor.Matrix[T] { return tensor.Of(u.in, u.out, w) }

func (u *dense[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.x, u.y = x, u.yb.matrix(x.Rows, u.out)
	p.Fail(u.product(p).Forward(p, u.y, x, u.weights(u.w.Value), value(u.b), u.relu))
	return u.y
}

// keepsGradient tells whether Backward leaves dy as it is.
func (u *dense[T]) keepsGradient() bool { return !u.relu }

func (u *dense[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) (dx tensor.Matrix[T]) {
	if u.relu {
		tensor.ReLUGrad(flat(dy), flat(dy), flat(u.y))
	}
	if u.b != nil {
		p.Fail(tensor.ColSums(u.b.Grad, dy, p.beta()))
	}
	m := u.product(p)
	var d Descender[T]
	if p.descend != 0 {
		d = DescenderOf(m)
	}
	if d == nil { // first, for what a multiplier learns from it
		p.Fail(m.WeightGrad(p, u.weights(u.w.Grad), u.x, dy, p.beta()))
	}
	if wantX {
		dx = u.dxb.matrix(dy.Rows, u.in)
		p.Fail(m.InputGrad(p, dx, dy, u.weights(u.w.Value)))
	}
	if d != nil { // last, since it changes the weights that the gradient of x is made with
		p.Fail(d.Descend(p, u.weights(u.w.Value), u.x, dy, p.descend))
		u.w.descended = true
	}
	return dx
}

// multiplied is the part of a unit that knows how to multiply.
type multiplied[T tensor.Float] struct{ m Multiplier[T] }

func (u *multiplied[T]) product(p *Pass[T]) Multiplier[T] {
	if _, exact := u.m.(skipping[T]); u.m == nil || !p.Train && !exact {
		return Exact[T]{}
	}
	return u.m
}

func (u *multiplied[T]) setMultiplier(m Multiplier[T]) { u.m = m }

func value[T tensor.Float](p *Param[T]) []T {
	if p == nil {
		return nil
	}
	return p.Value
}

func params[T tensor.Float](list ...*Param[T]) (kept []*Param[T]) {
	for _, p := range list {
		if p != nil {
			kept = append(kept, p)
		}
	}
	return kept
}
