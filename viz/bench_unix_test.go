//go:build unix

package viz

import (
	"syscall"
	"time"
)

// processorTime is what this process has used of all processors: unlike the time on the
// clock, it says what a frame costs on a busy machine too.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
