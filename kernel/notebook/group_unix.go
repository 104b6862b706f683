//go:build unix

package notebook

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps Ctrl-C in a terminal from reaching the kernel directly: this program decides
// what it means. It also lets killGroup reach the kernel's children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails only if all are gone
}
