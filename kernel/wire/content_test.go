package wire

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// contents shows every content as the specification writes it.
var contents = map[string]struct {
	content any
	want    string
}{
	"kernel_info_reply": {KernelInfoReply{Reply: OK(), ProtocolVersion: Version, Implementation: "i", ImplementationVersion: "1", Banner: "b",
		LanguageInfo: LanguageInfo{Name: "go", Version: "1", MimeType: "text/x-go", FileExtension: ".go"}},
		`{"status":"ok","protocol_version":"5.5","implementation":"i","implementation_version":"1","banner":"b","debugger":false,
		"language_info":{"name":"go","version":"1","mimetype":"text/x-go","file_extension":".go"},"supported_features":[]}`},
	"execute_reply": {ExecuteReply{Reply: OK(), ExecutionCount: 3},
		`{"status":"ok","execution_count":3,"user_expressions":{},"payload":[]}`},
	"execute_reply that failed": {ExecuteReply{Reply: Fail("E", ""), ExecutionCount: 3},
		`{"status":"error","ename":"E","evalue":"","traceback":[],"execution_count":3,"user_expressions":{},"payload":[]}`},
	"execute_reply with payload": {ExecuteReply{Reply: OK(), Payload: []map[string]any{PagePayload(Bundle{"text/plain": "help"}), NextInputPayload("x", true)}},
		`{"status":"ok","execution_count":0,"user_expressions":{},"payload":[{"source":"page","data":{"text/plain":"help"},"start":0},
		{"source":"set_next_input","text":"x","replace":true}]}`},
	"user expression": {UserExpression{Reply: OK(), Data: Bundle{"text/plain": "1"}},
		`{"status":"ok","data":{"text/plain":"1"},"metadata":{}}`},
	"aborted":       {InterruptReply{Aborted()}, `{"status":"error","ename":"Aborted","evalue":"an earlier cell failed or was interrupted","traceback":[]}`},
	"execute_input": {ExecuteInput{Code: "1<2", ExecutionCount: 1}, `{"code":"1<2","execution_count":1}`},
	"complete_reply": {CompleteReply{Reply: OK(), CursorStart: 1, CursorEnd: 2},
		`{"status":"ok","matches":[],"cursor_start":1,"cursor_end":2,"metadata":{}}`},
	"inspect_reply":              {InspectReply{Reply: OK()}, `{"status":"ok","found":false,"data":{},"metadata":{}}`},
	"is_complete_reply":          {IsCompleteReply{Status: "incomplete", Indent: "\t"}, `{"status":"incomplete","indent":"\t"}`},
	"history_reply empty":        {HistoryReply{Reply: OK()}, `{"status":"ok","history":[]}`},
	"history_reply":              {HistoryReply{Reply: OK(), History: []HistoryEntry{{Session: 1, Line: 2, Input: "a"}}}, `{"status":"ok","history":[[1,2,"a"]]}`},
	"history_reply with outputs": {HistoryReply{Reply: OK(), History: []HistoryEntry{{Session: 1, Line: 2, Input: "a", Output: "b", Pair: true}}}, `{"status":"ok","history":[[1,2,["a","b"]]]}`},
	"comm_info_reply empty":      {CommInfoReply{Reply: OK()}, `{"status":"ok","comms":{}}`},
	"comm_info_reply":            {CommInfoReply{Reply: OK(), Comms: map[string]CommTarget{"1": {"t"}}}, `{"status":"ok","comms":{"1":{"target_name":"t"}}}`},
	"comm_open":                  {CommOpen{CommID: "1", TargetName: "t"}, `{"comm_id":"1","target_name":"t","data":{}}`},
	"comm_msg":                   {CommMsg{CommID: "1", Data: json.RawMessage(`{"a":1}`)}, `{"comm_id":"1","data":{"a":1}}`},
	"comm_close":                 {CommClose{CommID: "1"}, `{"comm_id":"1","data":{}}`},
	"connect_reply":              {ConnectReply{OK(), 1, 2, 3, 4, 5}, `{"status":"ok","shell_port":1,"iopub_port":2,"stdin_port":3,"hb_port":4,"control_port":5}`},
	"shutdown_reply":             {ShutdownReply{OK(), true}, `{"status":"ok","restart":true}`},
	"interrupt_reply":            {InterruptReply{OK()}, `{"status":"ok"}`},
	"input_request":              {InputRequest{"name?", true}, `{"prompt":"name?","password":true}`},
	"usage_reply": {UsageReply{Hostname: "h", PID: 1, KernelMemory: 2, CPUCount: 3},
		`{"hostname":"h","pid":1,"kernel_cpu":0,"kernel_memory":2,"cpu_count":3,"host_cpu_percent":0,"host_virtual_memory":{}}`},
	"debug_reply":           {DebugReply{Seq: 1, Type: "response", RequestSeq: 2, Command: "c", Message: "m"}, `{"seq":1,"type":"response","request_seq":2,"success":false,"command":"c","message":"m"}`},
	"debug_event":           {DebugEvent{Seq: 1, Type: "event", Event: "e"}, `{"seq":1,"type":"event","event":"e"}`},
	"create_subshell_reply": {CreateSubshellReply{OK(), "s"}, `{"status":"ok","subshell_id":"s"}`},
	"list_subshell_reply":   {ListSubshellReply{Reply: OK()}, `{"status":"ok","subshell_id":[]}`},
	"stream":                {Stream{"stdout", "a\nb"}, `{"name":"stdout","text":"a\nb"}`},
	"display_data":          {DisplayData{}, `{"data":{},"metadata":{},"transient":{}}`},
	"display_data with all": {DisplayData{Data: Bundle{"image/png": []byte{1, 2, 3}, "text/plain": "x", "application/json": json.RawMessage(`[1]`), "n": 1.5},
		Metadata: Bundle{"image/png": map[string]int{"width": 4}}, Transient: Bundle{"display_id": "d"}},
		`{"data":{"application/json":[1],"image/png":"AQID","n":1.5,"text/plain":"x"},"metadata":{"image/png":{"width":4}},"transient":{"display_id":"d"}}`},
	"pointer":        {&ExecuteResult{ExecutionCount: 2}, `{"execution_count":2,"data":{},"metadata":{},"transient":{}}`},
	"clear_output":   {ClearOutput{true}, `{"wait":true}`},
	"error":          {Error{EName: "E", EValue: "v"}, `{"ename":"E","evalue":"v","traceback":[]}`},
	"error with all": {Error{"E", "v", []string{"a", "b"}}, `{"ename":"E","evalue":"v","traceback":["a","b"]}`},
	"status":         {Status{"idle"}, `{"execution_state":"idle"}`},
	"iopub_welcome":  {IOPubWelcome{""}, `{"subscription":""}`},
	"any map":        {map[string]any{"a": "<"}, `{"a":"<"}`},
	"raw":            {json.RawMessage(` {"a": 1}`), `{"a":1}`},
}

func TestContents(t *testing.T) {
	for name, c := range contents {
		t.Run(name, func(t *testing.T) {
			m, err := NewMessage("x", nil, c.content)
			if err != nil {
				t.Fatal(err)
			}
			if !equalJSON(t, []byte(c.want), m.Content) {
				t.Errorf("got %s, want %s", m.Content, c.want)
			}
			// The direct way of writing gives what encoding/json gives.
			if std, err := json.Marshal(c.content); err != nil || !equalJSON(t, std, m.Content) {
				t.Errorf("encoding/json gives %s, %v; here %s", std, err, m.Content)
			}
		})
	}
}

func TestContentsThatCannotBe(t *testing.T) {
	for name, content := range map[string]any{
		"a list":          []int{1},
		"text":            "x",
		"raw list":        json.RawMessage("[]"),
		"raw nonsense":    json.RawMessage("{"),
		"a channel":       map[string]any{"a": make(chan int)},
		"not a number":    DisplayData{Data: Bundle{"a": math.NaN()}},
		"raw in a bundle": DisplayData{Data: Bundle{"a": json.RawMessage("{")}},
	} {
		if m, err := NewMessage(TypeDisplayData, nil, content); err == nil || !strings.Contains(err.Error(), TypeDisplayData) {
			t.Errorf("%s: content %v, error %v", name, m, err)
		}
	}
}

func TestDecodeRequests(t *testing.T) {
	s := session(t, "")
	for _, c := range []struct {
		content    string
		into, want any
	}{
		{`{"code":"1"}`, &ExecuteRequest{}, &ExecuteRequest{Code: "1", StoreHistory: true, AllowStdin: true, StopOnError: true}},
		{`{"code":"1","silent":true,"store_history":true}`, &ExecuteRequest{}, &ExecuteRequest{Code: "1", Silent: true, AllowStdin: true, StopOnError: true}},
		{`{"code":"1","store_history":false,"allow_stdin":false,"stop_on_error":false,"user_expressions":{"a":"b"}}`, &ExecuteRequest{},
			&ExecuteRequest{Code: "1", UserExpressions: map[string]string{"a": "b"}}},
		{`{"code":"x.","cursor_pos":2}`, &CompleteRequest{}, &CompleteRequest{"x.", 2}},
		{`{"code":"x","cursor_pos":1,"detail_level":1}`, &InspectRequest{}, &InspectRequest{"x", 1, 1}},
		{`{"code":"{"}`, &IsCompleteRequest{}, &IsCompleteRequest{"{"}},
		{`{"hist_access_type":"search","pattern":"a*","unique":true,"n":3,"output":true,"raw":true}`, &HistoryRequest{},
			&HistoryRequest{HistAccessType: "search", Pattern: "a*", Unique: true, N: 3, Output: true, Raw: true}},
		{`{"hist_access_type":"range","session":-1,"start":2,"stop":5}`, &HistoryRequest{}, &HistoryRequest{HistAccessType: "range", Session: -1, Start: 2, Stop: 5}},
		{`{"target_name":"t"}`, &CommInfoRequest{}, &CommInfoRequest{"t"}},
		{`{"comm_id":"1","target_name":"t","data":{"a":[1]}}`, &CommOpen{}, &CommOpen{CommID: "1", TargetName: "t", Data: json.RawMessage(`{"a":[1]}`)}},
		{`{"restart":true}`, &ShutdownRequest{}, &ShutdownRequest{true}},
		{`{"value":"x","status":"ok"}`, &InputReply{}, &InputReply{Status: "ok", Value: "x"}},
		{`{"seq":1,"type":"request","command":"initialize","arguments":{}}`, &DebugRequest{}, &DebugRequest{1, "request", "initialize", json.RawMessage(`{}`)}},
		{`{"subshell_id":"s"}`, &Subshell{}, &Subshell{"s"}},
		{`{"status":"error","ename":"E","evalue":"v","traceback":["t"],"execution_count":2}`, &ExecuteReply{}, &ExecuteReply{Reply: Fail("E", "v", "t"), ExecutionCount: 2}},
		{`{"status":"ok","history":[[1,2,"a"],[1,3,["b","c"]],[1,4,["d",null]]]}`, &HistoryReply{},
			&HistoryReply{Reply: OK(), History: History{{1, 2, "a", "", false}, {1, 3, "b", "c", true}, {1, 4, "d", "", true}}}},
	} {
		m := decoded(t, s, `{"msg_id":"1","msg_type":"some_request"}`, c.content)
		if err := m.Decode(c.into); err != nil {
			t.Errorf("%s: %v", c.content, err)
		} else if d := cmp.Diff(c.want, c.into); d != "" {
			t.Errorf("%s: -want +got\n%s", c.content, d)
		}
	}
	m := decoded(t, s, `{"msg_id":"1","msg_type":"execute_request"}`, `{"code":1}`)
	if err := m.Decode(&ExecuteRequest{}); err == nil || !strings.Contains(err.Error(), "execute_request") {
		t.Errorf("code that is a number: %v", err)
	}
	for _, bad := range []string{`[]`, `[1,2,3]`, `[1,2,[]]`, `["a",2,"b"]`, `{}`, `null`} {
		if err := json.Unmarshal([]byte(bad), new(HistoryEntry)); err == nil && bad != "null" {
			t.Errorf("history entry %s: no error", bad)
		}
	}
	if err := new(Message).Decode(&ShutdownRequest{}); err != nil {
		t.Errorf("empty content: %v", err)
	}
}

// Any text, UTF-8 or not, is written as encoding/json would.
func TestStringsAreWrittenLikeEncodingJSON(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, s string) {
		got := appendString(nil, s)
		var back, std string
		if err := json.Unmarshal(got, &back); err != nil {
			t.Fatalf("%q became %s: %v", s, got, err)
		}
		b, err := json.Marshal(s)
		if err == nil {
			err = json.Unmarshal(b, &std)
		}
		if err != nil || back != std || !utf8.Valid(got) {
			t.Fatalf("%q became %s, encoding/json gives %s (%v)", s, got, b, err)
		}
	}
	for _, s := range []string{"", "a", "\x00\x1f\x7f\"\\\n\r\t\b", "é\u2028\u2029\U0001f600", "\xff", "a\xffb", "\xed\xa0\x80", "é\xc3", "�"} {
		check(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s"))
	})
}

func TestCursors(t *testing.T) {
	const text = "aé\U0001f600b" // 1, 2, 4 and 1 bytes
	for cursor, offset := range []int{0, 1, 3, 7, 8} {
		if got := ByteOffset(text, cursor); got != offset {
			t.Errorf("cursor %d is byte %d, want %d", cursor, got, offset)
		}
		if got := CursorPos(text, offset); got != cursor {
			t.Errorf("byte %d is cursor %d, want %d", offset, got, cursor)
		}
	}
	if a, b, c := ByteOffset(text, -1), ByteOffset(text, 99), ByteOffset("", 0); a != 0 || b != len(text) || c != 0 {
		t.Errorf("outside: %d, %d, %d", a, b, c)
	}
	if a, b := CursorPos(text, -1), CursorPos(text, 99); a != 0 || b != 4 {
		t.Errorf("outside: %d, %d", a, b)
	}
}

// A picture costs one pass over its base64 text, not several.
func BenchmarkDisplayPicture(b *testing.B) {
	s := session(b, "key")
	picture := make([]byte, 206<<10)
	text := base64.StdEncoding.EncodeToString(picture)
	for name, data := range map[string]any{"bytes": picture, "base64": text} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				m, err := NewMessage(TypeDisplayData, nil, DisplayData{Data: Bundle{"image/png": data, "text/plain": "picture"}})
				if err == nil {
					_, err = s.Encode(nil, m)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStream(b *testing.B) {
	s := session(b, "key")
	parent, err := NewMessage(TypeExecuteRequest, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := NewMessage(TypeStream, parent, Stream{"stdout", "a line of text that is as long as many\n"})
		if err == nil {
			_, err = s.Encode(nil, m)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	s := session(b, "key")
	m, err := NewMessage(TypeExecuteRequest, nil, ExecuteRequest{Code: "fmt.Println(1)"})
	if err != nil {
		b.Fatal(err)
	}
	frames, err := s.Encode(nil, m)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := s.Decode(frames); err != nil {
			b.Fatal(err)
		}
	}
}
