package zmtp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestRouterAnswersEachPeer(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	conns := []*Conn{dial(t, Dealer, at(s), "named"), dial(t, Dealer, at(s), ""), dial(t, Dealer, at(s), "")}
	for i, c := range conns {
		send(t, c, fmt.Sprint("from ", i))
	}
	for range conns {
		m := receive(t, s.Incoming())
		if err := s.Send(m.Peer, append(m.Frames, []byte("to it"))); err != nil {
			t.Error(err)
		}
	}
	for i, c := range conns {
		if got := text(receive(t, c.Incoming())); got != fmt.Sprintf("from %d|to it", i) {
			t.Errorf("peer %d got %q", i, got)
		}
	}
	if err := s.Send("nobody", bytesOf("x")); !errors.Is(err, ErrNoPeer) {
		t.Errorf("sending to nobody: %v", err)
	}
	if err := s.Send("named", nil); err == nil {
		t.Error("a message without frames was sent")
	}
}

func TestNewestPeerTakesOverAnIdentity(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	old := dial(t, Dealer, at(s), "me")
	send(t, old, "1")
	receive(t, s.Incoming())
	newer := dial(t, Dealer, at(s), "me")
	send(t, newer, "2")
	m := receive(t, s.Incoming())
	if err := s.Send(m.Peer, bytesOf("answer")); err != nil {
		t.Fatal(err)
	}
	if got := text(receive(t, newer.Incoming())); got != "answer" {
		t.Errorf("the new one got %q", got)
	}
	if m, open := <-old.Incoming(); open {
		t.Errorf("the old one got %q", m)
	}
}

// What the old peer did not read goes to the new one, whole and in order.
func TestTakingOverUnsentMessages(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	stuck := rawDial(t, s).greet("DEALER", "me") // never reads
	stuck.write("\x00\x05hello")
	receive(t, s.Incoming())
	const count, size = 40, 1 << 20 // more than the system's buffers take
	for i := range count {
		if err := s.Send("me", numbered(i, size)); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond) // the writer fills the buffers
	c := dial(t, Dealer, at(s), "me")
	if err := s.Send("me", bytesOf("last")); err != nil {
		t.Fatal(err)
	}
	next, got := -1, 0
	for {
		m := receive(t, c.Incoming())
		if text(m) == "last" {
			break
		}
		n := int(m[1][0])<<24 | int(m[1][1])<<16 | int(m[1][2])<<8 | int(m[1][3])
		if next >= 0 && n != next || len(m[1]) != size {
			t.Fatalf("after %d messages came number %d of %d bytes, want %d", got, n, len(m[1]), next)
		}
		next, got = n+1, got+1
	}
	if next != count || got < count/4 {
		t.Errorf("%d messages up to number %d were taken over", got, next-1)
	}
}

func TestMessagesWaitForAnIdentityThatIsAway(t *testing.T) {
	for name, endpoint := range endpoints(t) {
		t.Run(name, func(t *testing.T) {
			s := router(t, endpoint, Options{})
			c := dial(t, Dealer, at(s), "me")
			send(t, c, "ask")
			receive(t, s.Incoming())
			c.Close(0)
			eventually(t, "leaving", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.byID["me"] == nil })
			for i := range 100 {
				if err := s.Send("me", bytesOf(fmt.Sprint(i))); err != nil {
					t.Fatal(err)
				}
			}
			c = dial(t, Dealer, at(s), "me")
			for i := range 100 {
				if got := text(receive(t, c.Incoming())); got != fmt.Sprint(i) {
					t.Fatalf("message %d is %q", i, got)
				}
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.heldBytes != 0 || len(s.held) != 0 {
				t.Errorf("%d bytes are still kept", s.heldBytes)
			}
		})
	}
}

// A reply sent while its client reconnects arrives, whatever the moment.
func TestReconnectingAtAnyMoment(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{Logf: t.Logf})
	for i := range 100 {
		c := dial(t, Dealer, at(s), "me")
		send(t, c, "ask")
		m := receive(t, s.Incoming())
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Close(0)
		}()
		time.Sleep(time.Duration(i) * 10 * time.Microsecond)
		if i%2 == 0 {
			<-done
			eventually(t, "leaving", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.byID["me"] == nil })
		}
		if err := s.Send(m.Peer, bytesOf("reply")); err != nil {
			t.Fatal(err)
		}
		<-done
		if i%2 == 1 {
			continue // the closing connection may have taken it
		}
		c = dial(t, Dealer, at(s), "me")
		for text(receive(t, c.Incoming())) != "reply" {
		}
		c.Close(0)
	}
}

func TestHoldingEnds(t *testing.T) {
	var log logs
	s := router(t, "tcp://127.0.0.1:0", Options{Hold: 50 * time.Millisecond, HoldBytes: 1000, Logf: log.printf})
	c := dial(t, Dealer, at(s), "me")
	send(t, c, "ask")
	receive(t, s.Incoming())
	c.Close(0)
	eventually(t, "leaving", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.byID["me"] == nil })
	if err := s.Send("me", bytesOf(strings.Repeat("x", 900))); err != nil {
		t.Fatal(err)
	}
	if err := s.Send("me", bytesOf(strings.Repeat("x", 900))); !errors.Is(err, ErrFull) {
		t.Errorf("more than HoldBytes: %v", err)
	}
	eventually(t, "expiry", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.held) == 0 && s.heldBytes == 0 })
	if !strings.Contains(log.text(), "1 messages dropped") {
		t.Errorf("log is %q", log.text())
	}
	if err := s.Send("me", bytesOf("x")); !errors.Is(err, ErrNoPeer) {
		t.Errorf("after expiry: %v", err)
	}
	// An identity made up by the socket cannot come back, so nothing waits for it.
	anonymous := dial(t, Dealer, at(s), "")
	send(t, anonymous, "ask")
	m := receive(t, s.Incoming())
	anonymous.Close(0)
	eventually(t, "leaving", func() bool { return errors.Is(s.Send(m.Peer, bytesOf("x")), ErrNoPeer) })
}

// A client that is owed much and does not read holds nobody up, and is cut in the end.
func TestStuckClientDoesNotHoldUpOthers(t *testing.T) {
	for name, endpoint := range endpoints(t) {
		t.Run(name, func(t *testing.T) {
			var log logs
			s := router(t, endpoint, Options{Queue: 64 << 20, Logf: log.printf})
			stuck := rawDial(t, s).greet("DEALER", "stuck")
			stuck.write("\x00\x03ask")
			receive(t, s.Incoming())
			reply := make([]byte, 30<<20)
			c := dial(t, Dealer, at(s), "")
			start := time.Now()
			var err error
			for i := 0; err == nil && i < 10; i++ {
				err = s.Send("stuck", [][]byte{reply})
				send(t, c, "ask")
				m := receive(t, s.Incoming())
				if err := s.Send(m.Peer, m.Frames); err != nil {
					t.Fatal(err)
				}
				receive(t, c.Incoming())
			}
			if d := time.Since(start); d > patience {
				t.Errorf("the other client was held up for %v", d)
			}
			if !errors.Is(err, ErrFull) || !strings.Contains(log.text(), "does not read") {
				t.Errorf("error %v, log %q", err, log.text())
			}
			stuck.isCut()
		})
	}
}

func TestIdentityStartingWithZeroIsRefused(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	r := rawDial(t, s)
	r.write(rawGreeting + rawReady("DEALER", "\x00\x00\x00\x00\x01"))
	r.isCut()
}
