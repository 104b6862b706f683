package zmtp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Everything that was published before Close arrives, even at a subscriber that starts to
// read later.
func TestCloseDeliversWhatIsQueued(t *testing.T) {
	for name, endpoint := range endpoints(t) {
		for _, c := range []struct{ count, size int }{{1, 100}, {100, 100}, {5000, 100}, {500, 100_000}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, c.count, c.size), func(t *testing.T) {
				s := xpub(t, endpoint, Options{})
				at := subscribed(t, s)
				for i := range c.count {
					s.Publish(numbered(i, c.size))
				}
				closed := make(chan struct{})
				go func() {
					defer close(closed)
					s.Close(3 * time.Second)
				}()
				time.Sleep(10 * time.Millisecond)
				if got := collect(t, at, c.count); got != c.count {
					t.Errorf("got %d", got)
				}
				<-closed
				s.Publish(bytesOf("nobody is there")) // does nothing
			})
		}
	}
}

func TestCloseDeliversReplies(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	c := dial(t, Dealer, at(s), "me")
	send(t, c, "ask")
	receive(t, s.Incoming())
	for i := range 50 {
		if err := s.Send("me", numbered(i, 100_000)); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 {
		send(t, c, "a request that comes too late") // unread input must not reset the connection
	}
	go s.Close(3 * time.Second)
	if got := collect(t, c, 50); got != 50 {
		t.Errorf("got %d of 50", got)
	}
	s.Close(0)
	if err := s.Send("me", bytesOf("x")); !errors.Is(err, ErrNoPeer) {
		t.Errorf("sending on a closed socket: %v", err)
	}
	for m := range s.Incoming() {
		if text(m.Frames) != "a request that comes too late" {
			t.Errorf("got %q", m.Frames)
		}
	}
}

func TestCloseDoesNotWaitForStuckPeersForEver(t *testing.T) {
	var log logs
	s := xpub(t, "tcp://127.0.0.1:0", Options{Logf: log.printf})
	rawDial(t, s).greet("SUB", "").write(rawFrame(0, "\x01")) // subscribes and never reads
	rawDial(t, s)                                             // never says anything
	eventually(t, "subscription", func() bool { return s.subscriptions() == 1 })
	for i := range 50 {
		s.Publish(numbered(i, 1<<20))
	}
	start := time.Now()
	s.Close(100 * time.Millisecond)
	if d := time.Since(start); d < 90*time.Millisecond || d > patience {
		t.Errorf("closing with a linger of 100 ms took %v", d)
	}
	if !strings.Contains(log.text(), "not delivered within 100ms") {
		t.Errorf("log is %q", log.text())
	}
}

func TestCloseIsPromptWhenNothingIsQueued(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	dial(t, Dealer, at(s), "")
	start := time.Now()
	s.Close(10 * time.Second)
	s.Close(10 * time.Second)
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestConnectionsComeAndGoWithoutTrace(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	before := runtime.NumGoroutine()
	for i := range 100 {
		switch c := rawDial(t, s); i % 3 {
		case 0:
			c.write(rawGreeting[:20])
			c.Close()
		case 1:
			c.greet("DEALER", "")
			c.Close()
		default:
			c.Close()
		}
	}
	eventually(t, "leaving", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.conns) == 0 && len(s.byID) == 0 })
	eventually(t, "goroutines ending", func() bool { return runtime.NumGoroutine() <= before })
}

func TestIPCFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	s := router(t, "ipc://"+path, Options{})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, %v", info.Mode(), err)
	}
	// A second one finds that the first is alive, and leaves it alone.
	if _, err := ListenRouter("ipc://"+path, Options{}); err == nil || !strings.Contains(err.Error(), "another program uses it") {
		t.Errorf("listening twice: %v", err)
	}
	c := dial(t, Dealer, "ipc://"+path, "")
	send(t, c, "still there")
	receive(t, s.Incoming())
	c.Close(0)
	s.Close(0)
	if exists(path) {
		t.Error("the file is there after Close")
	}
}

// A killed process leaves its socket file behind.
func TestStaleIPCFileIsTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	stale := router(t, "ipc://"+path, Options{})
	stale.ln.(interface{ SetUnlinkOnClose(bool) }).SetUnlinkOnClose(false)
	stale.Close(0)
	if !exists(path) {
		t.Fatal("no stale file to test with")
	}
	s := router(t, "ipc://"+path, Options{})
	send(t, dial(t, Dealer, "ipc://"+path, ""), "hello")
	receive(t, s.Incoming())
}

func TestIPCDoesNotRemoveOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(path, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ListenRouter("ipc://"+path, Options{}); err == nil || !strings.Contains(err.Error(), "is not a socket") {
		t.Errorf("listening on a file: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "data" {
		t.Errorf("the file is now %q, %v", data, err)
	}
}

func TestListenErrors(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	for endpoint, says := range map[string]string{
		at(s):                        "another program uses it",
		"tcp://127.0.0.1":            "missing port",
		"tcp://:5555":                "tcp://*:5555 means all interfaces",
		"tcp://192.0.2.1:1":          "cannot listen on tcp://192.0.2.1:1",
		"inproc://x":                 "neither tcp://host:port nor ipc://path",
		"ipc://":                     "neither tcp://host:port nor ipc://path",
		"ipc:///no/such/directory/s": "cannot listen on ipc:///no/such/directory/s",
		"ipc://" + strings.Repeat("/too-long", 20): "cannot listen",
	} {
		_, err := ListenXPub(endpoint, Options{})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error is %v, want %q in it", endpoint, err, says)
		}
	}
}

// A socket is reachable on the address it was given and on no other.
func TestListensOnTheGivenAddressOnly(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	_, port, _ := strings.Cut(s.Addr().String(), ":")
	if _, err := Dial(t.Context(), Dealer, "tcp://127.0.0.2:"+port, "", Options{}); err == nil {
		t.Error("a socket on 127.0.0.1 answers on 127.0.0.2")
	}
	all := router(t, "tcp://*:0", Options{})
	_, port, _ = strings.Cut(strings.ReplaceAll(all.Addr().String(), "[::]", ""), ":")
	dial(t, Dealer, "tcp://127.0.0.1:"+port, "")
}
