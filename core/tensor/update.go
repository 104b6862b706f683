package tensor

import (
	"math"

	"trivium/core/tensor/internal/simd"
)

// The updates in this file change weights w by a gradient g in one pass over their vectors,
// which is what they cost: beyond the caches, memory holds them back. decay·w is added to
// the gradient first. Vectors of different lengths are a panic with a *ShapeError.

// SGD computes w -= lr·g.
func SGD[T Float](w, g []T, lr, decay T) {
	sameLength("SGD", len(w), len(g))
	simd.Of[T]().SGD(len(w), first(w), first(g), lr, decay)
}

// Momentum computes v = mu·v + g and w -= lr·v, or with nesterov set w -= lr·(g + mu·v).
func Momentum[T Float](w, v, g []T, lr, mu, decay T, nesterov bool) {
	sameLength("Momentum", len(w), len(v), len(g))
	update := simd.Of[T]().Momentum
	if nesterov {
		update = simd.Of[T]().Nesterov
	}
	update(len(w), first(w), first(v), first(g), lr, mu, decay)
}

// Adagrad computes s += g² and w -= lr·g/(√s + eps) (Duchi, Hazan, Singer, JMLR 12 (2011), 2121).
func Adagrad[T Float](w, s, g []T, lr, eps, decay T) {
	sameLength("Adagrad", len(w), len(s), len(g))
	simd.Of[T]().Adagrad(len(w), first(w), first(s), first(g), lr, eps, decay)
}

// RMSProp computes s = rho·s + (1-rho)·g² and w -= lr·g/(√s + eps).
func RMSProp[T Float](w, s, g []T, lr, rho, eps, decay T) {
	sameLength("RMSProp", len(w), len(s), len(g))
	simd.Of[T]().RMSProp(len(w), first(w), first(s), first(g), lr, rho, T(1-float64(rho)), eps, decay)
}

// An AdamStep is the settings of one step of Adam. No field has a usual value: zero is zero.
type AdamStep struct {
	LR, Beta1, Beta2, Eps float64
	Decay                 float64 // of the weights
	Decoupled             bool    // Decay shrinks the weights by lr·decay (AdamW) instead of entering the gradient
	Step                  int     // 1 for the first step, which corrects the bias of the averages
}

// Adam computes m = β₁m + (1-β₁)g, v = β₂v + (1-β₂)g² and w -= lr·m̂/(√v̂ + eps) with m̂ and v̂
// corrected for their start at 0 (Kingma, Ba, ICLR 2015; decoupled: Loshchilov, Hutter, ICLR 2019).
func Adam[T Float](w, m, v, g []T, s AdamStep) {
	sameLength("Adam", len(w), len(m), len(v), len(g))
	decay, shrink := s.Decay, 1.0
	if s.Decoupled {
		decay, shrink = 0, 1-s.LR*s.Decay
	}
	t := float64(s.Step)
	lr := s.LR / (1 - math.Pow(s.Beta1, t))
	corr := 1 / math.Sqrt(1-math.Pow(s.Beta2, t))
	simd.Of[T]().Adam(len(w), first(w), first(m), first(v), first(g), T(lr), T(s.Beta1), T(1-s.Beta1),
		T(s.Beta2), T(1-s.Beta2), T(corr), T(s.Eps), T(decay), T(shrink))
}
