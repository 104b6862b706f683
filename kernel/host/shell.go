package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"trivium/kernel/eval"
)

// shell runs a command of the shell, which ends with all that it started when the cell is
// interrupted. Its output goes where that of cells goes.
func (s *session) shell(line string) error {
	if line == "" {
		return errors.New("no command: write it after the ! on the same line")
	}
	return s.command(line, os.Stdin)
}

// command runs a command that reads the given input.
func (s *session) command(line string, input io.Reader) error {
	cmd := shellCommand(line)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = input, os.Stdout, os.Stderr
	cmd.WaitDelay = time.Second // for a command that leaves its input unread
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
	askGroup(cmd)
	select {
	case <-ended:
	case <-time.After(100 * time.Millisecond):
	}
	endGroup(cmd) // and what of the group outlived it
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
