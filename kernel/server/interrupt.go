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

// Interrupt ends the running cell, and drops those that wait. Where no cell runs it ends the
// call that a control in the page has caused, if there is one. A second interrupt of the same
// cell ends the evaluator, and so does one of a call that is known to be stuck.
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
		s.interruptCall(p)
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

// interruptCall interrupts what the evaluator does while no cell runs.
func (s *Server) interruptCall(p *link.Process) {
	if p == nil {
		return
	}
	s.sup.mu.Lock()
	stuck := s.sup.stuck
	s.sup.mu.Unlock()
	if stuck {
		p.Kill(stopReason)
		return
	}
	p.Send(link.Interrupt, 0, nil, nil)
}
