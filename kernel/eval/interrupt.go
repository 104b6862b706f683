package eval

import (
	"bytes"
	"context"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// An interrupt is not yaegi's: that one stops all goroutines of all cells for good and leaves
// closures that return zero. Here lowered code looks at a flag at loop heads and function
// entries and, if it is set, asks whether the goroutine it runs on belongs to the
// interrupted cell; if so it panics with an interruption, which no recover of a cell sees. What
// waits (channels, sleep, locks) waits for the cell's done channel too.

// interruption is the panic that ends an interrupted cell.
type interruption struct{}

// owners knows which run of a cell each of its goroutines belongs to.
type owners struct {
	mu    sync.Mutex
	runOf map[uintptr]*running
}

// A running is one run of a cell, with the goroutines it started.
type running struct {
	cell   int
	number int
	done   <-chan struct{} // closed when it is interrupted
	gid    atomic.Uint64   // goroutine of its statements
	fate   fate
}

// goid is the number by which stack traces call the goroutine. It takes about a microsecond.
func goid() uint64 {
	var b [40]byte
	n := runtime.Stack(b[:], false)
	f := bytes.Fields(b[:n])
	id, _ := strconv.ParseUint(string(f[1]), 10, 64)
	return id
}

func (s *Session) owner() *running {
	id, _ := goroutine()
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	return s.owners.runOf[id]
}

func (s *Session) own(r *running) (release func()) {
	id, _ := goroutine()
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	if len(s.owners.runOf) == 0 {
		s.stacks.end = make(chan struct{})
		go watchStacks(s.stacks.end)
	}
	s.owners.runOf[id] = r
	return func() {
		s.owners.mu.Lock()
		defer s.owners.mu.Unlock()
		delete(s.owners.runOf, id)
		if len(s.owners.runOf) == 0 {
			close(s.stacks.end)
		}
	}
}

// cellOf gives the run that the goroutine belongs to, for one that it starts.
func (s *Session) cellOf() any { return s.worksFor() }

func (r *running) interrupted() bool { return r != nil && isClosed(r.done) }

// stop is called where the flag is set.
func (s *Session) stop() {
	if isClosed(s.done()) {
		if s.owner() != nil && s.unwindsDeep() { // who unwinds must be a goroutine of the cell, at whose end that ends
			return
		}
		panic(interruption{})
	}
	runtime.Gosched() // another cell's goroutine; the flag will be reset soon
}

// done is closed when the goroutine that asks is to end: with the cell's interrupt or, where it runs the cell's statements or works for
// it, when that fails by a panic elsewhere.
func (s *Session) done() <-chan struct{} {
	if r := s.owner(); r != nil {
		if r.fate.isOf() && !r.fate.defers(false) {
			return r.fate.ends
		}
		return r.done
	}
	if r := s.worksFor(); r != nil {
		return r.fate.ends
	}
	if r := s.current.Load(); r != nil && createdBy(r.gid.Load()) {
		if _, taken := below(); !taken { // else it is a run's of the engine, which goes on
			return r.done
		}
	}
	return nil
}

// createdBy tells whether compiled code that a goroutine called has made the one that asks, as gonum's optimize.Minimize does to call its objective. The
// number of the other stands at the end of a stack trace.
func createdBy(gid uint64) bool {
	stack := make([]byte, 1<<14)
	for n := runtime.Stack(stack, false); ; n = runtime.Stack(stack, false) {
		if n < len(stack) {
			stack = stack[:n]
			break
		}
		stack = make([]byte, 4*len(stack))
	}
	created := stack[max(0, bytes.LastIndex(stack, []byte("\ncreated by "))):]
	line, _, _ := bytes.Cut(created[min(1, len(created)):], []byte("\n"))
	_, number, ok := bytes.Cut(line, []byte(" in goroutine "))
	id, err := strconv.ParseUint(string(number), 10, 64)
	return ok && err == nil && id == gid
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func (s *Session) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.done():
		panic(interruption{})
	}
}

// wait returns or panics when f does, or panics when the cell is interrupted before; then undo runs
// after f.
func (s *Session) wait(f, undo func()) {
	ready := make(chan any, 1) // what f has panicked with, as Wait of a nil *sync.WaitGroup does
	go func() {
		defer func() { ready <- recover() }()
		f()
	}()
	select {
	case v := <-ready:
		if v != nil {
			panic(v)
		}
	case <-s.done():
		go func() {
			if <-ready == nil {
				undo()
			}
		}()
		panic(interruption{})
	}
}

func (s *Session) lock(l sync.Locker) {
	if t, ok := l.(interface{ TryLock() bool }); ok && t.TryLock() {
		return
	}
	s.wait(l.Lock, l.Unlock)
}

func (s *Session) rlock(m *sync.RWMutex) {
	if !m.TryRLock() {
		s.wait(m.RLock, m.RUnlock)
	}
}

// unlock panics where a lock is not locked. Go ends the process then, with the variables of all cells.
func unlock(l sync.Locker) {
	if t, ok := l.(interface{ TryLock() bool }); ok && t.TryLock() {
		l.Unlock()
		panic(plainError("fatal error: sync: unlock of unlocked mutex"))
	}
	l.Unlock()
}

func (s *Session) waitGroup(w *sync.WaitGroup) { s.wait(w.Wait, func() {}) }

// execute runs the statements of a cell on a goroutine of their own and returns when they have
// ended, also when they are interrupted: no cell starts while an earlier one still runs.
func (s *Session) execute(ctx context.Context, cell int, f func()) (failed any) {
	done := make(chan struct{})
	r := &running{cell: cell, number: s.runs, done: done, fate: fate{ends: make(chan struct{})}}
	s.current.Store(r)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		release := s.own(r)
		defer release()
		r.gid.Store(goid())
		defer func() {
			if v := recover(); v != nil {
				failed = v
			}
			p := r.fate.end()
			if v := s.unwound(); v != nil {
				failed = v
			}
			if p != nil {
				failed = p
			}
		}()
		s.tracer.take()
		r.fate.begin()
		f()
	}()
	select {
	case <-ended:
		if _, ok := failed.(*foreignPanic); !ok {
			return failed
		}
	case <-r.fate.ends:
	case <-ctx.Done():
		r.fate.stopped()
	}
	s.wantInterrupt(true)
	r.awaitDeferred(ctx, ended)
	close(done)
	s.awaitEnd(r, ended)
	if s.awaitGoroutines(r, 200*time.Millisecond) {
		s.wantInterrupt(false)
	} else { // on a machine with other work one may not have run; the next cell does not wait for it
		go func() {
			s.awaitGoroutines(r, 2*time.Second)
			s.wantInterrupt(false)
		}()
	}
	s.layout.failing.Store(false)
	if failed == nil {
		failed = interruption{}
	}
	return failed
}

// awaitDeferred waits while a cell that ends with a panic elsewhere runs what it has deferred. Where it stays in compiled code that may
// wait for its other goroutines, which are interrupted afterwards.
func (r *running) awaitDeferred(ctx context.Context, ended chan struct{}) {
	for last := time.Now(); r.fate.fails() && time.Since(last) < returns; {
		if r.fate.defers(true) {
			last = time.Now()
		}
		select {
		case <-ended:
			return
		case <-ctx.Done():
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// returns is how long a cell that has failed may take to return from compiled code.
const returns = 200 * time.Millisecond

// wantInterrupt sets the flag, or resets it when nobody wants it any more.
func (s *Session) wantInterrupt(yes bool) {
	s.flagMu.Lock()
	defer s.flagMu.Unlock()
	if yes {
		s.wanted++
	} else {
		s.wanted--
	}
	setFlag(s.flag, s.wanted > 0)
}

// setFlag is unknown to the race detector: interpreted code reads the flag as it reads any variable,
// and reads what it was or what it is.
//
//go:norace
func setFlag(flag *bool, to bool) { *flag = to }

// awaitEnd waits for an interrupted cell, and says once what it is stuck in.
func (s *Session) awaitEnd(r *running, ended chan struct{}) {
	after := s.opt.StuckAfter
	if after <= 0 {
		after = 2 * time.Second
	}
	t := time.NewTimer(after)
	defer t.Stop()
	select {
	case <-ended:
		return
	case <-t.C:
	}
	if s.opt.Stuck != nil {
		s.opt.Stuck(stuckIn(r.gid.Load()))
	}
	<-ended
}

// awaitGoroutines gives the goroutines of an interrupted cell the time to see that the flag is set, and tells whether
// all have. Those that are in compiled code stay; for their sake it is not so long that one would wait for the cell.
func (s *Session) awaitGoroutines(r *running, most time.Duration) bool {
	for end := time.Now().Add(most); ; time.Sleep(2 * time.Millisecond) {
		s.owners.mu.Lock()
		left := slices.Contains(slices.Collect(maps.Values(s.owners.runOf)), r)
		s.owners.mu.Unlock()
		if !left || time.Now().After(end) {
			return !left
		}
	}
}

// stuckIn names the compiled function that a goroutine of a cell waits in: the one that
// interpreted code called.
func stuckIn(gid uint64) string {
	last := ""
	for _, line := range strings.Split(string(stackOf(gid)), "\n") {
		if strings.HasPrefix(line, "\t") || line == "" || strings.HasPrefix(line, "goroutine ") {
			continue
		}
		if i := strings.LastIndexByte(line, '('); i > 0 {
			line = line[:i]
		}
		if strings.HasPrefix(line, "reflect.") || strings.Contains(line, "yaegi/interp") {
			break
		}
		last = line
	}
	return last
}

// stackOf gives the text of a goroutine's stack.
func stackOf(gid uint64) []byte {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	for g := range bytes.SplitSeq(buf, []byte("\n\n")) {
		if bytes.HasPrefix(g, []byte("goroutine "+strconv.FormatUint(gid, 10)+" ")) {
			return g
		}
	}
	return nil
}
