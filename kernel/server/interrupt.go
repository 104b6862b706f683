package server

import (
	"time"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// again is how long after an interrupt another one counts as a second one: a double click
// on the stop button is one wish.
const again = 500 * time.Millisecond

func (s *Server) interruptRequest(req transport.Request) {
	s.Interrupt()
	s.reply(req, wire.TypeInterruptReply, wire.InterruptReply{Reply: wire.OK()})
}

// Interrupt ends the running cell, and drops those that wait. Where no cell runs it does
// nothing. A second interrupt of the same cell ends the evaluator.
func (s *Server) Interrupt() {
	s.sup.mu.Lock()
	r := s.sup.running
	p := s.sup.proc
	var second bool
	if r != nil {
		if r.interrupted.IsZero() {
			r.interrupted = time.Now()
		} else {
			second = time.Since(r.interrupted) > again
		}
	}
	s.sup.mu.Unlock()
	if r == nil {
		return
	}
	for _, req := range s.queue.all() {
		s.abort(req)
	}
	s.out.hurry(r.cell)
	s.input.drop()
	switch {
	case p == nil:
	case second:
		p.Kill(stopReason)
	default:
		p.Send(link.Interrupt, r.id, nil, nil)
	}
}
