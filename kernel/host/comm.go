package host

import (
	"encoding/json"

	"trivium/kernel/link"
)

// comm answers a comm message of the front end. No target is known to this process, so an
// open is answered with a close, as the specification asks.
func (h *Host) comm(f link.Frame) {
	defer h.conn.Send(link.Reply, f.ID, nil, nil)
	var c link.CommData
	if err := f.Decode(&c); err != nil {
		h.Logf("%v", err)
		return
	}
	if c.Type == "comm_open" {
		h.conn.Send(link.CommMsg, f.ID, link.CommData{Type: "comm_close", ID: c.ID}, json.RawMessage("{}"))
	}
}
