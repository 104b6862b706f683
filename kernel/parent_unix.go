//go:build unix

package main

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"
)

// watchParent calls gone when the front end that started this kernel has ended. Jupyter
// gives its number; a kernel whose front end was killed would stay for ever otherwise.
func watchParent(gone func()) {
	pid, err := strconv.Atoi(os.Getenv("JPY_PARENT_PID"))
	if err != nil || pid <= 1 {
		return
	}
	started := os.Getppid() // the front end, or a program between it and us
	for range time.Tick(time.Second) {
		if os.Getppid() != started || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			gone()
			return
		}
	}
}
