package amp

import (
	"fmt"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// The cells of a binary Tree-LSTM (Tai, Socher, Manning, ACL 2015). What goes from node to node
// is state and memory side by side, [h c] of Out numbers each. Gates are in the order of
// nn.TreeLeaf and nn.TreeBranch, whose parameters fit.

// TreeLeaf makes [h c] of a leaf's input: c = i·g, h = o·tanh(c), with gates i, g, o of x·W + b.
type TreeLeaf struct{ Out int }

// TreeBranch makes [h c] of two children's [h c h' c']: c = i·g + f·c + f'·c', h = o·tanh(c), with
// gates i, f, f', g, o of [h h']·U + b.
type TreeBranch struct{ Out int }

func (l TreeLeaf) plan(in int) (cellPlan, error) {
	if l.Out < 1 || in < 1 {
		return cellPlan{}, fmt.Errorf("rows of %d numbers, %d out", in, l.Out)
	}
	p := treePlan("leaf", in, l.Out, 0)
	p.asLayer = nn.TreeLeaf(l)
	return p, nil
}

func (l TreeBranch) plan(in int) (cellPlan, error) {
	if l.Out < 1 || in != 4*l.Out {
		return cellPlan{}, fmt.Errorf("rows of %d numbers: it takes state and memory of two children, %d", in, 4*l.Out)
	}
	p := treePlan("branch", 2*l.Out, l.Out, 2)
	p.asLayer = nn.TreeBranch(l)
	return p, nil
}

func treePlan(kind string, in, out, children int) cellPlan {
	width := (3 + children) * out
	return cellPlan{kind: kind, out: 2 * out, tape: width + out, keepX: true,
		shapes: []shape{xavier("weight", in, width), {"bias", width, 0}}, flops: 2 * float64(in*width)}
}

func (l TreeLeaf) forward(c *calc, x, y, t matrix)          { treeForward(c, l.Out, 0, x, y, t) }
func (l TreeLeaf) backward(c *calc, x, _, t, dy, dx matrix) { treeBackward(c, l.Out, 0, x, t, dy, dx) }

func (l TreeBranch) forward(c *calc, x, y, t matrix) { treeForward(c, l.Out, 2, x, y, t) }
func (l TreeBranch) backward(c *calc, x, _, t, dy, dx matrix) {
	treeBackward(c, l.Out, 2, x, t, dy, dx)
}

// states brings together what is multiplied: of branches, the children's states without memory.
func states(c *calc, n, children int, x matrix) matrix {
	if children == 0 {
		return x
	}
	h := c.scratch(x.Rows, children*n)
	for i := range x.Rows {
		for k := range children {
			copy(h.Row(i)[k*n:][:n], x.Row(i)[2*k*n:])
		}
	}
	return h
}

func treeForward(c *calc, n, children int, x, y, t matrix) {
	width := (3 + children) * n
	at := (1 + children) * n // of gate g
	xs := states(c, n, children, x)
	k := xs.Cols * width
	z := t.Slice(0, t.Rows, 0, width)
	c.dense(z, xs, c.w[:k], c.w[k:], false)
	for i := range x.Rows {
		gates, tc, h, mem := z.Row(i), t.Row(i)[width:], y.Row(i)[:n], y.Row(i)[n:]
		tensor.Sigmoid(gates[:at], gates[:at])
		tensor.Tanh(gates[at:at+n], gates[at:at+n])
		tensor.Sigmoid(gates[at+n:], gates[at+n:])
		tensor.Hadamard(mem, gates[:n], gates[at:at+n])
		for k := range children {
			tensor.AddHadamard(mem, gates[(1+k)*n:][:n], x.Row(i)[(2*k+1)*n:][:n])
		}
		tensor.Tanh(tc, mem)
		tensor.Hadamard(h, gates[at+n:], tc)
	}
}

func treeBackward(c *calc, n, children int, x, t, dy, dx matrix) {
	width := (3 + children) * n
	at := (1 + children) * n
	xs := states(c, n, children, x)
	dz := c.scratch(x.Rows, width)
	for i := range x.Rows {
		ti, d := t.Row(i), dz.Row(i)
		in, g, o, tc := ti[:n], ti[at : at+n][:n], ti[at+n : width][:n], ti[width:][:n]
		di, dg, do := d[:n], d[at : at+n][:n], d[at+n:][:n]
		dh, dc := dy.Row(i)[:n], dy.Row(i)[n:][:n]
		for j, v := range dh {
			s := tc[j]
			m := dc[j] + v*o[j]*(1-s*s)
			dc[j] = m
			do[j] = v * s * o[j] * (1 - o[j])
			di[j] = m * g[j] * in[j] * (1 - in[j])
			dg[j] = m * in[j] * (1 - g[j]*g[j])
		}
		for k := range children {
			f, df, mem := ti[(1+k)*n:][:n], d[(1+k)*n:][:n], x.Row(i)[(2*k+1)*n:][:n]
			for j, m := range dc {
				df[j] = m * mem[j] * f[j] * (1 - f[j])
			}
			if dx.Rows > 0 {
				tensor.Hadamard(dx.Row(i)[(2*k+1)*n:][:n], dc, f)
			}
		}
	}
	k := xs.Cols * width
	dxs := dx
	if dx.Rows > 0 && children > 0 {
		dxs = c.scratch(dx.Rows, xs.Cols)
	}
	c.denseGrad(dz, xs, dxs, c.w[:k], c.grads[:k], c.grads[k:])
	if dx.Rows > 0 && children > 0 {
		for i := range dx.Rows {
			for k := range children {
				copy(dx.Row(i)[2*k*n:][:n], dxs.Row(i)[k*n:])
			}
		}
	}
}
