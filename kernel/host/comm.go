package host

import (
	"trivium/kernel/link"
	"trivium/kernel/widget"
)

// serveComms hands comm messages of the front ends to the hub, in the order in which they came.
func (h *Host) serveComms() {
	for range h.comms.wake {
		if f, ok := h.comms.take(); ok {
			h.comm(f)
		}
	}
}

func (h *Host) comm(f link.Frame) {
	defer h.conn.Send(link.Reply, f.ID, nil, nil)
	var c link.CommData
	if err := f.Decode(&c); err != nil {
		h.Logf("%v", err)
		return
	}
	data, buffers, err := c.Unpack(f.Body)
	if err != nil {
		h.Logf("%v", err)
		return
	}
	h.hub.Deliver(widget.Message{
		Type: c.Type, Comm: c.ID, Target: c.Target, Data: data, Metadata: c.Metadata, Buffers: buffers, Cell: f.ID,
	})
}

// sendComm sends a comm message to the front ends.
func (h *Host) sendComm(m widget.Message) error {
	c := link.CommData{Type: m.Type, ID: m.Comm, Target: m.Target, Metadata: m.Metadata}
	body := c.Pack(m.Data, m.Buffers)
	return h.conn.Send(link.CommMsg, m.Cell, c, body)
}
