package eval

import (
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"
	"unsafe"
)

// stackOverflow is how a cell ends whose functions call each other without end. Go kills the
// process for that at a gigabyte and cannot be asked not to. So the memory of stacks is
// watched, and above a limit the interpreter's run number is changed: each of its frames
// then returns at its next step, one after the other. A panic could be recovered from by the
// functions on the stack, which would go on.
type stackOverflow struct{ at *traced }

const (
	stackLimit = 300 << 20
	stackWatch = 5 * time.Millisecond
)

// guardStack watches until ended is closed. The function it returns waits for that, and
// tells where the cell was when the limit was reached, nil if it was not.
func (s *Session) guardStack(r *running, ended chan struct{}) func() *traced {
	id := (*uint64)(unsafe.Pointer(s.in)) // the first field of interp.Interpreter is its run number
	before := atomic.LoadUint64(id)
	var hit *traced
	done := make(chan struct{})
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	if metrics.Read(sample); sample[0].Value.Uint64() > stackLimit/8 {
		runtime.GC() // stacks of a cell that ended this way count until they are collected
		metrics.Read(sample)
	}
	most := sample[0].Value.Uint64() + stackLimit
	go func() {
		defer close(done)
		t := time.NewTicker(stackWatch)
		defer t.Stop()
		for {
			select {
			case <-ended:
				if hit != nil {
					atomic.StoreUint64(id, before)
				}
				return
			case <-t.C:
				metrics.Read(sample)
				if hit == nil && sample[0].Value.Uint64() > most {
					hit = s.whereIs(stackOf(r.gid.Load()))
					atomic.AddUint64(id, 1)
				}
			}
		}
	}()
	return func() *traced { <-done; return hit }
}
