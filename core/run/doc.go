// Package run is background work that can be watched, paused, stopped, awaited and saved.
//
// It is the contract between what computes, what draws and what a notebook shows, and
// needs nothing but the Go library.
//
// # The idea
//
// [Start] puts work on a goroutine of its own and returns a [Run] at once. The work
// writes what it learns into the run's [Trace], a record that only grows:
//
//	r := run.Start(ctx, run.Options{Name: "descent", Total: 100},
//		func(ctx context.Context, t *run.Trace) (any, error) {
//			x := 1.0
//			for k := range 100 {
//				if err := run.Gate(ctx); err != nil { // waits while paused, ends when stopped
//					return x, err
//				}
//				x -= 0.1 * x
//				t.Sample("error", float64(k), x)
//				t.Progress(float64(k+1), 100)
//			}
//			return x, nil
//		})
//
// Whoever holds the run may read the trace while it grows: a figure takes the points
// that are new with [Trace.Since], a progress bar asks [Run.Progress]. Reading takes no
// lock that writing needs, so a picture never slows the work. [Run.Wait] waits for the
// end and never causes it; [Run.Stop] asks for the end and does not wait.
//
// # What ends a run
//
// A run ends when its work returns, and [Run.State] then says how: [StateDone] without
// an error, [StateStopped] when it was told to end, [StateFailed] otherwise. A panic in
// the work is an error with its stack ([PanicError]), never the end of the process. An
// engine that starts goroutines of its own puts
//
//	defer run.Catch(&err)
//
// at the top of each, because a panic there would get past the run's own guard.
//
// # Groups
//
// Runs started under the context of a [Group] can be listed and stopped together. A run
// whose work calls functions written in notebook cells says so in [Options], so that
// interrupting a cell ends those runs and no others.
//
// # Files
//
// [Run.Save] writes one file that says what it holds, and [Load] gives back a run that
// has ended, with the same trace, so that figures draw it like any other.
package run
