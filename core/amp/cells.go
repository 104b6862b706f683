package amp

import (
	"fmt"
	"math"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// Linear is y = act(x·W + b).
type Linear struct {
	Out    int
	Act    Activation
	NoBias bool
}

func (l Linear) plan(in int) (cellPlan, error) {
	if l.Out < 1 || in < 1 || l.Act < None || l.Act > Sigmoid {
		return cellPlan{}, fmt.Errorf("%d numbers in, %d out, activation %d", in, l.Out, l.Act)
	}
	w := xavier("weight", in, l.Out)
	layer := nn.Chain{nn.Dense{Out: l.Out, NoBias: l.NoBias}}
	switch l.Act {
	case ReLU:
		w = he("weight", in, l.Out)
		layer = append(layer, nn.ReLU{})
	case Tanh:
		layer = append(layer, nn.Tanh{})
	case Sigmoid:
		layer = append(layer, nn.Sigmoid{})
	}
	p := cellPlan{kind: "linear", out: l.Out, keepX: true, keepY: l.Act != None, shapes: []shape{w}, flops: 2 * float64(in*l.Out), asLayer: layer}
	if !l.NoBias {
		p.shapes = append(p.shapes, shape{"bias", l.Out, 0})
	}
	return p, nil
}

func (l Linear) forward(c *calc, x, y, _ matrix) {
	k := x.Cols * l.Out
	var b []float32
	if !l.NoBias {
		b = c.w[k:]
	}
	c.dense(y, x, c.w[:k], b, l.Act == ReLU)
	if l.Act != ReLU {
		l.Act.apply(flat(y))
	}
}

func (l Linear) backward(c *calc, x, y, _, dy, dx matrix) {
	if l.Act != None {
		l.Act.grad(flat(dy), flat(dy), flat(y))
	}
	k := x.Cols * l.Out
	var gb []float32
	if !l.NoBias {
		gb = c.grads[k:]
	}
	c.denseGrad(dy, x, dx, c.w[:k], c.grads[:k], gb)
}

// Embedding looks up a row of Dim numbers for each word, a number from 0 to below Words.
type Embedding struct {
	Words, Dim int
	Fixed      bool    // not learned
	Spread     float64 // first values are from -Spread to Spread; 0 means 0.1
}

func (e Embedding) plan(in int) (cellPlan, error) {
	if e.Words < 1 || e.Dim < 1 || in != 1 {
		return cellPlan{}, fmt.Errorf("%d words of %d numbers, for rows of %d; it takes rows of one number", e.Words, e.Dim, in)
	}
	if e.Spread == 0 {
		e.Spread = 0.1
	}
	return cellPlan{kind: "embedding", out: e.Dim, keepX: !e.Fixed, shapes: []shape{{"table", e.Words * e.Dim, e.Spread}}, rowLen: e.Dim, frozen: e.Fixed}, nil
}

func (e Embedding) forward(c *calc, x, y, _ matrix) {
	for i, v := range flat(x) {
		k := int(v)
		if float32(k) != v || k < 0 || k >= e.Words {
			c.fail(fmt.Errorf("word %v: it must be a whole number from 0 to below %d", v, e.Words))
			return
		}
		copy(y.Row(i), c.w[k*e.Dim:])
	}
}

func (e Embedding) backward(c *calc, x, _, _, dy, dx matrix) {
	for i, v := range flat(x) {
		c.p.touch(int(v), dy.Row(i))
	}
	clear(flat(dx))
}

// RNN takes [x h] and gives tanh(x·W + h·U + b): one step of the plain recurrent net, with the state
// h of Out numbers at the end of the row.
type RNN struct {
	Out int
	Act Activation // None means Tanh
}

func (r RNN) linear() Linear {
	if r.Act == None {
		r.Act = Tanh
	}
	return Linear{Out: r.Out, Act: r.Act}
}

func (r RNN) plan(in int) (cellPlan, error) {
	if in <= r.Out {
		return cellPlan{}, fmt.Errorf("rows of %d numbers: it takes an input and a state of %d", in, r.Out)
	}
	p, err := r.linear().plan(in)
	p.kind = "rnn"
	return p, err
}

func (r RNN) forward(c *calc, x, y, t matrix)          { r.linear().forward(c, x, y, t) }
func (r RNN) backward(c *calc, x, y, t, dy, dx matrix) { r.linear().backward(c, x, y, t, dy, dx) }

// GRU takes [x h] and gives the next h, of Out numbers: h' = (1-z)·n + z·h, n = tanh(x·Wₙ + bₙ + r·(h·Uₙ)), with
// sigmoids r and z of x·W + h·U + b (Cho et al., EMNLP 2014, with r after the product). Parameters
// are W and b in the order n, r, z and U in the order r, z, n, W and U before b, so that each is one product.
type GRU struct{ Out int }

func (g GRU) plan(in int) (cellPlan, error) {
	if g.Out < 1 || in <= g.Out {
		return cellPlan{}, fmt.Errorf("rows of %d numbers: it takes an input and a state of %d", in, g.Out)
	}
	return cellPlan{kind: "gru", out: g.Out, tape: 4 * g.Out, keepX: true, left: in - g.Out,
		shapes: []shape{xavier("input", in-g.Out, 3*g.Out), xavier("state", g.Out, 3*g.Out), {"bias", 3 * g.Out, 0}},
		flops:  2 * float64(in*3*g.Out)}, nil
}

// of cuts parameters, or their gradients, for rows x of in numbers.
func (g GRU) of(w []float32, in int) (wx, wh matrix, b []float32) {
	n, k := 3*g.Out, in*3*g.Out
	return tensor.Of(in, n, w[:k]), tensor.Of(g.Out, n, w[k:k+g.Out*n]), w[k+g.Out*n:]
}

// forward leaves [n r z u] in t, with u = h·Uₙ: x's product goes to the first three and h's is added to the last three.
func (g GRU) forward(c *calc, x, y, t matrix) {
	n := g.Out
	xs, hs := c.cut(x, c.beside, x.Cols+c.beside.Cols-n)
	if x.Rows == 0 {
		return
	}
	wx, wh, b := g.of(c.w, xs.Cols)
	c.fail(tensor.MulBias(nil, t.Slice(0, t.Rows, 0, 3*n), tensor.NN, xs, wx, nil, b, false))
	for i := range t.Rows {
		clear(t.Row(i)[3*n:])
	}
	c.fail(tensor.Mul(nil, t.Slice(0, t.Rows, n, 4*n), tensor.NN, hs, wh, 1, 1))
	for i := range t.Rows {
		ti := t.Row(i)
		tensor.GRU(ti[n:2*n], ti[2*n:3*n], ti[:n], ti[3*n:], hs.Row(i), y.Row(i))
	}
}

// backward has the gradients of [n r z u] take the place of these.
func (g GRU) backward(c *calc, x, _, t, dy, dx matrix) {
	n := g.Out
	in := x.Cols + c.beside.Cols - n
	xs, hs := c.cut(x, c.beside, in)
	if x.Rows == 0 {
		return
	}
	dxs, dh := c.cut(dx, c.gradBeside, in)
	kept := dh // of the gradient of h, what does not come by the product
	if dh.Rows == 0 {
		kept = dy
	}
	for i := range t.Rows {
		ti := t.Row(i)
		tensor.GRUGrad(ti[n:2*n], ti[2*n:3*n], ti[:n], ti[3*n:], hs.Row(i), dy.Row(i), kept.Row(i))
	}
	ofX, ofH := t.Slice(0, t.Rows, 0, 3*n), t.Slice(0, t.Rows, n, 4*n)
	gx, gh, gb := g.of(c.grads, in)
	c.fail(tensor.ColSums(gb, ofX, c.beta()))
	c.fail(tensor.Mul(nil, gx, tensor.TN, xs, ofX, 1, c.beta()))
	c.fail(tensor.Mul(nil, gh, tensor.TN, hs, ofH, 1, c.beta()))
	wx, wh, _ := g.of(c.w, in)
	if dxs.Rows > 0 {
		c.fail(tensor.Mul(nil, dxs, tensor.NT, ofX, wx, 1, 0))
	}
	if dh.Rows > 0 {
		c.fail(tensor.Mul(nil, dh, tensor.NT, ofH, wh, 1, 1))
	}
}

// LSTM takes [x h c] and gives the next [h c], of Out numbers each: c' = f·c + i·g, h' = o·tanh(c') with
// sigmoids i, f, o and a tanh g of [x h]·W + b, in the order i, f, o, g.
type LSTM struct{ Out int }

func (l LSTM) plan(in int) (cellPlan, error) {
	if l.Out < 1 || in <= 2*l.Out {
		return cellPlan{}, fmt.Errorf("rows of %d numbers: it takes an input, a state and a memory of %d", in, l.Out)
	}
	return cellPlan{kind: "lstm", out: 2 * l.Out, tape: 5 * l.Out, keepX: true,
		shapes: []shape{xavier("weight", in-l.Out, 4*l.Out), {"bias", 4 * l.Out, 0}},
		flops:  2 * float64((in-l.Out)*4*l.Out)}, nil
}

func (l LSTM) forward(c *calc, x, y, t matrix) {
	n, in := l.Out, x.Cols-l.Out
	z := t.Slice(0, t.Rows, 0, 4*n)
	c.dense(z, x.Slice(0, x.Rows, 0, in), c.w[:in*4*n], c.w[in*4*n:], false)
	for i := range x.Rows {
		gates, old, tc := z.Row(i), x.Row(i)[in:], t.Row(i)[4*n:]
		h, cell := y.Row(i)[:n], y.Row(i)[n:]
		tensor.Sigmoid(gates[:3*n], gates[:3*n])
		tensor.Tanh(gates[3*n:], gates[3*n:])
		tensor.Hadamard(cell, gates[n:2*n], old)
		tensor.AddHadamard(cell, gates[:n], gates[3*n:])
		tensor.Tanh(tc, cell)
		tensor.Hadamard(h, gates[2*n:3*n], tc)
	}
}

func (l LSTM) backward(c *calc, x, _, t, dy, dx matrix) {
	n, in := l.Out, x.Cols-l.Out
	dz := c.scratch(x.Rows, 4*n)
	var dxs matrix
	if dx.Rows > 0 {
		dxs = dx.Slice(0, dx.Rows, 0, in)
	}
	for i := range x.Rows {
		ti, z, old := t.Row(i), dz.Row(i), x.Row(i)[in:][:n]
		in0, f, o, g, tc := ti[:n], ti[n : 2*n][:n], ti[2*n : 3*n][:n], ti[3*n : 4*n][:n], ti[4*n:][:n]
		dh, dc := dy.Row(i)[:n], dy.Row(i)[n:][:n]
		for k, d := range dh {
			z[2*n+k] = d * tc[k] * o[k] * (1 - o[k])
			v := dc[k] + d*o[k]*(1-tc[k]*tc[k])
			z[k] = v * g[k] * in0[k] * (1 - in0[k])
			z[n+k] = v * old[k] * f[k] * (1 - f[k])
			z[3*n+k] = v * in0[k] * (1 - g[k]*g[k])
			dc[k] = v * f[k]
		}
		if dx.Rows > 0 {
			copy(dx.Row(i)[in:], dc)
		}
	}
	k := in * 4 * n
	c.denseGrad(dz, x.Slice(0, x.Rows, 0, in), dxs, c.w[:k], c.grads[:k], c.grads[k:])
}

// Readout takes [a b] of two equally long parts and gives one number, σ([a b]·w + u)·(a·v + s): the gated
// sum that ends a graph network, before the sum.
type Readout struct{}

func (Readout) plan(in int) (cellPlan, error) {
	if in < 2 || in%2 != 0 {
		return cellPlan{}, fmt.Errorf("rows of %d numbers: it takes two parts of equal length", in)
	}
	return cellPlan{kind: "readout", out: 1, tape: 2, keepX: true,
		shapes: []shape{xavier("gate", in, 1), xavier("value", in/2, 1), {"bias", 2, 0}}, flops: 3 * float64(in)}, nil
}

func (Readout) forward(c *calc, x, y, t matrix) {
	in, half := x.Cols, x.Cols/2
	gate, value, b := c.w[:in], c.w[in:in+half], c.w[in+half:]
	for i := range x.Rows {
		r := x.Row(i)
		s := float32(1 / (1 + math.Exp(-float64(tensor.Dot(r, gate)+b[0]))))
		v := tensor.Dot(r[:half], value) + b[1]
		t.Row(i)[0], t.Row(i)[1] = s, v
		y.Row(i)[0] = s * v
	}
}

func (Readout) backward(c *calc, x, _, t, dy, dx matrix) {
	in, half := x.Cols, x.Cols/2
	if c.first {
		clear(c.grads)
	}
	gate, value := c.w[:in], c.w[in:in+half]
	gg, gv, gb := c.grads[:in], c.grads[in:in+half], c.grads[in+half:]
	for i := range x.Rows {
		r, s, v, d := x.Row(i), t.Row(i)[0], t.Row(i)[1], dy.Row(i)[0]
		ds, dv := d*v*s*(1-s), d*s
		tensor.Axpy(gg, ds, r)
		tensor.Axpy(gv, dv, r[:half])
		gb[0] += ds
		gb[1] += dv
		if dx.Rows > 0 {
			tensor.Scale(dx.Row(i), ds, gate)
			tensor.Axpy(dx.Row(i)[:half], dv, value)
		}
	}
}
