package nn

import (
	"math"

	"trivium/core/tensor"
)

// BatchNorm brings each channel to mean 0 and variance 1 over the batch, then scales and
// shifts it by what it learns (Ioffe, Szegedy, ICML 2015). Outside training it uses running
// averages of mean and variance.
type BatchNorm struct {
	Momentum float64 // weight of a batch in the running averages; 0 means 0.1
	Eps      float64 // added to the variance; 0 means 1e-5
	Gain     float64 // first scale; 0 means 1

	relu bool // nothing below 0: set when a ReLU follows
}

// Kind returns "norm".
func (BatchNorm) Kind() string { return "norm" }

// Shape returns in.
func (b BatchNorm) Shape(in Shape) (Shape, error) {
	if !(b.Momentum >= 0 && b.Momentum <= 1 && b.Eps >= 0) {
		return Shape{}, bad("Momentum %g, Eps %g: Momentum must be from 0 to 1, Eps at least 0", b.Momentum, b.Eps)
	}
	return in, nil
}

// Unit32 returns the layer in float32.
func (b BatchNorm) Unit32(in Shape) Unit[float32] { return newNorm[float32](b, in) }

// Unit64 returns the layer in float64.
func (b BatchNorm) Unit64(in Shape) Unit[float64] { return newNorm[float64](b, in) }

func (b BatchNorm) withReLU() Layer { b.relu = true; return b }

type norm[T tensor.Float] struct {
	shape               Shape
	momentum, eps       float64
	relu                bool
	scale, shift        *Param[T]
	mean, variance      *Param[T] // running
	batchMean, batchInv []float64 // of the last training pass: mean, 1/√(variance+eps)
	alpha, beta         []T       // of the last pass: y = alpha·x + beta
	norms               []T       // of the channels of y, where products choose by them
	x, y                tensor.Matrix[T]
	yb                  buffer[T]

	// What the channels, which workers share, need to know of the pass.
	train, wantX, measures bool
	weight                 float64 // of the batch in the running averages
	dy                     tensor.Matrix[T]
	keep                   T // of the gradients so far
	forward                func(c int)
	backward               *channelLoop
}

// channelWork is what going over a number a few times costs, in flops of a product that takes as long.
const channelWork = 40

func newNorm[T tensor.Float](b BatchNorm, in Shape) *norm[T] {
	u := &norm[T]{shape: in, momentum: b.Momentum, eps: b.Eps, relu: b.relu}
	if u.momentum == 0 {
		u.momentum = 0.1
	}
	if u.eps == 0 {
		u.eps = 1e-5
	}
	gain := b.Gain
	if gain == 0 {
		gain = 1
	}
	u.scale, u.shift = constant("scale", in.C, T(gain)), constant("shift", in.C, T(0))
	u.mean, u.variance = constant("mean", in.C, T(0)), constant("variance", in.C, T(1))
	u.mean.Running, u.variance.Running = true, true
	u.forward, u.backward = u.forwardChannel, newChannelLoop(u.backwardChannel)
	return u
}

func (u *norm[T]) Params() []*Param[T] { return params(u.scale, u.shift, u.mean, u.variance) }

func (u *norm[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.x, u.y = x, u.yb.matrix(x.Rows, x.Cols)
	if c := u.shape.C; len(u.batchMean) == 0 {
		u.batchMean, u.batchInv = make([]float64, c), make([]float64, c)
		u.alpha, u.beta, u.norms = make([]T, c), make([]T, c), make([]T, c)
	}
	if n := x.Rows * u.shape.H * u.shape.W; (p.Train || p.settle > 0) && n < 2 {
		p.Fail(bad("batch norm of %d number a channel: it needs at least 2", n))
		return u.y
	}
	u.train, u.weight = p.Train || p.settle > 0, u.momentum
	if p.settle > 0 {
		u.weight = 1 / float64(p.settle)
	}
	u.measures = p.Train && p.sampled && u.relu
	p.Fail(p.Pool.Share(u.shape.C, channelWork*float64(x.Rows*x.Cols), u.forward))
	if u.measures {
		p.measured(images(u.y, u.shape), u.norms)
	}
	return u.y
}

func (u *norm[T]) forwardChannel(c int) {
	if u.train {
		u.measure(c)
	} else {
		u.batchMean[c] = float64(u.mean.Value[c])
		u.batchInv[c] = 1 / math.Sqrt(float64(u.variance.Value[c])+u.eps)
	}
	a := float64(u.scale.Value[c]) * u.batchInv[c]
	b := float64(u.shift.Value[c]) - a*u.batchMean[c]
	u.alpha[c], u.beta[c] = T(a), T(b)
	xs, ys := images(u.x, u.shape), images(u.y, u.shape)
	squares := 0.0
	for n := range xs.N {
		switch x, y := xs.Plane(n, c), ys.Plane(n, c); {
		case u.measures:
			squares += float64(tensor.AffineReLUSquares(y, u.alpha[c], x, u.beta[c]))
		case u.relu:
			tensor.AffineReLU(y, u.alpha[c], x, u.beta[c])
		default:
			tensor.Affine(y, u.alpha[c], x, u.beta[c])
		}
	}
	u.norms[c] = T(math.Sqrt(squares))
}

// measure finds mean and variance of a channel. Numbers are summed up about the mean of the first
// image, because sums of squares alone would lose the variance where the mean is large.
// The first of N equally large parts has a mean within √N deviations of that of all, so squares about it are at
// most 1+N times those about the mean.
func (u *norm[T]) measure(c int) {
	xs := images(u.x, u.shape)
	size := float64(xs.H * xs.W)
	about := T(float64(tensor.Sum(xs.Plane(0, c))) / size)
	sum, squares := 0.0, 0.0
	for n := range xs.N {
		next := min(n+1, xs.N-1)
		s, q := tensor.Moments(xs.Plane(n, c), xs.Plane(next, c), about)
		sum, squares = sum+float64(s), squares+float64(q)
	}
	all := size * float64(xs.N)
	off := sum / all
	mean, variance := float64(about)+off, max(squares/all-off*off, 0)
	u.batchMean[c], u.batchInv[c] = mean, 1/math.Sqrt(variance+u.eps)
	k := u.weight
	u.mean.Value[c] = T((1-k)*float64(u.mean.Value[c]) + k*mean)
	u.variance.Value[c] = T((1-k)*float64(u.variance.Value[c]) + k*variance*all/(all-1))
}

// Backward is for the batch's own mean and variance, which depend on x. With the normalised
// x̂ and m numbers a channel, dx = scale/σ·(dy - mean(dy) - x̂·mean(dy·x̂)). It takes the place of dy.
func (u *norm[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) tensor.Matrix[T] {
	u.dy, u.wantX, u.keep = dy, wantX, p.beta()
	p.Fail(share(p, u.backward, u.shape.C, channelWork*float64(dy.Rows*u.shape.H*u.shape.W), u.scale, u.shift))
	p.LeaveLive(p.Live())
	return dy
}

// backwardChannel computes anew where the ReLU was open, which spares reading its result.
func (u *norm[T]) backwardChannel(c int) {
	xs, gs := images(u.x, u.shape), images(u.dy, u.shape)
	inv, alpha, beta, mean := u.batchInv[c], u.alpha[c], u.beta[c], T(u.batchMean[c])
	sum, dot := 0.0, 0.0
	for n := range xs.N {
		next := min(n+1, xs.N-1)
		g, x, nextG, nextX := gs.Plane(n, c), xs.Plane(n, c), gs.Plane(next, c), xs.Plane(next, c)
		var s, d T
		if u.relu {
			s, d = tensor.NormSumsReLU(g, x, nextG, nextX, alpha, beta, mean)
		} else {
			s, d = tensor.NormSums(g, x, nextG, nextX, mean)
		}
		sum, dot = sum+float64(s), dot+float64(d)
	}
	dot = (dot - sum*(u.batchMean[c]-float64(mean))) * inv
	u.shift.Grad[c] = plus(u.keep, u.shift.Grad[c], sum)
	u.scale.Grad[c] = plus(u.keep, u.scale.Grad[c], dot)
	if !u.wantX {
		return
	}
	m := float64(xs.N * xs.H * xs.W)
	k := float64(u.scale.Value[c]) * inv
	ofG, ofX, always := T(k), T(-k*inv*dot/m), T(-k*sum/m)
	for n := range xs.N {
		g, x := gs.Plane(n, c), xs.Plane(n, c)
		if u.relu {
			tensor.NormGradReLU(g, g, x, alpha, beta, mean, ofG, ofX, always)
		} else {
			tensor.NormGrad(g, g, x, mean, ofG, ofX, always)
		}
	}
}

func plus[T tensor.Float](beta, old T, v float64) T {
	if beta == 0 {
		return T(v)
	}
	return beta*old + T(v)
}
