package widget

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"trivium/kernel/display"
)

// A Message is one message of a comm.
type Message struct {
	Type     string // comm_open, comm_msg or comm_close
	Comm     string // id of the comm
	Target   string // of a comm_open
	Data     json.RawMessage
	Metadata json.RawMessage
	Buffers  [][]byte
	Cell     uint64 // on the link: the request that the message belongs to
}

// Options connects a hub with its surroundings. Each function may be nil: then nothing of the
// kind happens.
type Options struct {
	// Send hands a message to the front ends.
	Send func(Message) error

	// Turn calls f later, when no cell runs, on the goroutine that runs cells. What f shows is
	// output of the cell. f may call functions of cells; if one panics, failed is called with
	// the trace. It does not wait.
	Turn func(cell display.Cell, f func(ctx context.Context), failed func(lines []string))

	// Capture calls f and returns what was printed meanwhile.
	Capture func(f func()) string

	// Kernel is the id by which a Jupyter server knows this kernel, empty if there is none:
	// pages then cannot reach it but by a widget manager.
	Kernel string

	// Generation is the major version of ipywidgets that managers are taken for; 0 means 8.
	Generation int

	Logf func(format string, args ...any)
}

// A Hub is this end of all comms. Its methods may be called from any goroutine.
type Hub struct {
	opt Options

	mu     sync.Mutex
	comms  map[string]func(Message) // open ones, by id
	models map[string]*Model
	panels map[string]*Panel
	order  []string // panels, oldest first

	switches map[string]*switched
	shown    []string // switches, oldest first

	closed chan struct{}
}

// New makes a hub.
func New(o Options) *Hub {
	if o.Generation == 0 {
		o.Generation = 8
	}
	if o.Send == nil {
		o.Send = func(Message) error { return nil }
	}
	if o.Turn == nil {
		o.Turn = func(display.Cell, func(context.Context), func([]string)) {}
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	return &Hub{opt: o, comms: map[string]func(Message){}, models: map[string]*Model{}, panels: map[string]*Panel{},
		switches: map[string]*switched{}, closed: make(chan struct{})}
}

// Close ends what the hub does by itself. It is called once.
func (h *Hub) Close() { close(h.closed) }

var current atomic.Pointer[Hub]

// Use makes h the hub that cells' controls belong to.
func Use(h *Hub) { current.Store(h) }

// Current is the hub given to Use. Without one it is a hub whose messages go nowhere.
func Current() *Hub {
	if h := current.Load(); h != nil {
		return h
	}
	current.CompareAndSwap(nil, New(Options{}))
	return current.Load()
}

// Deliver handles a message of a front end. Messages must be delivered in the order in which
// they came. It does not wait for functions of cells. A comm that is opened for a target that
// is not known is closed, as the specification asks; so is one that is not known at all, for
// instance because it belonged to an evaluator that has ended.
func (h *Hub) Deliver(m Message) {
	defer func() {
		if v := recover(); v != nil {
			h.opt.Logf("widget: %s: panic: %v", m.Type, v)
		}
	}()
	switch m.Type {
	case "comm_open":
		h.opened(m)
	case "comm_msg":
		h.mu.Lock()
		f := h.comms[m.Comm]
		h.mu.Unlock()
		if f == nil {
			h.close(m.Comm, m.Cell)
			return
		}
		f(m)
	case "comm_close":
		h.forget(m.Comm)
	}
}

func (h *Hub) opened(m Message) {
	var f func(Message)
	switch m.Target {
	case controlTarget:
		f = h.control
	case PageTarget:
		f = h.page
	default:
		h.close(m.Comm, m.Cell)
		return
	}
	h.mu.Lock()
	h.comms[m.Comm] = f
	h.mu.Unlock()
	if m.Target == PageTarget {
		f(m)
	}
}

// forget drops a comm that the front end has closed, and the model behind it. A panel of
// which one control has gone is as good as before for the page's script.
func (h *Hub) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.comms, id)
	delete(h.models, id)
}

func (h *Hub) isOpen(comm string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.comms[comm] != nil
}

// close closes a comm and tells the front ends.
func (h *Hub) close(id string, cell uint64) {
	h.forget(id)
	h.send(Message{Type: "comm_close", Comm: id, Data: json.RawMessage("{}"), Cell: cell})
}

func (h *Hub) send(m Message) {
	if err := h.opt.Send(m); err != nil {
		h.opt.Logf("widget: %s: %v", m.Type, err)
	}
}

// reply answers a message on its comm.
func (h *Hub) reply(to Message, data any, buffers [][]byte) {
	raw, err := json.Marshal(data)
	if err != nil {
		h.opt.Logf("widget: %v", err)
		return
	}
	h.send(Message{Type: "comm_msg", Comm: to.Comm, Data: raw, Buffers: buffers, Cell: to.Cell})
}

// newID is an id that nothing else has, in the form that widget managers expect.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return fmt.Sprintf("%x", b)
}
