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
	w.now.From, w.now.To, w.now.Index, w.now.Scale, w.now.Level = at, at+1, at, 1, 0
	base, v, moved, stepped := w.a, w.b, w.c, w.e
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
	h := 1e-6 * (1 + math.Sqrt(dot(u, u)))
	λ := 0.0
	for range iterations {
		norm := math.Sqrt(dot(v, v))
		if norm == 0 || !finite(norm) {
			return λ, nil
		}
		for k := range v {
			v[k] /= norm
			moved[k] = u[k] + h*v[k]
		}
		if err := s.call(ctx, w, stepped, moved); err != nil {
			return 0, err
		}
		for k := range v {
			v[k] -= (stepped[k] - base[k]) / h
		}
		λ = math.Sqrt(dot(v, v))
	}
	return λ, nil
}
