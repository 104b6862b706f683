package mgrit

import (
	"context"
	"fmt"
	"strconv"

	"trivium/core/run"
)

// A Run is a solution on its way. See [run.Run] for what can be done with it meanwhile.
type Run struct {
	*run.Run
	levels []LevelInfo
	need   float64
}

// Start solves p on goroutines of its own and returns at once. It never fails: what is
// wrong with p or o is the error of the run. Its trace has the series "residual" and, for
// coarser levels, "residual/L1", ...: the residual over the cycle, counted from 0, before
// that cycle's correction; and "loss" if the problem has a Loss.
func Start(ctx context.Context, p Problem, o Options) *Run { return start(ctx, p, o, true) }

// start leaves out of the trace what only figures need where nobody holds the run that they are drawn of.
func start(ctx context.Context, p Problem, o Options, figures bool) *Run {
	about := run.Options{Name: o.name(&p), Kind: "mgrit", CallsCells: p.CallsCells}
	s, err := newSolver(p, o, nil)
	if err != nil {
		return &Run{Run: run.Failed(about, err)}
	}
	s.figures = figures
	if about.Unit = "cycles"; len(s.levels) == 1 {
		about.Unit = "steps"
	}
	about.Settings, about.Total = s.settings(), float64(s.o.MaxCycles)
	r := &Run{levels: describe(s.levels), need: s.need}
	r.Run = run.Start(ctx, about, func(ctx context.Context, t *run.Trace) (any, error) {
		s.trace = t
		res, err := s.solve(ctx)
		if err != nil {
			return nil, err
		}
		return res, nil
	})
	return r
}

// name is what figures call a run: other cycles than the usual are told apart.
func (o *Options) name(p *Problem) string {
	name := p.Name
	switch {
	case o.Name != "":
		return o.Name
	case name == "":
		name = "mgrit"
	}
	switch {
	case o.Method != Multigrid:
		return name + ", " + o.Method.String()
	case o.Cycle != VCycle:
		return name + ", " + o.Cycle.String() + "-cycles"
	}
	return name
}

// Solve is Start followed by waiting for the result. As nobody draws figures of its run, the
// trace has the series "residual" and "loss" alone.
func Solve(ctx context.Context, p Problem, o Options) (*Result, error) {
	ctx, done := run.Waits(ctx)
	defer done()
	r := start(ctx, p, o, false)
	<-r.Done()
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.Result(), nil
}

// Result is nil until the run has ended, and if it failed or was stopped.
func (r *Run) Result() *Result {
	res, _ := r.Run.Result().(*Result)
	return res
}

// Hierarchy describes the levels, finest first, as planned before the run started.
func (r *Run) Hierarchy() []LevelInfo { return append([]LevelInfo(nil), r.levels...) }

// Memory is the bytes of vectors that the run takes, known before it starts; more than
// Options.Memory allows makes it fail before it takes any.
func (r *Run) Memory() float64 { return r.need }

func describe(levels []*level) []LevelInfo {
	infos := make([]LevelInfo, len(levels))
	for i, l := range levels {
		infos[i] = LevelInfo{Steps: l.n, Stride: l.stride, Coarsen: l.m, Scale: l.step.Scale}
	}
	return infos
}

// settings are what tables that compare runs show.
func (s *solver) settings() []run.Setting {
	o := &s.o
	settings := []run.Setting{
		{Name: "steps", Value: strconv.Itoa(o.Steps)},
		{Name: "levels", Value: strconv.Itoa(len(s.levels))},
		{Name: "memory", Value: fmt.Sprintf("%.3g MB", s.need/1e6)},
	}
	if o.Method != Multigrid {
		settings = append(settings, run.Setting{Name: "method", Value: o.Method.String()},
			run.Setting{Name: "workers", Value: strconv.Itoa(o.Workers)}, run.Setting{Name: "tol", Value: fmt.Sprint(o.Tol)})
	}
	if len(s.levels) == 1 {
		return settings
	}
	return append(settings,
		run.Setting{Name: "coarsen", Value: strconv.Itoa(o.Coarsen)},
		run.Setting{Name: "cycle", Value: o.Cycle.String()},
		run.Setting{Name: "relax", Value: o.Relax.String()},
		run.Setting{Name: "coarse", Value: o.Coarse.String()},
		run.Setting{Name: "workers", Value: strconv.Itoa(o.Workers)},
		run.Setting{Name: "tol", Value: fmt.Sprint(o.Tol)})
}
