package simd

func reluGradSum[T Float](n int, dst, dy, y *T) T {
	zip(n, dst, dy, y, reluGrad[T])
	return fold(n, dst, 0, func(s, x T) T { return s + x })
}

func affineReluSquares[T Float](n int, dst, x *T, alpha, beta T) T {
	each(n, dst, x, func(x T) T { return max(alpha*x+beta, 0) })
	return fold(n, dst, 0, func(s, x T) T { return s + x*x })
}

func moments[T Float](n int, x, _ *T, shift T) (sum, squares T) {
	// Four results side by side keep the chains of rounding errors short.
	var s, q [4]T
	for i, v := range slice(x, n) {
		d := v - shift
		s[i&3] += d
		q[i&3] += d * d
	}
	return (s[0] + s[1]) + (s[2] + s[3]), (q[0] + q[1]) + (q[2] + q[3])
}

func normSums[T Float](n int, dy, x, _, _ *T, mean T) (sum, dot T) {
	return normSumsWhere(n, dy, x, mean, func(T) bool { return true })
}

func normSumsRelu[T Float](n int, dy, x, _, _ *T, alpha, beta, mean T) (sum, dot T) {
	return normSumsWhere(n, dy, x, mean, func(x T) bool { return alpha*x+beta > 0 })
}

func normSumsWhere[T Float](n int, dy, x *T, mean T, on func(x T) bool) (sum, dot T) {
	var s, d [4]T
	gs := slice(dy, n)
	for i, v := range slice(x, n) {
		g := gs[i]
		if !on(v) {
			g = 0
		}
		s[i&3] += g
		d[i&3] += g * (v - mean)
	}
	return (s[0] + s[1]) + (s[2] + s[3]), (d[0] + d[1]) + (d[2] + d[3])
}

func normGrad[T Float](n int, dst, dy, x *T, mean, a, b, c T) {
	zip(n, dst, dy, x, func(_, g, x T) T { return a*g + b*(x-mean) + c })
}

func normGradRelu[T Float](n int, dst, dy, x *T, alpha, beta, mean, a, b, c T) {
	zip(n, dst, dy, x, func(_, g, x T) T {
		if !(alpha*x+beta > 0) {
			g = 0
		}
		return a*g + b*(x-mean) + c
	})
}
