package host

import (
	"trivium/kernel/eval"
	"trivium/kernel/link"
)

// GoPanic tells of a panic in a goroutine that a cell started. The cell that runs fails with
// it when it ends; if none runs, the latest one shows it. It is an evaluator's hook.
func (h *Host) GoPanic(e *eval.PanicError) {
	h.mu.Lock()
	r, id := h.running, h.lastID
	if r != nil && r.turn {
		r = nil // it has no error message of its own
	}
	if r != nil {
		r.panicked = append(r.panicked, e)
	}
	h.mu.Unlock()
	if r != nil {
		return
	}
	f := goroutineFailure(e, link.RunCell{})
	h.conn.Send(link.GoPanic, id, link.Panicked{Text: f.Value, Trace: f.Traceback}, nil)
}

func goroutineFailure(e *eval.PanicError, c link.RunCell) *link.Failure {
	f := panicFailure(e, c)
	f.Traceback[0] += " [in a goroutine]"
	f.Traceback = append(f.Traceback, "The goroutine ended; all variables are kept.")
	return f
}

// Stuck tells which compiled function an interrupted cell waits in. It is an evaluator's hook.
func (h *Host) Stuck(function string) {
	h.mu.Lock()
	id := h.lastID
	h.mu.Unlock()
	h.conn.Send(link.Stuck, id, link.StuckIn{Function: function}, nil)
}
