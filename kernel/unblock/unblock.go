// Package unblock ends what a cell waits for in compiled code: the network, and programs that it
// runs.
//
// An interrupt stops interpreted code at its next step, but a step may be a call into the Go
// library that takes for ever. [Wrap] replaces the functions by which cells open connections and
// start programs, so that these are known, and [Waits] makes calls that wait on them return:
// reads and writes by a deadline that has passed, which is taken back afterwards, so that the
// connection can be used on; attempts to connect by ending them; programs by killing them. The
// call returns an error, and the interpreter stops the cell before it sees it. Who knows of other
// functions that wait gives them a context by [During].
//
// What is not known here, such as the end of an [io.Pipe] that nobody writes to, waits on: then the
// cell is told to be stuck.
package unblock

import (
	"context"
	"net"
	"sync"
	"time"
	"weak"
)

// A waiter is something that calls wait on. It does not keep it from being collected.
type waiter struct {
	since  time.Time
	get    func() deadliner // nil when it was collected
	cancel func()           // instead of a deadline: ends the call, and is of this cell only
}

type deadliner interface{ SetDeadline(time.Time) error }

// waiters are those that were opened and may be in use.
type waiters struct {
	mu    sync.Mutex
	known map[*waiter]struct{}
	prune int // number at which those that were collected are dropped

	transport sync.Once // [http.DefaultTransport] is given a dialer that is known here
}

var all = &waiters{known: map[*waiter]struct{}{}}

func (ws *waiters) add(w *waiter) (forget func()) {
	w.since = time.Now()
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.known[w] = struct{}{}; len(ws.known) > max(ws.prune, 64) {
		for w := range ws.known {
			if w.get != nil && w.get() == nil {
				delete(ws.known, w)
			}
		}
		ws.prune = 2 * len(ws.known)
	}
	return func() {
		ws.mu.Lock()
		delete(ws.known, w)
		ws.mu.Unlock()
	}
}

// opened adds a connection or a listener. It is given back as it is: cells may ask for its type.
func (ws *waiters) opened(c any) {
	switch c := c.(type) {
	case *net.TCPConn:
		addWeak(ws, c)
	case *net.UDPConn:
		addWeak(ws, c)
	case *net.UnixConn:
		addWeak(ws, c)
	case *net.IPConn:
		addWeak(ws, c)
	case *net.TCPListener:
		addWeak(ws, c)
	case *net.UnixListener:
		addWeak(ws, c)
	}
}

func addWeak[T any, P interface {
	*T
	deadliner
}](ws *waiters, c P) {
	if c == nil {
		return // of a call that failed
	}
	w := weak.Make((*T)(c))
	ws.add(&waiter{get: func() deadliner {
		if p := w.Value(); p != nil {
			return P(p)
		}
		return nil
	}})
}

// During gives a context that ends when the cell is interrupted while the call goes on. Call done
// after it.
func During(ctx context.Context) (_ context.Context, done func()) { return all.during(ctx) }

func (ws *waiters) during(ctx context.Context) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	forget := ws.add(&waiter{cancel: cancel})
	return ctx, func() { forget(); cancel() }
}

// Waits makes what the interrupted cell waits for return, again and again until ended is closed:
// a call may try anew. The cell has begun at the given time; programs and attempts to connect of
// earlier ones go on.
func Waits(began time.Time, ended <-chan struct{}) { all.end(began, ended) }

func (ws *waiters) end(began time.Time, ended <-chan struct{}) {
	const again = 50 * time.Millisecond
	past := time.Unix(1, 0)
	tick := time.NewTicker(again)
	defer tick.Stop()
	expired := map[*waiter]bool{}
	for {
		ws.mu.Lock()
		for w := range ws.known {
			if w.cancel != nil && !w.since.Before(began) {
				w.cancel()
			} else if w.get != nil {
				if c := w.get(); c != nil && c.SetDeadline(past) == nil {
					expired[w] = true
				}
			}
		}
		ws.mu.Unlock()
		select {
		case <-tick.C:
			continue
		case <-ended:
		}
		for w := range expired {
			if c := w.get(); c != nil {
				c.SetDeadline(time.Time{})
			}
		}
		return
	}
}
