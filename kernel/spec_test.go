package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// The tests of this file hold the kernel process, over its sockets, against what Jupyter's
// specification of messages says and no test suite checks.

// listening is a kernel process that any number of clients can connect to.
type listening struct {
	t     testing.TB
	conn  *transport.Connection
	ended chan error
}

func listen(t testing.TB) *listening {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := transport.NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "connection.json")
	if err := conn.Write(file); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "kernel", "-f", file)
	cmd.Env = append(os.Environ(), asTrivium+"=1", "TRIVIUM_HISTORY=none", "TRIVIUM_OUTPUT_RATE=none", "TRIVIUM_OUTPUT_LIMIT=100MB", "GOCOVERDIR="+t.TempDir())
	cmd.Stderr, cmd.WaitDelay = os.Stderr, 2*time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &listening{t, conn, make(chan error, 1)}
	go func() { l.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the test may have ended it
		select {
		case <-l.ended:
		case <-time.After(20 * time.Second):
			t.Error("the kernel process did not end")
		}
	})
	return l
}

// client connects a front end.
func (l *listening) client() *frontEnd {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 15*time.Second)
	defer cancel()
	c, err := transport.Dial(ctx, l.conn)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(c.Close)
	return &frontEnd{l.t, c}
}

// frontEnd is one client of a kernel.
type frontEnd struct {
	t testing.TB
	*transport.Client
}

func (f *frontEnd) send(ch transport.Channel, msgType string, content any) string {
	f.t.Helper()
	m, err := wire.NewMessage(msgType, nil, content)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Session().Stamp(m)
	if err := f.Client.Send(ch, m); err != nil {
		f.t.Fatal(err)
	}
	return m.Header.MsgID
}

func (f *frontEnd) execute(code string) string {
	f.t.Helper()
	return f.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": code})
}

// reply waits for the answer to a request.
func (f *frontEnd) reply(ch transport.Channel, id string) *wire.Message {
	f.t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case m, ok := <-f.Receive(ch):
			if !ok {
				f.t.Fatal("the kernel closed the connection")
			}
			if h, err := m.ParentHeader(); err == nil && h.MsgID == id {
				return m
			}
		case <-late:
			f.t.Fatal("no reply within 30 s")
		}
	}
}

// output calls each for what iopub brings for a request, until it is idle.
func (f *frontEnd) output(id string, each func(m *wire.Message)) {
	f.t.Helper()
	late := time.After(60 * time.Second)
	for {
		select {
		case m, ok := <-f.IOPub():
			if !ok {
				f.t.Fatal("the kernel closed iopub")
			}
			if h, err := m.ParentHeader(); err != nil || h.MsgID != id {
				continue
			}
			if each != nil {
				each(m)
			}
			var s wire.Status
			if m.Header.MsgType == wire.TypeStatus && m.Decode(&s) == nil && s.ExecutionState == "idle" {
				return
			}
		case <-late:
			f.t.Fatal("not idle within 60 s")
		}
	}
}

// kinds lists the types of a cell's messages with what matters of them.
func (f *frontEnd) kinds(id string) string {
	f.t.Helper()
	var out []string
	f.output(id, func(m *wire.Message) {
		var c struct {
			State     string         `json:"execution_state"`
			Text      string         `json:"text"`
			Wait      bool           `json:"wait"`
			Data      map[string]any `json:"data"`
			Transient map[string]any `json:"transient"`
		}
		if err := m.Decode(&c); err != nil {
			f.t.Fatal(err)
		}
		word := m.Header.MsgType
		switch {
		case c.State != "":
			word = c.State
		case c.Text != "":
			word += ":" + strings.TrimSpace(c.Text)
		case c.Data != nil:
			word += fmt.Sprintf(":%v@%v", c.Data["text/html"], c.Transient["display_id"])
		case m.Header.MsgType == wire.TypeClearOutput:
			word += fmt.Sprint(":", c.Wait)
		}
		out = append(out, word)
	})
	return strings.Join(out, " ")
}

func TestUpdatesAndClearedOutput(t *testing.T) {
	f := listen(t).client()
	for code, want := range map[string]string{
		`d := display.HTML("a"); d.Transient = display.MIMEMap{"display_id": "x"}; display.Display(d); display.Update("x", display.HTML("b"))`: "busy execute_input display_data:a@x update_display_data:b@x idle",
		`fmt.Println(1); nb.Clear(true); fmt.Println(2)`: "busy execute_input stream:1 clear_output:true stream:2 idle",
		`nb.Clear(false)`: "busy execute_input clear_output:false idle",
	} {
		if got := f.kinds(f.execute(code)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", code, got, want)
		}
	}
	// A later cell updates what an earlier one has shown.
	if got := f.kinds(f.execute(`display.Update("x", display.HTML("c"))`)); got != "busy execute_input update_display_data:c@x idle" {
		t.Errorf("a later cell: %s", got)
	}
}

// Two front ends have their own replies, see each other's output, and are asked for the input
// of their own cells only.
func TestTwoClients(t *testing.T) {
	l := listen(t)
	a, b := l.client(), l.client()
	one, two := a.execute("x := 1\nfmt.Println(\"from a\")"), b.execute("fmt.Println(\"from b\")")
	for _, f := range []*frontEnd{a, b} {
		seen := map[string]string{}
		late := time.After(20 * time.Second)
		for idle := 0; idle < 2; {
			select {
			case m := <-f.IOPub():
				h, _ := m.ParentHeader()
				var c struct {
					State string `json:"execution_state"`
					Text  string `json:"text"`
				}
				if err := m.Decode(&c); err != nil {
					t.Fatal(err)
				}
				seen[h.MsgID] += c.Text
				if c.State == "idle" && (h.MsgID == one || h.MsgID == two) {
					idle++
				}
			case <-late:
				t.Fatal("the cells did not end")
			}
		}
		if seen[one] != "from a\n" || seen[two] != "from b\n" {
			t.Errorf("seen %q", seen)
		}
	}
	for f, id := range map[*frontEnd]string{a: one, b: two} {
		var r wire.ExecuteReply
		if err := f.reply(transport.Shell, id).Decode(&r); err != nil || r.Status != "ok" {
			t.Errorf("reply %+v, %v", r, err)
		}
	}
	id := b.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": `s, err := nb.Input("? "); s`, "allow_stdin": true})
	select {
	case m := <-b.Receive(transport.Stdin):
		answer, err := wire.NewMessage(wire.TypeInputReply, m, wire.InputReply{Value: "b's"})
		if err != nil {
			t.Fatal(err)
		}
		b.Session().Stamp(answer)
		if err := b.Client.Send(transport.Stdin, answer); err != nil {
			t.Fatal(err)
		}
	case m := <-a.Receive(transport.Stdin):
		t.Fatalf("the other front end was asked: %s", m.Content)
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was asked")
	}
	var r wire.ExecuteReply
	if err := b.reply(transport.Shell, id).Decode(&r); err != nil || r.Status != "ok" {
		t.Errorf("reply %+v, %v", r, err)
	}
}

// A front end that goes away in the middle of a cell and comes back finds the variables.
func TestReconnectingClient(t *testing.T) {
	l := listen(t)
	first := l.client()
	id := first.execute("kept := 0\nfor i := 0; i < 10; i++ { kept++; fmt.Println(kept); time.Sleep(30*time.Millisecond) }")
	started := false
	for !started {
		m := <-first.IOPub()
		h, _ := m.ParentHeader()
		started = h.MsgID == id && m.Header.MsgType == wire.TypeStream
	}
	first.Close()
	second := l.client()
	if got := second.kinds(second.execute("fmt.Println(kept)")); got != "busy execute_input stream:10 idle" {
		t.Errorf("the second client saw %s", got)
	}
}

func TestLargeMessages(t *testing.T) {
	f := listen(t).client()
	const size = 10 << 20
	id := f.execute("s := `" + strings.Repeat("y", size) + "`\nnb.ShowHTML(s)\nlen(s)")
	var shown int
	var result string
	f.output(id, func(m *wire.Message) {
		var c wire.DisplayData
		if m.Header.MsgType == wire.TypeDisplayData || m.Header.MsgType == wire.TypeExecuteResult {
			if err := m.Decode(&c); err != nil {
				t.Fatal(err)
			}
			if html, ok := c.Data["text/html"].(string); ok {
				shown = len(html)
			} else {
				result = fmt.Sprint(c.Data["text/plain"])
			}
		}
	})
	if shown != size || result != fmt.Sprint(size) {
		t.Errorf("%d of %d bytes came back, the cell had %s", shown, size, result)
	}
}

// A front end that reads slowly gets every one of 20,000 messages, in order, and the idle.
func TestSlowSubscriber(t *testing.T) {
	f := listen(t).client()
	const n = 10000 // a stream before each display: two messages
	id := f.execute(fmt.Sprintf("for i := 0; i < %d; i++ { fmt.Println(i); nb.ShowHTML(fmt.Sprint(i)) }", n))
	messages, line, shown := 0, 0, 0
	f.output(id, func(m *wire.Message) {
		if messages++; messages%100 == 0 {
			time.Sleep(2 * time.Millisecond)
		}
		switch m.Header.MsgType {
		case wire.TypeStream:
			var s wire.Stream
			if err := m.Decode(&s); err != nil || s.Text != fmt.Sprintln(line) {
				t.Fatalf("line %d is %q, %v", line, s.Text, err)
			}
			line++
		case wire.TypeDisplayData:
			if want := fmt.Sprintf(`"%d"`, shown); !strings.Contains(string(m.Content), want) {
				t.Fatalf("picture %d is %s", shown, m.Content)
			}
			shown++
		}
	})
	if line != n || shown != n {
		t.Errorf("%d lines and %d pictures of %d came", line, shown, n)
	}
}

func TestShutdownWhileBusy(t *testing.T) {
	for _, code := range []string{"for {}", "time.Sleep(time.Hour)", "!sleep 100"} {
		l := listen(t)
		f := l.client()
		cell := f.execute(code)
		for busy := false; !busy; {
			m := <-f.IOPub()
			h, _ := m.ParentHeader()
			busy = h.MsgID == cell && m.Header.MsgType == wire.TypeExecuteInput
		}
		id := f.send(transport.Control, wire.TypeShutdownRequest, wire.ShutdownRequest{})
		var r wire.ShutdownReply
		if err := f.reply(transport.Control, id).Decode(&r); err != nil || r.Status != "ok" || r.Restart {
			t.Errorf("%s: %+v %v", code, r, err)
		}
		select {
		case err := <-l.ended:
			if err != nil {
				t.Errorf("%s: the kernel ended with %v", code, err)
			}
			l.ended <- nil
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the kernel goes on", code)
		}
	}
}

// Usage is what JupyterLab's status bar shows.
func TestUsage(t *testing.T) {
	f := listen(t).client()
	f.kinds(f.execute("held := bytes.Repeat([]byte{1}, 200<<20)"))
	var u struct {
		CPU    float64 `json:"kernel_cpu"`
		Memory int64   `json:"kernel_memory"`
		PID    int     `json:"pid"`
		Count  int     `json:"cpu_count"`
	}
	if err := f.reply(transport.Control, f.send(transport.Control, wire.TypeUsageRequest, nil)).Decode(&u); err != nil {
		t.Fatal(err)
	}
	if u.PID == 0 || u.Count == 0 {
		t.Errorf("usage %+v", u)
	}
	if _, err := os.Stat("/proc/self/statm"); err == nil && u.Memory < 200<<20 {
		t.Errorf("a kernel that holds 200 MB uses %d MB", u.Memory>>20)
	}
}

// A cell for GoNB asks for the line that it then scans.
func TestRequestedInput(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("this system does not tell who waits for input")
	}
	f := listen(t).client()
	id := f.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"allow_stdin": true,
		"code": "import \"github.com/janpfeifer/gonb/gonbui\"\ngonbui.RequestInput(\"who? \", true)\nvar s string\nfmt.Scanln(&s)\nfmt.Println(\"it is\", s)"})
	select {
	case m := <-f.Receive(transport.Stdin):
		var r wire.InputRequest
		if err := m.Decode(&r); err != nil || r.Prompt != "who? " || !r.Password {
			t.Errorf("asked %+v, %v", r, err)
		}
		answer, err := wire.NewMessage(wire.TypeInputReply, m, wire.InputReply{Value: "Ada"})
		if err != nil {
			t.Fatal(err)
		}
		f.Session().Stamp(answer)
		if err := f.Client.Send(transport.Stdin, answer); err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was asked")
	}
	if got := f.kinds(id); got != "busy execute_input stream:it is Ada idle" {
		t.Errorf("then %s", got)
	}
}
