package zmtp

import (
	"encoding/binary"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"
)

func longHeader(n uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte{flagLong}, n))
}

// randomBytes is 64 KB that do not happen to start like ZMTP.
func randomBytes() string {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, 64<<10)
	r.Read(b)
	b[0] = 1
	return string(b)
}

// Each input comes on a fresh connection; the peer is to be cut, or to be left waiting for
// the rest of what it announced, and all other peers are to be served before and after.
var malformed = map[string]struct {
	greeted bool // after a good handshake
	input   string
	waits   bool   // the socket may wait for more; it ends with the peer
	logged  string // in the log line
}{
	"frame of 2^63 bytes":               {true, longHeader(1 << 63), false, "frame of 9223372036854775808 bytes"},
	"frame of 2^64-1 bytes":             {true, longHeader(1<<64 - 1), false, "frame of 18446744073709551615 bytes"},
	"frame of 2^62 bytes":               {true, longHeader(1 << 62), false, "frame of 4611686018427387904 bytes"},
	"frame of 2^50 bytes":               {true, longHeader(1 << 50), false, "limit"},
	"frame of 2^40 bytes":               {true, longHeader(1 << 40), false, "limit"},
	"frame of 2^36 bytes":               {true, longHeader(1 << 36), false, "limit"},
	"frame of 2^34 bytes":               {true, longHeader(1 << 34), false, "limit"},
	"announced 400 MB, sent nothing":    {true, longHeader(400 << 20), true, ""},
	"command of 2^20 bytes":             {true, "\x06" + longHeader(1 << 20)[1:], false, "limit 65536"},
	"reserved flag":                     {true, "\x08\x00", false, "flags 0x08"},
	"command with more to come":         {true, "\x05\x05\x04PING", false, "flags 0x05"},
	"command without a name":            {true, "\x04\x00", false, "without a name"},
	"command name longer than it":       {true, "\x04\x02\x09A", false, "without a name"},
	"PING without time to live":         {true, "\x04\x05\x04PING", false, "PING of 0 bytes"},
	"PING with 17 bytes":                {true, rawFrame(4, "\x04PING\x00\x00"+strings.Repeat("x", 17)), false, "PING of 19 bytes"},
	"ERROR cut short":                   {true, rawFrame(4, "\x05ERROR\x05no"), false, "malformed ERROR"},
	"a million empty frames":            {true, strings.Repeat("\x01\x00", 1_000_000), false, "frames"},
	"truncated frame":                   {true, "\x00\x05he", true, ""},
	"truncated message":                 {true, "\x01\x02he", true, ""},
	"nothing":                           {false, "", true, ""},
	"HTTP":                              {false, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", false, "not ZMTP"},
	"TLS":                               {false, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", false, "not ZMTP"},
	"short text":                        {false, "GET", true, ""},
	"random bytes":                      {false, randomBytes(), false, "not ZMTP"},
	"half a greeting":                   {false, rawGreeting[:20], true, ""},
	"ZMTP 1":                            {false, "\x01\x00", true, ""},
	"ZMTP 2":                            {false, rawGreeting[:10] + "\x01", false, "version 1"},
	"CURVE":                             {false, strings.Replace(rawGreeting, "NULL\x00", "CURVE", 1), false, "CURVE"},
	"PLAIN":                             {false, strings.Replace(rawGreeting, "NULL\x00", "PLAIN", 1), false, "PLAIN"},
	"mechanism NULLO":                   {false, strings.Replace(rawGreeting, "NULL\x00", "NULLO", 1), false, "NULLO"},
	"message in place of READY":         {false, rawGreeting + "\x00\x02hi", false, "before READY"},
	"other command in place of READY":   {false, rawGreeting + rawFrame(4, "\x05HELLO"), false, `"HELLO" before READY`},
	"READY of 2^20 bytes":               {false, rawGreeting + "\x06" + longHeader(1 << 20)[1:], false, "limit"},
	"READY property without value":      {false, rawGreeting + rawFrame(4, "\x05READY\x0bSocket-Type"), false, "cut short"},
	"READY property with half a length": {false, rawGreeting + rawFrame(4, "\x05READY\x01a\x00\x00"), false, "cut short"},
	"READY value longer than the frame": {false, rawGreeting + rawFrame(4, "\x05READY\x01a\xff\xff\xff\xffxx"), false, "cut short"},
	"READY property without name":       {false, rawGreeting + rawFrame(4, "\x05READY\x00\x00\x00\x00\x00"), false, "cut short"},
	"READY without socket type":         {false, rawGreeting + rawFrame(4, "\x05READY"), false, "without Socket-Type"},
	"READY with 65 properties": {false, rawGreeting + rawFrame(4, "\x05READY"+strings.Repeat("\x01a\x00\x00\x00\x00", 65)),
		false, "64 properties"},
	"identity of 256 bytes": {false, rawGreeting + rawFrame(4, "\x05READY\x0bSocket-Type"+rawValue("DEALER")+
		"\x08Identity"+rawValue(strings.Repeat("i", 256))), false, "identity of 256 bytes"},
	"wrong socket type":   {false, rawGreeting + rawReady("PUSH", ""), false, "PUSH"},
	"unknown socket type": {false, rawGreeting + rawReady("\x00\x01", ""), false, "cannot talk"},
	"ERROR in handshake":  {false, rawGreeting + rawFrame(4, "\x05ERROR\x04away"), false, `"away"`},
}

func TestMalformedInput(t *testing.T) {
	sockets := map[string]struct {
		kind  string
		start func(t *testing.T, o Options) (socket addressed, served func(t *testing.T))
	}{
		"ROUTER": {"DEALER", func(t *testing.T, o Options) (addressed, func(*testing.T)) {
			s := router(t, "tcp://127.0.0.1:0", o)
			return s, func(t *testing.T) {
				c := dial(t, Dealer, at(s), "")
				send(t, c, "hello")
				m := receive(t, s.Incoming())
				if text(m.Frames) != "hello" {
					t.Errorf("got %q", m.Frames)
				}
			}
		}},
		"XPUB": {"SUB", func(t *testing.T, o Options) (addressed, func(*testing.T)) {
			s := xpub(t, "tcp://127.0.0.1:0", o)
			return s, func(t *testing.T) {
				c := subscribed(t, s)
				s.Publish(bytesOf("news"))
				if got := receive(t, c.Incoming()); text(got) != "news" {
					t.Errorf("got %q", got)
				}
			}
		}},
		"REP": {"REQ", func(t *testing.T, o Options) (addressed, func(*testing.T)) {
			s := echo(t, "tcp://127.0.0.1:0", o)
			return s, func(t *testing.T) {
				c := dial(t, Req, at(s), "")
				send(t, c, "beat")
				if got := receive(t, c.Incoming()); text(got) != "beat" {
					t.Errorf("got %q", got)
				}
			}
		}},
	}
	for kind, how := range sockets {
		t.Run(kind, func(t *testing.T) {
			var log logs
			s, served := how.start(t, Options{Logf: log.printf, MaxFrames: 1000})
			for name, c := range malformed {
				t.Run(name, func(t *testing.T) {
					r := rawDial(t, s)
					if c.greeted {
						r.greet(how.kind, "")
					}
					r.SetWriteDeadline(time.Now().Add(patience))
					r.Conn.Write([]byte(c.input)) // may fail once the peer is cut
					if !c.waits {
						r.isCut()
						eventually(t, "log line with "+c.logged, func() bool { return strings.Contains(log.text(), c.logged) })
					}
					served(t)
					r.Close()
				})
			}
			served(t)
		})
	}
}

// What is announced but not sent costs no memory worth mentioning.
func TestAnnouncedBytesAreNotAllocated(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		rawDial(t, s).greet("DEALER", "").write(longHeader(500<<20) + "only this")
	}
	eventually(t, "reading", func() bool { return s.pending.Load() >= 20*firstGrab })
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 40<<20 {
		t.Errorf("20 peers announced 10 GB and got %d MB", grown>>20)
	}
}

func TestPendingBytesAreBoundedAndGivenBack(t *testing.T) {
	var log logs
	s := router(t, "tcp://127.0.0.1:0", Options{MaxPending: 4 << 20, Logf: log.printf})
	a, b := rawDial(t, s).greet("DEALER", ""), rawDial(t, s).greet("DEALER", "")
	body := strings.Repeat("x", 3<<20)
	a.write(rawFrame(0, body)[:2<<20])
	eventually(t, "reading", func() bool { return s.pending.Load() > 2<<20 })
	b.Conn.Write([]byte(rawFrame(0, body)))
	b.isCut()
	if !strings.Contains(log.text(), "unfinished") {
		t.Errorf("log is %q", log.text())
	}
	a.write(rawFrame(0, body)[2<<20:])
	if m := receive(t, s.Incoming()); len(m.Frames[0]) != len(body) {
		t.Errorf("got %d bytes", len(m.Frames[0]))
	}
	eventually(t, "giving back", func() bool { return s.pending.Load() == 0 })
}

func TestHandshakeDeadline(t *testing.T) {
	var log logs
	s := router(t, "tcp://127.0.0.1:0", Options{Handshake: 50 * time.Millisecond, Logf: log.printf})
	silent, slow := rawDial(t, s), rawDial(t, s)
	slow.write(rawGreeting[:30])
	silent.isCut()
	slow.isCut()
	eventually(t, "log line", func() bool { return strings.Count(log.text(), "not done within 50ms") == 2 })
	// A peer that made it in time is not bound by it.
	r := rawDial(t, s).greet("DEALER", "")
	time.Sleep(80 * time.Millisecond)
	r.write("\x00\x02ok")
	if m := receive(t, s.Incoming()); text(m.Frames) != "ok" {
		t.Errorf("got %q", m.Frames)
	}
}

func TestTooManyPeers(t *testing.T) {
	var log logs
	s := router(t, "tcp://127.0.0.1:0", Options{MaxPeers: 3, Logf: log.printf})
	var in [3]raw
	for i := range in {
		in[i] = rawDial(t, s).greet("DEALER", "")
	}
	rawDial(t, s).isCut()
	if !strings.Contains(log.text(), "3 peers are connected") {
		t.Errorf("log is %q", log.text())
	}
	in[0].Close()
	eventually(t, "leaving", func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.conns) < 3 })
	rawDial(t, s).greet("DEALER", "")
}

func TestTooManyTopics(t *testing.T) {
	s := xpub(t, "tcp://127.0.0.1:0", Options{MaxTopics: 2})
	r := rawDial(t, s).greet("SUB", "")
	r.write(rawFrame(0, "\x01a") + rawFrame(0, "\x01a") + rawFrame(0, "\x01b"))
	eventually(t, "two topics", func() bool { return s.subscriptions() == 2 })
	r.write(rawFrame(0, "\x01c"))
	r.isCut()
	r = rawDial(t, s).greet("SUB", "")
	r.write(rawFrame(0, "\x01"+strings.Repeat("x", 5000)))
	r.isCut()
}

func TestWrongTypeIsToldWhy(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	r := rawDial(t, s)
	r.write(rawGreeting + rawReady("SUB", ""))
	if got := r.isCut(); !strings.HasSuffix(got, "\x05ERROR\x13Invalid socket type") {
		t.Errorf("got %q", got)
	}
	if _, err := Dial(t.Context(), Sub, at(s), "", Options{}); err == nil {
		t.Error("a SUB could connect to a ROUTER")
	}
}

func TestSilentPeersDoNotKeepOthersOut(t *testing.T) {
	s := echo(t, "tcp://127.0.0.1:0", Options{})
	for range 50 {
		rawDial(t, s)
	}
	c := dial(t, Req, at(s), "")
	send(t, c, "beat")
	if got := receive(t, c.Incoming()); text(got) != "beat" {
		t.Errorf("got %q", got)
	}
}

// Commands may stand between the frames of a message.
func TestCommandsBetweenFrames(t *testing.T) {
	s := router(t, "tcp://127.0.0.1:0", Options{})
	r := rawDial(t, s).greet("DEALER", "")
	r.write("\x01\x01a" + rawFrame(4, "\x04PING\x00\x0ahello") + rawFrame(4, "\x07UNKNOWN?") + "\x00\x01b")
	if flags, body := r.frame(); flags != 4 || body != "\x04PONGhello" {
		t.Errorf("PING was answered with %#x %q", flags, body)
	}
	if m := receive(t, s.Incoming()); text(m.Frames) != "a|b" {
		t.Errorf("got %q", m.Frames)
	}
}

type addressed interface{ Addr() net.Addr }
