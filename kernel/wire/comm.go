package wire

import (
	"encoding/json"
	"fmt"
)

// CommOpen makes a comm: a two-way conversation between a front end and an object here.
type CommOpen struct {
	CommID       string          `json:"comm_id"`
	TargetName   string          `json:"target_name"`
	TargetModule string          `json:"target_module,omitempty"`
	Data         json.RawMessage `json:"data"` // empty means {}
}

// MarshalJSON fills in empty data.
func (c CommOpen) MarshalJSON() ([]byte, error) {
	type plain CommOpen
	c.Data = object(c.Data)
	return json.Marshal(plain(c))
}

// CommMsg is a message of a comm; comm_close has the same content.
type CommMsg struct {
	CommID string          `json:"comm_id"`
	Data   json.RawMessage `json:"data"` // empty means {}
}

// MarshalJSON fills in empty data.
func (c CommMsg) MarshalJSON() ([]byte, error) {
	type plain CommMsg
	c.Data = object(c.Data)
	return json.Marshal(plain(c))
}

// CommClose ends a comm.
type CommClose = CommMsg

// CommInfoRequest asks for the comms of one target, or of all when it is empty.
type CommInfoRequest struct {
	TargetName string `json:"target_name,omitempty"`
}

// CommInfoReply lists them by id.
type CommInfoReply struct {
	Reply
	Comms Comms `json:"comms"`
}

// Comms maps ids to what the comms were opened for. Nil marshals to {}.
type Comms map[string]CommTarget

// MarshalJSON writes an object.
func (c Comms) MarshalJSON() ([]byte, error) {
	if c == nil {
		return emptyObject, nil
	}
	return json.Marshal(map[string]CommTarget(c))
}

// CommTarget is what a comm was opened for.
type CommTarget struct {
	TargetName string `json:"target_name"`
}

// HistoryRequest asks for earlier cells.
type HistoryRequest struct {
	Output         bool   `json:"output"`
	Raw            bool   `json:"raw"`
	HistAccessType string `json:"hist_access_type"` // "tail", "range" or "search"
	Session        int    `json:"session"`          // range: 0 is the current one, negative counts back
	Start          int    `json:"start"`
	Stop           int    `json:"stop"`
	N              int    `json:"n"`
	Pattern        string `json:"pattern"`
	Unique         bool   `json:"unique"`
}

// HistoryReply lists them.
type HistoryReply struct {
	Reply
	History History `json:"history"`
}

// History is a list of earlier cells. Nil marshals to [].
type History []HistoryEntry

// MarshalJSON writes a list.
func (h History) MarshalJSON() ([]byte, error) {
	if h == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]HistoryEntry(h))
}

// HistoryEntry is one earlier cell. It marshals to [session, line, input], or with Pair to
// [session, line, [input, output]].
type HistoryEntry struct {
	Session, Line int
	Input         string
	Output        string
	Pair          bool // the request asked for outputs
}

// MarshalJSON writes the triple.
func (e HistoryEntry) MarshalJSON() ([]byte, error) {
	if !e.Pair {
		return json.Marshal([]any{e.Session, e.Line, e.Input})
	}
	return json.Marshal([]any{e.Session, e.Line, []any{e.Input, e.Output}})
}

// UnmarshalJSON reads either form.
func (e *HistoryEntry) UnmarshalJSON(b []byte) error {
	var parts [3]json.RawMessage
	err := json.Unmarshal(b, &parts)
	*e = HistoryEntry{}
	for i, into := range []*int{&e.Session, &e.Line} {
		if err == nil {
			err = json.Unmarshal(parts[i], into)
		}
	}
	if err != nil {
		return fmt.Errorf("wire: history entry: %w", err)
	}
	if json.Unmarshal(parts[2], &e.Input) == nil {
		return nil
	}
	var pair [2]*string
	if err := json.Unmarshal(parts[2], &pair); err != nil || pair[0] == nil {
		return fmt.Errorf("wire: history entry: third item is neither text nor a pair: %.40q", parts[2])
	}
	e.Pair, e.Input = true, *pair[0]
	if pair[1] != nil {
		e.Output = *pair[1]
	}
	return nil
}
