package zmtp

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
)

var small = limits{frame: 1 << 20, message: 2 << 20, frames: 100, pending: 8 << 20}

// Whatever bytes come, reading ends without a panic, keeps the limits, gives back what it
// reserved, and does not depend on how the bytes are cut into pieces. What was read is
// encoded and read again.
func FuzzMessage(f *testing.F) {
	for _, c := range malformed {
		if c.greeted && len(c.input) < 1000 {
			f.Add([]byte(c.input))
		}
	}
	f.Add([]byte("\x01\x01a\x04\x05\x04PING\x00\x00\x02hi"))
	f.Add([]byte(rawFrame(1, strings.Repeat("long", 100)) + rawFrame(0, "")))
	f.Fuzz(func(t *testing.T, input []byte) {
		whole := readAll(t, bytes.NewReader(input))
		pieces := readAll(t, iotest.OneByteReader(bytes.NewReader(input)))
		if len(whole) != len(pieces) {
			t.Fatalf("%d messages in one piece, %d byte by byte", len(whole), len(pieces))
		}
		for i, frames := range whole {
			if !same(frames, pieces[i]) {
				t.Fatalf("message %d: %q in one piece, %q byte by byte", i, frames, pieces[i])
			}
			k := encode(frames)
			again := readAll(t, bytes.NewReader(bytes.Join(k.bufs, nil)))
			if len(again) != 1 || !same(frames, again[0]) {
				t.Fatalf("%q came back as %q", frames, again)
			}
		}
	})
}

func readAll(t *testing.T, src io.Reader) (messages [][][]byte) {
	var pending atomic.Int64
	r := newReader(src, small, &pending)
	for {
		frames, err := r.message(func(name string, body []byte) error {
			if name == "PING" {
				_, err := pong(body)
				return err
			}
			if name == "ERROR" {
				return reason(body)
			}
			return nil
		})
		if pending.Load() != 0 {
			t.Fatalf("%d bytes are still reserved", pending.Load())
		}
		if err != nil {
			return messages
		}
		if len(frames) == 0 || len(frames) > small.frames {
			t.Fatalf("a message of %d frames", len(frames))
		}
		messages = append(messages, frames)
	}
}

func same(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// Whatever a peer says in place of a handshake, it is an error or a partner of this socket.
func FuzzHandshake(f *testing.F) {
	for _, c := range malformed {
		if !c.greeted && len(c.input) < 1000 {
			f.Add([]byte(c.input))
		}
	}
	f.Add([]byte(rawGreeting + rawReady("DEALER", "me")))
	f.Add([]byte(rawGreeting + rawReady("SUB", "") + rawFrame(0, "\x01")))
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, self := range []Kind{Router, XPub, Rep, Dealer, Sub, Req} { // in a fixed order, for the fuzzer
			var pending atomic.Int64
			h, err := handshake(newReader(bytes.NewReader(input), small, &pending), io.Discard, self, "")
			if pending.Load() != 0 {
				t.Fatalf("%d bytes are still reserved", pending.Load())
			}
			if err != nil {
				continue
			}
			found := false
			for _, k := range partners[self] {
				found = found || k == h.kind
			}
			if !found || len(h.identity) > maxIdentity {
				t.Fatalf("%s shook hands with %+v", self, h)
			}
		}
	})
}
