package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"trivium/kernel/eval"
	"trivium/kernel/link"
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
	var waited error
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// What ends the command with its parent is tied to the thread that starts it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			waited = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	// Should this process be ended, the kernel ends the command.
	s.tellGroup(link.ProcessGroup{ID: cmd.Process.Pid})
	defer s.tellGroup(link.ProcessGroup{ID: cmd.Process.Pid, Ended: true})
	select {
	case <-ended:
		return shellError(waited)
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

func (s *session) tellGroup(g link.ProcessGroup) {
	if s.h != nil { // nil in tests of commands alone
		s.h.conn.Send(link.Group, s.r.id, g, nil)
	}
}

func shellError(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the command ended with %v", exit)
	}
	return err
}
