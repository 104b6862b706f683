//go:build unix

package host

import (
	"os/exec"
	"syscall"
)

// shellCommand is a command of the shell in a process group of its own.
func shellCommand(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.SysProcAttr = commandAttributes()
	return cmd
}

// askGroup asks the processes of a command to end.
func askGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// endGroup ends them.
func endGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
