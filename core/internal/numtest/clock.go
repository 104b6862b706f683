package numtest

import (
	"os"
	"time"
)

// ThreadClock tells whether [Seconds] counts the processor time of a thread: TRIVIUM_CLOCK=cpu
// asks for it, so that one-thread benchmarks mean something on a machine that has other work.
func ThreadClock() bool { return os.Getenv("TRIVIUM_CLOCK") == "cpu" }

// Seconds returns seconds since some moment, for differences: of the wall clock, or if ThreadClock is
// set of the time that the calling thread has run. The caller has locked itself to its thread.
func Seconds() float64 {
	if ThreadClock() {
		if s, ok := threadSeconds(); ok {
			return s
		}
	}
	return time.Since(began).Seconds()
}

var began = time.Now()
