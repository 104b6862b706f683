package server

import (
	"sync"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// inputs is the question that the running cell has asked the user, if any.
type inputs struct {
	mu  sync.Mutex
	id  uint64 // of the frame that asked
	ask bool
}

func (i *inputs) open(id uint64) {
	i.mu.Lock()
	i.id, i.ask = id, true
	i.mu.Unlock()
}

// take closes the question and returns whose it was.
func (i *inputs) take() (id uint64, ok bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	id, ok = i.id, i.ask
	i.ask = false
	return id, ok
}

func (i *inputs) drop() { i.take() }

// inputRequest asks the front end that sent the running cell.
func (s *Server) inputRequest(f link.Frame) error {
	var p link.Prompt
	if err := f.Decode(&p); err != nil {
		return err
	}
	s.sup.mu.Lock()
	r := s.sup.running
	s.sup.mu.Unlock()
	if r == nil || r.id != f.ID {
		s.sup.tell(link.InputReply, f.ID, link.Input{EOF: true}, nil)
		return nil
	}
	m, err := wire.NewMessage(wire.TypeInputRequest, r.req.Message, wire.InputRequest{Prompt: p.Prompt, Password: p.Password})
	if err != nil {
		return err
	}
	s.input.open(f.ID)
	req := r.req
	// After the text printed so far: it usually holds the question.
	s.out.message(r.cell, "", nil, func() {
		if err := s.tr.Input(req, m); err != nil {
			s.opt.Logf("server: input_request: %v", err)
			s.input.drop()
			s.sup.tell(link.InputReply, f.ID, link.Input{EOF: true}, nil)
		}
	})
	return nil
}

// endOfInput is what jupyter console sends when the user types Ctrl-D.
const endOfInput = "\x04"

// stdin handles what comes on the stdin channel.
func (s *Server) stdin(req transport.Request) {
	if req.Header.MsgType != wire.TypeInputReply {
		s.opt.Logf("server: %q on stdin is not supported", req.Header.MsgType)
		return
	}
	var r wire.InputReply
	err := req.Decode(&r)
	if err != nil {
		s.opt.Logf("server: %v", err)
	}
	id, asked := s.input.take()
	if !asked {
		return // an answer that comes after the cell was interrupted
	}
	// What is no answer must not leave the cell waiting.
	none := err != nil || r.Status != "" && r.Status != "ok"
	s.sup.tell(link.InputReply, id, link.Input{Value: r.Value, EOF: none || r.Value == endOfInput}, nil)
}
