package host

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// fdStdin answers reads of descriptor 0, whoever makes them: fmt.Scan, a bufio.Reader on
// os.Stdin, a program that a cell starts.
//
// A pipe does not tell its writer that somebody waits for it. But the kernel tells what each
// thread of a process waits for, in /proc/self/task/*/syscall (proc(5)); so while a cell runs
// it is looked at now and then whether one waits in read(0, …), and if so the user is asked.
type fdStdin struct {
	stop chan struct{}
	done sync.WaitGroup
	w    int // our end of the pipe, -1 if there is none
	null int // the null device
}

// NewStdin takes over the standard input of this process.
func NewStdin() (Stdin, error) {
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("host: standard input: %w", err)
	}
	s := &fdStdin{w: -1, null: fd}
	return s, s.empty()
}

// empty makes reads of standard input give EOF.
func (s *fdStdin) empty() error { return unix.Dup3(s.null, 0, 0) }

func (s *fdStdin) Begin(allowed bool, ask func() (string, bool)) {
	s.stop = make(chan struct{})
	s.w = -1
	if !allowed {
		s.empty()
		return
	}
	var p [2]int
	if unix.Pipe2(p[:], unix.O_CLOEXEC) != nil {
		s.empty()
		return
	}
	if err := unix.Dup3(p[0], 0, 0); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		s.empty()
		return
	}
	unix.Close(p[0])
	s.w = p[1]
	s.done.Go(func() { s.watch(ask) })
}

func (s *fdStdin) End() {
	close(s.stop)
	s.done.Wait()
	if s.w >= 0 {
		unix.Close(s.w) // whoever still reads gets EOF
		s.w = -1
	}
}

// watch asks the user for a line whenever somebody waits for one.
func (s *fdStdin) watch(ask func() (string, bool)) {
	pause := 5 * time.Millisecond
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-timer.C:
		}
		if waiting() {
			line, ok := ask()
			if !ok {
				unix.Close(s.w) // EOF for the rest of the cell
				s.w = -1
				return
			}
			for b := []byte(line + "\n"); len(b) > 0; {
				n, err := unix.Write(s.w, b)
				if err != nil && err != unix.EINTR {
					return
				}
				b = b[max(n, 0):]
			}
			pause = 5 * time.Millisecond
		}
		// A cell that reads usually does so early; one that computes for long is hardly disturbed.
		pause = min(pause*5/4, 100*time.Millisecond)
		timer.Reset(pause)
	}
}

// reading is how /proc/PID/task/TID/syscall begins for a thread that waits in read(0, …).
var reading = fmt.Sprintf("%d 0x0 ", unix.SYS_READ)

// waiting reports whether this process, or a program that it has started, waits for input.
func waiting() bool {
	if n, err := unix.IoctlGetInt(0, unix.TIOCINQ); err != nil || n > 0 {
		return false // what was typed has not been read yet
	}
	pipe, err := os.Readlink("/proc/self/fd/0")
	return err == nil && waits("/proc/self", pipe, 0)
}

// mostDescent bounds how far down programs that programs have started are looked for.
const mostDescent = 8

// waits reports whether a process waits for what comes through the pipe, or one that it has started.
func waits(process, pipe string, depth int) bool {
	tasks, err := os.ReadDir(process + "/task")
	if err != nil {
		return false
	}
	in, err := os.Readlink(process + "/fd/0")
	reads := err == nil && in == pipe
	for _, t := range tasks {
		task := process + "/task/" + t.Name()
		if reads {
			if b, err := os.ReadFile(task + "/syscall"); err == nil && strings.HasPrefix(string(b), reading) {
				return true
			}
		}
		if depth == mostDescent {
			continue
		}
		children, _ := os.ReadFile(task + "/children") // where the system tells them
		for _, pid := range strings.Fields(string(children)) {
			if waits("/proc/"+pid, pipe, depth+1) {
				return true
			}
		}
	}
	return false
}
