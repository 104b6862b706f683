package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"trivium/kernel/eval"
)

// shell runs a command of the shell in a process group of its own, which ends as a whole
// when the cell is interrupted. Its output goes where that of cells goes.
func (s *session) shell(line string) error {
	if line == "" {
		return errors.New("no command: write it after the ! on the same line")
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	var err error
	ended := make(chan struct{})
	go func() {
		err = cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return shellError(err)
	case <-s.r.wait.Done():
	}
	group := -cmd.Process.Pid
	syscall.Kill(group, syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(100 * time.Millisecond):
	}
	syscall.Kill(group, syscall.SIGKILL) // and what of the group outlived it
	select {
	case <-ended:
	case <-time.After(time.Second): // it cannot be ended; the cell need not wait for it
	}
	return eval.ErrInterrupted
}

func shellError(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the command ended with %v", exit)
	}
	return err
}
