package run

import (
	"context"
	"sync"
	"weak"
)

// A Group is the runs started under one context, in the order of their start. It does not
// keep the results of runs that have ended: a notebook starts many, and a result may be
// large.
type Group struct {
	mu   sync.Mutex
	runs []member
}

// A member is a run of a group. Once it has ended, the group holds the run itself only as
// long as somebody else does, and in its place a copy without the result.
type member struct {
	run   *Run
	ended weak.Pointer[Run]
}

func (m member) get() *Run {
	if r := m.ended.Value(); r != nil {
		return r
	}
	return m.run
}

type groupKey struct{}

// WithGroup returns a context whose runs join the returned group.
func WithGroup(ctx context.Context) (context.Context, *Group) {
	g := new(Group)
	return context.WithValue(ctx, groupKey{}, g), g
}

func groupOf(ctx context.Context) *Group {
	g, _ := ctx.Value(groupKey{}).(*Group)
	return g
}

func (g *Group) add(r *Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs = append(g.runs, member{run: r})
}

// release lets go of the result of a run that has ended.
func (g *Group) release(r *Run) {
	rest := &Run{id: r.id, options: r.options, trace: r.trace, cancel: func(error) {}, done: r.done, state: r.State(), err: r.Err()}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.runs {
		if g.runs[i].run == r {
			g.runs[i] = member{run: rest, ended: weak.Make(r)}
		}
	}
}

// Runs returns all runs of the group, those that have ended too. One that has ended, and
// that nothing else refers to any more, still has its name, state and trace, but no result.
func (g *Group) Runs() []*Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	runs := make([]*Run, len(g.runs))
	for i, m := range g.runs {
		runs[i] = m.get()
	}
	return runs
}

// StopAll asks every run to end with the given cause; nil means [ErrStopped].
func (g *Group) StopAll(cause error) {
	for _, r := range g.Runs() {
		r.StopCause(cause)
	}
}

// StopCallers asks those runs to end whose work calls functions written in cells.
func (g *Group) StopCallers(cause error) {
	for _, r := range g.Runs() {
		if r.CallsCells() {
			r.StopCause(cause)
		}
	}
}

// Wait waits until every run has ended, those too that start meanwhile. It returns nil,
// or the cause if ctx ends first; how each run ended is the run's own to say.
func (g *Group) Wait(ctx context.Context) error {
	ctx, done := Waits(ctx)
	defer done()
	for waited := 0; ; waited++ {
		g.mu.Lock()
		if waited >= len(g.runs) {
			g.mu.Unlock()
			return nil
		}
		ended := g.runs[waited].run.done // the copy has the same
		g.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
