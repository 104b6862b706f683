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
// Operations that come while the pool is at work, or that are too small to share, are
// done by the goroutine that asks. So a pool may be used by many goroutines at once, and
// results never depend on it: each element is computed in the same order by whoever does it.
type Pool struct {
	busy    sync.Mutex // held by the operation that has the workers
	workers []*worker
	task    task
	parts   int
	next    atomic.Int32 // parts handed out
	left    atomic.Int32 // workers that have not finished
	waiting atomic.Int32 // idle, done or asleep, of the goroutine that asked
	done    chan struct{}
	failed  atomic.Pointer[error]
	closed  bool
	gone    sync.WaitGroup
}

// A task is work in parts that can be done in any order, at the same time.
type task interface{ part(i int) }

// A worker's state. Only the worker sleeps, only the pool gives work.
type worker struct {
	state atomic.Int32
	wake  chan struct{}
}

const (
	idle   = iota // awake, looking for work
	called        // has work
	asleep        // waits to be woken
)

// spins is how often an idle goroutine looks for work before it sleeps: about 20 µs, what
// waking up costs. Between looks it lets others run.
const spins = 60

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
	p.task = nil
	for _, w := range p.workers {
		p.call(w)
	}
	p.gone.Wait()
}

// run does all parts of t, at most threads at a time. It does them alone where the others
// are busy. What a part panics with comes back as an error.
func (p *Pool) run(t task, parts, threads int) error {
	threads = min(threads, parts, p.Workers())
	if threads < 2 || !p.busy.TryLock() {
		return alone(t, parts)
	}
	defer p.busy.Unlock()
	if p.closed {
		return alone(t, parts)
	}
	p.task, p.parts = t, parts
	p.next.Store(0)
	p.left.Store(int32(threads - 1))
	p.waiting.Store(idle)
	p.failed.Store(nil)
	for _, w := range p.workers[:threads-1] {
		p.call(w)
	}
	p.take(t, parts)
	p.await()
	p.task = nil
	if err := p.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func alone(t task, parts int) (err error) {
	defer recoverTo(&err)
	for i := range parts {
		t.part(i)
	}
	return nil
}

func recoverTo(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("tensor: a worker stopped: %v", r)
	}
}

// take does parts until none is left.
func (p *Pool) take(t task, parts int) {
	var err error
	func() {
		defer recoverTo(&err)
		for {
			i := int(p.next.Add(1)) - 1
			if i >= parts {
				return
			}
			t.part(i)
		}
	}()
	if err != nil {
		p.failed.Store(&err)
		p.next.Store(int32(parts))
	}
}

func (p *Pool) call(w *worker) {
	if w.state.Swap(called) == asleep {
		w.wake <- struct{}{}
	}
}

// await returns when every worker has finished.
func (p *Pool) await() {
	for range spins {
		if p.waiting.Load() == called {
			return
		}
		pause()
	}
	if p.waiting.CompareAndSwap(idle, asleep) {
		<-p.done
	}
}

// work is the life of a worker.
func (p *Pool) work(w *worker) {
	for {
		w.await()
		if p.task == nil {
			return
		}
		p.take(p.task, p.parts)
		w.state.Store(idle)
		// The last to finish says so, and touches nothing of the operation afterwards.
		if p.left.Add(-1) == 0 && p.waiting.Swap(called) == asleep {
			p.done <- struct{}{}
		}
	}
}

// await returns when the worker is called.
func (w *worker) await() {
	for range spins {
		if w.state.Load() == called {
			return
		}
		pause()
	}
	if w.state.CompareAndSwap(idle, asleep) {
		<-w.wake
	}
}

// pause lets others run, or waits a moment where there are none.
func pause() { runtime.Gosched() }
