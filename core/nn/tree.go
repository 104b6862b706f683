package nn

import "trivium/core/tensor"

// The layers of a Tree-LSTM (Tai, Socher, Manning, ACL 2015) do one node of a tree, or a batch
// of nodes. What goes from node to node is state and cell side by side, [h, c] of Out numbers
// each.

// TreeLeaf makes [h, c] of a leaf's input: c = i·g, h = o·tanh(c) with gates i, g, o of x·W + b.
type TreeLeaf struct{ Out int }

// TreeBranch makes [h, c] of two children's [h, c, h, c]: c = i·g + f·c + f'·c', h = o·tanh(c) with
// gates i, f, f', g, o of [h, h']·U + b.
type TreeBranch struct{ Out int }

// ChildSum makes [h, c] of an input of In numbers and the [h, c] of up to Children children, one
// after the other: with the sum h̃ of their states, gates i, g, o of x·W + h̃·U + b and a gate f of
// x·W + h·U + b for each child, c = i·g + Σf·c and h = o·tanh(c). A child of zeros counts for
// nothing, so nodes with fewer are filled up.
type ChildSum struct{ In, Out, Children int }

// Kind returns "leaf".
func (TreeLeaf) Kind() string { return "leaf" }

// Kind returns "branch".
func (TreeBranch) Kind() string { return "branch" }

// Kind returns "childsum".
func (ChildSum) Kind() string { return "childsum" }

// Shape returns {2·Out, 1, 1}.
func (l TreeLeaf) Shape(in Shape) (Shape, error) { return treeShape(l.Out, in.Size(), in) }

// Shape returns {2·Out, 1, 1}.
func (l TreeBranch) Shape(in Shape) (Shape, error) { return treeShape(l.Out, 4*l.Out, in) }

// Shape returns {2·Out, 1, 1}.
func (l ChildSum) Shape(in Shape) (Shape, error) {
	if l.In < 1 || l.Children < 1 {
		return Shape{}, bad("In %d, Children %d: both must be at least 1", l.In, l.Children)
	}
	return treeShape(l.Out, l.In+2*l.Out*l.Children, in)
}

func treeShape(out, want int, in Shape) (Shape, error) {
	if out < 1 {
		return Shape{}, bad("Out is %d: give the size of the state", out)
	}
	if in.Size() != want {
		return Shape{}, bad("%v goes in: it takes %d numbers", in, want)
	}
	return Vector(2 * out), nil
}

// Unit32 returns the layer in float32.
func (l TreeLeaf) Unit32(in Shape) Unit[float32] { return newTree[float32](l.Out, in.Size(), 0) }

// Unit64 returns the layer in float64.
func (l TreeLeaf) Unit64(in Shape) Unit[float64] { return newTree[float64](l.Out, in.Size(), 0) }

// Unit32 returns the layer in float32.
func (l TreeBranch) Unit32(Shape) Unit[float32] { return newTree[float32](l.Out, 2*l.Out, 2) }

// Unit64 returns the layer in float64.
func (l TreeBranch) Unit64(Shape) Unit[float64] { return newTree[float64](l.Out, 2*l.Out, 2) }

// Unit32 returns the layer in float32.
func (l ChildSum) Unit32(Shape) Unit[float32] { return newChildSum[float32](l) }

// Unit64 returns the layer in float64.
func (l ChildSum) Unit64(Shape) Unit[float64] { return newChildSum[float64](l) }

// A tree is a leaf, without children, or a branch with two. Gates are in the order i, one f for
// each child, g, o.
type tree[T tensor.Float] struct {
	multiplied[T]
	out, in, children int
	w, b              *Param[T]
	x, full           tensor.Matrix[T] // what is multiplied, and all that came in
	xb, zb, tcb, yb   buffer[T]
	dzb, dib, dxb     buffer[T]
}

func newTree[T tensor.Float](out, in, children int) *tree[T] {
	u := &tree[T]{out: out, in: in, children: children}
	u.w = weight[T](in, u.width(), 1, u.width(), XavierUniform, 1)
	u.b = constant("bias", u.width(), T(0))
	return u
}

func (u *tree[T]) width() int { return (3 + u.children) * u.out }

func (u *tree[T]) Params() []*Param[T] { return params(u.w, u.b) }

func (u *tree[T]) info() Info { return Info{MACs: int64(u.w.Len), Inputs: u.in, Outputs: u.width()} }

func (u *tree[T]) weights(w []T) tensor.Matrix[T] { return tensor.Of(u.in, u.width(), w) }

func (u *tree[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	n := u.out
	u.x, u.full = x, x
	if u.children > 0 {
		u.x = u.xb.matrix(x.Rows, u.in) // the states of the children, without their cells
		for i := range x.Rows {
			for k := range u.children {
				copy(u.x.Row(i)[k*n:][:n], x.Row(i)[2*k*n:])
			}
		}
	}
	z, tc, y := u.zb.matrix(x.Rows, u.width()), u.tcb.matrix(x.Rows, n), u.yb.matrix(x.Rows, 2*n)
	p.Fail(u.product(p).Forward(p, z, u.x, u.weights(u.w.Value), u.b.Value, false))
	for i := range x.Rows {
		gates, h, c := z.Row(i), y.Row(i)[:n], y.Row(i)[n:]
		at := (1 + u.children) * n // of g
		tensor.Sigmoid(gates[:at], gates[:at])
		tensor.Tanh(gates[at:at+n], gates[at:at+n])
		tensor.Sigmoid(gates[at+n:], gates[at+n:])
		tensor.Hadamard(c, gates[:n], gates[at:at+n])
		for k := range u.children {
			tensor.AddHadamard(c, gates[(1+k)*n:][:n], x.Row(i)[(2*k+1)*n:][:n])
		}
		tensor.Tanh(tc.Row(i), c)
		tensor.Hadamard(h, gates[at+n:], tc.Row(i))
	}
	return y
}

func (u *tree[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) tensor.Matrix[T] {
	n := u.out
	z, tc := u.zb.matrix(dy.Rows, u.width()), u.tcb.matrix(dy.Rows, n)
	dz := u.dzb.matrix(dy.Rows, u.width())
	dx := u.dxb.matrix(dy.Rows, u.full.Cols)
	for i := range dy.Rows {
		at := (1 + u.children) * n
		gates, d := z.Row(i), dz.Row(i)
		in, g, o := gates[:n], gates[at:at+n], gates[at+n:]
		for j, dh := range dy.Row(i)[:n] {
			t := tc.Row(i)[j]
			dc := dy.Row(i)[n+j] + dh*o[j]*(1-t*t)
			d[at+n+j] = dh * t * o[j] * (1 - o[j])
			d[j] = dc * g[j] * in[j] * (1 - in[j])
			d[at+j] = dc * in[j] * (1 - g[j]*g[j])
			for k := range u.children {
				f, cell := gates[(1+k)*n+j], (2*k+1)*n+j
				d[(1+k)*n+j] = dc * u.full.Row(i)[cell] * f * (1 - f)
				dx.Row(i)[cell] = dc * f
			}
		}
	}
	p.Fail(tensor.ColSums(u.b.Grad, dz, p.beta()))
	m := u.product(p)
	p.Fail(m.WeightGrad(p, u.weights(u.w.Grad), u.x, dz, p.beta()))
	if !wantX {
		return dx
	}
	di := dx
	if u.children > 0 {
		di = u.dib.matrix(dy.Rows, u.in)
	}
	p.Fail(m.InputGrad(p, di, dz, u.weights(u.w.Value)))
	for k := range u.children {
		for i := range dy.Rows {
			copy(dx.Row(i)[2*k*n:][:n], di.Row(i)[k*n:])
		}
	}
	return dx
}
