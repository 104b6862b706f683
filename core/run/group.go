package run

import (
	"context"
	"sync"
)

// A Group is the runs started under one context, in the order of their start.
type Group struct {
	mu   sync.Mutex
	runs []*Run
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
	g.runs = append(g.runs, r)
}

// Runs returns all runs of the group, those that have ended too.
func (g *Group) Runs() []*Run {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*Run(nil), g.runs...)
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
	for waited := 0; ; waited++ {
		g.mu.Lock()
		if waited >= len(g.runs) {
			g.mu.Unlock()
			return nil
		}
		r := g.runs[waited]
		g.mu.Unlock()
		select {
		case <-r.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
