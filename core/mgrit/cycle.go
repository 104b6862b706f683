package mgrit

import (
	"context"
	"time"
)

// visit does a cycle of the given kind from level k down and back up to it.
func (s *solver) visit(ctx context.Context, k int, kind Cycle) error {
	if err := s.correctBy(ctx, k, kind); err != nil || k == 0 || k == len(s.levels)-1 {
		return err
	}
	again, next := 0, VCycle
	switch kind {
	case FCycle:
		again = s.o.UpCycles
	case WCycle:
		again, next = 1, WCycle
	}
	for range again {
		if err := s.correctBy(ctx, k, next); err != nil {
			return err
		}
	}
	return nil
}

// correctBy relaxes level k and corrects it by the next coarser one.
func (s *solver) correctBy(ctx context.Context, k int, kind Cycle) error {
	if k == len(s.levels)-1 {
		return nil // it is solved on the way up
	}
	l, coarse := s.levels[k], s.levels[k+1]
	s.recordVisit(k)
	began, before := time.Now(), s.takenBy(0)+s.takenBy(1)
	if err := s.down(ctx, l, coarse); err != nil {
		return err
	}
	if k == 0 {
		s.measureGrain(time.Since(began), s.takenBy(0)+s.takenBy(1)-before)
	}
	s.record(l)
	s.visits = append(s.visits, Phase{k, true})
	if err := s.visit(ctx, k+1, kind); err != nil {
		return err
	}
	s.visits = append(s.visits, Phase{k + 1, false})
	if coarse.m == 0 {
		s.recordVisit(k + 1)
	}
	if err := s.up(ctx, coarse); err != nil {
		return err
	}
	s.recordVisit(k)
	return nil
}

// record keeps the residual of a level's first visit in a cycle.
func (s *solver) record(l *level) {
	if s.visited[l.index] {
		return
	}
	s.visited[l.index] = true
	r := s.residual(l)
	if l.index == 0 && s.cycle == 0 {
		s.first = r
	}
	s.history[l.index] = append(s.history[l.index], r)
	if l.index == 0 || s.figures {
		s.trace.Sample(seriesName(l.index), float64(s.cycle), r)
	}
	if l.index == 0 {
		s.recordEarly()
		s.recordProfile(l)
	}
}
