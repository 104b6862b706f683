//go:build unix

package host

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// redirectStdout makes a file the standard output of the process, whoever writes to it, until
// restore is called.
func redirectStdout(f *os.File) (restore func(), err error) {
	saved, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("standard output cannot be redirected: %w", err)
	}
	if err := duplicate(int(f.Fd()), 1); err != nil {
		unix.Close(saved)
		return nil, fmt.Errorf("standard output cannot be redirected: %w", err)
	}
	return func() {
		if err := duplicate(saved, 1); err == nil {
			unix.Close(saved)
		}
	}, nil
}
