package wire

// Stream is text written to "stdout" or "stderr".
type Stream struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Bundle maps MIME types (or, in metadata, anything) to values. Text is a string, binary
// data a []byte (sent as base64), JSON a json.RawMessage or anything that marshals.
type Bundle map[string]any

// DisplayData is something to show, in display_data and update_display_data.
type DisplayData struct {
	Data      Bundle `json:"data"`
	Metadata  Bundle `json:"metadata"`
	Transient Bundle `json:"transient"` // "display_id", by which it can be updated
}

// ExecuteResult is the value of a cell.
type ExecuteResult struct {
	ExecutionCount int    `json:"execution_count"`
	Data           Bundle `json:"data"`
	Metadata       Bundle `json:"metadata"`
	Transient      Bundle `json:"transient"`
}

// ClearOutput removes what a cell has shown, at once or when something new comes.
type ClearOutput struct {
	Wait bool `json:"wait"`
}

// Status is the state of the kernel: "starting", "busy" or "idle".
type Status struct {
	ExecutionState string `json:"execution_state"`
}

// IOPubWelcome confirms a subscription.
type IOPubWelcome struct {
	Subscription string `json:"subscription"`
}
