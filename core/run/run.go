package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// Options describes a run. The zero value is a nameless run of unknown length.
type Options struct {
	Name     string    // shown in legends and lists; empty means the kind and the number, as in "mgrit 3"
	Kind     string    // the method: "mgrit", "train"; empty means "run"
	Settings []Setting // what was chosen, for tables that compare runs
	Total    float64   // steps, cycles or instances to do, for progress; 0 means unknown
	Unit     string    // what Total counts, in the plural: "cycles"; empty means "steps"

	// CallsCells says that the work calls functions written in notebook cells. Such a
	// run is stopped when a cell is interrupted: the interpreter that would run the
	// function is halted, and a halted function returns zeros without an error.
	CallsCells bool
}

// A Setting is one named choice of a run, such as {"coarsen", "4"}.
type Setting struct{ Name, Value string }

// A State says where a run is in its life.
type State int

// The states of a run. The first two are alive, the others final.
const (
	StateRunning State = iota
	StatePaused        // told to pause; the work stands still at its next Gate
	StateDone          // the work returned without an error
	StateStopped       // the work ended because it was told to
	StateFailed        // the work returned an error of its own, or panicked
)

func (s State) String() string {
	names := [...]string{"running", "paused", "done", "stopped", "failed"}
	if s < 0 || int(s) >= len(names) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return names[s]
}

// ErrStopped is the cause of a run that was ended by [Run.Stop].
var ErrStopped = errors.New("stopped")

// A Run is work on a goroutine of its own. All methods may be called from any goroutine.
type Run struct {
	id      int64
	options Options
	trace   *Trace
	cancel  context.CancelCauseFunc
	done    chan struct{}

	gate atomic.Pointer[chan struct{}] // open while paused, nil otherwise

	mu     sync.Mutex // guards what follows, and changes of gate
	state  State
	err    error
	result any
}

var lastID atomic.Int64

func newRun(o Options) *Run {
	r := &Run{id: lastID.Add(1), options: o, trace: NewTrace(), done: make(chan struct{})}
	if r.options.Unit == "" {
		r.options.Unit = "steps"
	}
	if r.options.Kind == "" {
		r.options.Kind = "run"
	}
	if r.options.Name == "" {
		r.options.Name = fmt.Sprintf("%s %d", r.options.Kind, r.id)
	}
	r.options.Settings = append([]Setting(nil), o.Settings...)
	r.trace.Progress(0, o.Total)
	return r
}

// Start runs work on its own goroutine and returns at once; it never fails. The context
// that work gets ends when ctx does or when the run is stopped, and carries the run for
// [Gate]. Work that is stopped should return what it has, with the error that Gate gave.
// The run joins the [Group] of ctx, or else [Home], if there is one.
func Start(ctx context.Context, o Options, work func(ctx context.Context, t *Trace) (result any, err error)) *Run {
	if ctx == nil {
		ctx = context.Background()
	}
	r := newRun(o)
	ctx, r.cancel = context.WithCancelCause(ctx)
	ctx = context.WithValue(ctx, runKey{}, r)
	g := groupOf(ctx)
	if g == nil {
		g = Home
	}
	if g != nil {
		g.add(r)
	}
	go guarded(ctx, r.trace, work, func(result any, err error) {
		r.finish(ctx, result, err)
		if g != nil {
			g.release(r)
		}
	})
	return r
}

// Failed returns a run that has already failed with err: what a Start function gives for
// options that make no sense, so that the reason appears where the run is shown.
func Failed(o Options, err error) *Run {
	if err == nil {
		err = errors.New("run: failed without a reason")
	}
	r := newRun(o)
	r.cancel = func(error) {}
	r.end(StateFailed, nil, err)
	return r
}

// finish decides how the run ended. Work that was told to stop and came back with its
// context's error was stopped; with no error it was done just before; any other error
// is a failure of its own that the stop must not hide.
func (r *Run) finish(ctx context.Context, result any, err error) {
	state := StateDone
	if err != nil {
		state = StateFailed
		if cause := context.Cause(ctx); cause != nil {
			switch {
			case errors.Is(err, cause):
				state = StateStopped
			case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
				state, err = StateStopped, cause
			}
		}
	}
	r.end(state, result, err)
	r.cancel(nil) // frees the context
}

func (r *Run) end(state State, result any, err error) {
	r.mu.Lock()
	r.state, r.result, r.err = state, result, err
	r.trace.clock.stop()
	r.trace.version.Add(1) // the end is news to whoever draws
	r.mu.Unlock()
	close(r.done)
}

// Name returns the name given in [Options], or one made of kind and number.
func (r *Run) Name() string { return r.options.Name }

// ID returns the run's number, which no other run of this process has.
func (r *Run) ID() int64 { return r.id }

// Kind returns the method that the run belongs to.
func (r *Run) Kind() string { return r.options.Kind }

// Settings returns what was chosen for the run, in the order of [Options].
func (r *Run) Settings() []Setting { return append([]Setting(nil), r.options.Settings...) }

// CallsCells reports whether the work calls functions written in notebook cells.
func (r *Run) CallsCells() bool { return r.options.CallsCells }

// State returns where the run is in its life.
func (r *Run) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Err returns why the run stopped or failed; nil while it goes on and when it is done.
func (r *Run) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Result returns what the work returned; nil while the run goes on.
func (r *Run) Result() any {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.result
}

// Trace returns the record of the run, which grows while it goes on.
func (r *Run) Trace() *Trace { return r.trace }

// Done returns a channel that is closed when the run has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// Wait waits for the end of the run and returns its error. If ctx ends first, Wait
// returns the cause, and the run goes on.
func (r *Run) Wait(ctx context.Context) error {
	select {
	case <-r.done: // an ended run is reported even under a context that has ended
		return r.Err()
	default:
	}
	ctx, done := Waits(ctx)
	defer done()
	select {
	case <-r.done:
		return r.Err()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
