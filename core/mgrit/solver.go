package mgrit

import (
	"context"
	"fmt"
	"time"

	"trivium/core/run"
)

// A solver is one iteration over one hierarchy. One goroutine drives it; the pool's
// workers do the phases.
type solver struct {
	p      Problem
	o      Options
	d      int // numbers in a vector
	levels []*level
	pool   *pool
	trace  *run.Trace

	cycle   int
	first   float64 // the first residual of the finest level
	visited []bool  // levels whose residual of this cycle is recorded
	visits  []visit // phases of this cycle, for the model
	history [][]float64
	grain   float64 // seconds that a step takes; 0 while unknown
}

func newSolver(p Problem, o Options, t *run.Trace) (*solver, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	o, err := o.filled(&p)
	if err != nil {
		return nil, err
	}
	levels := plan(&o)
	if need := bytes(levels, &o, len(p.Init)); need > o.Memory {
		return nil, memoryError(need, o.Memory, &o)
	}
	s := &solver{p: p, o: o, d: len(p.Init), levels: levels, trace: t}
	s.visited = make([]bool, len(levels))
	s.history = make([][]float64, max(len(levels)-1, 1))
	return s, nil
}

// solve iterates until the residual is small enough.
func (s *solver) solve(ctx context.Context) (*Result, error) {
	sweeps := 0
	for _, l := range s.levels {
		l.allocate(s.d)
		sweeps = max(sweeps, l.sweeps)
	}
	s.pool = newPool(s.o.Workers, len(s.levels), sweeps, s.d)
	defer s.pool.close()
	if len(s.levels) == 1 {
		return s.serial(ctx)
	}
	if err := s.guess(); err != nil {
		return nil, err
	}
	return s.iterate(ctx)
}

// guess sets the first approximation at the points that are kept.
func (s *solver) guess() error {
	l := s.levels[0]
	stride := l.m
	if l.all {
		stride = 1
	}
	for i := 0; i*stride <= l.n && i < len(l.u.data)/s.d; i++ {
		u := s.p.Init
		if s.o.Guess != nil && i > 0 {
			if u = s.o.Guess(i * stride); len(u) != s.d {
				return fmt.Errorf("mgrit: Options.Guess(%d) has %d numbers, the problem's vectors have %d", i*stride, len(u), s.d)
			}
		}
		copy(l.u.at(i), u)
	}
	return nil
}

func (s *solver) iterate(ctx context.Context) (*Result, error) {
	fine := s.levels[0]
	s.sampleLoss(0)
	for s.cycle = 0; s.cycle < s.o.MaxCycles; s.cycle++ {
		clear(s.visited)
		s.visits = s.visits[:0]
		if err := s.once(ctx); err != nil {
			return nil, err
		}
		s.sampleLoss(s.cycle + 1)
		s.trace.Progress(float64(s.cycle+1), float64(s.o.MaxCycles))
		r := s.history[0][s.cycle]
		if s.o.OnCycle != nil {
			s.o.OnCycle(CycleInfo{Cycle: s.cycle, Residual: r})
			if err := gate(ctx); err != nil {
				return nil, err
			}
		}
		if r > 1e8*s.first {
			return nil, s.diverged(fine, fine.m, r)
		}
		if why, done := s.done(r); done && !s.o.Fixed {
			return s.finish(ctx, s.cycle+1, why, true)
		}
	}
	return s.finish(ctx, s.o.MaxCycles, fmt.Sprintf("did the %d cycles allowed", s.o.MaxCycles), false)
}

// once does one cycle, which records the residual of each level as it finds it.
func (s *solver) once(ctx context.Context) error {
	if s.cycle == 0 && s.o.SkipFirst {
		return s.skipDown(ctx)
	}
	return s.visit(ctx, 0, s.o.Cycle)
}

func (s *solver) done(r float64) (why string, ok bool) {
	switch {
	case s.o.Tol > 0 && r < s.o.Tol:
		return fmt.Sprintf("residual %.2g is below the tolerance %.2g", r, s.o.Tol), true
	case s.o.RelTol > 0 && r < s.o.RelTol*s.first:
		return fmt.Sprintf("residual %.2g is below %.2g of the first, %.2g", r, s.o.RelTol, s.first), true
	case r == 0:
		return "residual is 0", true
	}
	return "", false
}

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
	began, before := time.Now(), s.takenBy(0)
	if err := s.down(ctx, l, coarse); err != nil {
		return err
	}
	if k == 0 {
		s.measureGrain(time.Since(began), s.takenBy(0)-before)
	}
	s.record(l)
	s.visits = append(s.visits, visit{k, true})
	if err := s.visit(ctx, k+1, kind); err != nil {
		return err
	}
	s.visits = append(s.visits, visit{k + 1, false})
	return s.up(ctx, coarse, l)
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
	s.trace.Sample(seriesName(l.index), float64(s.cycle), r)
}

// seriesName is the trace's series of a level's residuals.
func seriesName(level int) string {
	if level == 0 {
		return "residual"
	}
	return fmt.Sprintf("residual/L%d", level)
}

func (s *solver) sampleLoss(cycle int) {
	if s.p.Loss != nil && s.trace != nil {
		l := s.levels[0]
		s.trace.Sample("loss", float64(cycle), s.p.Loss(l.c(l.intervals)))
	}
}

// measureGrain learns how long a step takes, so that phases shorter than handing work to
// another goroutine stay on one.
func (s *solver) measureGrain(took time.Duration, steps int) {
	if steps > 0 {
		s.grain = took.Seconds() * float64(min(s.o.Workers, s.levels[0].intervals)) / float64(steps)
	}
}

// active is how many workers share the intervals of a level: as many as have at least
// 20 µs of work each, which is what starting one and waiting for it may cost.
func (s *solver) active(intervals int, l *level) int {
	n := min(s.o.Workers, intervals)
	if s.grain > 0 {
		n = min(n, int(s.grain*float64(l.n)/20e-6))
	}
	return max(n, 1)
}

// takenBy counts the calls of the step function on a level.
func (s *solver) takenBy(level int) int {
	sum := 0
	for _, w := range s.pool.workers {
		sum += w.taken[level]
	}
	return sum
}
