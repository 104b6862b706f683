package run

import (
	"context"
	"errors"
)

// Stop asks the run to end, with the cause [ErrStopped]. It returns at once; the work
// ends at its next [Gate]. Stopping a run that has ended does nothing.
func (r *Run) Stop() { r.StopCause(ErrStopped) }

// StopCause is Stop with a cause, which [Run.Err] gives when the run has ended.
func (r *Run) StopCause(cause error) {
	if cause == nil {
		cause = ErrStopped
	}
	r.cancel(cause)
}

// Pause makes the work stand still at its next [Gate]. The trace's clock stands still at
// once, so that a pause leaves no hole in a figure over seconds.
func (r *Run) Pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != StateRunning {
		return
	}
	r.state = StatePaused
	closed := make(chan struct{})
	r.gate.Store(&closed)
	r.trace.clock.stop()
	r.trace.version.Add(1)
}

// Resume lets a paused run go on.
func (r *Run) Resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state != StatePaused {
		return
	}
	r.state = StateRunning
	r.trace.clock.start()
	r.trace.version.Add(1)
	close(*r.gate.Swap(nil))
}

type runKey struct{}

// Gate is called by an engine once per step. It returns nil at once while the run goes
// on, waits while the run is paused, and returns the cause when the run was stopped or
// its context ended; the engine then returns that error. Under a context that belongs
// to no run it only looks at the context. Any number of workers may stand at one gate.
func Gate(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, _ := ctx.Value(runKey{}).(*Run)
	if r == nil {
		return nil
	}
	for {
		paused := r.gate.Load()
		if paused == nil {
			return nil
		}
		select {
		case <-*paused:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Stopped reports whether err says that a run was told to end, rather than that it
// failed: it wraps [ErrStopped] or the error of a context.
func Stopped(err error) bool {
	return errors.Is(err, ErrStopped) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
