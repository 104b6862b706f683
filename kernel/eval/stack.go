package eval

import (
	"reflect"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// stackOverflow is how a cell, or a goroutine of one, ends whose functions call each other without
// end. Go kills the process for that at a gigabyte and cannot be asked not to. So the memory of all
// stacks is watched, and above a limit every goroutine looks at its own when it calls a function of a
// cell. One whose stack is too large unwinds: each of its interpreted functions returns at its next
// step, to where the goroutine began. A panic could be recovered from by the functions on the
// stack, or by compiled code between them, as for a String that prints itself.
type stackOverflow struct{ at *traced }

const stackOverflowText = "stack overflow: functions called each other too deeply"

const (
	stackLimit = 50 << 20             // of all stacks together, at which the goroutines look
	stackMost  = 200 << 20            // of one goroutine's
	stackCalls = 62 << 20             // of one on which is little but calls of functions, half a million of them: before it is copied to one of 128 MB
	stackRoom  = 1 << 20              // with so much in use at most, deferred calls run as if nothing had happened
	stackWatch = 5 * time.Millisecond // how often the limit is looked at
)

// ---- unwinding

// unwinding holds the goroutines that unwind, nil if there are none, which is what runBody asks at each step.
var unwinding atomic.Pointer[[]uintptr]

var unwindingMu sync.Mutex // held by who changes it

func unwinds(id uintptr) bool {
	list := unwinding.Load()
	return list != nil && slices.Contains(*list, id)
}

// selfUnwinds tells whether this goroutine unwinds.
func selfUnwinds() bool {
	id, _ := goroutine()
	return unwinds(id)
}

func setUnwinds(id uintptr, yes bool) {
	unwindingMu.Lock()
	defer unwindingMu.Unlock()
	var list []uintptr
	if was := unwinding.Load(); was != nil {
		list = slices.DeleteFunc(slices.Clone(*was), func(x uintptr) bool { return x == id })
	}
	if yes {
		list = append(list, id)
	}
	if len(list) == 0 {
		unwinding.Store(nil)
		return
	}
	unwinding.Store(&list)
}

// inRoom runs deferred calls of a function that returns. While the goroutine unwinds they do nothing, but
// where it has come near its beginning they do what they are for: who waits for it must be told.
func inRoom(f func()) {
	id, stack := goroutine()
	if !unwinds(id) || stack > stackRoom {
		f()
		return
	}
	setUnwinds(id, false)
	defer setUnwinds(id, true)
	f()
}

// ---- looking

// looking tells whether goroutines are to look at their stacks.
var looking atomic.Bool

// A stackGuard watches the stacks while goroutines of cells run.
type stackGuard struct {
	end     chan struct{} // closed when the last goroutine has ended
	mu      sync.Mutex
	tooDeep map[uintptr]*traced // the goroutines that unwind, with where they were; nil: interrupted
}

// outgrown tells whether this goroutine's stack is too large, so that it has to unwind.
func (s *Session) outgrown() bool {
	id, stack := goroutine()
	if stack < stackCalls || unwinds(id) || stack < stackMost && !callsOnly() {
		return unwinds(id)
	}
	if s.owner() == nil { // nobody would say that it has ended
		panic(plainError(stackOverflowText))
	}
	s.unwind(id, s.whereIs(ownStack()))
	return true
}

// callsOnly tells whether the innermost frames of this goroutine's stack are calls of interpreted functions,
// without compiled code between them, which takes twenty times as much of a stack.
func callsOnly() bool {
	var pcs [64]uintptr
	n, calls := runtime.Callers(0, pcs[:]), 0
	for _, pc := range pcs[:n] {
		if f := runtime.FuncForPC(pc); f != nil && f.Entry() == runBodyEntry {
			calls++
		}
	}
	return calls > n/3
}

var runBodyEntry = reflect.ValueOf(runBody).Pointer()

// unwindsDeep has this goroutine, which is interrupted, unwind if its stack is large: a panic that each of many
// functions which defer recovers from and raises again takes the square of their number. It is false
// where the stack is small, and where the goroutine does so already and came to a check again.
func (s *Session) unwindsDeep() bool {
	id, stack := goroutine()
	if stack < stackRoom || unwinds(id) {
		return false
	}
	s.unwind(id, nil)
	return true
}

// unwind has this goroutine unwind, as it was too deep at w or, where that is nil, was interrupted.
func (s *Session) unwind(id uintptr, w *traced) {
	s.stacks.mu.Lock()
	s.stacks.tooDeep[id] = w
	s.stacks.mu.Unlock()
	setUnwinds(id, true)
}

// unwound is called where a goroutine of a cell ends. If it has unwound it gives what the goroutine
// ended with, a stackOverflow or an interruption.
func (s *Session) unwound() any {
	id, _ := goroutine()
	s.stacks.mu.Lock()
	w, ok := s.stacks.tooDeep[id]
	delete(s.stacks.tooDeep, id)
	s.stacks.mu.Unlock()
	if !ok {
		return nil
	}
	setUnwinds(id, false)
	if w == nil {
		return interruption{}
	}
	return stackOverflow{w}
}

// watchStacks has goroutines look at their stacks while all stacks together are larger than the limit.
func watchStacks(end chan struct{}) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	t := time.NewTicker(stackWatch)
	defer t.Stop()
	for {
		select {
		case <-end:
			return
		case <-t.C:
			metrics.Read(sample)
			looking.Store(sample[0].Value.Uint64() > stackLimit)
		}
	}
}
