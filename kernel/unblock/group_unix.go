//go:build unix

package unblock

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// leadGroup gives a program a process group of its own, which ends with its context. A program whose
// attributes a cell replaces is ended alone.
func leadGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error {
		if err := c.Process.Signal(syscall.Signal(0)); err != nil {
			return err // it has ended, and its number may be another's
		}
		pid := c.Process.Pid
		if group, err := syscall.Getpgid(pid); err != nil || group != pid {
			return c.Process.Kill()
		}
		err := syscall.Kill(-pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
