package link

import (
	"encoding/json"
	"fmt"
)

// Hello is the head of Ready.
type Hello struct {
	PID     int     `json:"pid"`
	Seconds float64 `json:"seconds"` // from the start of the process
}

// RunCell is the head of Run.
type RunCell struct {
	N           int               `json:"n"` // execution count: the cell's number in messages
	Source      string            `json:"source"`
	Silent      bool              `json:"silent,omitempty"`      // show nothing
	AllowStdin  bool              `json:"allow_stdin,omitempty"` // the front end can ask the user
	Expressions map[string]string `json:"expressions,omitempty"` // to be evaluated after the cell
}

// Outcome is the head of Done.
type Outcome struct {
	Failure     *Failure                   `json:"failure,omitempty"` // nil if the cell ran to its end
	Expressions map[string]json.RawMessage `json:"expressions,omitempty"`
	Payload     []json.RawMessage          `json:"payload,omitempty"`
	Reset       bool                       `json:"reset,omitempty"`   // the cell asked for a fresh evaluator
	Program     string                     `json:"program,omitempty"` // with Reset: the program that is to be the evaluator from now on
}

// Failure is why a cell did not run to its end, in the words of an error message.
type Failure struct {
	Name        string   `json:"ename"`
	Value       string   `json:"evalue"`
	Traceback   []string `json:"traceback"`
	Interrupted bool     `json:"interrupted,omitempty"`
}

// Shown is the head of Output. The frame's ID is the cell's, its body the content.
type Shown struct {
	Type string `json:"type"`          // display_data, update_display_data, execute_result, clear_output, error
	Ack  uint64 `json:"ack,omitempty"` // if not 0: answer with an Ack of this number when published
}

// Query is the head of Complete, Inspect and IsComplete. Offset counts bytes.
type Query struct {
	Source string `json:"source"`
	Offset int    `json:"offset"`
	Detail int    `json:"detail,omitempty"`
}

// Completion is the body of the Reply to Complete. Offsets count bytes.
type Completion struct {
	Start, End int
	Items      []CompletionItem
}

// CompletionItem is one thing that can stand between Start and End.
type CompletionItem struct {
	Text      string
	Kind      string `json:",omitempty"` // func, type, var, const, field, method, package, keyword
	Signature string `json:",omitempty"` // type or signature
}

// Inspection is the body of the Reply to Inspect.
type Inspection struct {
	Found bool
	Data  map[string]string `json:",omitempty"` // by MIME type
}

// Completeness is the body of the Reply to IsComplete.
type Completeness struct {
	Status, Indent string
}

// Variable is an element of the body of the Reply to Vars.
type Variable struct {
	Name, Type, Value string
	Size              int // bytes that it keeps in memory, estimated
}

// Prompt is the head of InputRequest.
type Prompt struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// Input is the head of InputReply.
type Input struct {
	Value string `json:"value"`
	EOF   bool   `json:"eof,omitempty"` // there will be no input
}

// CommData is the head of Comm and CommMsg.
type CommData struct {
	Type     string          `json:"type"` // comm_open, comm_msg, comm_close
	ID       string          `json:"comm_id"`
	Target   string          `json:"target_name,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	Buffers  []int           `json:"buffers,omitempty"` // lengths of what follows the data in the body
}

// Pack makes the body of a comm message: its data, and behind them its buffers.
func (c *CommData) Pack(data []byte, buffers [][]byte) (body []byte) {
	c.Buffers = nil
	if len(buffers) == 0 {
		return data
	}
	body = append(body, data...)
	for _, b := range buffers {
		c.Buffers = append(c.Buffers, len(b))
		body = append(body, b...)
	}
	return body
}

// Unpack takes the body of a comm message apart. What it returns shares body's memory.
func (c *CommData) Unpack(body []byte) (data []byte, buffers [][]byte, err error) {
	total := 0
	for _, n := range c.Buffers {
		if n < 0 || n > len(body)-total {
			return nil, nil, fmt.Errorf("link: a comm message of %d bytes holds no buffers of %v", len(body), c.Buffers)
		}
		total += n
	}
	data, rest := body[:len(body)-total], body[len(body)-total:]
	for _, n := range c.Buffers {
		buffers = append(buffers, rest[:n:n])
		rest = rest[n:]
	}
	return data, buffers, nil
}

// LogLine is the head of Log.
type LogLine struct {
	Text string `json:"text"`
}

// StuckIn is the head of Stuck.
type StuckIn struct {
	Function string `json:"function"` // the compiled function that the cell waits for; empty: it has come back
}

// Panicked is the head of GoPanic.
type Panicked struct {
	Text  string   `json:"text"`
	Trace []string `json:"trace,omitempty"`
}

// ProcessGroup is the head of Group. The evaluator ends what runs in the group; the kernel does it
// where the evaluator has died before.
type ProcessGroup struct {
	ID    int  `json:"id"` // the process number of the group's first process
	Ended bool `json:"ended,omitempty"`
}
