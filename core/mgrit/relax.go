package mgrit

import "context"

// down relaxes level l, writes the residual at its C-points to l.sq, and sets up the next
// coarser level. All intervals between C-points are independent: workers own contiguous
// shares of them and only need, from their left neighbour, the C-point that both touch.
func (s *solver) down(ctx context.Context, l, coarse *level) error {
	active := s.active(l.intervals, l)
	return s.pool.run(active, "relax", func(w *worker) error {
		lo, hi := share(l.intervals, w.id, active)
		return s.relax(ctx, w, l, coarse, lo, hi)
	})
}

// relax does the F- and C-relaxations of intervals lo to hi-1, and restricts them: interval
// i begins with C-point i and ends with the step to C-point i+1, which it writes. The first
// C-point is written by the left neighbour, which passes on each value it has had.
//
// Each sweep goes from the right-most interval to the left, so that the right neighbour has
// its values early, and a C-point is overwritten after its old value was used. Sweep k+1
// follows one interval behind sweep k: what it needs is still in the cache.
func (s *solver) relax(ctx context.Context, w *worker, l, coarse *level, lo, hi int) error {
	last := hi == l.intervals
	if !last {
		w.pass(0, l.c(hi))
	}
	for front := hi - 1; front >= lo-l.sweeps; front-- {
		for k := max(0, lo-front); k <= min(l.sweeps, hi-1-front); k++ {
			i := front + k
			c := l.c(i)
			if i == lo && lo > 0 {
				var err error
				if c, err = s.pool.receive(w); err != nil {
					return err
				}
			}
			if k == l.sweeps {
				if err := s.restrict(ctx, w, l, coarse, i, c); err != nil {
					return err
				}
				continue
			}
			if err := s.relaxInterval(ctx, w, l, i, c); err != nil {
				return err
			}
			if i == hi-1 && !last {
				w.pass(k+1, l.c(hi))
			}
		}
	}
	return nil
}

// relaxInterval steps from c, C-point i, over the F-points after it, and on to C-point i+1.
func (s *solver) relaxInterval(ctx context.Context, w *worker, l *level, i int, c []float64) error {
	if l.weight == 1 && !l.keepsF && w.quickInterval(l, i, c, l.c(i+1)) {
		return nil
	}
	u, err := s.relaxF(ctx, w, l, i, c, l.keepsF)
	if err != nil {
		return err
	}
	return s.relaxC(ctx, w, l, i+1, u)
}

// relaxC takes the step to C-point i from u, the point before it.
func (s *solver) relaxC(ctx context.Context, w *worker, l *level, i int, u []float64) error {
	c := l.c(i)
	if l.weight == 1 {
		return s.phi(ctx, w, l, i*l.m, c, u)
	}
	next := w.other(u)
	if err := s.phi(ctx, w, l, i*l.m, next, u); err != nil {
		return err
	}
	for k, x := range next {
		c[k] += l.weight * (x - c[k])
	}
	return nil
}

// relaxF steps from u, C-point i, over the F-points after it and returns the last. The
// points are kept only where they are asked for: the next relaxation makes them anew.
func (s *solver) relaxF(ctx context.Context, w *worker, l *level, i int, u []float64, keep bool) ([]float64, error) {
	end := min((i+1)*l.m, l.n+1)
	if keep && w.quickInterval(l, i, u, nil) {
		return l.u.at(end - 1), nil
	}
	for j := i*l.m + 1; j < end; j++ {
		next := w.other(u)
		if keep {
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
