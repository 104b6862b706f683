package server

import (
	"encoding/json"
	"fmt"

	"trivium/kernel/link"
	"trivium/kernel/wire"
)

// frame handles what an evaluator sends. It is called for one frame after the other and
// must not wait for the front end.
func (s *Server) frame(p *link.Process, f link.Frame) error {
	switch f.Kind {
	case link.Ready:
		s.sup.mu.Lock()
		s.sup.ready = true
		s.sup.mu.Unlock()
	case link.Reply:
		s.sup.answer(f.ID, answer{frame: f})
	case link.Done:
		s.sup.mu.Lock()
		s.sup.stuck = false // cells take turns with whatever was
		s.sup.mu.Unlock()
		p.Drain()
		s.sup.answer(f.ID, answer{frame: f})
	case link.Output:
		return s.show(p, f)
	case link.InputRequest:
		p.Drain()
		return s.inputRequest(f)
	case link.CommMsg:
		p.Drain()
		return s.commFrame(f)
	case link.Log:
		var l link.LogLine
		if err := f.Decode(&l); err != nil {
			return err
		}
		s.opt.Logf("evaluator: %s", l.Text)
	case link.Stuck:
		var at link.StuckIn
		if err := f.Decode(&at); err != nil {
			return err
		}
		what := "The cell"
		s.sup.mu.Lock()
		if s.sup.running == nil {
			what = "The function of a control"
		}
		s.sup.stuck = s.sup.running == nil && at.Function != ""
		s.sup.mu.Unlock()
		if at.Function == "" {
			return nil
		}
		s.note(f.ID, fmt.Sprintf("%s is stuck in %s, which does not stop when asked. Interrupt once more to end the evaluator: variables are lost then.\n", what, at.Function))
	case link.Group:
		var g link.ProcessGroup
		if err := f.Decode(&g); err != nil {
			return err
		}
		s.sup.group(p, g)
	case link.GoPanic:
		var g link.Panicked
		if err := f.Decode(&g); err != nil {
			return err
		}
		p.Drain()
		return s.goPanic(f.ID, g)
	default:
		return fmt.Errorf("an evaluator sent a frame of %v", f.Kind)
	}
	return nil
}

// outputTypes are the messages that an evaluator may have published.
var outputTypes = map[string]bool{
	wire.TypeDisplayData: true, wire.TypeUpdateDisplayData: true, wire.TypeExecuteResult: true,
	wire.TypeClearOutput: true, wire.TypeError: true,
}

// show queues the content of an Output frame behind the text that was printed before it.
func (s *Server) show(p *link.Process, f link.Frame) error {
	var h link.Shown
	if err := f.Decode(&h); err != nil {
		return err
	}
	if !outputTypes[h.Type] {
		return fmt.Errorf("an evaluator sent output of type %q", h.Type)
	}
	p.Drain()
	var then func()
	if h.Ack != 0 {
		then = func() { p.Send(link.Ack, h.Ack, nil, nil) }
	}
	if h.Type == wire.TypeExecuteResult {
		s.sup.mu.Lock()
		if r := s.sup.running; r != nil && r.id == f.ID {
			r.result = f.Body
		}
		s.sup.mu.Unlock()
	}
	c := s.out.cell(f.ID)
	if h.Type == wire.TypeUpdateDisplayData {
		// Front ends know what to update by its display id. Clients that run a notebook cell by cell,
		// such as nbclient, see no message of a cell that is over, and would keep an early frame.
		s.sup.mu.Lock()
		if r := s.sup.running; r != nil && !r.silent {
			c = r.cell
		}
		s.sup.mu.Unlock()
	}
	s.out.message(c, h.Type, json.RawMessage(f.Body), then)
	return nil
}

// note puts a line on the stderr of a cell, whatever its limit of text.
func (s *Server) note(id uint64, text string) {
	content, err := json.Marshal(wire.Stream{Name: "stderr", Text: text})
	if err != nil {
		return // two strings can be encoded
	}
	s.out.message(s.out.cell(id), wire.TypeStream, content, nil)
}

// goPanic tells of a panic in a goroutine that a cell started, which ended the goroutine only.
func (s *Server) goPanic(id uint64, g link.Panicked) error {
	content, err := json.Marshal(wire.Error{EName: "panic", EValue: g.Text, Traceback: g.Trace})
	if err != nil {
		return err
	}
	s.out.message(s.out.cell(id), wire.TypeError, content, nil)
	return nil
}
