package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

func TestOrderOfMessages(t *testing.T) {
	k := start(t, nil)
	for code, want := range map[string]string{
		"value 6":                               "busy execute_input execute_result idle",
		"print a\nvalue 6":                      "busy execute_input stdout execute_result idle",
		"print a\nshow b\nprint c":              "busy execute_input stdout display_data stdout idle",
		"eprint b\nfail c":                      "busy execute_input stderr error idle",
		"clear\nprint a\nclear wait\nshow b":    "busy execute_input clear_output stdout clear_output display_data idle",
		"":                                      "busy execute_input idle",
		"show a\nshow b\nprint c\nvalue d":      "busy execute_input display_data display_data stdout execute_result idle",
		strings.Repeat("print a\nshow b\n", 20): "busy execute_input" + strings.Repeat(" stdout display_data", 20) + " idle",
	} {
		_, msgs := k.run(code)
		if got := kinds(msgs); got != want {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
}

func TestExecuteFields(t *testing.T) {
	k := start(t, nil)
	r, msgs := k.run("value x")
	if r.Status != "ok" || r.ExecutionCount != 1 || r.UserExpressions == nil || r.Payload == nil {
		t.Errorf("reply %+v, want ok, count 1, empty expressions and payload", r)
	}
	in := content(t, msgs, wire.TypeExecuteInput)
	if in["code"] != "value x" || in["execution_count"] != 1.0 {
		t.Errorf("execute_input %v", in)
	}
	res := content(t, msgs, wire.TypeExecuteResult)
	if data := res["data"].(map[string]any); data["text/plain"] != "x" || res["execution_count"] != 1.0 || res["metadata"] == nil {
		t.Errorf("execute_result %v", res)
	}

	r, msgs = k.run("print a\nfail no such thing")
	e := content(t, msgs, wire.TypeError)
	tb := fmt.Sprint(e["traceback"])
	if r.Status != "error" || r.ExecutionCount != 2 || r.EName != "CompileError" || r.EName != e["ename"] || r.EValue != e["evalue"] {
		t.Errorf("reply %+v and error %v, want the same CompileError, count 2", r, e)
	}
	for _, part := range []string{"Cell [2], line 2", "no such thing", "fail no such thing", "     ^", "do not say fail"} {
		if !strings.Contains(tb, part) {
			t.Errorf("traceback %q lacks %q", tb, part)
		}
	}
	for code, want := range map[string][2]string{"panic boom": {"panic", "boom (Cell [3], line 1)"}, "exit 3": {"Exit", "exit status 3"}} {
		if r, _ := k.run(code); r.EName != want[0] || (code == "exit 3" && r.EValue != want[1]) || !strings.HasPrefix(r.EValue, want[1][:4]) {
			t.Errorf("%s: %s: %s, want %v", code, r.EName, r.EValue, want)
		}
	}
	r, _ = k.run("gopanic far away")
	if r.Status != "error" || r.EName != "panic" || !strings.Contains(r.EValue, "far away") {
		t.Errorf("a goroutine's panic: %+v", r)
	}
	if k.starts != 1 {
		t.Errorf("%d evaluators were started; errors of cells must not end one", k.starts)
	}
}

func TestSilentAndNotStored(t *testing.T) {
	k := start(t, nil)
	k.run("value 1")
	var r wire.ExecuteReply
	msgs := k.ask(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "print a\nshow b\nvalue c", "silent": true}, &r)
	if got := kinds(msgs); got != "busy idle" || r.ExecutionCount != 1 {
		t.Errorf("silent: %s and count %d, want only the status and count 1", got, r.ExecutionCount)
	}
	msgs = k.ask(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "print a", "store_history": false}, &r)
	if got := kinds(msgs); got != "busy execute_input stdout idle" || r.ExecutionCount != 1 {
		t.Errorf("not stored: %s and count %d, want the output and count 1", got, r.ExecutionCount)
	}
	if r, _ := k.run("value 2"); r.ExecutionCount != 2 {
		t.Errorf("the next stored cell has count %d, want 2", r.ExecutionCount)
	}
	if h := k.server.history.find(&wire.HistoryRequest{HistAccessType: "tail"}); len(h) != 2 {
		t.Errorf("history holds %v, want the two stored cells", h)
	}
}

func TestUserExpressions(t *testing.T) {
	k := start(t, nil)
	var r wire.ExecuteReply
	k.ask(transport.Shell, wire.TypeExecuteRequest, map[string]any{
		"code": "print a", "user_expressions": map[string]string{"good": "expression", "bad": "nonsense"},
	}, &r)
	good, _ := r.UserExpressions["good"].(map[string]any)
	bad, _ := r.UserExpressions["bad"].(map[string]any)
	if good["status"] != "ok" || fmt.Sprint(good["data"]) != "map[text/plain:42]" {
		t.Errorf("good: %v", good)
	}
	if bad["status"] != "error" || bad["ename"] != "CompileError" || !strings.Contains(fmt.Sprint(bad["evalue"]), "undefined: nonsense") {
		t.Errorf("bad: %v", bad)
	}
}

func TestStopOnError(t *testing.T) {
	for _, stop := range []bool{true, false} {
		k := start(t, nil)
		var ids []string
		for _, code := range []string{"fail x", "value 1", "value 2"} {
			ids = append(ids, k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": code, "stop_on_error": stop}))
		}
		var got []string
		for _, id := range ids {
			var r wire.ExecuteReply
			k.reply(transport.Shell, id, &r)
			got = append(got, r.Status)
		}
		want := "[error ok ok]"
		if stop {
			want = "[error aborted aborted]"
		}
		if fmt.Sprint(got) != want {
			t.Errorf("stop_on_error %v: %v, want %s", stop, got, want)
		}
		// A cell that is sent after the failure was seen runs.
		if r, _ := k.run("value 3"); r.Status != "ok" {
			t.Errorf("stop_on_error %v: a later cell has status %s", stop, r.Status)
		}
	}
}

func TestOutputAfterTheCell(t *testing.T) {
	k := start(t, nil)
	id := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "later hello"})
	k.reply(transport.Shell, id, nil)
	k.published(id)
	m := k.receive(k.client.IOPub(), "late text")
	var s wire.Stream
	h, _ := m.ParentHeader()
	if m.Decode(&s); m.Header.MsgType != wire.TypeStream || s.Text != "hello\n" || h.MsgID != id {
		t.Errorf("got %s %+v of %s, want the text with the header of the cell that ended", m.Header.MsgType, s, h.MsgID)
	}
}

func TestManyLinesInFewMessages(t *testing.T) {
	k := start(t, nil)
	began := time.Now()
	_, msgs := k.run("flood 10000")
	var want strings.Builder
	for i := range 10000 {
		fmt.Fprintln(&want, "line", i)
	}
	if text(msgs, "stdout") != want.String() {
		t.Error("lines are missing or out of order")
	}
	if n := len(msgs) - 3; n >= 20 {
		t.Errorf("%d stream messages, want less than 20", n)
	}
	t.Logf("10,000 lines in %v, %d messages", time.Since(began), len(msgs)-3)
}

func TestRunesAreNotCut(t *testing.T) {
	k := start(t, nil)
	word := strings.Repeat("é世🙂", 20_000) // 180 kB: several reads of the pipe, several messages
	_, msgs := k.run("print " + word + "\nbytes f09f\nbytes 9982")
	if got := text(msgs, "stdout"); got != word+"\n🙂" {
		t.Errorf("%d bytes came back of %d, or runes were cut", len(got), len(word)+5)
	}
}

func TestOutputLimit(t *testing.T) {
	k := start(t, func(o *Options) { o.OutputLimit = 1000 })
	_, msgs := k.run("flood 10000\nshow still there")
	if n := len(text(msgs, "stdout")); n != 1000 {
		t.Errorf("%d bytes of text, want 1000", n)
	}
	if note := text(msgs, "stderr"); !strings.Contains(note, "95.6 kB of text left out") || !strings.Contains(note, "TRIVIUM_OUTPUT_LIMIT") || strings.Count(note, "left out") != 1 {
		t.Errorf("the note is %q", note)
	}
	if !strings.Contains(kinds(msgs), "display_data") {
		t.Errorf("what is shown does not count as text: %s", kinds(msgs))
	}
	if _, msgs := k.run("print again"); text(msgs, "stdout") != "again\n" {
		t.Error("the next cell has a limit of its own")
	}
}

func TestOutputRate(t *testing.T) {
	k := start(t, func(o *Options) { o.OutputRate = 2_000_000 })
	began := time.Now()
	_, msgs := k.run("flood 200000") // 2.2 MB: 0.7 MB above the burst take a third of a second
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("2.2 MB took %v, too fast for 2 MB a second after a burst of 1.5 MB", took)
	}
	if n := strings.Count(text(msgs, "stdout"), "\n"); n != 200000 {
		t.Errorf("%d lines of 200000", n)
	}
}
