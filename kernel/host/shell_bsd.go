//go:build unix && !linux

package host

import "syscall"

// commandAttributes gives a command a group of its own.
func commandAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
