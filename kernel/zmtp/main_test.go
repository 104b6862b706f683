package zmtp

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 20 * time.Second // of tests, for what should happen at once

// logs collects the lines of a socket.
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

// endpoints are those that sockets are tested on.
func endpoints(t *testing.T) map[string]string {
	return map[string]string{"tcp": "tcp://127.0.0.1:0", "ipc": "ipc://" + filepath.Join(t.TempDir(), "s")}
}

// at is the endpoint of a socket, with the port it got.
func at(s interface{ Addr() net.Addr }) string {
	if a := s.Addr(); a.Network() == "unix" {
		return "ipc://" + a.String()
	}
	return "tcp://" + s.Addr().String()
}

func router(t *testing.T, endpoint string, o Options) *RouterSocket {
	t.Helper()
	s, err := ListenRouter(endpoint, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s
}

func xpub(t *testing.T, endpoint string, o Options) *XPubSocket {
	t.Helper()
	s, err := ListenXPub(endpoint, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s
}

func echo(t *testing.T, endpoint string, o Options) *EchoSocket {
	t.Helper()
	s, err := ListenEcho(endpoint, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(0) })
	return s
}

func dial(t *testing.T, kind Kind, endpoint, identity string) *Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := Dial(ctx, kind, endpoint, identity, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(0) })
	return c
}

// subscribed is a SUB whose subscription to everything is in place.
func subscribed(t *testing.T, s *XPubSocket) *Conn {
	t.Helper()
	c := dial(t, Sub, at(s), "")
	mark := fmt.Sprintf("mark %p", c) // comes after the subscription, and goes again
	for _, err := range []error{c.Subscribe(""), c.Subscribe(mark)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "subscription", func() bool { return s.hasTopic(mark) })
	if err := c.Unsubscribe(mark); err != nil {
		t.Fatal(err)
	}
	eventually(t, "unsubscription", func() bool { return !s.hasTopic(mark) })
	return c
}

func (s *XPubSocket) hasTopic(topic string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, topics := range s.topics {
		if topics[topic] > 0 {
			return true
		}
	}
	return false
}

func (s *XPubSocket) subscriptions() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, topics := range s.topics {
		n += len(topics)
	}
	return n
}

func send(t *testing.T, c *Conn, frames ...string) {
	t.Helper()
	if err := c.Send(bytesOf(frames...)); err != nil {
		t.Fatal(err)
	}
}

func bytesOf(frames ...string) (b [][]byte) {
	for _, f := range frames {
		b = append(b, []byte(f))
	}
	return b
}

func text(frames [][]byte) string { return string(bytes.Join(frames, []byte("|"))) }

func receive[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v, ok := <-ch:
		if !ok {
			t.Fatal("the channel is closed")
		}
		return v
	case <-time.After(patience):
		t.Fatalf("nothing came within %v", patience)
	}
	panic("unreachable")
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not happen within %v", what, patience)
		}
	}
}

// A raw peer writes and reads bytes, put together here by hand from the protocol's
// description and not with the code under test.
type raw struct {
	t *testing.T
	net.Conn
}

func rawDial(t *testing.T, s interface{ Addr() net.Addr }) raw {
	t.Helper()
	c, err := net.Dial(s.Addr().Network(), s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return raw{t, c}
}

var rawGreeting = "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x01NULL" + strings.Repeat("\x00", 48)

func rawReady(kind, identity string) string {
	body := "\x05READY\x0bSocket-Type" + rawValue(kind) + "\x08Identity" + rawValue(identity)
	return "\x04" + string(rune(len(body))) + body
}

func rawValue(v string) string { return string(binary.BigEndian.AppendUint32(nil, uint32(len(v)))) + v }

func rawFrame(flags byte, body string) string {
	if len(body) < 256 {
		return string([]byte{flags, byte(len(body))}) + body
	}
	return string(binary.BigEndian.AppendUint64([]byte{flags | 2}, uint64(len(body)))) + body
}

func (r raw) write(s string) {
	r.t.Helper()
	r.SetWriteDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(r, s); err != nil {
		r.t.Fatal(err)
	}
}

// greet does the handshake and reads the socket's half of it.
func (r raw) greet(kind, identity string) raw {
	r.t.Helper()
	r.write(rawGreeting + rawReady(kind, identity))
	r.read(64)
	r.frame()
	return r
}

func (r raw) read(n int) string {
	r.t.Helper()
	r.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		r.t.Fatalf("reading %d bytes: %v", n, err)
	}
	return string(b)
}

func (r raw) frame() (flags byte, body string) {
	r.t.Helper()
	h := r.read(2)
	n := int(h[1])
	if h[0]&2 != 0 {
		n = int(binary.BigEndian.Uint64([]byte(h[1:] + r.read(7))))
	}
	return h[0], r.read(n)
}

// isCut waits for the end of the connection and returns what came before it.
func (r raw) isCut() string {
	r.t.Helper()
	r.SetReadDeadline(time.Now().Add(patience))
	b, err := io.ReadAll(r)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		r.t.Fatalf("the connection was not ended within %v", patience)
	}
	return string(b)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
