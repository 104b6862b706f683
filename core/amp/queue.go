package amp

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// An inbox is a worker's queue: many send, one takes all there is at once. Senders hand over
// what a whole batch made, so that the lock is rarely taken and hardly ever waited for.
type inbox struct {
	mu   sync.Mutex
	m    []message
	n    atomic.Int64 // of m: looked at without the lock
	away atomic.Bool  // the worker sleeps, or is about to
	wake chan struct{}
}

func (q *inbox) init() { q.wake = make(chan struct{}, 1) }

// send appends messages.
func (q *inbox) send(m []message) {
	q.mu.Lock()
	q.m = append(q.m, m...)
	q.n.Store(int64(len(q.m)))
	q.mu.Unlock()
	q.rouse()
}

// rouse wakes the worker if it sleeps.
func (q *inbox) rouse() {
	if q.away.Load() && q.away.CompareAndSwap(true, false) {
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
}

// takeAll swaps the queue for an empty one.
func (q *inbox) takeAll(empty []message) []message {
	if q.n.Load() == 0 {
		return empty
	}
	q.mu.Lock()
	m := q.m
	q.m = empty[:0]
	q.n.Store(0)
	q.mu.Unlock()
	return m
}

// spins is how often a worker with nothing to do lets others run before it sleeps: for some 20 µs, in seconds spinning,
// since to be woken takes about as long.
const (
	spins    = 100
	spinning = 20e-6
)

// wait returns when there may be messages, or end has been closed.
func (q *inbox) wait(end <-chan struct{}) {
	for range spins {
		if q.n.Load() > 0 {
			return
		}
		runtime.Gosched()
	}
	q.away.Store(true)
	if q.n.Load() > 0 { // came between the look and the word
		q.away.Store(false)
		return
	}
	select {
	case <-q.wake:
	case <-end:
	}
	q.away.Store(false)
}
