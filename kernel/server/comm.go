package server

import (
	"encoding/json"
	"sync"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// comms are the open comms, by id, with their targets.
type comms struct {
	mu   sync.Mutex
	open map[string]string
}

func (c *comms) add(id, target string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[string]string{}
	}
	c.open[id] = target
}

func (c *comms) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
}

func (c *comms) list(target string) map[string]wire.CommTarget {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]wire.CommTarget{}
	for id, t := range c.open {
		if target == "" || t == target {
			out[id] = wire.CommTarget{TargetName: t}
		}
	}
	return out
}

// closeAll tells the front ends that the objects behind all comms are gone.
func (c *comms) closeAll(s *Server) {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for id := range open {
		s.publish(nil, wire.TypeCommClose, wire.CommClose{CommID: id, Data: json.RawMessage("{}")})
	}
}

func (s *Server) commInfo(req transport.Request) {
	var r wire.CommInfoRequest
	if s.decode(req, wire.TypeCommInfoReply, &r) {
		s.reply(req, wire.TypeCommInfoReply, wire.CommInfoReply{Reply: wire.OK(), Comms: s.comms.list(r.TargetName)})
	}
}

// comm hands a comm message to the evaluator, which owns the objects. Messages of comms
// reach it in the order in which they came; idle follows when it has dealt with them.
func (s *Server) comm(req transport.Request) {
	var m wire.CommOpen // comm_msg and comm_close hold part of it
	if err := req.Decode(&m); err != nil {
		s.during(req, func(transport.Request) { s.opt.Logf("server: %v", err) })
		return
	}
	parent := rawHeader(req)
	s.publish(parent, wire.TypeStatus, wire.Status{ExecutionState: "busy"})
	id := s.sup.number()
	s.out.adopt(&cell{id: id, parent: parent})
	switch req.Header.MsgType {
	case wire.TypeCommOpen:
		s.comms.add(m.CommID, m.TargetName)
	case wire.TypeCommClose:
		s.comms.remove(m.CommID)
	}
	head := link.CommData{Type: req.Header.MsgType, ID: m.CommID, Target: m.TargetName, Metadata: req.Metadata}
	body := head.Pack(m.Data, req.Buffers)
	ch, err := s.sup.ask(link.Comm, id, head, body)
	if err != nil && req.Header.MsgType == wire.TypeCommOpen {
		s.comms.remove(m.CommID)
		s.publish(parent, wire.TypeCommClose, wire.CommClose{CommID: m.CommID, Data: json.RawMessage("{}")})
	}
	s.requests.Go(func() {
		if err == nil {
			<-ch
		}
		s.out.release(id)
		s.publish(parent, wire.TypeStatus, wire.Status{ExecutionState: "idle"})
	})
}

// commFrame publishes a comm message of the evaluator.
func (s *Server) commFrame(f link.Frame) error {
	var h link.CommData
	if err := f.Decode(&h); err != nil {
		return err
	}
	body, buffers, err := h.Unpack(f.Body)
	if err != nil {
		return err
	}
	data := json.RawMessage(body)
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	var content any = wire.CommMsg{CommID: h.ID, Data: data}
	switch h.Type {
	case wire.TypeCommOpen:
		s.comms.add(h.ID, h.Target)
		content = wire.CommOpen{CommID: h.ID, TargetName: h.Target, Data: data}
	case wire.TypeCommClose:
		s.comms.remove(h.ID)
	}
	m, err := wire.NewMessage(h.Type, nil, content)
	if err != nil {
		return err
	}
	if c := s.out.cell(f.ID); c != nil {
		m.Parent = c.parent
	}
	m.Metadata, m.Buffers = h.Metadata, buffers
	s.tr.Publish(m)
	return nil
}
