package server

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"trivium/kernel/display"
	"trivium/kernel/eval"
	"trivium/kernel/host"
	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is an evaluator of a language of one command per line, so that these tests say what
// a kernel does and not what Go does. It runs in this process, behind the real link.
type fake struct {
	h              *host.Host
	stdout, stderr *os.File
	die            chan string // the runtime's last words
	released       chan struct{}
}

func (f *fake) Run(ctx context.Context, cell eval.Cell) (o eval.Outcome) {
	for i, line := range strings.Split(cell.Source, "\n") {
		name, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch name {
		case "":
		case "print":
			fmt.Fprintln(f.stdout, arg)
		case "bytes": // in hexadecimal: text that is no UTF-8 does not come through a message
			b, _ := hex.DecodeString(arg)
			f.stdout.Write(b)
		case "eprint":
			fmt.Fprintln(f.stderr, arg)
		case "flood":
			n, _ := strconv.Atoi(arg)
			for i := range n {
				fmt.Fprintln(f.stdout, "line", i)
			}
		case "show":
			display.Current().Show(picture(arg))
		case "clear":
			display.Current().Clear(arg == "wait")
		case "value":
			o.Values = []eval.Value{{V: arg, Type: "string", Text: arg}}
		case "expression":
			o.Values = []eval.Value{{V: 42, Type: "int", Text: "42"}}
		case "fail":
			o.Err = &eval.CompileError{Diagnostics: []eval.Diagnostic{{Cell: cell.N, Line: i + 1, Col: 6, Text: arg, Source: line, Hint: "do not say fail"}}}
			return o
		case "panic":
			o.Err = &eval.PanicError{Text: arg, Cell: cell.N, Trace: []eval.Frame{{Cell: cell.N, Line: i + 1}}}
			return o
		case "exit":
			n, _ := strconv.Atoi(arg)
			o.Err = &eval.ExitError{Code: n}
			return o
		case "block":
			<-ctx.Done()
			o.Err = eval.ErrInterrupted
			return o
		case "stuck": // in compiled code, deaf to interrupts
			<-ctx.Done()
			f.h.Stuck("time.Sleep")
			<-f.released
			o.Err = eval.ErrInterrupted
			return o
		case "die":
			f.die <- strings.ReplaceAll(arg, "\r", "\n")
			<-f.released
		case "input", "password":
			line, err := f.h.Input(ctx, arg, name == "password")
			switch {
			case errors.Is(err, io.EOF):
				fmt.Fprintln(f.stdout, "EOF")
			case err != nil:
				o.Err = &eval.ValueError{Value: err}
				return o
			default:
				fmt.Fprintf(f.stdout, "got %q\n", line)
			}
		case "gopanic":
			f.h.GoPanic(&eval.PanicError{Text: arg, Go: true, Cell: cell.N})
		case "later":
			go func() {
				time.Sleep(30 * time.Millisecond)
				fmt.Fprintln(f.stdout, arg)
			}()
		default:
			o.Err = &eval.CompileError{Diagnostics: []eval.Diagnostic{{Cell: cell.N, Line: i + 1, Col: 1, Text: "undefined: " + name, Source: line}}}
			return o
		}
	}
	return o
}

func (f *fake) Complete(src string, offset int) eval.Completion {
	start := strings.LastIndexAny(src[:offset], " .") + 1
	return eval.Completion{Start: start, End: offset, Items: []eval.Item{{Text: src[start:offset] + "tln", Kind: "function", Type: "func()"}}}
}

func (f *fake) Inspect(src string, offset, detail int) (eval.Doc, bool) {
	if !strings.Contains(src, "known") {
		return eval.Doc{}, false
	}
	return eval.Doc{Name: "known", Signature: "func known()", Text: fmt.Sprintf("at byte %d, detail %d", offset, detail)}, true
}

func (f *fake) IsComplete(src string) (status, indent string) {
	if strings.HasSuffix(src, "{") {
		return "incomplete", "\t"
	}
	return "complete", ""
}

type picture string

func (p picture) MIMEBundle() (data, metadata map[string]any) {
	return map[string]any{display.HTML: "<b>" + string(p) + "</b>", display.Text: string(p)}, nil
}

// kernel is a server with fakes behind it and a client before it.
type kernel struct {
	t      *testing.T
	server *Server
	client *transport.Client
	served chan struct{}

	replies map[string]*wire.Message // that came before they were waited for

	mu       sync.Mutex
	starts   int
	released chan struct{}
}

func start(t *testing.T, change func(*Options)) *kernel {
	t.Helper()
	tr, client := transport.Pair()
	k := &kernel{t: t, client: client, served: make(chan struct{}), released: make(chan struct{}), replies: map[string]*wire.Message{}}
	o := Options{Transport: tr, Start: k.evaluator, Version: "test", Logf: t.Logf, OutputRate: -1}
	if change != nil {
		change(&o)
	}
	var err error
	if k.server, err = New(o); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(k.served)
		k.server.Serve(ctx)
		tr.Close(time.Second)
	}()
	t.Cleanup(func() {
		close(k.released)
		stop()
		select {
		case <-k.served:
		case <-time.After(10 * time.Second):
			t.Error("the server did not end within 10 s")
		}
		client.Close()
	})
	return k
}

func (k *kernel) evaluator(events link.Events) (*link.Process, error) {
	k.mu.Lock()
	k.starts++
	k.mu.Unlock()
	return link.Local(events, func(conn *link.Conn, stdout, stderr *os.File) string {
		f := &fake{stdout: stdout, stderr: stderr, die: make(chan string, 1), released: k.released}
		served := make(chan struct{})
		go func() {
			defer close(served)
			host.Serve(host.Options{Conn: conn, New: func(h *host.Host) (eval.Evaluator, error) {
				f.h = h
				return f, nil
			}})
		}()
		select {
		case words := <-f.die:
			io.WriteString(stderr, words)
			return words
		case <-served:
			return ""
		}
	})
}

// send sends a request and returns its id.
func (k *kernel) send(ch transport.Channel, msgType string, content any) string {
	k.t.Helper()
	m, err := wire.NewMessage(msgType, nil, content)
	if err != nil {
		k.t.Fatal(err)
	}
	k.client.Session().Stamp(m)
	if err := k.client.Send(ch, m); err != nil {
		k.t.Fatal(err)
	}
	return m.Header.MsgID
}

// receive waits for the next message of a channel.
func (k *kernel) receive(from <-chan *wire.Message, what string) *wire.Message {
	k.t.Helper()
	select {
	case m, ok := <-from:
		if !ok {
			k.t.Fatalf("the connection ended while %s was waited for", what)
		}
		return m
	case <-time.After(10 * time.Second):
		k.t.Fatalf("no %s within 10 s", what)
	}
	return nil
}

// reply waits for the reply to a request; others may come first.
func (k *kernel) reply(ch transport.Channel, id string, into any) *wire.Message {
	k.t.Helper()
	for {
		m := k.replies[id]
		if m == nil {
			m = k.receive(k.client.Receive(ch), "reply")
		}
		h, err := m.ParentHeader()
		if err != nil {
			k.t.Fatal(err)
		}
		if h.MsgID != id {
			k.replies[h.MsgID] = m
			continue
		}
		if into != nil {
			if err := m.Decode(into); err != nil {
				k.t.Fatal(err)
			}
		}
		return m
	}
}

// published collects what iopub brings for a request, up to its idle.
func (k *kernel) published(id string) []*wire.Message {
	k.t.Helper()
	var out []*wire.Message
	for {
		m := k.receive(k.client.IOPub(), "iopub message of the request")
		if h, err := m.ParentHeader(); err != nil || h.MsgID != id {
			continue
		}
		out = append(out, m)
		var s wire.Status
		if m.Header.MsgType == wire.TypeStatus && m.Decode(&s) == nil && s.ExecutionState == "idle" {
			return out
		}
	}
}

// ask sends a request and returns what came of it; the reply is decoded into reply.
func (k *kernel) ask(ch transport.Channel, msgType string, content, reply any) []*wire.Message {
	k.t.Helper()
	id := k.send(ch, msgType, content)
	k.reply(ch, id, reply)
	return k.published(id)
}

// run runs a cell.
func (k *kernel) run(code string) (wire.ExecuteReply, []*wire.Message) {
	k.t.Helper()
	var r wire.ExecuteReply
	msgs := k.ask(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": code}, &r)
	return r, msgs
}

// kinds names messages, status by its state and streams by their name.
func kinds(msgs []*wire.Message) string {
	var out []string
	for _, m := range msgs {
		var content struct {
			State string `json:"execution_state"`
			Name  string `json:"name"`
		}
		m.Decode(&content)
		switch m.Header.MsgType {
		case wire.TypeStatus:
			out = append(out, content.State)
		case wire.TypeStream:
			out = append(out, content.Name)
		default:
			out = append(out, m.Header.MsgType)
		}
	}
	return strings.Join(out, " ")
}

// text joins the text of a stream.
func text(msgs []*wire.Message, name string) string {
	var b strings.Builder
	for _, m := range msgs {
		var s wire.Stream
		if m.Header.MsgType == wire.TypeStream && m.Decode(&s) == nil && s.Name == name {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// content decodes the first message of a type.
func content(t *testing.T, msgs []*wire.Message, msgType string) map[string]any {
	t.Helper()
	for _, m := range msgs {
		if m.Header.MsgType == msgType {
			var c map[string]any
			if err := m.Decode(&c); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatalf("no %s among %s", msgType, kinds(msgs))
	return nil
}
