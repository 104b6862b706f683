package host

import (
	"fmt"
	"os"

	"trivium/kernel/eval"
	"trivium/kernel/link"
)

// GoPanic tells of a panic in a goroutine that a cell started. If that cell runs still, it
// fails with it when it ends. Otherwise it stands in the output of the cell that started the
// goroutine, and a cell that runs meanwhile says so in a line. It is an evaluator's hook.
func (h *Host) GoPanic(e *eval.PanicError) {
	h.mu.Lock()
	r, id := h.running, h.lastID
	if r != nil && !r.turn && (e.Cell == 0 || e.Cell == r.n) {
		r.panicked = append(r.panicked, e)
		h.mu.Unlock()
		return
	}
	if from, ok := h.started.id(e.Cell); ok {
		id = from
	}
	h.mu.Unlock()
	f := goroutineFailure(e, link.RunCell{})
	h.conn.Send(link.GoPanic, id, link.Panicked{Text: f.Value, Trace: f.Traceback}, nil)
	if r != nil && !r.turn {
		fmt.Fprintf(os.Stderr, "A goroutine that Cell [%d] started panicked: %s\n", e.Cell, f.Value)
	}
}

func goroutineFailure(e *eval.PanicError, c link.RunCell) *link.Failure {
	f := panicFailure(e, c)
	f.Traceback[0] += " [in a goroutine"
	if e.Cell > 0 && e.Cell != c.N {
		f.Traceback[0] += fmt.Sprintf(" that Cell [%d] started", e.Cell)
	}
	f.Traceback[0] += "]"
	f.Traceback = append(f.Traceback, "The goroutine ended; all variables are kept.")
	return f
}

// Stuck tells which compiled function an interrupted cell waits in, or the function of a control. It
// is an evaluator's hook.
func (h *Host) Stuck(function string) {
	h.mu.Lock()
	id := h.lastID
	if h.running != nil {
		h.running.stuck = true
	}
	h.mu.Unlock()
	h.conn.Send(link.Stuck, id, link.StuckIn{Function: function}, nil)
}

// unstuck tells that a turn which was stuck has come back: a stop has nothing to end any more. That a
// cell has come back, its Done tells.
func (h *Host) unstuck(r *running) {
	h.mu.Lock()
	id, was := h.lastID, r.stuck
	h.mu.Unlock()
	if was {
		h.conn.Send(link.Stuck, id, link.StuckIn{}, nil)
	}
}
