//go:build unix

package link

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
)

// Inherited returns the evaluator's end of the link, over the descriptors that [Start] gave
// to this process, and has the runtime write its last words to the kernel.
func Inherited() (*Conn, error) {
	for _, fd := range []int{fdIn, fdOut, fdCrash} {
		var st syscall.Stat_t
		if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
			return nil, errors.New("link: this program is started by a kernel and not by hand")
		}
		syscall.CloseOnExec(fd) // not for the programs that cells start
	}
	// Text must wait for room in its pipe. The runtime's println gives up where it would block.
	syscall.SetNonblock(1, false)
	syscall.SetNonblock(2, false)
	crash := os.NewFile(fdCrash, "crash")
	defer crash.Close() // the runtime keeps a duplicate
	if err := debug.SetCrashOutput(crash, debug.CrashOptions{}); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	// Non-blocking, so that closing one end wakes whoever waits on it.
	syscall.SetNonblock(fdIn, true)
	syscall.SetNonblock(fdOut, true)
	return NewConn(os.NewFile(fdIn, "kernel"), os.NewFile(fdOut, "kernel")), nil
}
