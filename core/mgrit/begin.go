package mgrit

import (
	"context"
	"fmt"
)

// begin sets the first approximation and does what comes before the first cycle.
func (s *solver) begin(ctx context.Context) error {
	if s.o.Resume != nil {
		if err := s.resume(s.o.Resume); err != nil {
			return err
		}
	} else if err := s.guess(); err != nil {
		return err
	}
	if rule := adapts(s.o.Coarse); rule != nil && s.newton == nil {
		if len(s.readings) > 0 {
			s.choose(rule)
		} else if err := s.march(ctx, rule); err != nil {
			return err
		}
	}
	if s.o.Resume == nil && s.newton == nil && (s.o.SkipFirst || s.o.Nested) {
		s.visits = s.visits[:0]
		if err := s.fromCoarsest(ctx); err != nil {
			return err
		}
		s.before += s.criticalPath()
	}
	return nil
}

// fromCoarsest solves the coarsest level's own problem (g = 0), from the guess at its points, and
// corrects all levels above it: coarse training runs as first guess.
func (s *solver) fromCoarsest(ctx context.Context) error {
	last := len(s.levels) - 1
	for k := range s.visited {
		s.visited[k] = true // what is found here are residuals of other problems
	}
	for _, l := range s.levels[1:] {
		clear(l.g.data)
	}
	for k := last; k > 0; k-- {
		if s.o.Nested && k < last {
			for range s.o.UpCycles {
				if err := s.correctBy(ctx, k, VCycle); err != nil {
					return err
				}
			}
		}
		s.visits = append(s.visits, Phase{k, false})
		if err := s.up(ctx, s.levels[k]); err != nil {
			return err
		}
	}
	return nil
}

// resume takes over the state of an earlier iteration as its last cycle left it.
func (s *solver) resume(r *Result) error {
	l := s.levels[0]
	switch {
	case len(r.Levels) == 0 || r.Levels[0].Steps != l.n || r.Levels[0].Coarsen != l.m || len(r.Residuals) != len(s.history):
		return fmt.Errorf("mgrit: Options.Resume is of another hierarchy: it must have %d steps, coarsened by %d, on %d levels", l.n, l.m, len(s.levels))
	case r.Stride != l.m && r.Stride != 1:
		return fmt.Errorf("mgrit: Options.Resume has every %d-th vector: it must have every one or every %d-th", r.Stride, l.m)
	}
	for i := range l.kept(s.d) {
		at := i * l.keptStride()
		if at%r.Stride != 0 {
			continue // F-points, which relaxation makes
		}
		if at/r.Stride >= len(r.Path) || len(r.Path[at/r.Stride]) != s.d {
			return fmt.Errorf("mgrit: Options.Resume has no vector of %d numbers after step %d", s.d, at)
		}
		copy(l.u.at(i), r.Path[at/r.Stride])
	}
	for k := range s.history {
		s.history[k] = append(s.history[k], r.Residuals[k]...)
	}
	if s.cycle = r.Cycles; s.cycle > 0 {
		s.first = s.history[0][0]
	}
	w := s.pool.workers[0]
	for k, info := range r.Levels {
		w.taken[k] = info.Taken
		w.counted += info.Taken
	}
	w.done = r.Flops
	s.trace.Work(r.Flops)
	s.path = r.Critical
	if r.Plan != nil {
		s.before, s.rounds = r.Plan.Before, r.Plan.Rounds
		s.path -= s.before
	}
	s.readings = append(s.readings, r.Sharpness...)
	return nil
}
