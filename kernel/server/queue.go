package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// queue holds the cells that wait for their turn.
type queue struct {
	mu    sync.Mutex
	items []transport.Request
	wake  chan struct{}
}

func (q *queue) add(req transport.Request) {
	q.mu.Lock()
	q.items = append(q.items, req)
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// settle waits until no more cells come in. "Run all" sends its cells one after the other,
// and the first may fail before the next is on its way.
func (q *queue) settle() {
	const quiet, most = 5 * time.Millisecond, 10
	for range most {
		before := q.length()
		time.Sleep(quiet)
		if q.length() == before {
			return
		}
	}
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

// take removes the first cell.
func (q *queue) take() (transport.Request, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return transport.Request{}, false
	}
	req := q.items[0]
	q.items = q.items[1:]
	return req, true
}

// all removes all cells.
func (q *queue) all() []transport.Request {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items = nil
	return items
}

func (s *Server) enqueue(req transport.Request) { s.queue.add(req) }

// runCells runs the queued cells, one after the other.
func (s *Server) runCells(ctx context.Context) {
	for {
		if req, ok := s.queue.take(); ok {
			if s.sentBeforeFailure(req) {
				s.abort(req)
			} else {
				s.guardCell(req)
			}
			if ctx.Err() != nil {
				return
			}
			continue
		}
		select {
		case <-s.queue.wake:
		case <-ctx.Done():
			return
		}
	}
}

// guardCell keeps a bug in the running of one cell from ending the kernel, and from leaving the
// front end without a reply: it would take the cell for running for ever.
func (s *Server) guardCell(req transport.Request) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		s.opt.Logf("server: cell: panic: %v\n%s", v, debug.Stack())
		s.sup.mu.Lock()
		s.sup.running = nil
		s.sup.mu.Unlock()
		s.reply(req, wire.TypeExecuteReply, wire.ExecuteReply{
			Reply: wire.Fail("InternalError", fmt.Sprintf("a bug in the kernel: %v", v)), ExecutionCount: s.lastCount(),
		})
		s.publish(rawHeader(req), wire.TypeStatus, wire.Status{ExecutionState: "idle"})
	}()
	s.execute(req)
}

// failed is called before the front end learns of a failure that is to stop the cells behind
// it. It takes those cells, and the returned function answers them.
func (s *Server) failed() (abort func()) {
	s.queue.settle()
	s.failedAt.Store(time.Now().UnixNano())
	waiting := s.queue.all()
	return func() {
		for _, req := range waiting {
			s.abort(req)
		}
	}
}

// sentBeforeFailure reports whether a cell was sent before the front end can have known that
// the one before it failed. "Run all" sends its cells at once, but the first may fail before
// the others have come through the socket. Only the next moment counts, because the date of
// the message is of another machine's clock, perhaps.
func (s *Server) sentBeforeFailure(req transport.Request) bool {
	failed := time.Unix(0, s.failedAt.Load())
	if time.Since(failed) > 200*time.Millisecond {
		return false
	}
	sent, err := time.Parse(time.RFC3339Nano, req.Header.Date)
	return err == nil && sent.Before(failed)
}

// abort answers a cell without running it.
func (s *Server) abort(req transport.Request) {
	s.during(req, func(req transport.Request) {
		r := wire.ExecuteReply{Reply: wire.Aborted(), ExecutionCount: s.lastCount()}
		r.Status = "aborted"
		s.reply(req, wire.TypeExecuteReply, r)
	})
}
