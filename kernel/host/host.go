package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"trivium/kernel/display"
	"trivium/kernel/eval"
	"trivium/kernel/link"
	"trivium/kernel/widget"
	"trivium/kernel/wire"
)

// Options sets what an evaluator process works with.
type Options struct {
	Conn *link.Conn // required

	// New makes the evaluator. Its hooks (GoPanic, Stuck) are the host's. Required.
	New func(h *Host) (eval.Evaluator, error)

	// Interrupted is called as a cell is interrupted, before the interpreter is stopped. It
	// stops the runs that call functions written in cells. May be nil.
	Interrupted func(cause error)

	// Unblock is called when a cell that began at the given time has been interrupted and waits in
	// compiled code. It makes such calls return until ended is closed. May be nil.
	Unblock func(began time.Time, ended <-chan struct{})

	// Shutdown stops all runs and waits for them as long as ctx lasts. May be nil.
	Shutdown func(ctx context.Context)

	// Stdin feeds what the user types to cells that read standard input. May be nil.
	Stdin Stdin

	// Gone is called when the kernel has closed the link without a word: nothing matters any
	// more. May be nil.
	Gone func()

	// Get builds an evaluator that has third-party modules, and gives the program's path. It
	// says what goes on to a file. May be nil.
	Get     Builder
	Modules []string // that this evaluator has

	Kernel  string    // by which a Jupyter server knows the kernel; empty if it is none's
	Widgets int       // generation of ipywidgets that front ends have; 0 means the newest
	Started time.Time // of the process
}

// A Host serves one kernel.
type Host struct {
	opt     Options
	conn    *link.Conn
	display *display.Manager
	hub     *widget.Hub // of comms
	comms   *inbox[link.Frame]
	turns   *inbox[turn]  // of functions that controls call
	made    chan struct{} // closed when ev or err is set
	ev      eval.Evaluator
	err     error

	declared declarations // by cells; used by the goroutine that runs them only
	stdio    *stdio       // the same

	acks   acks
	answer answers
	cells  chan link.Frame

	mu      sync.Mutex
	running *running
	lastID  uint64
	started started // by which number cells are known on the link
	early   uint64  // the cell that was interrupted before it began
	closing bool
}

// running is the cell that runs.
type running struct {
	id        uint64
	n         int
	began     time.Time
	wait      context.Context // ends first: waits of compiled code return
	stop      context.CancelCauseFunc
	evalStop  context.CancelFunc // ends the interpreter
	stdin     bool
	turn      bool // not a cell, but a function that a control calls
	ended     chan struct{}
	interrupt atomic.Bool
	panicked  []*eval.PanicError // in goroutines; guarded by Host.mu
	stuck     bool               // it was interrupted and did not end; guarded by Host.mu
	next      atomic.Pointer[link.Prompt]
}

// prompt is how the user is asked for the line that the cell reads now.
func (r *running) prompt() link.Prompt {
	if p := r.next.Swap(nil); p != nil {
		return *p
	}
	return link.Prompt{}
}

// ErrInterrupted is the cause with which an interrupted cell's context ends.
var ErrInterrupted = errors.New("a cell that calls it was interrupted")

// Serve serves the kernel until it closes the link or asks for shutdown.
func Serve(o Options) error {
	if o.Conn == nil || o.New == nil {
		return errors.New("host: Options.Conn and Options.New must be set")
	}
	h := &Host{opt: o, conn: o.Conn, made: make(chan struct{}), cells: make(chan link.Frame, 16)}
	h.comms, h.turns = newInbox[link.Frame](), newInbox[turn]()
	h.hub = widget.New(widget.Options{
		Send: h.sendComm, Turn: h.turn, Capture: captured, Kernel: o.Kernel, Generation: o.Widgets, Logf: h.Logf,
	})
	widget.Use(h.hub)
	h.stdio = openStdio()
	defer h.stdio.close()
	h.display = display.New(h.show, display.Options{Switches: h.hub.ShowSwitches})
	display.Use(h.display)
	var own sync.WaitGroup
	own.Go(h.serveComms)
	own.Go(h.makeEvaluator)
	own.Go(h.runCells)
	err := h.receive()
	h.mu.Lock()
	h.closing = true // a cell that is still on its way begins interrupted
	h.mu.Unlock()
	h.interrupt()
	close(h.cells)
	h.comms.close()
	h.turns.close()
	h.hub.Close()
	h.acks.close()
	h.answer.close()
	h.display.Close()
	ended := make(chan struct{})
	go func() {
		own.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(500 * time.Millisecond): // a cell that does not stop ends with the process
	}
	return err
}

// Display is the manager that shows values of cells.
func (h *Host) Display() *display.Manager { return h.display }

func (h *Host) makeEvaluator() {
	defer close(h.made)
	defer func() {
		if v := recover(); v != nil {
			h.err = fmt.Errorf("host: making the evaluator: panic: %v", v)
		}
	}()
	if h.ev, h.err = h.opt.New(h); h.err != nil {
		h.Logf("%v", h.err)
		return
	}
	hello := link.Hello{PID: os.Getpid()}
	if !h.opt.Started.IsZero() {
		hello.Seconds = time.Since(h.opt.Started).Seconds()
	}
	h.conn.Send(link.Ready, 0, hello, nil)
}

// evaluator waits until there is one.
func (h *Host) evaluator() (eval.Evaluator, error) {
	<-h.made
	return h.ev, h.err
}

// receive handles frames until the link ends.
func (h *Host) receive() error {
	for {
		f, err := h.conn.Receive()
		if err != nil {
			if h.opt.Gone != nil {
				h.opt.Gone()
			}
			return err
		}
		switch f.Kind {
		case link.Run:
			h.cells <- f
		case link.Complete, link.Inspect, link.IsComplete, link.Vars:
			go h.query(f)
		case link.Interrupt:
			h.interruptCell(f.ID)
		case link.Ack:
			h.acks.arrived(f.ID)
		case link.InputReply:
			h.answer.arrived(&f)
		case link.Comm:
			h.comms.put(f)
		case link.Shutdown:
			h.interrupt()
			if h.opt.Shutdown != nil {
				ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Millisecond)
				h.opt.Shutdown(ctx)
				cancel()
			}
			return nil
		default:
			h.Logf("the kernel sent a frame of %v", f.Kind)
		}
	}
}

// query answers a question about code. It may be asked while a cell runs.
func (h *Host) query(f link.Frame) {
	var answer any
	defer func() {
		if v := recover(); v != nil {
			h.Logf("%v: panic: %v", f.Kind, v)
		}
		body, err := json.Marshal(answer)
		if err != nil {
			h.Logf("%v: %v", f.Kind, err)
			body = []byte("null")
		}
		h.conn.Send(link.Reply, f.ID, nil, body)
	}()
	ev, err := h.evaluator()
	if err != nil {
		return
	}
	var q link.Query
	if f.Kind != link.Vars {
		if err := f.Decode(&q); err != nil {
			h.Logf("%v", err)
			return
		}
	}
	switch f.Kind {
	case link.Complete:
		answer = complete(ev, q)
	case link.Inspect:
		answer = inspect(ev, q)
	case link.IsComplete:
		answer = isComplete(ev, q)
	case link.Vars:
		answer = variables(ev)
	}
}

// show is the display's sink. It returns when the kernel has the message in line. The result of
// a cell is the last that it does, so nothing can overtake it and nobody waits.
func (h *Host) show(cell uint64, msgType string, content []byte) error {
	if len(content) > link.MaxBody {
		return &link.SizeError{Kind: link.Output, Body: len(content)}
	}
	if msgType == wire.TypeExecuteResult {
		return h.conn.Send(link.Output, cell, link.Shown{Type: msgType}, content)
	}
	id, arrived := h.acks.expect()
	if err := h.conn.Send(link.Output, cell, link.Shown{Type: msgType, Ack: id}, content); err != nil {
		return err
	}
	if !<-arrived {
		return errors.New("host: the kernel is gone")
	}
	return nil
}

// Logf writes a line to the kernel's log.
func (h *Host) Logf(format string, args ...any) {
	h.conn.Send(link.Log, 0, link.LogLine{Text: fmt.Sprintf(format, args...)}, nil)
}

// acks are the frames whose acknowledgement is waited for.
type acks struct {
	mu     sync.Mutex
	next   uint64
	wait   map[uint64]chan bool
	closed bool
}

// expect gives out a number; the channel gets true when its Ack comes, false when none will.
func (a *acks) expect() (uint64, <-chan bool) {
	ch := make(chan bool, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		ch <- false
		return 0, ch
	}
	if a.wait == nil {
		a.wait = map[uint64]chan bool{}
	}
	a.next++
	a.wait[a.next] = ch
	return a.next, ch
}

func (a *acks) arrived(id uint64) {
	a.mu.Lock()
	ch := a.wait[id]
	delete(a.wait, id)
	a.mu.Unlock()
	if ch != nil {
		ch <- true
	}
}

func (a *acks) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for _, ch := range a.wait {
		ch <- false
	}
	a.wait = nil
}
