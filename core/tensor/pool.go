package tensor

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"trivium/core/run"
)

// A Pool is goroutines that share the work of one operation at a time. A nil Pool is the
// calling goroutine alone.
//
// The goroutine that asks works too, and never waits for a worker that has not begun: where
// the processor has other things to do, an operation costs what it costs alone. Operations
// that come while the pool is at work, or are too small to share, are done by the
// goroutine that asks. So a pool may be used by many goroutines at once, and results never
// depend on it: each element is computed in the same order by whoever does it.
type Pool struct {
	busy    sync.Mutex // held by the operation that has the workers
	workers []*worker
	gone    sync.WaitGroup
	closed  bool    // guarded by busy
	missed  float64 // flops done without sleeping workers since one was woken; guarded by busy

	// The operation. Whoever takes a part adds one to ticket, which holds the number of
	// parts above the next one; task is written only while ticket offers none.
	task     task
	ticket   atomic.Uint64
	finished atomic.Int32 // parts
	waiting  atomic.Bool  // the goroutine that asked sleeps until all are
	done     chan struct{}
	failed   atomic.Pointer[error] // the first part's that failed
}

// A task is work in parts that can be done in any order, at the same time.
type task interface{ part(i int) }

// A worker's state is idle, called or asleep. Only the worker sleeps, only the pool calls.
type worker struct {
	state atomic.Int32
	wake  chan struct{}
	_     [64]byte // so that one worker's state does not travel with another's
}

const (
	idle    = iota // awake, looking for work
	called         // may have work
	asleep         // waits to be woken
	leaving        // should end
)

const (
	// shareFlops is the work that pays for one more worker that is awake: some microseconds.
	shareFlops = 1e6
	// wakeFlops is the work that pays for waking one, which takes some tens of microseconds.
	// Smaller operations wake a worker once so much of them has gone by without it.
	wakeFlops = 2e7
	// lively is how long an idle goroutine looks for work before it sleeps: longer than what a
	// training step does between two products.
	lively = 150 * time.Microsecond
)

// NewPool starts workers goroutines, counting the one that calls: NewPool(2) starts one
// more. Zero or less means as many as the program may run at once. Close ends them.
func NewPool(workers int) *Pool {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := &Pool{done: make(chan struct{}, 1)}
	for range workers - 1 {
		w := &worker{wake: make(chan struct{}, 1)}
		p.workers = append(p.workers, w)
		p.gone.Go(func() { p.work(w) })
	}
	return p
}

// Workers returns how many goroutines share an operation, 1 for a nil pool.
func (p *Pool) Workers() int {
	if p == nil {
		return 1
	}
	return len(p.workers) + 1
}

// Close ends the goroutines and waits for them. A closed pool works like a nil one.
func (p *Pool) Close() {
	if p == nil {
		return
	}
	p.busy.Lock()
	defer p.busy.Unlock()
	if p.closed {
		return
	}
	p.closed = true
	for _, w := range p.workers {
		w.call(leaving)
	}
	p.gone.Wait()
}

// threads returns how many goroutines should share flops of work.
func (p *Pool) threads(flops float64) int {
	return max(1, min(p.Workers(), int(flops/shareFlops)))
}

// run does all parts of t, which together take flops of work. What a part panics with comes
// back as an error, after the others have ended.
func (p *Pool) run(t task, parts int, flops float64) error {
	threads := min(p.threads(flops), parts)
	if threads < 2 || !p.busy.TryLock() {
		return alone(t, parts)
	}
	defer p.busy.Unlock()
	if p.closed {
		return alone(t, parts)
	}
	p.task = t
	p.failed.Store(nil)
	p.finished.Store(0)
	p.ticket.Store(uint64(parts) << 32)
	p.call(threads-1, flops)
	p.take()
	p.await(int32(parts))
	p.task = nil
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Share calls part for each number below parts, in any order and several at a time, for work
// that takes as long as flops of a product. What a part panics with comes back as an error.
func (p *Pool) Share(parts int, flops float64, part func(i int)) error {
	return p.run(each(part), parts, flops)
}

// each is a function as a task.
type each func(i int)

func (e each) part(i int) { e(i) }

func alone(t task, parts int) error {
	for i := range parts {
		if err := try(t, i); err != nil {
			return err
		}
	}
	return nil
}

// try does a part and returns what it panics with as an error.
func try(t task, i int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			r, at := run.Explained(r)
			if at != "" {
				at = " (" + at + ")"
			}
			err = fmt.Errorf("tensor: part of an operation failed: %v%s", r, at)
		}
	}()
	t.part(i)
	return nil
}

// call calls up to n workers, those that are awake first, and wakes others where that pays.
func (p *Pool) call(n int, flops float64) {
	for _, w := range p.workers {
		if n > 0 && w.state.CompareAndSwap(idle, called) {
			n--
		}
	}
	if n == 0 {
		return
	}
	p.missed += flops
	if p.missed < wakeFlops {
		return
	}
	p.missed = 0
	for _, w := range p.workers {
		if n > 0 && w.state.Load() == asleep {
			w.call(called)
			n--
		}
	}
}

// take does parts of whatever the pool works at until none is left. A worker that comes late may
// find the parts of a later operation, and does those.
func (p *Pool) take() {
	for {
		ticket := p.ticket.Load()
		parts, i := int32(ticket>>32), int32(ticket)
		if i >= parts {
			return
		}
		if !p.ticket.CompareAndSwap(ticket, ticket+1) {
			continue
		}
		// The operation cannot end before this part has, so this is its task.
		if err := try(p.task, int(i)); err != nil {
			first := err
			p.failed.CompareAndSwap(nil, &first)
		}
		if p.finished.Add(1) == parts && p.waiting.Swap(false) {
			p.done <- struct{}{}
		}
	}
}

// await returns when all parts are finished.
func (p *Pool) await(parts int32) {
	if look(&p.finished, func(n int32) bool { return n == parts }) {
		return
	}
	p.waiting.Store(true)
	// The last part may have ended before it could see that someone waits.
	if p.finished.Load() == parts && p.waiting.Swap(false) {
		return
	}
	<-p.done
}

// look waits for a number to become as it should, and gives up after a while. It lets other
// goroutines run, but looks often enough in between to see it at once.
func look(n *atomic.Int32, good func(int32) bool) bool {
	var began time.Time
	for i := 0; ; i++ {
		for range 50 {
			if good(n.Load()) {
				return true
			}
		}
		runtime.Gosched()
		if i%8 != 7 {
			continue
		}
		if now := time.Now(); began.IsZero() {
			began = now
		} else if now.Sub(began) > lively {
			return false
		}
	}
}

// call gives a worker something to do, and wakes it if need be.
func (w *worker) call(state int32) {
	if w.state.Swap(state) == asleep {
		w.wake <- struct{}{}
	}
}

// work is the life of a worker.
func (p *Pool) work(w *worker) {
	for {
		w.await()
		if !w.state.CompareAndSwap(called, idle) {
			return // leaving
		}
		p.take()
	}
}

// await returns when the worker is called.
func (w *worker) await() {
	if look(&w.state, func(s int32) bool { return s != idle }) {
		return
	}
	if w.state.CompareAndSwap(idle, asleep) {
		<-w.wake
	}
}
