package main

import (
	"os"
	"strconv"
	"syscall"
)

// watchParent calls gone when the front end that started this kernel has ended. On Windows
// Jupyter gives a handle of its process.
func watchParent(gone func()) {
	handle, err := strconv.ParseUint(os.Getenv("JPY_PARENT_PID"), 10, 64)
	if err != nil || handle <= 1 {
		return
	}
	if event, err := syscall.WaitForSingleObject(syscall.Handle(handle), syscall.INFINITE); err == nil && event == syscall.WAIT_OBJECT_0 {
		gone()
	}
}
