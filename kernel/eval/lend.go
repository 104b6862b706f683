package eval

import (
	"context"
	"runtime/pprof"
	"strconv"
	"time"
	"unsafe"
)

// Compiled code that a cell calls may call the cell's functions back on goroutines of its own, which
// belong to no cell: those of a run that the cell waits for. Go hands the labels of a goroutine on to
// those that it starts, so a label says for whom they work.

//go:linkname profileLabel runtime/pprof.runtime_getProfLabel
func profileLabel() unsafe.Pointer

// Lend has the goroutines that the calling one starts belong to its cell until release is called, so that
// an interrupt ends the functions of cells that they call. They see it as a panic.
func (s *Session) Lend() (release func()) {
	r := s.owner()
	if r == nil {
		return func() {}
	}
	return s.label(r)
}

// label has the goroutine that calls it, where it is not a cell's own, and those that it starts work for r.
func (s *Session) label(r *running) (release func()) {
	ctx := pprof.WithLabels(context.Background(), pprof.Labels("cell", strconv.Itoa(r.cell)))
	pprof.SetGoroutineLabels(ctx)
	label := profileLabel() // another one at each call
	s.lent.Store(label, r)
	return func() {
		s.lent.Delete(label)
		pprof.SetGoroutineLabels(context.Background())
	}
}

// Within is for work that a cell has started, on a goroutine of its own which belongs to no cell: when ctx
// has ended for a moment and the work goes on, the functions of cells that it calls end, there and on
// goroutines that it has started. They see it as a panic. Call end when the work has ended.
func (s *Session) Within(ctx context.Context) (end func()) {
	var cell int
	var waits <-chan struct{} // closed when the cell that waits for the work is interrupted
	if r := s.worksFor(); r != nil {
		cell, waits = r.cell, r.fate.ends
	} else if r := s.current.Load(); r != nil {
		cell = r.cell
	}
	done, ended := make(chan struct{}), make(chan struct{})
	release := s.label(&running{cell: cell, done: done, fate: fate{ends: done}})
	go func() {
		select {
		case <-ended:
			return
		case <-waits:
		case <-ctx.Done():
			select {
			case <-ended:
				return
			case <-waits:
			case <-time.After(workEnds):
			}
		}
		close(done)
		for {
			s.wantInterrupt(true)
			over := waitFor(ended, workLooks)
			s.wantInterrupt(false)
			if over || waitFor(ended, 10*workLooks) {
				return
			}
		}
	}()
	return func() { close(ended); release() }
}

const (
	workEnds  = 500 * time.Millisecond // how long work that is told to end may go on calling functions
	workLooks = 10 * time.Millisecond  // how long the flag is set for it, which costs all cells time
)

// waitFor waits for the end of something, and tells whether it has come.
func waitFor(end <-chan struct{}, most time.Duration) bool {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-end:
		return true
	case <-t.C:
		return false
	}
}

// worksFor is owner, and for goroutines of compiled code the run of the cell that waits for them.
func (s *Session) worksFor() *running {
	if r := s.owner(); r != nil {
		return r
	}
	if label := profileLabel(); label != nil {
		if r, ok := s.lent.Load(label); ok {
			return r.(*running)
		}
	}
	return nil
}
