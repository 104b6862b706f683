package numtest

import (
	"os"
	"runtime"
	"time"
)

// ThreadClock tells whether [Seconds] counts the processor time of a thread: TRIVIUM_CLOCK=cpu
// asks for it, so that one-thread benchmarks mean something on a machine that has other work.
func ThreadClock() bool { return os.Getenv("TRIVIUM_CLOCK") == "cpu" }

// Seconds returns seconds since some moment, for differences: of the wall clock, or if ThreadClock is
// set of the time that the calling thread has run, for which the caller calls HoldClock first.
func Seconds() float64 {
	if ThreadClock() {
		if s, ok := threadSeconds(); ok {
			return s
		}
	}
	return time.Since(began).Seconds()
}

// HoldClock keeps the calling goroutine on its thread while Seconds counts that thread's time, until
// release is called. Otherwise it does nothing: whoever is bound to a thread changes threads each
// time it lets others run, and waits long for workers.
func HoldClock() (release func()) {
	if !ThreadClock() {
		return func() {}
	}
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

var began = time.Now()
