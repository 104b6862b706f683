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
	x, y                tensor.Matrix[T]
	yb, dxb             buffer[T]
}

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
	return u
}

func (u *norm[T]) Params() []*Param[T] { return params(u.scale, u.shift, u.mean, u.variance) }

func (u *norm[T]) Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T] {
	u.x, u.y = x, u.yb.matrix(x.Rows, x.Cols)
	if len(u.batchMean) == 0 {
		u.batchMean, u.batchInv = make([]float64, u.shape.C), make([]float64, u.shape.C)
	}
	if p.Train {
		if n := x.Rows * u.shape.H * u.shape.W; n < 2 {
			p.Fail(bad("batch norm of %d number a channel: it needs at least 2", n))
			return u.y
		}
		u.measure()
	} else {
		for c := range u.batchMean {
			u.batchMean[c] = float64(u.mean.Value[c])
			u.batchInv[c] = 1 / math.Sqrt(float64(u.variance.Value[c])+u.eps)
		}
	}
	xs, ys := images(x, u.shape), images(u.y, u.shape)
	for n := range xs.N {
		for c := range xs.C {
			a := float64(u.scale.Value[c]) * u.batchInv[c]
			b := float64(u.shift.Value[c]) - a*u.batchMean[c]
			if u.relu {
				tensor.AffineReLU(ys.Plane(n, c), T(a), xs.Plane(n, c), T(b))
			} else {
				tensor.Affine(ys.Plane(n, c), T(a), xs.Plane(n, c), T(b))
			}
		}
	}
	return u.y
}

// measure finds mean and variance of each channel, the variance from what is left without
// the mean, in y's memory: sums of squares alone would lose it where the mean is large.
func (u *norm[T]) measure() {
	xs, scratch := images(u.x, u.shape), images(u.y, u.shape)
	m := float64(xs.N * xs.H * xs.W)
	for c := range xs.C {
		sum, squares := 0.0, 0.0
		for n := range xs.N {
			sum += float64(tensor.Sum(xs.Plane(n, c)))
		}
		mean := sum / m
		for n := range xs.N {
			centred := scratch.Plane(n, c)
			tensor.Affine(centred, 1, xs.Plane(n, c), T(-mean))
			squares += float64(tensor.SumSquares(centred))
		}
		variance := squares / m
		u.batchMean[c], u.batchInv[c] = mean, 1/math.Sqrt(variance+u.eps)
		k := u.momentum
		u.mean.Value[c] = T((1-k)*float64(u.mean.Value[c]) + k*mean)
		u.variance.Value[c] = T((1-k)*float64(u.variance.Value[c]) + k*variance*m/(m-1))
	}
}

// Backward is for the batch's own mean and variance, which depend on x. With the normalised
// x̂ and m numbers a channel, dx = scale/σ·(dy - mean(dy) - x̂·mean(dy·x̂)).
func (u *norm[T]) Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) tensor.Matrix[T] {
	if u.relu {
		tensor.ReLUGrad(flat(dy), flat(dy), flat(u.y))
	}
	dx := u.dxb.matrix(dy.Rows, dy.Cols)
	xs, gs, ds := images(u.x, u.shape), images(dy, u.shape), images(dx, u.shape)
	m := float64(xs.N * xs.H * xs.W)
	for c := range xs.C {
		mean, inv := u.batchMean[c], u.batchInv[c]
		sum, dot := 0.0, 0.0
		for n := range xs.N {
			centred := ds.Plane(n, c)
			tensor.Affine(centred, 1, xs.Plane(n, c), T(-mean))
			sum += float64(tensor.Sum(gs.Plane(n, c)))
			dot += float64(tensor.Dot(gs.Plane(n, c), centred)) * inv
		}
		beta := p.beta()
		u.shift.Grad[c] = plus(beta, u.shift.Grad[c], sum)
		u.scale.Grad[c] = plus(beta, u.scale.Grad[c], dot)
		if !wantX {
			continue
		}
		a := float64(u.scale.Value[c]) * inv
		b := -a * inv * dot / m
		for n := range xs.N {
			d := ds.Plane(n, c)
			tensor.Axpby(d, T(a), gs.Plane(n, c), T(b), d)
			tensor.Affine(d, 1, d, T(-a*sum/m))
		}
	}
	return dx
}

func plus[T tensor.Float](beta, old T, v float64) T {
	if beta == 0 {
		return T(v)
	}
	return beta*old + T(v)
}
