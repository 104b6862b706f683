package run

import (
	"context"
	"errors"
	"testing"
)

// TestWithin: what is around the work begins before it with its context, and ends before the run has ended.
func TestWithin(t *testing.T) {
	var r *Run
	var given context.Context
	began, ended := make(chan struct{}), StateDone
	Within = func(ctx context.Context) func() {
		given = ctx
		<-began
		return func() { ended = r.State() }
	}
	defer func() { Within = nil }()
	r = Start(context.Background(), Options{}, func(ctx context.Context, t *Trace) (any, error) {
		if ctx != given {
			panic("the work has another context")
		}
		panic("work")
	})
	close(began)
	if err := r.Wait(context.Background()); err == nil || r.State() != StateFailed {
		t.Errorf("%v, %v", r.State(), err)
	}
	if ended != StateRunning {
		t.Errorf("the work's surroundings ended when the run was %v", ended)
	}
}

// TestHome: a run whose context has no group joins the program's.
func TestHome(t *testing.T) {
	_, home := WithGroup(context.Background())
	Home = home
	defer func() { Home = nil }()
	nothing := func(context.Context, *Trace) (any, error) { return nil, nil }
	ctx, own := WithGroup(context.Background())
	a, b := Start(context.Background(), Options{Name: "a"}, nothing), Start(ctx, Options{Name: "b"}, nothing)
	for _, g := range []*Group{home, own} {
		if err := g.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if l := home.Runs(); len(l) != 1 || l[0].Name() != "a" {
		t.Errorf("at home are %v, want a", l)
	}
	if l := own.Runs(); len(l) != 1 || l[0].Name() != "b" {
		t.Errorf("in the group of the context are %v, want b", l)
	}
	for _, r := range []*Run{a, b} {
		<-r.Done()
	}
}

// TestWaiting: the program can end waits, and the run goes on.
func TestWaiting(t *testing.T) {
	asked := errors.New("interrupted")
	over := 0
	Waiting = func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(asked)
		return ctx, func() { over++ }
	}
	defer func() { Waiting = nil }()
	ctx, g := WithGroup(context.Background())
	r := Start(ctx, Options{}, func(ctx context.Context, t *Trace) (any, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	for what, wait := range map[string]func(context.Context) error{"run": r.Wait, "group": g.Wait} {
		if err := wait(context.Background()); err != asked || r.State() != StateRunning {
			t.Errorf("%s: %v, and it is %v", what, err, r.State())
		}
	}
	if over != 2 {
		t.Errorf("%d of 2 waits were said to be over", over)
	}
	r.Stop()
	<-r.Done()
}
