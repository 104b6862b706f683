package tensor

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
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
	closed  bool // guarded by busy

	mu          sync.Mutex // guards what follows
	task        task
	parts, next int
	err         error

	finished atomic.Int32 // parts
	waiting  atomic.Bool  // the goroutine that asked sleeps until all are
	done     chan struct{}
}

// A task is work in parts that can be done in any order, at the same time.
type task interface{ part(i int) }

// A worker's state is idle, called or asleep. Only the worker sleeps, only the pool calls.
type worker struct {
	state atomic.Int32
	wake  chan struct{}
}

const (
	idle    = iota // awake, looking for work
	called         // may have work
	asleep         // waits to be woken
	leaving        // should end
)

// looks is how often an idle goroutine looks for work before it sleeps: for some 20 µs, what
// waking up costs. Between looks it lets others run.
const looks = 100

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

// run does all parts of t with at most threads goroutines. What a part panics with comes back
// as an error, after the others have ended.
func (p *Pool) run(t task, parts, threads int) error {
	threads = min(threads, parts, p.Workers())
	if threads < 2 || !p.busy.TryLock() {
		return alone(t, parts)
	}
	defer p.busy.Unlock()
	if p.closed {
		return alone(t, parts)
	}
	p.finished.Store(0)
	p.mu.Lock()
	p.task, p.parts, p.next, p.err = t, parts, 0, nil
	p.mu.Unlock()
	for _, w := range p.workers[:threads-1] {
		w.call(called)
	}
	p.take()
	p.await(int32(parts))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.task = nil
	return p.err
}

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
			err = fmt.Errorf("tensor: part of an operation failed: %v", r)
		}
	}()
	t.part(i)
	return nil
}

// take does parts of whatever the pool works at until none is left.
func (p *Pool) take() {
	for {
		p.mu.Lock()
		t, i, parts := p.task, p.next, p.parts
		if t == nil || i >= parts {
			p.mu.Unlock()
			return
		}
		p.next++
		p.mu.Unlock()
		if err := try(t, i); err != nil {
			p.mu.Lock()
			p.err = err
			p.mu.Unlock()
		}
		if p.finished.Add(1) == int32(parts) && p.waiting.Swap(false) {
			p.done <- struct{}{}
		}
	}
}

// await returns when all parts are finished.
func (p *Pool) await(parts int32) {
	for range looks {
		if p.finished.Load() == parts {
			return
		}
		runtime.Gosched()
	}
	p.waiting.Store(true)
	// The last part may have ended before it could see that someone waits.
	if p.finished.Load() == parts && p.waiting.Swap(false) {
		return
	}
	<-p.done
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
	for range looks {
		if w.state.Load() != idle {
			return
		}
		runtime.Gosched()
	}
	if w.state.CompareAndSwap(idle, asleep) {
		<-w.wake
	}
}
