package notebook

import (
	"bytes"
	"encoding/json"
	"time"

	"trivium/kernel/wire"
)

// A gatherer puts what a kernel publishes into the cells that caused it. A message names its
// cause as parent, so outputs find their cell also when it ended long ago, and a figure's update
// finds every place where the figure is shown.
type gatherer struct {
	cells map[string]*sink     // by id of the execute_request
	shown map[string][]*Output // by display id
	live  map[string]bool      // display ids whose figure said that it goes on changing
	last  time.Time            // of the latest update of a figure
	bars  string               // the progress bars that a cell shows, as text, since they were last asked for
	sinks []*sink
}

// A sink is one cell's end of the gatherer.
type sink struct {
	cell    *Cell
	stream  *Output // the output that further text goes to, if it is the last one
	text    []byte  // of stream: appended here, as a cell may print in thousands of pieces
	clear   bool    // clear_output with wait was seen: the next output replaces the others
	busy    bool
	idle    bool
	failure *Output
}

func newGatherer() *gatherer {
	return &gatherer{cells: map[string]*sink{}, shown: map[string][]*Output{}, live: map[string]bool{}}
}

func (g *gatherer) add(msgID string, c *Cell) *sink {
	s := &sink{cell: c}
	g.cells[msgID] = s
	g.sinks = append(g.sinks, s)
	return s
}

// finish moves text that is still being collected into the cells.
func (g *gatherer) finish() {
	for _, s := range g.sinks {
		s.endStream()
	}
}

// shownContent is the content of display_data, update_display_data and execute_result.
type shownContent struct {
	Data      map[string]json.RawMessage `json:"data"`
	Metadata  json.RawMessage            `json:"metadata"`
	Count     int                        `json:"execution_count"`
	Transient struct {
		DisplayID string `json:"display_id"`
		Live      *bool  `json:"live"`
	} `json:"transient"`
}

// take handles one message of iopub. Messages of other front ends' cells and of kinds that
// leave no trace in a notebook are passed over; so is a message that does not hold what it should.
func (g *gatherer) take(m *wire.Message) {
	parent, err := m.ParentHeader()
	if err != nil {
		return
	}
	s := g.cells[parent.MsgID]
	switch m.Header.MsgType {
	case wire.TypeUpdateDisplayData:
		var c shownContent
		if m.Decode(&c) == nil {
			g.update(c)
		}
		return
	}
	if s == nil {
		return
	}
	switch m.Header.MsgType {
	case wire.TypeStatus:
		var c wire.Status
		if m.Decode(&c) == nil {
			s.busy = s.busy || c.ExecutionState == "busy"
			s.idle = s.idle || c.ExecutionState == "idle"
		}
	case wire.TypeExecuteInput:
		var c wire.ExecuteInput
		if m.Decode(&c) == nil {
			s.cell.Count = c.ExecutionCount
		}
	case wire.TypeStream:
		var c wire.Stream
		if m.Decode(&c) == nil {
			s.write(c.Name, c.Text)
		}
	case wire.TypeDisplayData, wire.TypeExecuteResult:
		var c shownContent
		if m.Decode(&c) == nil {
			g.show(s, m.Header.MsgType, c)
		}
	case wire.TypeError:
		var c wire.Error
		if m.Decode(&c) == nil {
			s.failure = &Output{Kind: Error, EName: c.EName, EValue: c.EValue, Traceback: c.Traceback}
			s.put(s.failure)
		}
	case wire.TypeClearOutput:
		var c wire.ClearOutput
		if m.Decode(&c) == nil {
			s.clear = true
			if !c.Wait {
				s.clearNow()
			}
		}
	}
}

func (g *gatherer) show(s *sink, kind string, c shownContent) {
	out := &Output{Kind: kind, Data: c.Data, Metadata: c.Metadata, Count: c.Count}
	s.put(out)
	id := c.Transient.DisplayID
	if id == "" {
		return
	}
	g.shown[id] = append(g.shown[id], out)
	if len(g.shown[id]) > 1 {
		g.update(c) // showing it again brings the older places up to date
	}
	g.mark(id, c)
}

func (g *gatherer) update(c shownContent) {
	id := c.Transient.DisplayID
	for _, out := range g.shown[id] {
		out.Data, out.Metadata = c.Data, c.Metadata
	}
	if len(g.shown[id]) > 0 {
		g.mark(id, c)
	}
}

func (g *gatherer) mark(id string, c shownContent) {
	g.last = time.Now()
	if c.Transient.Live != nil {
		g.live[id] = *c.Transient.Live
		if bytes.Contains(c.Data["text/html"], []byte(`role=\"progressbar\"`)) {
			_ = json.Unmarshal(c.Data["text/plain"], &g.bars) // text that is none is not told
		}
	}
}

// growing counts the figures that said that they go on changing and have not said the contrary.
func (g *gatherer) growing() int {
	n := 0
	for _, live := range g.live {
		if live {
			n++
		}
	}
	return n
}

// undeclared reports whether figures were shown that never said whether they are live.
func (g *gatherer) undeclared() bool { return len(g.shown) > len(g.live) }

// write appends printed text to the last output if it is of the same stream, as front ends do.
func (s *sink) write(name, text string) {
	if s.stream == nil || s.stream.Name != name || s.clear {
		out := &Output{Kind: Stream, Name: name}
		s.put(out)
		s.stream = out
	}
	s.text = append(s.text, text...)
}

func (s *sink) endStream() {
	if s.stream != nil {
		s.stream.Text = string(s.text)
	}
	s.stream, s.text = nil, nil
}

func (s *sink) put(out *Output) {
	s.endStream()
	if s.clear {
		s.clearNow()
	}
	s.cell.Outputs = append(s.cell.Outputs, out)
}

func (s *sink) clearNow() {
	s.endStream()
	s.cell.Outputs, s.clear = nil, false
}
