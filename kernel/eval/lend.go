package eval

import (
	"context"
	"runtime/pprof"
	"strconv"
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
	ctx := pprof.WithLabels(context.Background(), pprof.Labels("cell", strconv.Itoa(r.cell)))
	pprof.SetGoroutineLabels(ctx)
	label := profileLabel() // another one at each call
	s.lent.Store(label, r)
	return func() {
		s.lent.Delete(label)
		pprof.SetGoroutineLabels(context.Background())
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
