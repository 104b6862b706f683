package run

import "context"

// What a program that runs functions of an interpreter, such as a notebook, sets before its first run starts.
var (
	// Home is the group of runs that are started under a context without one.
	Home *Group

	// Within is called by each run on its goroutine, with its context, before the work begins, and what it
	// returns when the work has ended: so the functions can be ended that a run which is told to stop has called.
	Within func(ctx context.Context) (end func())

	// Waiting is called by functions that wait, by way of [Waits]. It returns a context that may end before the
	// given one, as when the cell that waits is interrupted, and what to call when the waiting is over.
	Waiting func(ctx context.Context) (_ context.Context, done func())
)

// Waits is called first by a function that takes a context and returns when long work has ended: with the context
// that it gives the work ends also when the caller is interrupted. Call done after the work. A nil context is taken
// for [context.Background].
func Waits(ctx context.Context) (_ context.Context, done func()) {
	if ctx == nil {
		ctx = context.Background()
	}
	if Waiting == nil {
		return ctx, func() {}
	}
	return Waiting(ctx)
}
