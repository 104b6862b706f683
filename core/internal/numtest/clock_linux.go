package numtest

import "golang.org/x/sys/unix"

func threadSeconds() (float64, bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, false
	}
	return float64(t.Nano()) / 1e9, true
}
