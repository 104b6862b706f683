package run

import (
	"context"
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
