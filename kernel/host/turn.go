package host

import (
	"context"
	"runtime/debug"
	"time"

	"trivium/kernel/display"
	"trivium/kernel/link"
)

// A turn is a call of a cell's function that a control in the page has caused. It runs
// between cells: the values of the session are one goroutine's at a time.
type turn struct {
	cell   display.Cell // where its output belongs
	call   func(ctx context.Context)
	failed func(lines []string)
}

func (h *Host) turn(c display.Cell, call func(ctx context.Context), failed func(lines []string)) {
	h.turns.put(turn{c, call, failed})
}

// runTurn makes the call. It can be interrupted as a cell can; then what was shown stays.
func (h *Host) runTurn(t turn) {
	defer func() {
		if v := recover(); v != nil { // a bug here, not in the cell
			h.Logf("turn: panic: %v\n%s", v, debug.Stack())
		}
	}()
	ev, err := h.evaluator()
	if err != nil {
		return
	}
	c := link.RunCell{N: t.cell.N}
	r := h.beginTurn(t.cell.ID, c)
	defer h.unstuck(r)
	defer h.end(r)
	h.stdio.repair()
	latest := h.display.Cell()
	defer h.display.Begin(latest)
	shown := t.cell
	shown.Ctx, shown.Silent = r.wait, false
	h.display.Begin(shown)
	evalCtx, stop := context.WithCancel(context.Background())
	defer stop()
	h.mu.Lock()
	r.evalStop = stop
	h.mu.Unlock()
	if h.opt.Stdin != nil {
		h.opt.Stdin.Begin(false, func() (string, bool) { return "", false })
		defer h.opt.Stdin.End()
	}
	caller, ok := ev.(interface {
		Call(ctx context.Context, n int, f func()) error
	})
	if !ok {
		t.failed([]string{"this evaluator cannot call functions between cells"})
		return
	}
	err = caller.Call(evalCtx, t.cell.N, func() { t.call(r.wait) })
	if f := failureOf(err, c, r); f != nil && !f.Interrupted {
		t.failed(f.Traceback)
	}
}

func failureOf(err error, c link.RunCell, r *running) *link.Failure {
	if err == nil {
		return nil
	}
	return failure(err, c, r.interrupt.Load())
}

// beginTurn makes a turn what runs.
func (h *Host) beginTurn(id uint64, c link.RunCell) *running {
	r := &running{id: id, n: c.N, began: time.Now(), turn: true, ended: make(chan struct{})}
	r.wait, r.stop = context.WithCancelCause(context.Background())
	h.mu.Lock()
	h.running = r
	closing := h.closing
	h.mu.Unlock()
	if closing {
		h.interrupt()
	}
	return r
}
