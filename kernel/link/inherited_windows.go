package link

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
)

// Inherited returns the evaluator's end of the link, over the handles that [Start] gave to
// this process, and has the runtime write its last words to the kernel.
func Inherited() (*Conn, error) {
	numbers := strings.Split(os.Getenv(handlesVariable), ",")
	if len(numbers) != 3 {
		return nil, errors.New("link: this program is started by a kernel and not by hand")
	}
	_ = os.Unsetenv(handlesVariable) // not for the programs that cells start
	var files []*os.File
	for _, s := range numbers {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("link: %s: %w", handlesVariable, err)
		}
		h := syscall.Handle(n)
		if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, 0); err != nil {
			return nil, fmt.Errorf("link: handle %d of the kernel: %w", n, err)
		}
		files = append(files, os.NewFile(uintptr(h), "kernel"))
	}
	defer files[2].Close() // the runtime keeps a duplicate
	if err := debug.SetCrashOutput(files[2], debug.CrashOptions{}); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	return NewConn(files[0], files[1]), nil
}
