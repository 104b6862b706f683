package link

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Events is told what an evaluator does. Text may be called at any time; Frame and Exit
// come from one goroutine, one after the other, Exit last.
type Events interface {
	Text(p *Process, name string, text []byte) // name is stdout or stderr; text is valid during the call
	Frame(p *Process, f Frame)
	Exit(p *Process, d Death)
}

// A Death says how an evaluator ended.
type Death struct {
	Code   int            // exit status, -1 if it was ended by a signal
	Signal syscall.Signal // 0 if it exited by itself
	Crash  string         // what the Go runtime wrote as it gave up; empty if it did not
	Reason string         // why the kernel ended it; empty if it did not
	Err    error          // it could not be started, or sent what is no frame
}

// A Process is an evaluator process, seen from the kernel.
type Process struct {
	*Conn
	events         Events
	stdout, stderr *textPipe
	cmd            *exec.Cmd // nil for a local one
	pid            atomic.Int64
	kill           func()
	reason         atomic.Pointer[string]
	exited         chan struct{}
}

// Descriptors of the evaluator process beside the three standard ones.
const (
	fdIn    = 3 // frames from the kernel
	fdOut   = 4 // frames to the kernel
	fdCrash = 5 // the Go runtime's last words
)

// pipes are the ends that the evaluator uses, and those that the kernel uses.
type pipes struct {
	theirs []*os.File // in order: frames in, frames out, crash, stdout, stderr
	ours   []*os.File
}

func openPipes() (p pipes, err error) {
	for i := range 5 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(p.theirs, p.ours)
			return pipes{}, fmt.Errorf("link: %w", err)
		}
		widen(w)
		if i == 0 {
			r, w = w, r
		}
		p.ours, p.theirs = append(p.ours, r), append(p.theirs, w)
	}
	return p, nil
}

func closeAll(lists ...[]*os.File) {
	for _, l := range lists {
		for _, f := range l {
			f.Close()
		}
	}
}

func newProcess(p pipes, events Events) (*Process, error) {
	proc := &Process{Conn: NewConn(p.ours[1], p.ours[0]), events: events, exited: make(chan struct{})}
	sink := func(name string, text []byte) { events.Text(proc, name, text) }
	var err error
	if proc.stdout, err = newTextPipe("stdout", p.ours[3], sink); err != nil {
		return nil, err
	}
	if proc.stderr, err = newTextPipe("stderr", p.ours[4], sink); err != nil {
		return nil, err
	}
	proc.stderr.keep = mostCrash + 4096
	return proc, nil
}

// Start starts an evaluator. It returns at once: if the program cannot be started, that is
// told to events as an Exit.
func Start(argv, env []string, events Events) (*Process, error) {
	p, err := openPipes()
	if err != nil {
		return nil, err
	}
	proc, err := newProcess(p, events)
	if err != nil {
		closeAll(p.theirs, p.ours)
		return nil, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = env
	cmd.Stdout, cmd.Stderr = p.theirs[3], p.theirs[4]
	inherit(cmd, p.theirs[:3])
	proc.cmd = cmd
	started, killed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	proc.kill = func() { once.Do(func() { close(killed) }) }

	ended := make(chan Death, 1)
	go func() {
		// The parent death signal fires when the thread that started the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		closeAll(p.theirs)
		if err != nil {
			close(started)
			ended <- Death{Code: -1, Err: fmt.Errorf("link: starting the evaluator: %w", err)}
			return
		}
		proc.pid.Store(int64(cmd.Process.Pid))
		close(started)
		cmd.Wait()
		ended <- death(cmd.ProcessState)
	}()
	go func() {
		<-started
		select {
		case <-killed:
			if cmd.Process != nil {
				cmd.Process.Kill()
			}
		case <-proc.exited:
		}
	}()
	proc.serve(p, ended)
	return proc, nil
}

func death(s *os.ProcessState) Death {
	d := Death{Code: s.ExitCode()}
	if ws, ok := s.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		d.Signal = ws.Signal()
	}
	return d
}

// Local runs an evaluator's end on a goroutine of this process, for tests. What serve
// returns as text is taken for what a dying runtime would have written.
func Local(events Events, serve func(conn *Conn, stdout, stderr *os.File) (crash string)) (*Process, error) {
	p, err := openPipes()
	if err != nil {
		return nil, err
	}
	proc, err := newProcess(p, events)
	if err != nil {
		closeAll(p.theirs, p.ours)
		return nil, err
	}
	ended, killed := make(chan Death, 2), make(chan struct{})
	var once sync.Once
	proc.kill = func() { once.Do(func() { close(killed) }) }
	proc.pid.Store(int64(os.Getpid()))
	go func() {
		crash := serve(NewConn(p.theirs[0], p.theirs[1]), p.theirs[3], p.theirs[4])
		io.WriteString(p.theirs[2], crash)
		if crash != "" {
			ended <- Death{Code: 2}
		} else {
			ended <- Death{}
		}
		closeAll(p.theirs)
	}()
	go func() {
		select {
		case <-killed:
			// The descriptors vanish under the other side, as those of a killed process do.
			ended <- Death{Code: -1, Signal: syscall.SIGKILL}
			p.theirs[0].Close()
			p.theirs[1].Close()
		case <-proc.exited:
		}
	}()
	proc.serve(p, ended)
	return proc, nil
}

// serve starts the goroutines that read the evaluator's pipes. They end with it.
func (p *Process) serve(pp pipes, ended <-chan Death) {
	go p.stdout.run()
	go p.stderr.run()
	crash := make(chan string, 1)
	go func() { crash <- readCrash(pp.ours[2]) }()
	go func() {
		defer close(p.exited)
		var bad error
		for {
			f, err := p.Receive()
			if err != nil {
				if errors.Is(err, ErrFrame) {
					bad = err
					p.Kill("it sent what is no frame")
				}
				break
			}
			p.events.Frame(p, f)
		}
		p.CloseWrite()
		d := p.await(ended)
		// A program that the evaluator started may hold the pipes open, so their end is not
		// waited for: what was written before the evaluator ended is in them now.
		p.Drain()
		pp.ours[2].SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		d.Crash = p.stderr.lastWords(<-crash)
		if r := p.reason.Load(); r != nil {
			d.Reason = *r
		}
		if d.Err == nil {
			d.Err = bad
		}
		closeAll(pp.ours)
		p.events.Exit(p, d)
	}()
}

// await waits for the end of a process that has closed its pipe; one that does not end
// within two seconds is ended.
func (p *Process) await(ended <-chan Death) Death {
	timer := time.NewTimer(2 * time.Second)
	defer timer.Stop()
	for {
		select {
		case d := <-ended:
			return d
		case <-timer.C:
			p.kill()
		}
	}
}

// Drain hands on the text that was printed up to now, standard output first.
func (p *Process) Drain() {
	p.stdout.drain()
	p.stderr.drain()
}

// Kill ends the evaluator at once; events hears of it by Exit, with the reason.
func (p *Process) Kill(reason string) {
	p.reason.CompareAndSwap(nil, &reason)
	p.kill()
}

// PID is the process number, 0 while the process is being started.
func (p *Process) PID() int { return int(p.pid.Load()) }

// Exited is closed when the evaluator has ended and events was told.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Close asks the evaluator to end and waits for it; after the given time it is ended.
func (p *Process) Close(patience time.Duration) {
	p.Send(Shutdown, 0, nil, nil)
	select {
	case <-p.exited:
		return
	case <-time.After(patience):
	}
	p.Kill("it did not end when asked to")
	<-p.exited
}
