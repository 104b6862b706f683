package host

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"trivium/kernel/display"
	"trivium/kernel/eval"
	"trivium/kernel/link"
)

// runCells runs cells in the order in which they come, and turns between them.
func (h *Host) runCells() {
	wake := h.turns.wake
	for {
		select {
		case f, ok := <-h.cells:
			if !ok {
				return
			}
			h.runCell(f)
		case _, open := <-wake:
			if !open {
				wake = nil
				continue
			}
			if t, ok := h.turns.take(); ok {
				h.runTurn(t)
			}
		}
	}
}

func (h *Host) runCell(f link.Frame) {
	outcome := link.Outcome{}
	defer func() {
		if v := recover(); v != nil { // a bug here, not in the cell
			outcome.Failure = internal(fmt.Sprint(v))
			h.Logf("cell: panic: %v\n%s", v, debug.Stack())
		}
		h.conn.Send(link.Done, f.ID, outcome, nil)
	}()
	var c link.RunCell
	if err := f.Decode(&c); err != nil {
		outcome.Failure = internal(err.Error())
		return
	}
	c.Source = strings.TrimPrefix(c.Source, "\ufeff") // of a file that was pasted
	ev, err := h.evaluator()
	if err != nil {
		outcome.Failure = internal(err.Error())
		return
	}
	r := h.begin(f.ID, c)
	defer h.end(r)
	h.stdio.repair()
	h.display.Begin(display.Cell{ID: f.ID, N: c.N, Silent: c.Silent, Ctx: r.wait, Attended: c.AllowStdin})
	evalCtx, stop := context.WithCancel(context.Background())
	defer stop()
	h.mu.Lock()
	r.evalStop = stop
	h.mu.Unlock()
	if r.interrupt.Load() {
		stop()
	}
	if h.opt.Stdin != nil {
		h.opt.Stdin.Begin(c.AllowStdin, func() (string, bool) { return h.ask(r, r.prompt()) })
		defer h.opt.Stdin.End()
	}
	session := &session{h: h, ev: ev, ctx: evalCtx, r: r, outcome: &outcome, n: c.N}
	session.run(c)
	outcome.Expressions = session.expressions(c)
	h.mu.Lock()
	if len(r.panicked) > 0 && outcome.Failure == nil { // a goroutine of this cell
		outcome.Failure = goroutineFailure(r.panicked[0], c)
	}
	h.mu.Unlock()
}

// begin makes a cell the one that runs.
func (h *Host) begin(id uint64, c link.RunCell) *running {
	r := &running{id: id, n: c.N, began: time.Now(), stdin: c.AllowStdin, ended: make(chan struct{})}
	r.wait, r.stop = context.WithCancelCause(context.Background())
	h.mu.Lock()
	h.running, h.lastID = r, id
	if !c.Silent {
		h.started.add(c.N, id)
	}
	early := h.early == id || h.closing
	h.mu.Unlock()
	if early {
		h.interrupt()
	}
	return r
}

func (h *Host) end(r *running) {
	h.mu.Lock()
	h.running = nil
	h.mu.Unlock()
	close(r.ended)
	r.stop(nil)
}

// interruptCell interrupts the cell with the given number, which may be on its way only. A
// turn that runs is interrupted too: 0 means nothing but that.
func (h *Host) interruptCell(id uint64) {
	h.mu.Lock()
	r := h.running
	turn := r != nil && r.turn
	own := r != nil && !turn && r.id == id
	if !own && id != 0 {
		h.early = id
	}
	h.mu.Unlock()
	if own || turn {
		h.interrupt()
	}
}

// interrupt ends the running cell, if there is one: first the waits of compiled code, then,
// if that did not end the cell, the runs that call its functions, and the interpreter.
func (h *Host) interrupt() {
	h.mu.Lock()
	r := h.running
	h.mu.Unlock()
	if r == nil || r.interrupt.Swap(true) {
		return
	}
	r.stop(ErrInterrupted)
	h.answer.drop()
	go func() {
		if h.display.Waits() > 0 {
			select {
			case <-r.ended:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
		if h.opt.Interrupted != nil {
			h.opt.Interrupted(ErrInterrupted)
		}
		h.mu.Lock()
		stop := r.evalStop
		h.mu.Unlock()
		if stop != nil {
			stop()
		}
		if h.opt.Unblock == nil {
			return
		}
		select {
		case <-r.ended:
		case <-time.After(100 * time.Millisecond): // more than interpreted code needs to stop
			h.opt.Unblock(r.began, r.ended)
		}
	}()
}

// session is what one Run frame does.
type session struct {
	h       *Host
	ev      eval.Evaluator
	ctx     context.Context
	r       *running
	outcome *link.Outcome
	n       int      // of the cell
	after   []func() // to be done when the cell's Go has run
}

// run runs the cell: its special lines, then its Go.
func (s *session) run(c link.RunCell) {
	defer func() {
		for _, f := range s.after {
			f()
		}
	}()
	source, ok := s.magic(c)
	if !ok || source == "" {
		return
	}
	source = program(source)
	o := s.ev.Run(s.ctx, eval.Cell{N: c.N, Source: source})
	s.warn(o.Warnings, c)
	if o.Err != nil {
		s.outcome.Failure = failure(o.Err, c, s.r.interrupt.Load())
		return
	}
	if !c.Silent {
		s.h.declared.add(source)
	}
	var values []display.Value
	for _, v := range worthShowing(o.Values) {
		values = append(values, display.Value{V: v.V, Text: v.Text})
	}
	var shown, err error
	show := func() { shown = s.h.display.Result(values) }
	if methodless(values) {
		show()
	} else {
		err = s.call(show)
	}
	switch {
	case err != nil || s.r.interrupt.Load() && shown != nil:
		if err == nil {
			err = eval.ErrInterrupted
		}
		s.outcome.Failure = failure(err, c, s.r.interrupt.Load())
	case shown != nil:
		s.outcome.Failure = &link.Failure{Name: "DisplayError", Value: shown.Error(), Traceback: []string{shown.Error()}}
	}
}

// methodless reports whether values are numbers, strings and the like, whose types have no methods:
// showing them calls nothing that a cell has declared, and need not be watched.
func methodless(values []display.Value) bool {
	for _, v := range values {
		if v.V == nil {
			continue
		}
		t := reflect.TypeOf(v.V)
		if k := t.Kind(); t.NumMethod() > 0 || !(k <= reflect.Complex128 && k != reflect.Uintptr || k == reflect.String) {
			return false
		}
	}
	return true
}

// call calls f, which may call methods that cells have declared, so that it can be interrupted.
func (s *session) call(f func()) error {
	if ev, ok := s.ev.(interface {
		Call(ctx context.Context, n int, f func()) error
	}); ok {
		return ev.Call(s.ctx, s.n, f)
	}
	f()
	return nil
}

// worthShowing leaves out an error that is nil, and the count beside it: that a call went well
// and wrote 12 bytes is not what a cell is about.
func worthShowing(values []eval.Value) []eval.Value {
	last := len(values) - 1
	if last < 0 || values[last].Type != "error" || values[last].V != nil {
		return values
	}
	if last == 1 && values[0].Type == "int" {
		return nil
	}
	return values[:last]
}

// expressions evaluates the user expressions of a request.
func (s *session) expressions(c link.RunCell) map[string]json.RawMessage {
	if len(c.Expressions) == 0 || s.outcome.Failure != nil {
		return nil
	}
	out := map[string]json.RawMessage{}
	for name, source := range c.Expressions {
		var reply any
		o := s.ev.Run(s.ctx, eval.Cell{N: c.N, Source: source})
		switch {
		case o.Err != nil:
			f := failure(o.Err, c, s.r.interrupt.Load())
			reply = map[string]any{"status": "error", "ename": f.Name, "evalue": f.Value, "traceback": f.Traceback}
		case len(o.Values) == 0:
			reply = map[string]any{"status": "ok", "data": map[string]any{}, "metadata": map[string]any{}}
		default:
			b, rich := display.Render(o.Values[0].V)
			if !rich {
				b.Data[display.Text] = o.Values[0].Text
			}
			if b.Metadata == nil {
				b.Metadata = map[string]any{}
			}
			reply = map[string]any{"status": "ok", "data": b.Data, "metadata": b.Metadata}
		}
		raw, err := json.Marshal(reply)
		if err != nil {
			raw, _ = json.Marshal(map[string]any{"status": "error", "ename": "DisplayError", "evalue": err.Error(), "traceback": []string{}})
		}
		out[name] = raw
	}
	return out
}
