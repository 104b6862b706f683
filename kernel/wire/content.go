package wire

import "encoding/json"

// Message types of the specification.
const (
	TypeKernelInfoRequest     = "kernel_info_request"
	TypeKernelInfoReply       = "kernel_info_reply"
	TypeExecuteRequest        = "execute_request"
	TypeExecuteReply          = "execute_reply"
	TypeExecuteInput          = "execute_input"
	TypeExecuteResult         = "execute_result"
	TypeCompleteRequest       = "complete_request"
	TypeCompleteReply         = "complete_reply"
	TypeInspectRequest        = "inspect_request"
	TypeInspectReply          = "inspect_reply"
	TypeIsCompleteRequest     = "is_complete_request"
	TypeIsCompleteReply       = "is_complete_reply"
	TypeHistoryRequest        = "history_request"
	TypeHistoryReply          = "history_reply"
	TypeCommInfoRequest       = "comm_info_request"
	TypeCommInfoReply         = "comm_info_reply"
	TypeCommOpen              = "comm_open"
	TypeCommMsg               = "comm_msg"
	TypeCommClose             = "comm_close"
	TypeConnectRequest        = "connect_request"
	TypeConnectReply          = "connect_reply"
	TypeShutdownRequest       = "shutdown_request"
	TypeShutdownReply         = "shutdown_reply"
	TypeInterruptRequest      = "interrupt_request"
	TypeInterruptReply        = "interrupt_reply"
	TypeInputRequest          = "input_request"
	TypeInputReply            = "input_reply"
	TypeDebugRequest          = "debug_request"
	TypeDebugReply            = "debug_reply"
	TypeDebugEvent            = "debug_event"
	TypeUsageRequest          = "usage_request"
	TypeUsageReply            = "usage_reply"
	TypeCreateSubshellRequest = "create_subshell_request"
	TypeCreateSubshellReply   = "create_subshell_reply"
	TypeDeleteSubshellRequest = "delete_subshell_request"
	TypeDeleteSubshellReply   = "delete_subshell_reply"
	TypeListSubshellRequest   = "list_subshell_request"
	TypeListSubshellReply     = "list_subshell_reply"
	TypeStream                = "stream"
	TypeDisplayData           = "display_data"
	TypeUpdateDisplayData     = "update_display_data"
	TypeClearOutput           = "clear_output"
	TypeError                 = "error"
	TypeStatus                = "status"
	TypeIOPubWelcome          = "iopub_welcome"
)

// An Error is the content of an error message, and what a reply with status "error" adds.
type Error struct {
	EName     string  `json:"ename"`
	EValue    string  `json:"evalue"`
	Traceback Strings `json:"traceback"`
}

// Reply is the part that all replies have. Make one with [OK] or [Fail].
type Reply struct {
	Status string `json:"status"` // "ok", "error" or "aborted"
	*Error        // with status "error"
}

// OK is the reply of a request that went well.
func OK() Reply { return Reply{Status: "ok"} }

// Fail is the reply of a request that failed.
func Fail(ename, evalue string, traceback ...string) Reply {
	return Reply{Status: "error", Error: &Error{EName: ename, EValue: evalue, Traceback: traceback}}
}

// Aborted is the reply of a queued request that was dropped because an earlier one failed.
// The specification says that such a reply has status "error" now.
func Aborted() Reply { return Fail("Aborted", "an earlier cell failed or was interrupted") }

// Strings is a list that marshals to [] rather than null.
type Strings []string

// MarshalJSON writes a list.
func (s Strings) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(s))
}

// KernelInfoReply says what the kernel is.
type KernelInfoReply struct {
	Reply
	ProtocolVersion       string       `json:"protocol_version"`
	Implementation        string       `json:"implementation"`
	ImplementationVersion string       `json:"implementation_version"`
	LanguageInfo          LanguageInfo `json:"language_info"`
	Banner                string       `json:"banner"`
	Debugger              bool         `json:"debugger"`
	HelpLinks             []HelpLink   `json:"help_links,omitempty"`
	SupportedFeatures     Strings      `json:"supported_features"`
}

// LanguageInfo tells front ends how to colour, name and export cells.
type LanguageInfo struct {
	Name              string `json:"name"`
	Version           string `json:"version"`
	MimeType          string `json:"mimetype"`
	FileExtension     string `json:"file_extension"`
	PygmentsLexer     string `json:"pygments_lexer,omitempty"`
	CodeMirrorMode    any    `json:"codemirror_mode,omitempty"` // a string or an object
	NBConvertExporter string `json:"nbconvert_exporter,omitempty"`
}

// HelpLink is an entry of the front end's help menu.
type HelpLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

// ExecuteRequest asks to run a cell. Fields that the request leaves out get the defaults of
// the specification; silent implies not stored.
type ExecuteRequest struct {
	Code            string            `json:"code"`
	Silent          bool              `json:"silent"`
	StoreHistory    bool              `json:"store_history"`
	UserExpressions map[string]string `json:"user_expressions"`
	AllowStdin      bool              `json:"allow_stdin"`
	StopOnError     bool              `json:"stop_on_error"`
}

// UnmarshalJSON fills in the defaults.
func (r *ExecuteRequest) UnmarshalJSON(b []byte) error {
	type plain ExecuteRequest
	p := plain{StoreHistory: true, AllowStdin: true, StopOnError: true}
	if err := json.Unmarshal(b, &p); err != nil {
		return err
	}
	p.StoreHistory = p.StoreHistory && !p.Silent
	*r = ExecuteRequest(p)
	return nil
}

// ExecuteReply ends a cell.
type ExecuteReply struct {
	Reply
	ExecutionCount  int              `json:"execution_count"`
	UserExpressions map[string]any   `json:"user_expressions"` // Reply with data, or Reply that failed
	Payload         []map[string]any `json:"payload"`
}

// MarshalJSON gives {} and [] where there are no expressions and no payloads.
func (r ExecuteReply) MarshalJSON() ([]byte, error) {
	if r.UserExpressions == nil {
		r.UserExpressions = map[string]any{}
	}
	if r.Payload == nil {
		r.Payload = []map[string]any{}
	}
	type plain ExecuteReply
	return json.Marshal(plain(r))
}

// UserExpression is the value of one user expression.
type UserExpression struct {
	Reply
	Data     Bundle `json:"data"`
	Metadata Bundle `json:"metadata"`
}

// PagePayload makes a front end show data in its pager.
func PagePayload(data Bundle) map[string]any {
	return map[string]any{"source": "page", "data": data, "start": 0}
}

// NextInputPayload makes a front end put text into the next cell, or in place of this one.
func NextInputPayload(text string, replace bool) map[string]any {
	return map[string]any{"source": "set_next_input", "text": text, "replace": replace}
}

// ExecuteInput tells all front ends what is being run.
type ExecuteInput struct {
	Code           string `json:"code"`
	ExecutionCount int    `json:"execution_count"`
}

// CompleteRequest asks for completions at CursorPos, in code points.
type CompleteRequest struct {
	Code      string `json:"code"`
	CursorPos int    `json:"cursor_pos"`
}

// CompleteReply lists texts that may replace the code points from CursorStart to CursorEnd.
type CompleteReply struct {
	Reply
	Matches     Strings `json:"matches"`
	CursorStart int     `json:"cursor_start"`
	CursorEnd   int     `json:"cursor_end"`
	Metadata    Bundle  `json:"metadata"`
}

// CompletionType is an entry of the metadata key "_jupyter_types_experimental".
type CompletionType struct {
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Text      string `json:"text"`
	Type      string `json:"type"`
	Signature string `json:"signature,omitempty"`
}

// InspectRequest asks what is at CursorPos, in code points. DetailLevel is 0 or 1.
type InspectRequest struct {
	Code        string `json:"code"`
	CursorPos   int    `json:"cursor_pos"`
	DetailLevel int    `json:"detail_level"`
}

// InspectReply describes it.
type InspectReply struct {
	Reply
	Found    bool   `json:"found"`
	Data     Bundle `json:"data"`
	Metadata Bundle `json:"metadata"`
}

// IsCompleteRequest asks whether Enter should run the code.
type IsCompleteRequest struct {
	Code string `json:"code"`
}

// IsCompleteReply has status "complete", "incomplete", "invalid" or "unknown".
type IsCompleteReply struct {
	Status string `json:"status"`
	Indent string `json:"indent,omitempty"` // for the next line of incomplete code
}

// ConnectReply is deprecated in the specification: the ports of the sockets.
type ConnectReply struct {
	Reply
	ShellPort   int `json:"shell_port"`
	IOPubPort   int `json:"iopub_port"`
	StdinPort   int `json:"stdin_port"`
	HBPort      int `json:"hb_port"`
	ControlPort int `json:"control_port"`
}

// ShutdownRequest asks the kernel to end, or to start anew.
type ShutdownRequest struct {
	Restart bool `json:"restart"`
}

// ShutdownReply answers it on the same channel and on iopub.
type ShutdownReply struct {
	Reply
	Restart bool `json:"restart"`
}

// InterruptReply answers an interrupt_request, whose content is empty.
type InterruptReply struct{ Reply }

// InputRequest asks the front end for a line.
type InputRequest struct {
	Prompt   string `json:"prompt"`
	Password bool   `json:"password"`
}

// InputReply is the line.
type InputReply struct {
	Status string `json:"status,omitempty"` // "" or "ok", if there is a value
	Value  string `json:"value"`
}

// UsageReply tells the front end's status bar what the kernel uses.
type UsageReply struct {
	Hostname          string  `json:"hostname"`
	PID               int     `json:"pid"`
	KernelCPU         float64 `json:"kernel_cpu"`    // per cent of one core
	KernelMemory      int64   `json:"kernel_memory"` // bytes
	CPUCount          int     `json:"cpu_count"`
	HostCPUPercent    float64 `json:"host_cpu_percent"`
	HostVirtualMemory Bundle  `json:"host_virtual_memory"` // total, available, percent, used, free
}

// DebugRequest is a request of the Debug Adapter Protocol.
type DebugRequest struct {
	Seq       int             `json:"seq"`
	Type      string          `json:"type"`
	Command   string          `json:"command"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// DebugReply is a response of that protocol.
type DebugReply struct {
	Seq        int             `json:"seq"`
	Type       string          `json:"type"` // "response"
	RequestSeq int             `json:"request_seq"`
	Success    bool            `json:"success"`
	Command    string          `json:"command"`
	Message    string          `json:"message,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
}

// DebugEvent is an event of that protocol, on iopub.
type DebugEvent struct {
	Seq   int             `json:"seq"`
	Type  string          `json:"type"` // "event"
	Event string          `json:"event"`
	Body  json.RawMessage `json:"body,omitempty"`
}

// Subshell names a subshell, in delete_subshell_request and create_subshell_reply.
type Subshell struct {
	SubshellID string `json:"subshell_id"`
}

// CreateSubshellReply names the subshell that was made.
type CreateSubshellReply struct {
	Reply
	SubshellID string `json:"subshell_id"`
}

// ListSubshellReply names all subshells.
type ListSubshellReply struct {
	Reply
	SubshellID Strings `json:"subshell_id"`
}
