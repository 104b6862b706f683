package mgrit

import "context"

// down relaxes level l, writes the residual at its C-points to l.sq, and sets up the next
// coarser level. All intervals between C-points are independent: workers own contiguous
// shares of them and only need, from their left neighbour, the C-point that both touch.
// Each starts with its right-most interval, so that the neighbour has its value early.
func (s *solver) down(ctx context.Context, l, coarse *level) error {
	copy(coarse.u.at(0), l.c(0))
	active := s.active(l.intervals, l)
	return s.pool.run(active, "relax", func(w *worker) error {
		lo, hi := share(l.intervals, w.id, active)
		if err := s.relax(ctx, w, l, lo, hi, hi == l.intervals); err != nil {
			return err
		}
		return s.restrict(ctx, w, l, coarse, lo, hi)
	})
}

// relax does the F- and C-relaxations of intervals lo to hi-1: interval i begins with
// C-point i and ends with the step to C-point i+1, which it writes. The first C-point is
// written by the left neighbour, which passes on each value it has had.
func (s *solver) relax(ctx context.Context, w *worker, l *level, lo, hi int, last bool) error {
	if !last {
		w.pass(0, l.c(hi))
	}
	for k := range l.sweeps {
		for i := hi - 1; i >= lo; i-- {
			u, err := s.left(w, l, i, lo)
			if err != nil {
				return err
			}
			if err := s.relaxInterval(ctx, w, l, i, u); err != nil {
				return err
			}
			if i == hi-1 && !last {
				w.pass(k+1, l.c(hi))
			}
		}
	}
	return nil
}

// left is C-point i as worker w, whose share begins with lo, must see it now.
func (s *solver) left(w *worker, l *level, i, lo int) ([]float64, error) {
	if i == lo && lo > 0 {
		return s.pool.receive(w)
	}
	return l.c(i), nil
}

// relaxInterval steps from u, C-point i, over the F-points after it to C-point i+1.
func (s *solver) relaxInterval(ctx context.Context, w *worker, l *level, i int, u []float64) error {
	u, err := s.relaxF(ctx, w, l, i, u)
	if err != nil {
		return err
	}
	c := l.c(i + 1)
	if l.weight == 1 {
		return s.phi(ctx, w, l, (i+1)*l.m, c, u)
	}
	next := w.other(u)
	if err := s.phi(ctx, w, l, (i+1)*l.m, next, u); err != nil {
		return err
	}
	for k, x := range next {
		c[k] += l.weight * (x - c[k])
	}
	return nil
}

// relaxF steps from u, C-point i, over the F-points after it and returns the last.
func (s *solver) relaxF(ctx context.Context, w *worker, l *level, i int, u []float64) ([]float64, error) {
	for j := i*l.m + 1; j < min((i+1)*l.m, l.n+1); j++ {
		next := w.other(u)
		if l.all {
			next = l.u.at(j)
		}
		if err := s.phi(ctx, w, l, j, next, u); err != nil {
			return nil, err
		}
		u = next
	}
	return u, nil
}

// other is a scratch vector that is not u.
func (w *worker) other(u []float64) []float64 {
	if &u[0] == &w.a[0] {
		return w.b
	}
	return w.a
}
