package zmtp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// numbered is a message of size bytes that starts with its number.
func numbered(n, size int) [][]byte {
	b := make([]byte, size)
	binary.BigEndian.PutUint32(b, uint32(n))
	return [][]byte{[]byte("t"), b}
}

// collect reads numbered messages until it has the given count or the connection ends, and
// reports any that is out of order or missing in between.
func collect(t *testing.T, c *Conn, count int) (got int) {
	t.Helper()
	for got < count {
		select {
		case m, ok := <-c.Incoming():
			if !ok {
				return got
			}
			if n := int(binary.BigEndian.Uint32(m[1])); n != got {
				t.Errorf("after %d messages came number %d", got, n)
				return got
			}
			got++
		case <-time.After(patience):
			t.Errorf("nothing came within %v after %d of %d messages", patience, got, count)
			return got
		}
	}
	return got
}

func TestSubscriptions(t *testing.T) {
	s := xpub(t, "tcp://127.0.0.1:0", Options{Welcome: func(topic string) [][]byte { return bytesOf("welcome", topic) }})
	for name, how := range map[string]struct{ add, cancel string }{
		"as commands": {rawFrame(4, "\x09SUBSCRIBEab"), rawFrame(4, "\x06CANCELab")},
		"as messages": {rawFrame(0, "\x01ab"), rawFrame(0, "\x00ab")},
	} {
		t.Run(name, func(t *testing.T) {
			r := rawDial(t, s).greet("SUB", "")
			next := func() string {
				_, first := r.frame()
				_, second := r.frame()
				return first + "|" + second
			}
			ping := rawFrame(4, "\x04PING\x00\x00") // answered when all before it has been done
			r.write(how.cancel + how.add + how.add)
			for range 2 {
				if got := next(); got != "welcome|ab" {
					t.Errorf("got %q", got)
				}
			}
			s.Publish(bytesOf("a", "not this"))
			s.Publish(bytesOf("abc", "this"))
			if got := next(); got != "abc|this" {
				t.Errorf("got %q", got)
			}
			r.write(how.cancel + ping)
			r.frame()
			s.Publish(bytesOf("ab", "subscribed twice"))
			if got := next(); got != "ab|subscribed twice" {
				t.Errorf("got %q", got)
			}
			r.write(how.cancel + how.cancel + ping)
			r.frame()
			s.Publish(bytesOf("ab", "not subscribed"))
			r.write(rawFrame(0, "\x01x"))
			if got := next(); got != "welcome|x" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestWelcomeComesBeforeWhatIsPublished(t *testing.T) {
	s := xpub(t, "tcp://127.0.0.1:0", Options{Welcome: func(topic string) [][]byte { return bytesOf("welcome", topic) }})
	stop := make(chan struct{})
	var publisher sync.WaitGroup
	publisher.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				s.Publish(bytesOf("news"))
			}
		}
	})
	defer publisher.Wait()
	defer close(stop)
	for range 50 {
		c := dial(t, Sub, at(s), "")
		if err := c.Subscribe(""); err != nil {
			t.Fatal(err)
		}
		if got := receive(t, c.Incoming()); text(got) != "welcome|" {
			t.Fatalf("first came %q", got)
		}
		if got := receive(t, c.Incoming()); text(got) != "news" {
			t.Fatalf("second came %q", got)
		}
		c.Close(0)
	}
}

// Subscribers that pause lose nothing that fits their queue, whatever the others do.
func TestPausingSubscriberLosesNothing(t *testing.T) {
	for name, endpoint := range endpoints(t) {
		for _, c := range []struct{ count, size int }{{20_000, 100}, {2000, 10_000}} {
			t.Run(fmt.Sprintf("%s %dx%d", name, c.count, c.size), func(t *testing.T) {
				s := xpub(t, endpoint, Options{Logf: t.Logf, Patience: 20 * time.Millisecond})
				pausing, reading := subscribed(t, s), subscribed(t, s)
				var healthy sync.WaitGroup
				healthy.Go(func() {
					if got := collect(t, reading, c.count); got != c.count {
						t.Errorf("the healthy subscriber got %d", got)
					}
				})
				for i := range c.count {
					s.Publish(numbered(i, c.size))
				}
				healthy.Wait()
				time.Sleep(50 * time.Millisecond) // more than twice the publisher's patience
				if got := collect(t, pausing, c.count); got != c.count {
					t.Errorf("the pausing subscriber got %d", got)
				}
			})
		}
	}
}

// A subscriber that never reads is cut when its queue is full: it sees an end, not a gap.
// The others get everything, the publisher waits once, and memory is bounded.
func TestStuckSubscriberIsCut(t *testing.T) {
	for name, endpoint := range endpoints(t) {
		t.Run(name, func(t *testing.T) {
			var log logs
			const count, size, limit = 3000, 10_000, 8 << 20
			s := xpub(t, endpoint, Options{Logf: log.printf, Queue: limit, Patience: 100 * time.Millisecond})
			stuck, reading := subscribed(t, s), subscribed(t, s)
			var healthy sync.WaitGroup
			healthy.Go(func() {
				if got := collect(t, reading, count); got != count {
					t.Errorf("the healthy subscriber got %d of %d", got, count)
				}
			})
			var slowest time.Duration
			var most int64
			for i := range count {
				start := time.Now()
				s.Publish(numbered(i, size))
				slowest = max(slowest, time.Since(start))
				most = max(most, s.unsent.Load())
			}
			healthy.Wait()
			if slowest > 2*time.Second {
				t.Errorf("one message took the publisher %v", slowest)
			}
			if most > 2*limit+2*size {
				t.Errorf("%d bytes were queued for two subscribers of %d", most, limit)
			}
			if got := collect(t, stuck, count); got == count {
				t.Error("the stuck subscriber got everything: the test is too small")
			}
			if _, open := <-stuck.Incoming(); open || stuck.Err() == nil {
				t.Error("the stuck subscriber's connection did not end")
			}
			if text := log.text(); strings.Count(text, "cut") != 1 || !strings.Contains(text, "read 0 in") && !strings.Contains(text, "and read") {
				t.Errorf("log is %q", text)
			}
			eventually(t, "emptying of the queues", func() bool { return s.unsent.Load() == 0 })
		})
	}
}

// One that reads slower than the publisher writes, but fast enough, slows it down and loses
// nothing, although its queue is small.
func TestSlowSubscriberSlowsThePublisher(t *testing.T) {
	var log logs
	const count, size = 1500, 20_000 // 30 MB, more than system buffers and the queue hold
	s := xpub(t, "tcp://127.0.0.1:0", Options{Logf: log.printf, Queue: 1 << 20, Patience: 200 * time.Millisecond, MinRate: 1 << 20})
	slow := subscribed(t, s)
	var reader sync.WaitGroup
	reader.Go(func() {
		for got := 0; got < count; got++ {
			m, ok := <-slow.Incoming()
			if !ok || int(binary.BigEndian.Uint32(m[1])) != got {
				t.Errorf("after %d messages: %v, open %v", got, slow.Err(), ok)
				return
			}
			if got%50 == 49 {
				time.Sleep(20 * time.Millisecond)
			}
		}
	})
	for i := range count {
		s.Publish(numbered(i, size))
	}
	reader.Wait()
	if log.text() != "" {
		t.Errorf("log is %q", log.text())
	}
}

// One that reads a little now and then does not slow the publisher down for ever.
func TestTricklingSubscriberIsCut(t *testing.T) {
	var log logs
	s := xpub(t, "tcp://127.0.0.1:0", Options{Logf: log.printf, Queue: 1 << 20, Patience: 100 * time.Millisecond, MinRate: 100 << 20})
	r := rawDial(t, s).greet("SUB", "")
	r.write(rawFrame(0, "\x01"))
	eventually(t, "subscription", func() bool { return s.subscriptions() == 1 })
	stop := make(chan struct{})
	var trickle sync.WaitGroup
	trickle.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				r.Conn.Read(make([]byte, 10_000))
			}
		}
	})
	defer trickle.Wait()
	defer close(stop)
	start := time.Now()
	for i := 0; !strings.Contains(log.text(), "cut"); i++ {
		s.Publish(numbered(i, 100_000))
		if time.Since(start) > patience {
			t.Fatalf("not cut after %d messages", i)
		}
	}
}

func TestSumOfQueuesIsBounded(t *testing.T) {
	var log logs
	s := xpub(t, "tcp://127.0.0.1:0", Options{Logf: log.printf, QueueTotal: 20 << 20})
	stuck := func(peers int) raw { // subscribes and does not read
		r := rawDial(t, s).greet("SUB", "")
		r.write(rawFrame(0, "\x01"))
		eventually(t, "subscription", func() bool { return s.subscriptions() == peers })
		return r
	}
	early := stuck(1)
	for i := range 12 {
		s.Publish(numbered(i, 1<<20))
	}
	late := stuck(2)
	for i := 12; !strings.Contains(log.text(), "cut"); i++ {
		s.Publish(numbered(i, 1<<20))
		if i > 100 {
			t.Fatal("nobody was cut")
		}
	}
	early.isCut() // it owed more reading
	if _, topic := late.frame(); topic != "t" {
		t.Errorf("the other one got %q first", topic)
	}
	if _, body := late.frame(); binary.BigEndian.Uint32([]byte(body)) != 12 {
		t.Errorf("the other one got number %d first", binary.BigEndian.Uint32([]byte(body)))
	}
}

func TestMessageLargerThanTheQueue(t *testing.T) {
	s := xpub(t, "tcp://127.0.0.1:0", Options{Queue: 1000})
	c := subscribed(t, s)
	for i := range 3 {
		s.Publish(numbered(i, 2_000_000))
	}
	if got := collect(t, c, 3); got != 3 {
		t.Errorf("got %d of 3", got)
	}
}

func TestPublishToNobody(t *testing.T) {
	s := xpub(t, "tcp://127.0.0.1:0", Options{})
	s.Publish(nil)
	s.Publish(bytesOf("x"))
	c := subscribed(t, s)
	c.Close(0)
	eventually(t, "leaving", func() bool { return s.subscriptions() == 0 })
	s.Publish(bytesOf("x"))
	if s.unsent.Load() != 0 {
		t.Error("something is queued for nobody")
	}
}

// Frames of all the sizes where the encoding changes arrive as they were.
func TestFrameSizes(t *testing.T) {
	for name, endpoint := range endpoints(t) {
		t.Run(name, func(t *testing.T) {
			s := router(t, endpoint, Options{})
			c := dial(t, Dealer, at(s), "me")
			var frames [][]byte
			for _, n := range []int{0, 1, 254, 255, 256, 257, 8191, 8192, 8193, 16383, 16384, 16385, firstGrab, firstGrab + 1, 1<<20 - 1, 1 << 20, 5_000_001, 0} {
				frames = append(frames, bytes.Repeat([]byte{byte(n)}, n))
			}
			if err := c.Send(frames); err != nil {
				t.Fatal(err)
			}
			m := receive(t, s.Incoming())
			if err := s.Send(m.Peer, m.Frames); err != nil {
				t.Fatal(err)
			}
			back := receive(t, c.Incoming())
			for i := range frames {
				if len(back) != len(frames) || !bytes.Equal(back[i], frames[i]) {
					t.Fatalf("frame %d of %d bytes came back changed", i, len(frames[i]))
				}
			}
		})
	}
}
