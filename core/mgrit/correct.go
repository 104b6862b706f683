package mgrit

import "context"

// up solves the coarsest level, or completes a coarse one by F-relaxation from its
// corrected C-points, and adds the change it has seen to the finer level's C-points.
// F-relaxation there is the interpolation (called ideal); it is done when next needed.
func (s *solver) up(ctx context.Context, l, fine *level) error {
	if l.m == 0 {
		return s.pool.run(1, "solve coarsest", func(w *worker) error {
			if err := s.solveCoarsest(ctx, w, l); err != nil {
				return err
			}
			w.correct(l, fine, 1, l.n+1)
			return nil
		})
	}
	active := s.active(l.intervals, l)
	return s.pool.run(active, "correct", func(w *worker) error {
		lo, hi := share(l.intervals, w.id, active)
		for i := lo; i < hi; i++ {
			if _, err := s.relaxF(ctx, w, l, i, l.c(i)); err != nil {
				return err
			}
			w.correct(l, fine, i*l.m+1, (i+1)*l.m+1)
		}
		if hi < l.intervals {
			return nil
		}
		// What is left where the sizes do not divide: F-points without a C-point after them.
		if _, err := s.relaxF(ctx, w, l, hi, l.c(hi)); err != nil {
			return err
		}
		w.correct(l, fine, hi*l.m+1, l.n+1)
		return nil
	})
}

// correct adds to the finer level's C-points what points lo to hi-1 have changed. While a
// level was worked on, the finer one has kept what it began with.
func (w *worker) correct(l, fine *level, lo, hi int) {
	for i := lo; i < hi; i++ {
		correction(fine.c(i), l.u.at(i), w.c)
	}
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

func dot(a, b []float64) float64 {
	sum := 0.0
	for k, x := range a {
		sum += x * b[k]
	}
	return sum
}
