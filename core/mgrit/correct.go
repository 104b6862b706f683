package mgrit

import "context"

// up solves the coarsest level, or completes a coarse one by F-relaxation from its
// corrected C-points. The full approximation scheme adds to the finer level's C-points what
// the coarse level has changed of them, v + (u - v). As they are the coarse level's points, that
// is done by then. F-relaxation of the finer level is the interpolation (called ideal); it
// is done when next needed.
func (s *solver) up(ctx context.Context, l *level) error {
	if l.m == 0 {
		return s.pool.run(1, "solve coarsest", func(w *worker) error { return s.solveCoarsest(ctx, w, l) })
	}
	active := s.active(l.intervals, l)
	return s.pool.run(active, "correct", func(w *worker) error {
		lo, hi := share(l.intervals, w.id, active)
		if hi == l.intervals {
			hi++ // what is left where the sizes do not divide: F-points without a C-point after them
		}
		for i := lo; i < hi; i++ {
			if _, err := s.relaxF(ctx, w, l, i, l.c(i), true); err != nil {
				return err
			}
		}
		return nil
	})
}

// solveCoarsest takes all steps of the coarsest level, one after the other.
func (s *solver) solveCoarsest(ctx context.Context, w *worker, l *level) error {
	for i := 1; i <= l.n; i++ {
		u := l.u.at(i)
		if err := s.phi(ctx, w, l, i, u, l.u.at(i-1)); err != nil {
			return err
		}
		if norm2 := dot(u, u); !finite(norm2) {
			return s.diverged(l, i, norm2)
		}
	}
	return nil
}
