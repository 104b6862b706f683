package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// A Runner executes notebooks with a kernel that is connected already; [Kernel.Runner] makes one
// for a kernel that this program started.
type Runner struct {
	Client      *transport.Client
	Timeout     time.Duration // for each cell; 0 means as long as it takes
	AllowErrors bool          // go on after a cell that failed
	Settle      time.Duration // see Run; 0 means 1 s
	LiveTimeout time.Duration // longest wait for live figures after the last cell; 0 means 2 min, negative none
	Log         io.Writer     // gets a line for each cell; nil means none

	Died <-chan struct{} // closed when the kernel's process ended; may be nil
	Why  func() string   // what is known about that; may be nil
}

// A CellError says that a cell failed.
type CellError struct {
	Cell      int // position among the code cells, from 1
	Count     int // the execution count that traces name, as in "Cell [3]"
	Name      string
	Value     string
	Traceback []string // may contain ANSI colours
}

func (e *CellError) Error() string {
	return fmt.Sprintf("notebook: code cell %d failed: %s: %s", e.Cell, e.Name, e.Value)
}

// A TimeoutError says that a cell took longer than it was allowed to.
type TimeoutError struct {
	Cell    int
	Limit   time.Duration
	Stopped bool // whether the kernel stopped it when asked to
}

func (e *TimeoutError) Error() string {
	s := fmt.Sprintf("notebook: code cell %d did not end within %v and was stopped; allow more with -timeout", e.Cell, e.Limit)
	if !e.Stopped {
		s += "; the kernel did not react to the interrupt"
	}
	return s
}

// A DeadError says that the kernel process ended while it was needed.
type DeadError struct {
	Cell   int // 0: between cells
	Reason string
}

func (e *DeadError) Error() string {
	s := "notebook: the kernel ended"
	if e.Cell > 0 {
		s = fmt.Sprintf("notebook: the kernel ended while code cell %d ran", e.Cell)
	}
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	return s
}

// A cell that was asked to end has insistAfter to do so. Then the kernel is asked again: at the
// second interrupt ours ends an evaluator that is stuck in compiled code. After interruptGrace
// the kernel is given up.
const (
	insistAfter    = 2 * time.Second
	interruptGrace = 10 * time.Second
)

// Run executes the code cells in order and replaces their outputs and counts. It stops at the
// first cell that fails, with a [*CellError], unless errors are allowed or the cell has the tag
// raises-exception; cells tagged skip-execution are left as they are. What was gathered until then
// is in the notebook in every case, and what older runs left is not.
//
// After the last cell Run waits for live figures. A kernel that marks them ("live" in the
// transient part of a message) is waited for until each had its last frame, for LiveTimeout at most;
// with others Run waits until no figure has changed for the time Settle.
//
// When ctx ends, the running cell is interrupted and its outputs are gathered before Run returns
// the cause.
func (r *Runner) Run(ctx context.Context, nb *Notebook) error {
	run := &running{Runner: r, gatherer: newGatherer(), log: newProgress(r.Log, nb)}
	defer run.finish()
	for _, c := range nb.Cells {
		if c.Kind == Code && !c.HasTag("skip-execution") {
			c.Outputs, c.Count = nil, 0
		}
	}
	n := 0
	for _, c := range nb.Cells {
		run.log.heading(c)
		if c.Kind != Code {
			continue
		}
		n++
		if c.HasTag("skip-execution") {
			run.log.skipped(n, c)
			continue
		}
		if strings.TrimSpace(c.Source) == "" {
			continue
		}
		run.log.begin(n, c)
		run.gatherer.bars = ""
		err := run.cell(ctx, n, c)
		run.log.end(err)
		if err != nil && !run.tolerates(c, err) {
			return err
		}
	}
	return run.settle(ctx)
}

type running struct {
	*Runner
	*gatherer
	log *progress
}

func (run *running) tolerates(c *Cell, err error) bool {
	var failed *CellError
	return errors.As(err, &failed) && (run.AllowErrors || c.HasTag("raises-exception"))
}

// cell executes one cell and returns when both its reply and its idle status are there: the
// reply says how it ended, idle that all its output was seen.
func (run *running) cell(ctx context.Context, n int, c *Cell) error {
	if ctx.Err() != nil {
		return fmt.Errorf("notebook: before code cell %d: %w", n, context.Cause(ctx))
	}
	req, err := wire.NewMessage(wire.TypeExecuteRequest, nil, wire.ExecuteRequest{
		Code: c.Source, StoreHistory: true, StopOnError: !run.AllowErrors, UserExpressions: map[string]string{},
	})
	if err == nil {
		err = run.Client.Send(transport.Shell, req)
	}
	if err != nil {
		return &DeadError{n, run.why(err.Error())}
	}
	s := run.add(req.Header.MsgID, c)

	var timeout, insist, grace <-chan time.Time
	if run.Timeout > 0 {
		t := time.NewTimer(run.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	var stopped error // why the cell was interrupted
	ask := func() error {
		m, err := wire.NewMessage(wire.TypeInterruptRequest, nil, nil)
		if err == nil {
			err = run.Client.Send(transport.Control, m)
		}
		return err
	}
	interrupt := func(why error) error {
		stopped, timeout = why, nil
		insist, grace = time.After(insistAfter), time.After(interruptGrace)
		return ask()
	}

	done := ctx.Done()
	var reply *wire.ExecuteReply
	for reply == nil || !s.idle {
		select {
		case m, ok := <-run.Client.IOPub():
			if !ok {
				return run.dead(n)
			}
			run.take(m)
			run.log.bars(run.gatherer.bars)
		case m, ok := <-run.Client.Receive(transport.Shell):
			if !ok {
				return run.dead(n)
			}
			if reply, err = replyTo(m, req); err != nil {
				return fmt.Errorf("notebook: code cell %d: %w", n, err)
			}
		case <-run.Client.Receive(transport.Control): // the answer to an interrupt
		case <-run.Died:
			return run.dead(n)
		case <-done:
			done = nil
			if interrupt(fmt.Errorf("notebook: code cell %d was stopped: %w", n, context.Cause(ctx))) != nil {
				return run.dead(n)
			}
		case <-timeout:
			if interrupt(&TimeoutError{n, run.Timeout, true}) != nil {
				return run.dead(n)
			}
		case <-insist:
			if ask() != nil {
				return run.dead(n)
			}
		case <-grace:
			if late := (*TimeoutError)(nil); errors.As(stopped, &late) {
				late.Stopped = false
			}
			return stopped
		}
	}
	if reply.ExecutionCount > 0 {
		c.Count = reply.ExecutionCount
	}
	switch {
	case stopped != nil:
		return stopped
	case s.failure != nil:
		return &CellError{n, c.Count, s.failure.EName, s.failure.EValue, s.failure.Traceback}
	case reply.Status != "ok" && reply.Error != nil:
		return &CellError{n, c.Count, reply.EName, reply.EValue, reply.Traceback}
	case reply.Status != "ok":
		return &CellError{Cell: n, Count: c.Count, Name: reply.Status, Value: "the kernel gave no reason"}
	}
	return nil
}

// replyTo returns nil for a reply to another request, such as an earlier cell's that was given up.
func replyTo(m, req *wire.Message) (*wire.ExecuteReply, error) {
	parent, err := m.ParentHeader()
	if err != nil || parent.MsgID != req.Header.MsgID || m.Header.MsgType != wire.TypeExecuteReply {
		return nil, err
	}
	reply := new(wire.ExecuteReply)
	return reply, m.Decode(reply)
}

// settle waits for the figures that go on changing after the last cell.
func (run *running) settle(ctx context.Context) error {
	if run.LiveTimeout < 0 || len(run.shown) == 0 {
		return nil
	}
	limit := time.NewTimer(either(run.LiveTimeout, 2*time.Minute))
	defer limit.Stop()
	if n := run.growing(); n > 0 {
		run.log.waiting(n)
		defer run.log.end(nil)
	}
	quiet := either(run.Settle, time.Second)
	for {
		var calm <-chan time.Time
		switch {
		case run.growing() > 0:
		case !run.undeclared():
			return nil
		default:
			calm = time.After(quiet - time.Since(run.last))
		}
		select {
		case m, ok := <-run.Client.IOPub():
			if !ok {
				return run.dead(0)
			}
			run.take(m)
		case <-calm:
			return nil
		case <-run.Died:
			return run.dead(0)
		case <-ctx.Done():
			return fmt.Errorf("notebook: stopped while figures were growing: %w", context.Cause(ctx))
		case <-limit.C:
			run.log.unsettled(run.growing())
			return nil
		}
	}
}

func either(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// dead takes what the kernel could still send and says why it ended.
func (run *running) dead(n int) error {
	late := time.After(200 * time.Millisecond)
	for open := true; open; {
		select {
		case m, ok := <-run.Client.IOPub():
			if open = ok; ok {
				run.take(m)
			}
		case <-late:
			open = false
		}
	}
	return &DeadError{n, run.why("")}
}

func (run *running) why(otherwise string) string {
	if run.Why != nil {
		if s := run.Why(); s != "" {
			return s
		}
	}
	return otherwise
}
