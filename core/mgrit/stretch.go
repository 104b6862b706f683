package mgrit

import (
	"math"

	"trivium/core/optim"
	"trivium/core/tensor"
)

// stretch takes span steps of an optimiser with one gradient, at so much rate for all of
// them together, the first being number step. One step is the optimiser's own.
func (u *unit[T]) stretch(o optim.Optimizer, w, g, memory []T, rate float64, step, span int) {
	if at, ok := squares(o); ok {
		// Corrections of a coarse grid may leave an average of squares a little below 0.
		for i, v := range memory[at*len(w) : (at+1)*len(w)] {
			if v < 0 {
				memory[at*len(w)+i] = -v
			}
		}
	}
	if span == 1 {
		optim.Step(o, w, g, memory, rate, step)
		return
	}
	n := float64(span)
	number := max(1, int(math.Round(float64(step+span-1)/n))) // with decays to the power span, what step+span-1 is without
	switch o := o.(type) {
	case optim.SGD:
		if o.Momentum == 0 {
			optim.Step(o, w, g, memory, rate, step)
			return
		}
		u.stretchMomentum(o, w, g, memory, rate/n, n)
	case optim.Adam:
		o.Beta1, o.Beta2 = power(o.Beta1, 0.9, n), power(o.Beta2, 0.999, n)
		optim.Step(o, w, g, memory, rate, number)
	case optim.AdamW:
		o.Beta1, o.Beta2 = power(o.Beta1, 0.9, n), power(o.Beta2, 0.999, n)
		optim.Step(o, w, g, memory, rate, number)
	case optim.RMSProp:
		o.Rho = power(o.Rho, 0.99, n)
		optim.Step(o, w, g, memory, rate, step)
	case optim.Adagrad: // its sum gets n times g²
		root := math.Sqrt(n)
		tensor.Scale(g, T(root), g)
		o.Decay *= root
		optim.Step(o, w, g, memory, rate/root, step)
	default:
		for k := range span {
			optim.Step[T](o, w, g, memory, rate/n, step+k)
		}
	}
}

// power is a decay over n steps; 0 stands for the usual one.
func power(decay, usual, n float64) float64 {
	if decay == 0 {
		decay = usual
	}
	return math.Max(math.Pow(decay, n), 1e-300)
}

// squares says which part of an optimiser's memory is a sum or an average of squares.
func squares(o optim.Optimizer) (part int, ok bool) {
	switch o.(type) {
	case optim.Adam, optim.AdamW:
		return 1, true
	case optim.RMSProp, optim.Adagrad:
		return 0, true
	}
	return 0, false
}

// stretchMomentum is n steps of momentum with one gradient g:
//
//	v_j = μ^j·v + (1-μ^j)/(1-μ)·g
//	w_n = w - rate·Σ v_j,  Σ v_j = μ(1-μ^n)/(1-μ)·v + (n - μ(1-μ^n)/(1-μ))/(1-μ)·g
//
// and with Nesterov's momentum w_n = w - rate·(n·g + μ·Σ v_j).
func (u *unit[T]) stretchMomentum(o optim.SGD, w, g, v []T, rate, n float64) {
	if o.Decay != 0 {
		tensor.Axpy(g, T(o.Decay), w)
	}
	μ := o.Momentum
	last := math.Pow(μ, n)
	ofV := μ * (1 - last) / (1 - μ)
	ofG := (n - ofV) / (1 - μ)
	sumV, sumG := ofV, ofG
	if o.Nesterov {
		sumV, sumG = μ*ofV, n+μ*ofG
	}
	if u.spare == nil {
		u.spare = make([]T, len(w))
	}
	tensor.Axpby(u.spare, T(sumV), v, T(sumG), g)
	tensor.Axpy(w, T(-rate), u.spare)
	tensor.Axpby(v, T(last), v, T((1-last)/(1-μ)), g)
}
