package transport

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"trivium/kernel/wire"
	"trivium/kernel/zmtp"
)

// logs collects the lines of a server.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *logs) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// connections gives one connection per transport.
func connections(t *testing.T) map[string]*Connection {
	tcp, err := NewConnection()
	if err != nil {
		t.Fatal(err)
	}
	ipc := *tcp
	ipc.Transport, ipc.IP = "ipc", filepath.Join(t.TempDir(), "k")
	ipc.ShellPort, ipc.IOPubPort, ipc.StdinPort, ipc.ControlPort, ipc.HBPort = 1, 2, 3, 4, 5
	return map[string]*Connection{"tcp": tcp, "ipc": &ipc}
}

// both runs a test on sockets of both kinds and in memory.
func both(t *testing.T, test func(t *testing.T, s Server, c *Client)) {
	t.Run("memory", func(t *testing.T) {
		s, c := Pair()
		defer s.Close(time.Second)
		defer c.Close()
		test(t, s, c)
	})
	for name, conn := range connections(t) {
		t.Run(name, func(t *testing.T) {
			s, err := Listen(conn, t.Logf)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(time.Second)
			c := dial(t, conn)
			defer c.Close()
			test(t, s, c)
		})
	}
}

func dial(t *testing.T, conn *Connection) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := Dial(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func message(t *testing.T, msgType string, parent *wire.Message, content any) *wire.Message {
	t.Helper()
	m, err := wire.NewMessage(msgType, parent, content)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func receive[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v, ok := <-ch:
		if !ok {
			t.Fatalf("%s: the channel is closed", what)
		}
		return v
	case <-time.After(20 * time.Second):
		t.Fatalf("%s: nothing came within 20 s", what)
	}
	panic("unreachable")
}

func TestRoundTrip(t *testing.T) {
	both(t, func(t *testing.T, s Server, c *Client) {
		for _, ch := range []Channel{Shell, Control} {
			ask := message(t, wire.TypeExecuteRequest, nil, wire.ExecuteRequest{Code: "1+1"})
			ask.Buffers = [][]byte{{0, 1, 2}, {}}
			if err := c.Send(ch, ask); err != nil {
				t.Fatal(err)
			}
			req := receive(t, "request", s.Requests(ch))
			var content wire.ExecuteRequest
			if err := req.Decode(&content); err != nil || content.Code != "1+1" || req.Channel != ch {
				t.Fatalf("request is %+v on %v, %v", content, req.Channel, err)
			}
			if len(req.Buffers) != 2 || string(req.Buffers[0]) != "\x00\x01\x02" || len(req.Buffers[1]) != 0 {
				t.Fatalf("buffers are %v", req.Buffers)
			}
			s.Publish(message(t, wire.TypeStream, req.Message, wire.Stream{Name: "stdout", Text: "<2>"}))
			if err := s.Reply(req, message(t, wire.TypeExecuteReply, req.Message, wire.ExecuteReply{Reply: wire.OK()})); err != nil {
				t.Fatal(err)
			}
			for what, m := range map[string]*wire.Message{"reply": receive(t, "reply", c.Receive(ch)), "output": receive(t, "output", c.IOPub())} {
				if p, err := m.ParentHeader(); err != nil || p.MsgID != ask.Header.MsgID || p.Session != c.Session().ID() {
					t.Errorf("%s: parent is %+v, %v", what, p, err)
				}
				if m.Header.Session != s.Session().ID() || m.Header.Version != "5.5" {
					t.Errorf("%s: header is %+v", what, m.Header)
				}
			}
		}
	})
}

func TestInputGoesToTheAskerOnStdin(t *testing.T) {
	both(t, func(t *testing.T, s Server, c *Client) {
		if err := c.Send(Shell, message(t, wire.TypeExecuteRequest, nil, wire.ExecuteRequest{})); err != nil {
			t.Fatal(err)
		}
		req := receive(t, "request", s.Requests(Shell))
		if err := s.Input(req, message(t, wire.TypeInputRequest, req.Message, wire.InputRequest{Prompt: "name?"})); err != nil {
			t.Fatal(err)
		}
		ask := receive(t, "input_request", c.Receive(Stdin))
		if err := c.Send(Stdin, message(t, wire.TypeInputReply, ask, wire.InputReply{Value: "Ada"})); err != nil {
			t.Fatal(err)
		}
		var got wire.InputReply
		if err := receive(t, "input_reply", s.Requests(Stdin)).Decode(&got); err != nil || got.Value != "Ada" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestControlIsServedWhileShellIsNot(t *testing.T) {
	both(t, func(t *testing.T, s Server, c *Client) {
		for range 500 { // nobody takes these
			if err := c.Send(Shell, message(t, wire.TypeExecuteRequest, nil, nil)); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Send(Control, message(t, wire.TypeInterruptRequest, nil, nil)); err != nil {
			t.Fatal(err)
		}
		if got := receive(t, "interrupt", s.Requests(Control)).Header.MsgType; got != wire.TypeInterruptRequest {
			t.Errorf("got %s", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := c.Heartbeat(ctx); err != nil {
			t.Error(err)
		}
		if err := c.Heartbeat(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseDeliversAndEndsChannels(t *testing.T) {
	both(t, func(t *testing.T, s Server, c *Client) {
		const n = 3000
		for range n {
			s.Publish(message(t, wire.TypeStream, nil, wire.Stream{Name: "stdout", Text: "line\n"}))
		}
		go s.Close(5 * time.Second)
		for i := range n {
			if m := receive(t, fmt.Sprint("message ", i), c.IOPub()); m.Header.MsgType != wire.TypeStream {
				t.Fatalf("message %d is %s", i, m.Header.MsgType)
			}
		}
		if _, open := <-c.IOPub(); open {
			t.Error("more than was sent")
		}
		for ch := Shell; ch <= Stdin; ch++ {
			if _, open := <-s.Requests(ch); open {
				t.Errorf("%s: a request that nobody sent", ch)
			}
			if _, open := <-c.Receive(ch); open {
				t.Errorf("%s: a message that nobody sent", ch)
			}
		}
		s.Close(0)
	})
}

// A raw subscriber sees the welcome: no parent, its topic as content, and first of all.
func TestWelcome(t *testing.T) {
	for name, conn := range connections(t) {
		t.Run(name, func(t *testing.T) {
			s, err := Listen(conn, t.Logf)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(0)
			for _, topic := range []string{"", "kernel.status"} {
				sub, err := zmtp.Dial(t.Context(), zmtp.Sub, conn.endpoint(conn.IOPubPort), "", zmtp.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer sub.Close(0)
				if err := sub.Subscribe(topic); err != nil {
					t.Fatal(err)
				}
				frames := receive(t, "welcome", sub.Incoming())
				ids, m, err := s.Session().Decode(frames)
				if err != nil {
					t.Fatal(err)
				}
				if got := string(m.Content); got != fmt.Sprintf(`{"subscription":%q}`, topic) {
					t.Errorf("content is %s", got)
				}
				if string(m.Parent) != "{}" || m.Header.MsgType != "iopub_welcome" || string(ids[0]) != "kernel.iopub_welcome" {
					t.Errorf("parent %s, type %s, topic %s", m.Parent, m.Header.MsgType, ids)
				}
				s.Publish(message(t, wire.TypeStream, nil, wire.Stream{}))
				s.Publish(message(t, wire.TypeStatus, nil, wire.Status{ExecutionState: "idle"}))
				want := "kernel.stream"
				if topic != "" {
					want = topic
				}
				if f := receive(t, "output", sub.Incoming()); string(f[0]) != want {
					t.Errorf("subscribed to %q, got %s first", topic, f[0])
				}
			}
		})
	}
}

func TestBadMessagesAreDroppedAndLogged(t *testing.T) {
	conn := connections(t)["tcp"]
	var log logs
	s, err := Listen(conn, log.printf)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(0)
	raw, err := zmtp.Dial(t.Context(), zmtp.Dealer, conn.endpoint(conn.ShellPort), "intruder", zmtp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close(0)
	other, err := wire.NewSession([]byte("another key"), "", "intruder")
	if err != nil {
		t.Fatal(err)
	}
	forged, err := other.Encode(nil, message(t, wire.TypeExecuteRequest, nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	bad := [][][]byte{forged, {[]byte("hello")}, {{}}, {[]byte("<IDS|MSG>")}}
	for range 100 {
		for _, frames := range bad {
			if err := raw.Send(frames); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := dial(t, conn)
	defer c.Close()
	if err := c.Send(Shell, message(t, wire.TypeKernelInfoRequest, nil, nil)); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, "request", s.Requests(Shell)).Header.MsgType; got != wire.TypeKernelInfoRequest {
		t.Errorf("got %s", got)
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		text := log.text()
		if strings.Contains(text, wire.ErrSignature.Error()) && strings.Contains(text, wire.ErrMalformed.Error()) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("log is %q", text)
		}
		time.Sleep(time.Millisecond)
	}
	if n := strings.Count(log.text(), "\n"); n > 25 {
		t.Errorf("400 bad messages made %d lines", n)
	}
}

func TestDialWaitsForAKernelThatStarts(t *testing.T) {
	for name, conn := range connections(t) {
		t.Run(name, func(t *testing.T) {
			started := make(chan Server, 1)
			time.AfterFunc(100*time.Millisecond, func() {
				s, err := Listen(conn, t.Logf)
				if err != nil {
					t.Error(err)
				}
				started <- s
			})
			c := dial(t, conn)
			s := <-started
			s.Publish(message(t, wire.TypeStatus, nil, wire.Status{ExecutionState: "starting"}))
			receive(t, "what was published right after", c.IOPub())
			c.Close()
			s.Close(0)
		})
	}
}

func TestDialGivesUp(t *testing.T) {
	conn := connections(t)["tcp"]
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Dial(ctx, conn)
	if err == nil || !strings.Contains(err.Error(), "refused") || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("error is %v", err)
	}
}

func TestPortInUse(t *testing.T) {
	conn := connections(t)["tcp"]
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", conn.HBPort))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Listen(conn, t.Logf)
	if err == nil || !strings.Contains(err.Error(), "heartbeat") || !strings.Contains(err.Error(), fmt.Sprint(conn.HBPort)) {
		t.Fatalf("error is %v", err)
	}
	// The sockets that could be opened were closed again.
	free, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", conn.ShellPort))
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
}

func TestReplyToNobody(t *testing.T) {
	conn := connections(t)["tcp"]
	s, err := Listen(conn, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(0)
	for name, req := range map[string]Request{
		"no identity":      {Channel: Shell},
		"unknown identity": {Channel: Shell, Identities: [][]byte{[]byte("nobody")}},
		"unknown channel":  {Channel: 7, Identities: [][]byte{[]byte("nobody")}},
	} {
		if err := s.Reply(req, message(t, wire.TypeExecuteReply, nil, nil)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSessionsDoNotMix(t *testing.T) {
	// Two front ends at once: each gets its own replies, both get the output.
	conn := connections(t)["tcp"]
	s, err := Listen(conn, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(0)
	clients := []*Client{dial(t, conn), dial(t, conn)}
	for i, c := range clients {
		defer c.Close()
		m := message(t, wire.TypeExecuteRequest, nil, wire.ExecuteRequest{Code: fmt.Sprint(i)})
		if err := c.Send(Shell, m); err != nil {
			t.Fatal(err)
		}
	}
	for range clients {
		req := receive(t, "request", s.Requests(Shell))
		if err := s.Reply(req, message(t, wire.TypeExecuteReply, req.Message, nil)); err != nil {
			t.Fatal(err)
		}
		s.Publish(message(t, wire.TypeStatus, req.Message, wire.Status{ExecutionState: "idle"}))
	}
	for i, c := range clients {
		p, err := receive(t, "reply", c.Receive(Shell)).ParentHeader()
		if err != nil || p.Session != c.Session().ID() {
			t.Errorf("client %d got a reply to %+v, %v", i, p, err)
		}
		receive(t, "output", c.IOPub())
		receive(t, "output of the other", c.IOPub())
	}
}
