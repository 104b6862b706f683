package mgrit

import (
	"context"
	"math"
)

// restrict gives the coarse level its equation, u_i = Φc(u_{i-1}) + g_i, with g such that
// the fine level's exact solution solves it: g_i = v_i + r_i - Φc(v_{i-1}), where v is the
// fine approximation at the C-points (injection) and r its residual (the full
// approximation scheme). The fine step to C-point i+1 gives v + r in one piece.
//
// It is given interval i and its first C-point c, takes the interval's steps from it, and writes l.sq[i]
// and the coarse g at i+1.
func (s *solver) restrict(ctx context.Context, w *worker, l, coarse *level, i int, c []float64) error {
	stepped := w.a
	if l.m%2 == 0 { // F-points are in a and b in turn
		stepped = w.b
	}
	if l.keepsF || !w.quickInterval(l, i, c, stepped) {
		u, err := s.relaxF(ctx, w, l, i, c, l.keepsF)
		if err != nil {
			return err
		}
		stepped = w.other(u)
		if err := s.phi(ctx, w, l, (i+1)*l.m, stepped, u); err != nil {
			return err
		}
	}
	w.expect(l, i-l.sweeps-1)
	g := coarse.g.at(i + 1)
	if !w.quickStep(coarse, i+1, g, c) {
		if err := s.propagate(ctx, w, coarse, i+1, g, c); err != nil {
			return err
		}
	}
	l.sq[i] = differences(g, stepped, l.c(i+1))
	if !finite(l.sq[i]) {
		return s.diverged(l, (i+1)*l.m, math.Sqrt(l.sq[i]))
	}
	return nil
}

func finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }

// residual is the norm over the C-points of level l, added from left to right so that it
// has the same bits for any number of workers.
func (s *solver) residual(l *level) float64 {
	sum := 0.0
	for _, sq := range l.sq {
		switch s.o.Norm {
		case OneNorm:
			sum += math.Sqrt(sq)
		case MaxNorm:
			sum = max(sum, sq)
		default:
			sum += sq
		}
	}
	if s.o.Norm == OneNorm {
		return sum
	}
	return math.Sqrt(sum)
}

// diverged is the error for the step to point i of level l.
func (s *solver) diverged(l *level, i int, residual float64) error {
	return &DivergenceError{Cycle: s.cycle, Level: l.index, From: (i - 1) * l.stride, To: i * l.stride,
		Residual: residual, First: s.first, Rule: s.o.Coarse.String()}
}
