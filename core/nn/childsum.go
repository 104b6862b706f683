package nn

import "trivium/core/tensor"

// A childSum keeps gates in the order i, g, o and apart from them an f for each child.
type childSum[T tensor.Float] struct {
	multiplied[T]
	l                    ChildSum
	w, u, forget, b      *Param[T] // of x to i, g, o, f; of the sum to i, g, o; of a state to f; of all four
	x                    tensor.Matrix[T]
	xb, sum, zb, fb, tcb buffer[T]
	yb, dzb, dfb, dsum   buffer[T]
	dib, dxb             buffer[T]
}

func newChildSum[T tensor.Float](l ChildSum) *childSum[T] {
	n := l.Out
	u := &childSum[T]{l: l, w: weight[T](l.In, 4*n, 1, 4*n, XavierUniform, 1), u: weight[T](n, 3*n, 1, 3*n, XavierUniform, 1),
		forget: weight[T](n, n, 1, n, XavierUniform, 1), b: constant("bias", 4*n, T(0))}
	u.u.Name, u.forget.Name = "state", "forget"
	return u
}

func (u *childSum[T]) Params() []*Param[T] { return params(u.w, u.u, u.forget, u.b) }

func (u *childSum[T]) info() Info {
	return Info{MACs: int64(u.w.Len+u.u.Len) + int64(u.l.Children)*int64(u.forget.Len), Inputs: u.l.In, Outputs: 4 * u.l.Out}
}

// child is the states (part 0) or cells (part 1) of the k-th children in a matrix like the input.
func (u *childSum[T]) child(x tensor.Matrix[T], k, part int) tensor.Matrix[T] {
	from := u.l.In + (2*k+part)*u.l.Out
	return x.Slice(0, x.Rows, from, from+u.l.Out)
}

// split gives the two parts of a matrix of four gates: i, g, o and f.
func (u *childSum[T]) split(z tensor.Matrix[T]) (igo, f tensor.Matrix[T]) {
	n := u.l.Out
	return z.Slice(0, z.Rows, 0, 3*n), z.Slice(0, z.Rows, 3*n, 4*n)
}

func (u *childSum[T]) matrices(v func(*Param[T]) []T) (w, s, f tensor.Matrix[T]) {
	n := u.l.Out
	return tensor.Of(u.l.In, 4*n, v(u.w)), tensor.Of(n, 3*n, v(u.u)), tensor.Of(n, n, v(u.forget))
}

func (u *childSum[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	n, rows := u.l.Out, x.Rows
	u.x = x
	w, s, forget := u.matrices(func(q *Param[T]) []T { return q.Value })
	in, sum, z := u.xb.matrix(rows, u.l.In), u.sum.matrix(rows, n), u.zb.matrix(rows, 4*n)
	clear(flat(sum))
	for i := range rows {
		copy(in.Row(i), x.Row(i))
		for k := range u.l.Children {
			tensor.Add(sum.Row(i), sum.Row(i), u.child(x, k, 0).Row(i))
		}
	}
	p.Fail(u.product(p).Forward(p, z, in, w, u.b.Value, false))
	igo, fx := u.split(z)
	u.work(p, rows)
	p.Fail(tensor.Mul(p.Pool, igo, tensor.NN, sum, s, 1, 1))
	y, tc := u.yb.matrix(rows, 2*n), u.tcb.matrix(rows, n)
	f := u.fb.matrix(rows, u.l.Children*n)
	for k := range u.l.Children {
		fk := f.Slice(0, rows, k*n, (k+1)*n)
		for i := range rows {
			copy(fk.Row(i), fx.Row(i))
		}
		p.Fail(tensor.Mul(p.Pool, fk, tensor.NN, u.child(x, k, 0), forget, 1, 1))
	}
	for i := range rows {
		g, h, c := igo.Row(i), y.Row(i)[:n], y.Row(i)[n:]
		tensor.Sigmoid(g[:n], g[:n])
		tensor.Tanh(g[n:2*n], g[n:2*n])
		tensor.Sigmoid(g[2*n:], g[2*n:])
		tensor.Sigmoid(f.Row(i), f.Row(i))
		tensor.Hadamard(c, g[:n], g[n:2*n])
		for k := range u.l.Children {
			tensor.AddHadamard(c, f.Row(i)[k*n:][:n], u.child(x, k, 1).Row(i))
		}
		tensor.Tanh(tc.Row(i), c)
		tensor.Hadamard(h, g[2*n:], tc.Row(i))
	}
	return y
}

// work counts the products with states, which go one way forward and two backward.
func (u *childSum[T]) work(p *Pass[T], rows int) {
	p.Flops += 2 * float64(rows) * float64(u.u.Len+u.l.Children*u.forget.Len)
}

func (u *childSum[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) tensor.Matrix[T] {
	n, rows := u.l.Out, dy.Rows
	z, tc, f := u.zb.matrix(rows, 4*n), u.tcb.matrix(rows, n), u.fb.matrix(rows, u.l.Children*n)
	dz, df := u.dzb.matrix(rows, 4*n), u.dfb.matrix(rows, u.l.Children*n)
	dx := u.dxb.matrix(rows, u.x.Cols)
	for i := range rows {
		g, d := z.Row(i), dz.Row(i)
		for j, dh := range dy.Row(i)[:n] {
			t, in, cand, o := tc.Row(i)[j], g[j], g[n+j], g[2*n+j]
			dc := dy.Row(i)[n+j] + dh*o*(1-t*t)
			d[j], d[n+j], d[2*n+j], d[3*n+j] = dc*cand*in*(1-in), dc*in*(1-cand*cand), dh*t*o*(1-o), 0
			for k := range u.l.Children {
				fk := f.Row(i)[k*n+j]
				df.Row(i)[k*n+j] = dc * u.child(u.x, k, 1).Row(i)[j] * fk * (1 - fk)
				d[3*n+j] += df.Row(i)[k*n+j]
				u.child(dx, k, 1).Row(i)[j] = dc * fk
			}
		}
	}
	w, s, forget := u.matrices(func(q *Param[T]) []T { return q.Value })
	dw, ds, dforget := u.matrices(func(q *Param[T]) []T { return q.Grad })
	beta := p.beta()
	igo, _ := u.split(dz)
	m := u.product(p)
	p.Fail(tensor.ColSums(u.b.Grad, dz, beta))
	p.Fail(m.WeightGrad(p, dw, u.xb.matrix(rows, u.l.In), dz, beta))
	u.work(p, rows)
	p.Fail(tensor.Mul(p.Pool, ds, tensor.TN, u.sum.matrix(rows, n), igo, 1, beta))
	for k := range u.l.Children {
		p.Fail(tensor.Mul(p.Pool, dforget, tensor.TN, u.child(u.x, k, 0), df.Slice(0, rows, k*n, (k+1)*n), 1, beta))
		beta = 1
	}
	if !wantX {
		return dx
	}
	u.work(p, rows)
	di, dsum := u.dib.matrix(rows, u.l.In), u.dsum.matrix(rows, n)
	p.Fail(m.InputGrad(p, di, dz, w))
	p.Fail(tensor.Mul(p.Pool, dsum, tensor.NT, igo, s, 1, 0))
	for i := range rows {
		copy(dx.Row(i), di.Row(i))
		for k := range u.l.Children {
			copy(u.child(dx, k, 0).Row(i), dsum.Row(i))
		}
	}
	for k := range u.l.Children {
		p.Fail(tensor.Mul(p.Pool, u.child(dx, k, 0), tensor.NT, df.Slice(0, rows, k*n, (k+1)*n), forget, 1, 1))
	}
	return dx
}
