package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// busy sends a cell and waits until it runs.
func (k *kernel) busy(code string) string {
	k.t.Helper()
	id := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": code})
	for {
		m := k.receive(k.client.IOPub(), "execute_input")
		if m.Header.MsgType == wire.TypeExecuteInput {
			return id
		}
	}
}

func (k *kernel) interrupt() {
	k.t.Helper()
	var r wire.InterruptReply
	id := k.send(transport.Control, wire.TypeInterruptRequest, nil)
	if k.reply(transport.Control, id, &r); r.Status != "ok" {
		k.t.Errorf("interrupt_reply has status %q", r.Status)
	}
}

func TestInterrupt(t *testing.T) {
	k := start(t, nil)
	k.interrupt() // while nothing runs: nothing happens
	id := k.busy("block")
	queued := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "value 1", "stop_on_error": false})
	time.Sleep(20 * time.Millisecond)
	k.interrupt()
	var r, q wire.ExecuteReply
	k.reply(transport.Shell, id, &r)
	if r.Status != "error" || r.EName != "Interrupted" {
		t.Errorf("the interrupted cell: %+v", r)
	}
	k.reply(transport.Shell, queued, &q)
	if q.Status != "aborted" {
		t.Errorf("the queued cell: %+v", q)
	}
	if r, msgs := k.run("value 2"); r.Status != "ok" || k.starts != 1 {
		t.Errorf("afterwards: %+v %s, evaluators: %d", r, kinds(msgs), k.starts)
	}
}

func TestSecondInterruptEndsTheEvaluator(t *testing.T) {
	k := start(t, nil)
	id := k.busy("stuck")
	k.interrupt()
	k.interrupt() // a double click is one wish
	var note wire.Stream
	for m := k.receive(k.client.IOPub(), "note"); ; m = k.receive(k.client.IOPub(), "note") {
		if m.Header.MsgType == wire.TypeStream && m.Decode(&note) == nil {
			break
		}
	}
	if note.Name != "stderr" || !strings.Contains(note.Text, "time.Sleep") || !strings.Contains(note.Text, "lost") {
		t.Errorf("the note is %+v, want the function and what a second interrupt costs", note)
	}
	if k.starts != 1 {
		t.Fatal("the evaluator was ended by a double click")
	}
	time.Sleep(again)
	k.interrupt()
	var r wire.ExecuteReply
	k.reply(transport.Shell, id, &r)
	if tb := strings.Join(r.Traceback, "\n"); r.EName != "Interrupted" || !strings.Contains(tb, "second interrupt") || !strings.Contains(tb, "lost") {
		t.Errorf("reply %+v", r)
	}
	if r, _ := k.run("value 2"); r.Status != "ok" || k.starts != 2 {
		t.Errorf("afterwards: %+v, evaluators: %d", r, k.starts)
	}
}

// The function of a control can be stuck while no cell runs. A stop then ends the evaluator, unless
// the function has come back by itself: stop while idle does nothing.
func TestStopWhileAControlIsStuck(t *testing.T) {
	k := start(t, nil)
	k.run("value 1") // whose output it is
	s := k.server
	stuck := func(function string) {
		t.Helper()
		head, err := json.Marshal(link.StuckIn{Function: function})
		if err != nil {
			t.Fatal(err)
		}
		s.sup.mu.Lock()
		p := s.sup.proc
		s.sup.mu.Unlock()
		if err := s.frame(p, link.Frame{Kind: link.Stuck, Head: head}); err != nil {
			t.Fatal(err)
		}
	}
	stuck("io.ReadAll")
	var note wire.Stream
	for m := k.receive(k.client.IOPub(), "note"); m.Header.MsgType != wire.TypeStream || m.Decode(&note) != nil; m = k.receive(k.client.IOPub(), "note") {
	}
	if !strings.Contains(note.Text, "The function of a control is stuck in io.ReadAll") {
		t.Errorf("the note is %q", note.Text)
	}
	stuck("")
	k.interrupt()
	if r, _ := k.run("value 2"); r.Status != "ok" || k.starts != 1 {
		t.Errorf("a stop while idle: %+v, evaluators: %d", r, k.starts)
	}
	stuck("io.ReadAll")
	k.interrupt()
	for m := k.receive(k.client.IOPub(), "error"); m.Header.MsgType != wire.TypeError; m = k.receive(k.client.IOPub(), "error") {
	}
	if r, _ := k.run("value 3"); r.Status != "ok" || k.starts != 2 {
		t.Errorf("a second stop: %+v, evaluators: %d", r, k.starts)
	}
}

func TestDeathUnderACell(t *testing.T) {
	k := start(t, nil)
	const words = "panic: boom\n\ngoroutine 7 [running]:\nexample.com/user.f(...)\n\t/home/u/f.go:3 +0x1d\ngithub.com/traefik/yaegi/interp.runCfg(0x1)\n\t/go/run.go:1 +0x2\n"
	var r wire.ExecuteReply
	id := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": "print before\neprint by hand\ndie " + strings.ReplaceAll(words, "\n", "\r")})
	k.reply(transport.Shell, id, &r)
	msgs := k.published(id)
	// Two pipes cannot be ordered among themselves.
	got := strings.Replace(kinds(msgs), "stderr stdout", "stdout stderr", 1)
	if got != "busy execute_input stdout stderr error idle" {
		t.Errorf("messages %s", got)
	}
	if r.EName != "EvaluatorDied" || !strings.HasPrefix(r.EValue, "panic: boom") {
		t.Errorf("reply %+v", r)
	}
	if e := text(msgs, "stderr"); e != "by hand\n" {
		t.Errorf("stderr is %q: the runtime's words belong to the error alone", e)
	}
	if tb := strings.Join(r.Traceback, "\n"); !strings.Contains(tb, "lost") {
		t.Errorf("traceback %q does not say what is lost", tb)
	}
	if r, _ := k.run("value 2"); r.Status != "ok" {
		t.Errorf("afterwards: %+v", r)
	}
}

func TestKnownTrace(t *testing.T) {
	got := strings.Join(knownTrace("panic: boom\n\ngoroutine 7 [running]:\npanic({0x1})\n\t/go/panic.go:1 +0x2\nexample.com/user.f(...)\n\t/home/u/f.go:3 +0x1d\n"+
		"github.com/traefik/yaegi/interp.runCfg(0x1)\n\t/go/run.go:1 +0x2\n\ngoroutine 8 [select]:\nother.g()\n\t/x.go:1\n"), "\n")
	if want := "  example.com/user.f(...)\n      /home/u/f.go:3"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// An evaluator that cannot be started gives an error in the cell, and not a kernel that hangs.
func TestNoEvaluator(t *testing.T) {
	k := start(t, func(o *Options) { o.Start = failing })
	r, _ := k.run("value 1")
	if r.Status != "error" || r.EName != "NoEvaluator" || !strings.Contains(r.EValue, "no space left") {
		t.Errorf("reply %+v", r)
	}
	var c wire.CompleteReply
	k.ask(transport.Shell, wire.TypeCompleteRequest, wire.CompleteRequest{Code: "a", CursorPos: 1}, &c)
	if c.Status != "ok" || len(c.Matches) != 0 {
		t.Errorf("complete %+v", c)
	}
}
