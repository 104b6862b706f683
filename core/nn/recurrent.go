package nn

import "trivium/core/tensor"

// Recurrent layers go along a sequence, a shape of {steps, numbers, 1}, and carry a state of Out
// numbers that is 0 before the first step. They return the state after each step, {steps, Out, 1},
// or with Last the one after the last, {Out, 1, 1}.

// RNN is the plain one: h = tanh(x·W + h·U + b) (Elman, Cognitive Science 14 (1990), 179).
type RNN struct {
	Out  int
	Last bool // return the last state only
}

// LSTM has a memory cell with gates: c = f·c + i·g, h = o·tanh(c), where i, f, o are sigmoids and
// g a tanh of x·W + h·U + b, in the order i, f, g, o (Hochreiter, Schmidhuber, Neural
// Computation 9 (1997), 1735; with the forget gate of Gers et al., 2000).
type LSTM struct {
	Out  int
	Last bool // return the last state only
}

// GRU mixes the old state with a candidate: h = (1-z)·n + z·h, n = tanh(x·Wₙ + bₙ + r·(h·Uₙ)), where
// r and z are sigmoids of x·W + h·U + b, in the order r, z, n (Cho et al., EMNLP 2014, with r
// after the product, as in cuDNN).
type GRU struct {
	Out  int
	Last bool // return the last state only
}

// Kind returns "rnn".
func (RNN) Kind() string { return "rnn" }

// Kind returns "lstm".
func (LSTM) Kind() string { return "lstm" }

// Kind returns "gru".
func (GRU) Kind() string { return "gru" }

// Shape returns {steps, Out, 1}, or {Out, 1, 1} with Last.
func (r RNN) Shape(in Shape) (Shape, error) { return sequenceShape(r.Out, r.Last, in) }

// Shape returns {steps, Out, 1}, or {Out, 1, 1} with Last.
func (r LSTM) Shape(in Shape) (Shape, error) { return sequenceShape(r.Out, r.Last, in) }

// Shape returns {steps, Out, 1}, or {Out, 1, 1} with Last.
func (r GRU) Shape(in Shape) (Shape, error) { return sequenceShape(r.Out, r.Last, in) }

func sequenceShape(out int, last bool, in Shape) (Shape, error) {
	if out < 1 {
		return Shape{}, bad("Out is %d: give the size of the state", out)
	}
	if last {
		return Vector(out), nil
	}
	return Shape{in.C, out, 1}, nil
}

// Unit32 returns the layer in float32.
func (r RNN) Unit32(in Shape) Unit[float32] {
	return newRecurrent[float32](plainCell, r.Out, r.Last, in)
}

// Unit64 returns the layer in float64.
func (r RNN) Unit64(in Shape) Unit[float64] {
	return newRecurrent[float64](plainCell, r.Out, r.Last, in)
}

// Unit32 returns the layer in float32.
func (r LSTM) Unit32(in Shape) Unit[float32] {
	return newRecurrent[float32](lstmCell, r.Out, r.Last, in)
}

// Unit64 returns the layer in float64.
func (r LSTM) Unit64(in Shape) Unit[float64] {
	return newRecurrent[float64](lstmCell, r.Out, r.Last, in)
}

// Unit32 returns the layer in float32.
func (r GRU) Unit32(in Shape) Unit[float32] { return newRecurrent[float32](gruCell, r.Out, r.Last, in) }

// Unit64 returns the layer in float64.
func (r GRU) Unit64(in Shape) Unit[float64] { return newRecurrent[float64](gruCell, r.Out, r.Last, in) }

type cellKind int

const (
	plainCell cellKind = 1 // the values are the numbers of gates
	gruCell   cellKind = 3
	lstmCell  cellKind = 4
)

// A recurrent computes x·W + b of all steps in one product, and step by step what needs the
// state before.
type recurrent[T tensor.Float] struct {
	multiplied[T]
	kind            cellKind
	steps, in, out  int
	last            bool
	w, u, b         *Param[T]
	x               tensor.Matrix[T]
	n               int       // sequences of the last Forward
	gates, du       buffer[T] // a row for each step of each sequence, of gates·out numbers
	hs, cs, tcs, us buffer[T] // likewise of out: states, cells, their tanh, GRU's h·Uₙ
	zero, dh, dc    buffer[T] // a row for each sequence
	hu, dg, dxb     buffer[T] // GRU's h·U of one step; gradient of gates; of x
	yb              buffer[T] // of Last
}

func newRecurrent[T tensor.Float](kind cellKind, out int, last bool, in Shape) *recurrent[T] {
	u := &recurrent[T]{kind: kind, steps: in.C, in: in.H * in.W, out: out, last: last}
	g := int(kind) * out
	u.w = weight[T](u.in, g, 1, g, XavierUniform, 1)
	u.u = weight[T](out, g, 1, g, XavierUniform, 1)
	u.u.Name = "state"
	u.b = constant("bias", g, T(0))
	return u
}

func (u *recurrent[T]) Params() []*Param[T] { return params(u.w, u.u, u.b) }

func (u *recurrent[T]) info() Info {
	return Info{MACs: int64(u.steps) * int64(u.w.Len+u.u.Len), Inputs: u.in, Outputs: u.out}
}

func (u *recurrent[T]) width() int { return int(u.kind) * u.out }

// at is step t of all sequences, of a buffer with a row of cols for each step of each.
func (u *recurrent[T]) at(data []T, t, cols int) tensor.Matrix[T] {
	return tensor.Matrix[T]{Rows: u.n, Cols: cols, Stride: u.steps * cols, Data: data[t*cols:]}
}

// before is the state, or cell, before step t.
func (u *recurrent[T]) before(data []T, t int) tensor.Matrix[T] {
	if t == 0 {
		return tensor.Of(u.n, u.out, u.zero.slice(u.n*u.out)) // nobody writes to it
	}
	return u.at(data, t-1, u.out)
}

func (u *recurrent[T]) inputWeights(w []T) tensor.Matrix[T] { return tensor.Of(u.in, u.width(), w) }
func (u *recurrent[T]) stateWeights(w []T) tensor.Matrix[T] { return tensor.Of(u.out, u.width(), w) }

func (u *recurrent[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.x, u.n = x, x.Rows
	g, all := u.width(), x.Rows*u.steps
	z, hs, cs := u.gates.matrix(all, g), u.hs.slice(all*u.out), u.cs.slice(all*u.out)
	tcs, us := u.tcs.slice(all*u.out), u.us.slice(all*u.out)
	p.Fail(u.product(p).Forward(p, z, tensor.Of(all, u.in, x.Data), u.inputWeights(u.w.Value), u.b.Value, false))
	hu := u.hu.matrix(u.n, g)
	for t := range u.steps {
		zt, h, hPrev := u.at(z.Data, t, g), u.at(hs, t, u.out), u.before(hs, t)
		dst, beta := zt, T(1)
		if u.kind == gruCell {
			dst, beta = hu, 0
		}
		p.Flops += 2 * float64(u.n) * float64(u.u.Len)
		p.Fail(tensor.Mul(p.Pool, dst, tensor.NN, hPrev, u.stateWeights(u.u.Value), 1, beta))
		c, cPrev := u.at(cs, t, u.out), u.before(cs, t)
		tc, un := u.at(tcs, t, u.out), u.at(us, t, u.out)
		for i := range u.n {
			switch u.kind {
			case plainCell:
				tensor.Tanh(h.Row(i), zt.Row(i))
			case lstmCell:
				lstmRow(zt.Row(i), cPrev.Row(i), c.Row(i), tc.Row(i), h.Row(i))
			default:
				gruRow(zt.Row(i), hu.Row(i), hPrev.Row(i), un.Row(i), h.Row(i))
			}
		}
	}
	if !u.last {
		return tensor.Of(x.Rows, u.steps*u.out, hs)
	}
	y, end := u.yb.matrix(x.Rows, u.out), u.at(hs, u.steps-1, u.out)
	for i := range u.n {
		copy(y.Row(i), end.Row(i))
	}
	return y
}

// Backward goes from the last step to the first with the gradients of state and cell.
func (u *recurrent[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) (dx tensor.Matrix[T]) {
	g, all := u.width(), u.n*u.steps
	z, hs, cs, tcs, us := u.gates.slice(all*g), u.hs.slice(all*u.out), u.cs.slice(all*u.out), u.tcs.slice(all*u.out), u.us.slice(all*u.out)
	dz, du := u.dg.matrix(all, g), u.du.matrix(u.n, g)
	dh, dc := u.dh.matrix(u.n, u.out), u.dc.matrix(u.n, u.out)
	clear(flat(dh))
	clear(flat(dc))
	m := u.product(p)
	beta := p.beta()
	for t := u.steps - 1; t >= 0; t-- {
		zt, dzt := u.at(z, t, g), u.at(dz.Data, t, g)
		h, hPrev, cPrev := u.at(hs, t, u.out), u.before(hs, t), u.before(cs, t)
		tc, un := u.at(tcs, t, u.out), u.at(us, t, u.out)
		for i := range u.n {
			d := dh.Row(i)
			if !u.last {
				tensor.Add(d, d, dy.Row(i)[t*u.out:][:u.out])
			} else if t == u.steps-1 {
				tensor.Add(d, d, dy.Row(i))
			}
			switch u.kind {
			case plainCell:
				tensor.TanhGrad(dzt.Row(i), d, h.Row(i))
			case lstmCell:
				lstmRowGrad(zt.Row(i), cPrev.Row(i), tc.Row(i), d, dc.Row(i), dzt.Row(i))
			default:
				gruRowGrad(zt.Row(i), hPrev.Row(i), un.Row(i), d, dzt.Row(i), du.Row(i))
			}
		}
		inner, keep := dzt, T(0) // gradient of h·U, and how much of d goes on as it is
		if u.kind == gruCell {
			inner, keep = du, 1
		}
		p.Fail(Exact[T]{}.WeightGrad(p, u.stateWeights(u.u.Grad), hPrev, inner, beta))
		beta = 1
		p.Flops += 2 * float64(u.n) * float64(u.u.Len)
		p.Fail(tensor.Mul(p.Pool, dh, tensor.NT, inner, u.stateWeights(u.u.Value), 1, keep))
	}
	p.Fail(tensor.ColSums(u.b.Grad, dz, p.beta()))
	x := tensor.Of(all, u.in, u.x.Data)
	p.Fail(m.WeightGrad(p, u.inputWeights(u.w.Grad), x, dz, p.beta()))
	if wantX {
		d := u.dxb.matrix(all, u.in)
		p.Fail(m.InputGrad(p, d, dz, u.inputWeights(u.w.Value)))
		dx = tensor.Of(u.n, u.steps*u.in, d.Data)
	}
	return dx
}
