package mgrit

import (
	"runtime"
	"time"
)

// lively is how long a worker looks for what it waits for before it sleeps: longer than what others do on the coarsest
// levels meanwhile. To wake one that sleeps takes some tens of microseconds, and a cycle has two phases a level.
const lively = 200 * time.Microsecond

// await is what comes next from a channel, and false if it is closed and empty.
func await[T any](from <-chan T) (v T, open bool) {
	if v, open, came := soon(from); came {
		return v, open
	}
	v, open = <-from
	return v, open
}

// soon is what comes from a channel while the worker is lively. It lets other goroutines run.
func soon[T any](from <-chan T) (v T, open, came bool) {
	var began time.Time
	for {
		select {
		case v, open = <-from:
			return v, open, true
		default:
		}
		if began.IsZero() {
			began = time.Now()
		} else if time.Since(began) > lively {
			return v, false, false
		}
		runtime.Gosched()
	}
}
