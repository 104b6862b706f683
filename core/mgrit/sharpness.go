package mgrit

import (
	"context"
	"math"
)

// sharpness estimates the largest |eigenvalue| of I - J, J the Jacobian of the training
// step at u, taken as step at: for gradient descent the learning rate times the largest curvature of the
// loss. It does power iterations with finite differences of the step function, which
// approach it from below, within a few percent after ten or so.
func (s *solver) sharpness(ctx context.Context, w *worker, u []float64, at, iterations int) (float64, error) {
	n := len(u) // numbers that the loss depends on
	w.at = len(w.taken)
	st := &w.steps[w.at]
	st.From, st.To, st.Index, st.Scale, st.Span = at, at+1, at, 1, 1
	if s.p.weights > 0 {
		// What an optimiser remembers follows gradients within some steps: what counts on a
		// coarse grid is how far it moves the weights in the end.
		n, st.Span = s.p.weights, settledSpan
	}
	base, v, moved, stepped := w.a, w.b[:n], w.c, w.e
	if err := s.call(ctx, w, base, u); err != nil {
		return 0, err
	}
	for k := range v {
		v[k] = 1 + float64(drawn(1, k, 1<<20))/(1<<20) // fixed, and with no special direction
		if drawn(2, k, 2) == 0 {
			v[k] = -v[k]
		}
	}
	// Balances rounding of the step, ε|u|/h, against its second derivative, h.
	h := s.difference() * (1 + math.Sqrt(dot(u[:n], u[:n])))
	copy(moved, u)
	λ := 0.0
	for range iterations {
		norm := math.Sqrt(dot(v, v))
		if norm == 0 || !finite(norm) {
			return λ, nil
		}
		divide(v, norm)
		addScaled(moved[:n], u[:n], h, v)
		if err := s.call(ctx, w, stepped, moved); err != nil {
			return 0, err
		}
		change := stepped[:n]
		subtract(change, change, base[:n])
		divide(change, h)
		subtract(v, v, change)
		λ = math.Sqrt(dot(v, v))
	}
	return λ, nil
}

// settledSpan is a number of steps in which what an optimiser remembers has become what the
// gradient makes of it.
const settledSpan = 64

// difference is the length, relative to a vector's, that finite differences go.
func (s *solver) difference() float64 {
	if s.p.tol > 0 {
		return 1e-3 // rounding of float32
	}
	return 1e-6
}
