package simd

import (
	"math"
	"unsafe"
)

func slice[T any](p *T, n int) []T { return unsafe.Slice(p, n) }

// plainSet is the table in plain Go: for processors without the vector instructions, and
// what those are tested against.
func plainSet[T Float]() *Set[T] {
	s := &Set[T]{
		Block: 1, Nonzero: nonzero[T],
		PackT: packT[T], PackG: packG[T], PackC: packC[T], PackS: packS[T], PackRow: packRow[T], PadRows: padRows[T], VecMat: vecMat[T],
		SplitRows: splitRows[T], SpreadRows: spreadRows[T], CopyRows: copyRows[T],

		Add:       func(n int, dst, x, y *T) { zip(n, dst, x, y, func(_, x, y T) T { return x + y }) },
		Sub:       func(n int, dst, x, y *T) { zip(n, dst, x, y, func(_, x, y T) T { return x - y }) },
		Mul:       func(n int, dst, x, y *T) { zip(n, dst, x, y, func(_, x, y T) T { return x * y }) },
		CopyAhead: func(n int, dst, x, _ *T) { copy(slice(dst, n), slice(x, n)) },

		MulAdd: func(n int, dst, x, y *T) { zip(n, dst, x, y, func(d, x, y T) T { return d + x*y }) },
		Axpy:   func(n int, x, y *T, alpha T) { zip(n, y, x, y, func(_, x, y T) T { return y + alpha*x }) },
		Axpby: func(n int, dst, x, y *T, alpha, beta T) {
			zip(n, dst, x, y, func(_, x, y T) T { return alpha*x + beta*y })
		},
		Scale:  func(n int, dst, x *T, alpha T) { each(n, dst, x, func(x T) T { return alpha * x }) },
		Affine: func(n int, dst, x *T, alpha, beta T) { each(n, dst, x, func(x T) T { return alpha*x + beta }) },
		AffineRelu: func(n int, dst, x *T, alpha, beta T) {
			each(n, dst, x, func(x T) T { return max(alpha*x+beta, 0) })
		},
		Relu:        func(n int, dst, x *T) { each(n, dst, x, func(x T) T { return max(x, 0) }) },
		AddRelu:     func(n int, dst, x, y *T) { zip(n, dst, x, y, func(_, x, y T) T { return max(x+y, 0) }) },
		ReluGrad:    func(n int, dst, dy, y *T) { zip(n, dst, dy, y, reluGrad[T]) },
		SigmoidGrad: func(n int, dst, dy, y *T) { zip(n, dst, dy, y, func(_, dy, y T) T { return dy * y * (1 - y) }) },
		TanhGrad:    func(n int, dst, dy, y *T) { zip(n, dst, dy, y, func(_, dy, y T) T { return dy * (1 - y*y) }) },
		AddSquares:  func(n int, dst, x *T) { zip(n, dst, x, dst, func(_, x, d T) T { return d + x*x }) },
		Larger:      func(n int, dst, x, y *T) { zip(n, dst, x, y, func(_, x, y T) T { return max(x, y) }) },
		Exp:         func(n int, dst, x *T) { each(n, dst, x, exp[T]) },
		Sigmoid:     func(n int, dst, x *T) { each(n, dst, x, sigmoid[T]) },
		Tanh:        func(n int, dst, x *T) { each(n, dst, x, func(x T) T { return T(math.Tanh(float64(x))) }) },

		GRU: gru[T], GRUGrad: gruGrad[T],

		MaxOf4Grad: maxOf4Grad[T],

		Sum:        func(n int, x *T) T { return fold(n, x, 0, func(s, x T) T { return s + x }) },
		SumSquares: func(n int, x *T) T { return fold(n, x, 0, func(s, x T) T { return s + x*x }) },
		SumAbs:     func(n int, x *T) T { return fold(n, x, 0, func(s, x T) T { return s + T(math.Abs(float64(x))) }) },
		Maximum:    func(n int, x *T) T { return fold(n, x, T(math.Inf(-1)), larger[T]) },
		Dot:        dot[T], Differences: differences[T], ExpSum: expSum[T], ReluGradSum: reluGradSum[T], AffineReluSquares: affineReluSquares[T],

		Moments: moments[T], NormSums: normSums[T], NormSumsRelu: normSumsRelu[T], NormGrad: normGrad[T], NormGradRelu: normGradRelu[T],

		SGD: sgd[T], Momentum: momentum[T], Nesterov: nesterov[T], Adagrad: adagrad[T], RMSProp: rmsprop[T], Adam: adam[T],
	}
	plainTiles(s, plainRows, 1, plainVector)
	return s
}

func gru[T Float](n int, r, z, c, u, h, y *T) {
	rs, zs, cs, us, hs, ys := slice(r, n), slice(z, n), slice(c, n), slice(u, n), slice(h, n), slice(y, n)
	for i := range ys {
		rs[i], zs[i] = sigmoid(rs[i]), sigmoid(zs[i])
		cs[i] = T(math.Tanh(float64(cs[i] + rs[i]*us[i])))
		ys[i] = cs[i] + zs[i]*(hs[i]-cs[i])
	}
}

func gruGrad[T Float](n int, r, z, c, u, h, dy, dh *T) {
	rs, zs, cs, us, hs, ds := slice(r, n), slice(z, n), slice(c, n), slice(u, n), slice(h, n), slice(dh, n)
	for i, d := range slice(dy, n) {
		kept := d * zs[i]
		dc := (d - kept) * (1 - cs[i]*cs[i])
		zs[i], rs[i], us[i] = (hs[i]-cs[i])*kept*(1-zs[i]), dc*rs[i]*us[i]*(1-rs[i]), dc*rs[i]
		cs[i], ds[i] = dc, kept
	}
}

func maxOf4Grad[T Float](n int, d0, d1, x0, x1, dy, y *T) {
	above, below, out := slice(x0, 2*n), slice(x1, 2*n), slice(y, n)
	to := [2][]T{slice(d0, 2*n), slice(d1, 2*n)}
	for i, g := range slice(dy, n) {
		window := [4]T{above[2*i], above[2*i+1], below[2*i], below[2*i+1]}
		found := false
		for k, v := range window {
			is := !found && (v == out[i] || v != v)
			found = found || is
			d := T(0)
			if is {
				d = g
			}
			to[k/2][2*i+k%2] = d
		}
	}
}

func each[T Float](n int, dst, x *T, f func(T) T) {
	d := slice(dst, n)
	for i, v := range slice(x, n) {
		d[i] = f(v)
	}
}

func zip[T Float](n int, dst, x, y *T, f func(d, x, y T) T) {
	d, ys := slice(dst, n), slice(y, n)
	for i, v := range slice(x, n) {
		d[i] = f(d[i], v, ys[i])
	}
}

func fold[T Float](n int, x *T, start T, f func(s, x T) T) T {
	// Four results side by side keep the chains of rounding errors short.
	var s [4]T
	for i := range s {
		s[i] = start
	}
	for i, v := range slice(x, n) {
		s[i&3] = f(s[i&3], v)
	}
	combine := f
	if start == 0 {
		combine = func(a, b T) T { return a + b }
	}
	return combine(combine(s[0], s[1]), combine(s[2], s[3]))
}

func reluGrad[T Float](_, dy, y T) T {
	if y > 0 {
		return dy
	}
	return 0
}

// larger passes NaN over.
func larger[T Float](s, x T) T {
	if x > s {
		return x
	}
	return s
}

func exp[T Float](x T) T {
	if x > 709 {
		// Where eˣ is just below the largest number, the library has infinity on some machines.
		return T(math.Exp(float64(x)-1) * math.E)
	}
	return T(math.Exp(float64(x)))
}

func sigmoid[T Float](x T) T {
	e := math.Exp(-math.Abs(float64(x)))
	if x < 0 {
		return T(e / (1 + e))
	}
	return T(1 / (1 + e))
}

func dot[T Float](n int, x, y *T) T {
	var s [4]T
	ys := slice(y, n)
	for i, v := range slice(x, n) {
		s[i&3] += v * ys[i]
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

func differences[T Float](n int, dst, x, y *T) T {
	xs, ys := slice(x, n), slice(y, n)
	var sum T
	for i, d := range slice(dst, n) {
		slice(dst, n)[i] = xs[i] - d
		sum += (xs[i] - ys[i]) * (xs[i] - ys[i])
	}
	return sum
}

func expSum[T Float](n int, dst, x *T, shift T) T {
	each(n, dst, x, func(x T) T { return exp(x - shift) })
	return fold(n, dst, 0, func(s, x T) T { return s + x })
}

func sgd[T Float](n int, w, g *T, lr, decay T) {
	gs := slice(g, n)
	for i, v := range slice(w, n) {
		slice(w, n)[i] = v - lr*(gs[i]+decay*v)
	}
}

func momentum[T Float](n int, w, v, g *T, lr, mu, decay T) {
	ws, vs, gs := slice(w, n), slice(v, n), slice(g, n)
	for i := range ws {
		vs[i] = mu*vs[i] + gs[i] + decay*ws[i]
		ws[i] -= lr * vs[i]
	}
}

func nesterov[T Float](n int, w, v, g *T, lr, mu, decay T) {
	ws, vs, gs := slice(w, n), slice(v, n), slice(g, n)
	for i := range ws {
		d := gs[i] + decay*ws[i]
		vs[i] = mu*vs[i] + d
		ws[i] -= lr * (d + mu*vs[i])
	}
}

func adagrad[T Float](n int, w, s, g *T, lr, eps, decay T) {
	ws, ss, gs := slice(w, n), slice(s, n), slice(g, n)
	for i := range ws {
		d := gs[i] + decay*ws[i]
		ss[i] += d * d
		ws[i] -= lr * d / (sqrt(ss[i]) + eps)
	}
}

func rmsprop[T Float](n int, w, s, g *T, lr, rho, rest, eps, decay T) {
	ws, ss, gs := slice(w, n), slice(s, n), slice(g, n)
	for i := range ws {
		d := gs[i] + decay*ws[i]
		ss[i] = rho*ss[i] + rest*d*d
		ws[i] -= lr * d / (sqrt(ss[i]) + eps)
	}
}

func adam[T Float](n int, w, m, v, g *T, lr, b1, rest1, b2, rest2, corr, eps, decay, shrink T) {
	ws, ms, vs, gs := slice(w, n), slice(m, n), slice(v, n), slice(g, n)
	for i := range ws {
		d := gs[i] + decay*ws[i]
		ms[i] = b1*ms[i] + rest1*d
		vs[i] = b2*vs[i] + rest2*d*d
		ws[i] = shrink*ws[i] - lr*ms[i]/(corr*sqrt(vs[i])+eps)
	}
}

func sqrt[T Float](x T) T { return T(math.Sqrt(float64(x))) }
