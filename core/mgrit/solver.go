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
	p          Problem
	o          Options
	d          int // numbers in a vector
	levels     []*level
	pool       *pool
	chebyshevs map[int]*chebyshev // by stages; read by all workers, changed between cycles
	newton     *newton            // nil for multigrid
	trace      *run.Trace

	need    float64 // bytes of memory
	figures bool    // the trace gets all that they need

	cycle    int
	first    float64 // the first residual of the finest level
	visited  []bool  // levels whose residual of this cycle is recorded
	visits   []Phase // of this cycle, for the model
	early    []int   // levels visited that the trace has not been told of
	history  [][]float64
	grain    float64   // seconds that a step takes; 0 while unknown
	path     int       // calls on the critical path of the cycles so far; see criticalPath
	before   int       // calls on it before and between cycles
	rounds   int       // readings along the path so far
	spent    float64   // seconds of the phases of the finest level, all workers together
	stepped  int       // calls of the step function in them
	readings []Reading // sharpness along the path, for rules that adapt
}

func newSolver(p Problem, o Options, t *run.Trace) (s *solver, err error) {
	defer run.Catch(&err) // rules may be anybody's
	if err := p.check(); err != nil {
		return nil, err
	}
	if o, err = o.filled(&p); err != nil {
		return nil, err
	}
	if err := o.checkCompare(len(p.Init)); err != nil {
		return nil, err
	}
	levels := plan(&o)
	for _, l := range levels[1:] {
		if !(l.step.Scale > 0 && finite(l.step.Scale)) {
			return nil, fmt.Errorf("mgrit: Options.Coarse (%v) multiplies the rate on level %d, whose steps stand for %d, by %v: it must be a positive number", o.Coarse, l.index, l.stride, l.step.Scale)
		}
	}
	need := memoryNeeded(levels, &o, len(p.Init))
	if o.Method != Multigrid {
		need += 8 * newtonNumbers(&o, len(p.Init))
	}
	need += float64(o.Workers) * p.scratch
	if need > float64(o.Memory) {
		return nil, memoryError(need, &o)
	}
	s = &solver{p: p, o: o, d: len(p.Init), levels: levels, trace: t, need: need}
	s.visited = make([]bool, len(levels))
	s.history = make([][]float64, max(len(levels)-1, 1))
	s.chebyshevs = make(map[int]*chebyshev)
	for _, l := range levels {
		s.prepare(l.step.Stages)
	}
	return s, nil
}

// solve iterates until the residual is small enough.
func (s *solver) solve(ctx context.Context) (*Result, error) {
	s.allocate()
	defer s.pool.close()
	if s.o.Method != Multigrid {
		s.levels[0].sq = make([]float64, s.o.Steps)
		s.newton = s.newNewton()
	} else if len(s.levels) == 1 {
		return s.serial(ctx)
	}
	return s.iterate(ctx)
}

// allocate takes all memory and starts the workers.
func (s *solver) allocate() {
	var finer *level
	sweeps := 0
	for _, l := range s.levels {
		l.allocate(finer, s.d)
		finer = l
		sweeps = max(sweeps, l.sweeps)
	}
	s.pool = newPool(s.o.Workers, s.levels, sweeps, &s.p, s.trace)
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
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	s.sampleLoss(s.cycle)
	s.recordError()
	for ; s.cycle < s.o.MaxCycles; s.cycle++ {
		clear(s.visited)
		s.visits = s.visits[:0]
		for _, w := range s.pool.workers {
			for k := range w.steps {
				w.steps[k].Cycle = s.cycle
			}
		}
		if err := s.once(ctx); err != nil {
			return nil, err
		}
		if s.newton != nil {
			s.path += s.newtonPath()
		} else {
			s.path += s.criticalPath()
		}
		s.recordError()
		s.sampleLoss(s.cycle + 1)
		s.trace.Progress(float64(s.cycle+1), float64(s.o.MaxCycles))
		r := s.history[0][s.cycle]
		if s.o.OnCycle != nil {
			s.o.OnCycle(CycleInfo{Cycle: s.cycle, Residual: r, Checkpoint: s.checkpoint})
			if err := run.Gate(ctx); err != nil {
				return nil, err
			}
		}
		if r > 1e8*s.first {
			return nil, s.diverged(fine, max(1, fine.m), r)
		}
		if why, done := s.done(r); done && !s.o.Fixed {
			return s.finish(ctx, s.cycle+1, why, true)
		}
	}
	return s.finish(ctx, s.cycle, s.whyEnough(), false)
}

// whyEnough says that the cycles allowed are done and, where more of them would hardly help, why not.
func (s *solver) whyEnough() string {
	why := fmt.Sprintf("did the %d cycles allowed", s.o.MaxCycles)
	h := s.history[0]
	if s.o.Fixed || s.newton != nil || len(h) <= stalled {
		return why
	}
	r := h[len(h)-1]
	advice := tooLarge(s.o.Coarse.String())
	if !s.p.network && !s.o.Check {
		advice += "; or the step function does not give the same each time, which Options.Check tells"
	}
	switch {
	case r > s.first:
		return why + fmt.Sprintf(", but the residual is %.3g and was %.3g at first: %s", r, s.first, advice)
	case r > h[len(h)-1-stalled]/2:
		return why + fmt.Sprintf(", and the residual, %.3g, hardly gets smaller any more: %s", r, advice)
	}
	return why
}

const stalled = 10 // cycles, in which the residual should at least halve

// once does one cycle, which records the residual of each level as it finds it.
func (s *solver) once(ctx context.Context) error {
	if s.newton != nil {
		return s.newtonCycle(ctx)
	}
	if rule := adapts(s.o.Coarse); rule != nil && s.cycle > 0 && (s.cycle <= readingCycles || s.cycle <= moreReadings && s.unsettled()) {
		if err := s.read(ctx, rule); err != nil {
			return err
		}
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
		s.trace.Sample("loss", float64(cycle), s.p.Loss(l.last()))
	}
}

// measureGrain learns how long a step takes, so that phases shorter than handing work to
// another goroutine stay on one.
func (s *solver) measureGrain(took time.Duration, steps int) {
	busy := took.Seconds() * float64(s.active(s.levels[0].intervals, s.levels[0])) // of all workers that took part
	s.spent += busy
	s.stepped += steps
	if steps > 0 {
		s.grain = busy / float64(steps)
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

// stepSeconds is what a call of the step function has taken, with all that is around it;
// 0 if no clock was fine enough to say.
func (s *solver) stepSeconds() float64 {
	if s.stepped == 0 {
		return 0
	}
	return s.spent / float64(s.stepped)
}
