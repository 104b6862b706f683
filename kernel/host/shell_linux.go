package host

import "syscall"

// commandAttributes gives a command a group of its own, and has the system end it when the
// evaluator is ended, also where the kernel is gone too.
func commandAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
