package host

import (
	"errors"
	"os"
	"os/exec"
)

// shellCommand is a command of the shell.
func shellCommand(line string) *exec.Cmd { return exec.Command("cmd", "/C", line) }

// askGroup does nothing: a process without a window cannot be asked.
func askGroup(*exec.Cmd) {}

// endGroup ends the shell; programs that it has started may outlive it.
func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func redirectStdout(*os.File) (restore func(), err error) {
	return nil, errors.New("standard output cannot be redirected on Windows")
}
