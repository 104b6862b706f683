package mgrit

import (
	"context"
	"fmt"
	"math"

	"trivium/core/run"
)

// An Exponent says how fast two trainings that begin next to each other part.
type Exponent struct {
	Steps int

	// PerStep is the largest Lyapunov exponent of the path, as far as it was followed: a small
	// difference grows by e^PerStep per training step, on average. Below 0 it shrinks.
	PerStep float64

	// Most is the largest growth between any two steps, as a logarithm: an error made at
	// the one is e^Most times as large at the other. A path may shrink differences in the
	// long run and still have passed a saddle that spreads them.
	Most     float64
	From, To int // the two steps
}

// A rounding error grows to size 1 over 36 natural logarithms: the path is not
// determined by its beginning any more, and no iteration over it converges.
var roundingGrowth = -math.Log(0x1p-52)

func (e Exponent) String() string {
	text := fmt.Sprintf("%.3g per step over %d steps; an error grows by at most e^%.3g, from step %d to %d: ", e.PerStep, e.Steps, e.Most, e.From, e.To)
	switch {
	case e.Most > roundingGrowth:
		return text + "chaotic, solving all steps at once cannot pay"
	case e.Most > roundingGrowth/4:
		return text + "errors grow far on the way, so solving all steps at once takes many cycles, if it converges"
	case e.Most > 3: // 20 times
		return text + "errors grow on the way, so cycles get more with the length; solving all steps at once can pay where it is short"
	}
	return text + "errors hardly grow, solving all steps at once can pay"
}

// Lyapunov follows the first steps of the training one after the other, and with them a
// difference too small to matter (Benettin et al., Meccanica 15 (1980), 9). It says beforehand
// whether a training can be solved in parallel at all, for two calls of the step function per step.
func Lyapunov(ctx context.Context, p Problem, steps int) (e Exponent, err error) {
	if err := p.check(); err != nil {
		return e, err
	}
	if steps < 1 {
		return e, fmt.Errorf("mgrit: cannot follow a path for %d steps: at least 1", steps)
	}
	ctx, done := run.Waits(ctx)
	defer done()
	s := Step{Scale: 1}
	defer func() {
		if r := recover(); r != nil {
			err = panicked(s, r)
		}
	}()
	d := len(p.Init)
	u, next := append([]float64(nil), p.Init...), make([]float64, d)
	beside, moved := make([]float64, d), make([]float64, d)
	v := make([]float64, d) // the difference, of length 1
	for k := range v {
		v[k] = 1 + float64(drawn(1, k, 1<<20))/(1<<20)
	}
	scaleTo1(v)
	sum, low, lowAt := 0.0, 0.0, 0
	for i := range steps {
		if err := run.Gate(ctx); err != nil {
			return e, err
		}
		s.From, s.To, s.Index = i, i+1, i
		h := 1e-7 * (1 + math.Sqrt(dot(u, u)))
		addScaled(beside, u, h, v)
		if err := p.call(next, u, s); err != nil {
			return e, err
		}
		if err := p.call(moved, beside, s); err != nil {
			return e, err
		}
		subtract(v, moved, next)
		divide(v, h)
		growth := scaleTo1(v)
		if !finite(growth) {
			return e, &DivergenceError{Level: 0, From: i, To: i + 1, Residual: growth, Rule: "none"}
		}
		if growth == 0 { // all differences are gone: what is followed from here is another one
			growth = math.SmallestNonzeroFloat64
			v[drawn(1, i, d)] = 1
		}
		if sum < low || i == 0 {
			low, lowAt = sum, i
		}
		sum += math.Log(growth)
		if sum-low > e.Most {
			e.Most, e.From, e.To = sum-low, lowAt, i+1
		}
		u, next = next, u
	}
	e.Steps, e.PerStep = steps, sum/float64(steps)
	return e, nil
}

// scaleTo1 divides v by its 2-norm, which it returns; a v of 0 stays.
func scaleTo1(v []float64) float64 {
	norm := math.Sqrt(dot(v, v))
	if norm > 0 {
		divide(v, norm)
	}
	return norm
}
