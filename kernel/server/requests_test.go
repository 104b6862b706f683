package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

func failing(link.Events) (*link.Process, error) { return nil, errors.New("no space left on device") }

func TestKernelInfo(t *testing.T) {
	k := start(t, nil)
	for _, ch := range []transport.Channel{transport.Shell, transport.Control} {
		var r wire.KernelInfoReply
		msgs := k.ask(ch, wire.TypeKernelInfoRequest, nil, &r)
		if got := kinds(msgs); got != "busy idle" {
			t.Errorf("%v: %s", ch, got)
		}
		l := r.LanguageInfo
		if r.Status != "ok" || r.ProtocolVersion != "5.5" || l.Name != "go" || l.MimeType != "text/x-go" || l.FileExtension != ".go" ||
			l.CodeMirrorMode != "go" || l.PygmentsLexer != "go" || l.NBConvertExporter != "" || r.Debugger || len(r.SupportedFeatures) != 0 {
			t.Errorf("%v: %+v", ch, r)
		}
	}
}

// Cursor positions count code points: 😀 is one of them, two UTF-16 units and four bytes.
func TestCompleteCountsCodePoints(t *testing.T) {
	k := start(t, nil)
	var r wire.CompleteReply
	k.ask(transport.Shell, wire.TypeCompleteRequest, wire.CompleteRequest{Code: `s := "😀"; fmt.Prin rest`, CursorPos: 18}, &r)
	if r.Status != "ok" || fmt.Sprint(r.Matches) != "[Println]" || r.CursorStart != 14 || r.CursorEnd != 18 {
		t.Errorf("got %+v, want Println for 14 to 18", r)
	}
	types, _ := r.Metadata["_jupyter_types_experimental"].([]any)
	if len(types) != 1 || fmt.Sprint(types[0]) != "map[end:18 signature:func() start:14 text:Println type:function]" {
		t.Errorf("types %v", types)
	}
	k.ask(transport.Shell, wire.TypeCompleteRequest, wire.CompleteRequest{Code: "é", CursorPos: 99}, &r)
	if r.CursorEnd != 1 {
		t.Errorf("a cursor behind the end: %+v", r)
	}
}

func TestInspect(t *testing.T) {
	k := start(t, nil)
	var r wire.InspectReply
	k.ask(transport.Shell, wire.TypeInspectRequest, wire.InspectRequest{Code: "é known", CursorPos: 3, DetailLevel: 1}, &r)
	if !r.Found || !strings.Contains(fmt.Sprint(r.Data["text/plain"]), "at byte 4, detail 1") || !strings.Contains(fmt.Sprint(r.Data["text/markdown"]), "```go\nfunc known()") {
		t.Errorf("got %+v", r)
	}
	r = wire.InspectReply{}
	k.ask(transport.Shell, wire.TypeInspectRequest, wire.InspectRequest{Code: "nothing", CursorPos: 3}, &r)
	if r.Status != "ok" || r.Found || len(r.Data) != 0 {
		t.Errorf("unknown: %+v", r)
	}
}

func TestIsComplete(t *testing.T) {
	k := start(t, nil)
	var r wire.IsCompleteReply
	k.ask(transport.Shell, wire.TypeIsCompleteRequest, wire.IsCompleteRequest{Code: "func f() {"}, &r)
	if r.Status != "incomplete" || r.Indent != "\t" {
		t.Errorf("got %+v", r)
	}
	k.ask(transport.Shell, wire.TypeIsCompleteRequest, wire.IsCompleteRequest{Code: "%help"}, &r)
	if r.Status != "complete" {
		t.Errorf("a special line: %+v", r)
	}
}

// Everything but cells is answered while a cell runs.
func TestAnswersWhileBusy(t *testing.T) {
	k := start(t, nil)
	k.busy("block")
	for _, q := range []struct {
		ch      transport.Channel
		msgType string
		content any
	}{
		{transport.Shell, wire.TypeKernelInfoRequest, nil},
		{transport.Control, wire.TypeKernelInfoRequest, nil},
		{transport.Shell, wire.TypeCompleteRequest, wire.CompleteRequest{Code: "a", CursorPos: 1}},
		{transport.Shell, wire.TypeInspectRequest, wire.InspectRequest{Code: "known"}},
		{transport.Shell, wire.TypeIsCompleteRequest, wire.IsCompleteRequest{Code: "a"}},
		{transport.Shell, wire.TypeHistoryRequest, wire.HistoryRequest{HistAccessType: "tail", N: 3}},
		{transport.Shell, wire.TypeCommInfoRequest, nil},
		{transport.Control, wire.TypeUsageRequest, nil},
		{transport.Control, wire.TypeDebugRequest, wire.DebugRequest{Seq: 4, Type: "request", Command: "debugInfo"}},
	} {
		msgs := k.ask(q.ch, q.msgType, q.content, nil)
		if got := kinds(msgs); got != "busy idle" {
			t.Errorf("%s: %s", q.msgType, got)
		}
	}
	k.interrupt()
}

func TestUsageAndDebug(t *testing.T) {
	k := start(t, nil)
	var u wire.UsageReply
	k.ask(transport.Control, wire.TypeUsageRequest, nil, &u)
	if u.PID == 0 || u.CPUCount == 0 || (link.MachineMemory() > 0 && u.KernelMemory < 1<<20) {
		t.Errorf("usage %+v", u)
	}
	var d wire.DebugReply
	k.ask(transport.Control, wire.TypeDebugRequest, wire.DebugRequest{Seq: 4, Type: "request", Command: "debugInfo"}, &d)
	if d.Success || d.RequestSeq != 4 || d.Command != "debugInfo" || d.Type != "response" || !strings.Contains(d.Message, "not supported") {
		t.Errorf("debug %+v", d)
	}
}

func TestConnect(t *testing.T) {
	k := start(t, func(o *Options) { o.Ports = &wire.ConnectReply{ShellPort: 5001, HBPort: 5005} })
	var r wire.ConnectReply
	k.ask(transport.Shell, wire.TypeConnectRequest, nil, &r)
	if r.Status != "ok" || r.ShellPort != 5001 || r.HBPort != 5005 {
		t.Errorf("got %+v", r)
	}
}

func TestInput(t *testing.T) {
	k := start(t, nil)
	for answer, want := range map[string]string{"Ada": "got \"Ada\"\n", "": "got \"\"\n", "\x04": "EOF\n"} {
		id := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "print question\npassword name?", "allow_stdin": true})
		m := k.receive(k.client.Receive(transport.Stdin), "input_request")
		var q wire.InputRequest
		h, _ := m.ParentHeader()
		if m.Decode(&q); q.Prompt != "name?" || !q.Password || h.MsgID != id {
			t.Errorf("input_request %+v of %s", q, h.MsgID)
		}
		k.send(transport.Stdin, wire.TypeInputReply, wire.InputReply{Value: answer})
		k.reply(transport.Shell, id, nil)
		if got := text(k.published(id), "stdout"); got != "question\n"+want {
			t.Errorf("answer %q: printed %q", answer, got)
		}
	}
	for _, answer := range []any{map[string]any{"value": 5}, map[string]any{"status": "error", "ename": "x", "evalue": "y"}} {
		id := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "input name?", "allow_stdin": true})
		k.receive(k.client.Receive(transport.Stdin), "input_request")
		k.send(transport.Stdin, wire.TypeInputReply, answer)
		k.reply(transport.Shell, id, nil)
		if got := text(k.published(id), "stdout"); got != "EOF\n" {
			t.Errorf("%v is no answer, and the cell printed %q", answer, got)
		}
	}
	var r wire.ExecuteReply
	k.ask(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "input name?", "allow_stdin": false}, &r)
	if r.Status != "error" || !strings.Contains(r.EValue, "cannot be asked") {
		t.Errorf("not allowed: %+v", r)
	}
	// An interrupt ends the question.
	id := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "input name?\nblock", "allow_stdin": true})
	k.receive(k.client.Receive(transport.Stdin), "input_request")
	k.interrupt()
	if k.reply(transport.Shell, id, &r); r.Status != "error" {
		t.Errorf("interrupted: %+v", r)
	}
}

func TestComms(t *testing.T) {
	k := start(t, nil)
	id := k.send(transport.Shell, wire.TypeCommOpen, wire.CommOpen{CommID: "c1", TargetName: "nobody", Data: json.RawMessage("{}")})
	msgs := k.published(id)
	if got := kinds(msgs); got != "busy comm_close idle" {
		t.Errorf("comm_open of an unknown target: %s", got)
	}
	if c := content(t, msgs, wire.TypeCommClose); c["comm_id"] != "c1" {
		t.Errorf("comm_close %v", c)
	}
	// A message of a comm that is not open is answered with a close too: the page learns that
	// what it belonged to has ended with an earlier evaluator.
	for kind, want := range map[string]string{wire.TypeCommMsg: "busy comm_close idle", wire.TypeCommClose: "busy idle"} {
		if got := kinds(k.published(k.send(transport.Shell, kind, wire.CommMsg{CommID: "c1", Data: json.RawMessage("{}")}))); got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	var r wire.CommInfoReply
	k.ask(transport.Shell, wire.TypeCommInfoRequest, nil, &r)
	if r.Status != "ok" || r.Comms == nil || len(r.Comms) != 0 {
		t.Errorf("comm_info %+v", r)
	}
}

func TestUnknownAndMalformed(t *testing.T) {
	k := start(t, nil)
	if got := kinds(k.published(k.send(transport.Shell, "no_such_request", nil))); got != "busy idle" {
		t.Errorf("unknown request: %s", got)
	}
	for msgType, content := range map[string]any{
		wire.TypeExecuteRequest:    map[string]any{"code": 5},
		wire.TypeCompleteRequest:   map[string]any{"code": []int{}},
		wire.TypeInspectRequest:    map[string]any{"cursor_pos": "x"},
		wire.TypeIsCompleteRequest: map[string]any{"code": 5},
		wire.TypeHistoryRequest:    map[string]any{"n": "x"},
	} {
		var r wire.Reply
		k.ask(transport.Shell, msgType, content, &r)
		if r.Status != "error" || r.Error == nil || !strings.Contains(r.EValue, "content of "+msgType) {
			t.Errorf("%s: %+v", msgType, r)
		}
	}
	var r wire.Reply
	k.ask(transport.Shell, wire.TypeHistoryRequest, map[string]any{"hist_access_type": "bogus"}, &r)
	if r.Status != "error" || r.Error == nil || !strings.Contains(r.EValue, "tail, range and search") {
		t.Errorf("a history that there is not: %+v", r)
	}
}

func TestSpecialLines(t *testing.T) {
	k := start(t, nil)
	r, _ := k.run("%help")
	if len(r.Payload) != 1 || r.Payload[0]["source"] != "page" || !strings.Contains(fmt.Sprint(r.Payload[0]["data"]), "%who") {
		t.Errorf("%%help: %+v", r)
	}
	r, _ = k.run("\n%nonsense\nvalue 1")
	if r.Status != "error" || !strings.Contains(r.EValue, "%help") || !strings.Contains(strings.Join(r.Traceback, "\n"), "line 2") {
		t.Errorf("unknown: %+v", r)
	}
	r, _ = k.run("%reset")
	if r.Status != "ok" || k.starts != 2 {
		t.Errorf("%%reset: %+v, evaluators: %d", r, k.starts)
	}
	if _, msgs := k.run("%time\nvalue 1"); !strings.Contains(kinds(msgs), "execute_result") {
		t.Errorf("the Go below a special line did not run: %s", kinds(msgs))
	}
}

func TestShutdown(t *testing.T) {
	for _, ch := range []transport.Channel{transport.Shell, transport.Control} {
		k := start(t, nil)
		k.busy("block")
		var r wire.ShutdownReply
		id := k.send(ch, wire.TypeShutdownRequest, wire.ShutdownRequest{Restart: true})
		if k.reply(ch, id, &r); r.Status != "ok" || !r.Restart {
			t.Errorf("%v: %+v", ch, r)
		}
		if got := kinds(k.published(id)); got != "busy shutdown_reply idle" {
			t.Errorf("%v: %s", ch, got)
		}
		<-k.served
	}
}
