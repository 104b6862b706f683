package zmtp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Kind is a ZeroMQ socket type.
type Kind string

// The kinds that this package has.
const (
	Router Kind = "ROUTER"
	XPub   Kind = "XPUB"
	Rep    Kind = "REP"
	Dealer Kind = "DEALER"
	Sub    Kind = "SUB"
	Req    Kind = "REQ"
)

// partners says which kinds may be at the other end.
var partners = map[Kind][]Kind{
	Router: {Dealer, Req, Router},
	XPub:   {Sub, "XSUB"},
	Rep:    {Req, Dealer},
	Dealer: {Router, Rep, Dealer},
	Sub:    {XPub, "PUB"},
	Req:    {Router, Rep},
}

const (
	greetingSize  = 64
	mechanism     = "NULL"
	maxProperties = 64
	maxIdentity   = 255
)

// hello is what a peer says of itself.
type hello struct {
	kind     Kind
	identity string
	minor    byte // it speaks ZMTP 3.minor
}

// handshake exchanges greetings and READY commands. A peer that cannot be served is told
// why with an ERROR command.
func handshake(r *reader, w io.Writer, self Kind, identity string) (hello, error) {
	var h hello
	if _, err := w.Write(greeting()); err != nil {
		return h, err
	}
	minor, err := readGreeting(r)
	if err != nil {
		return h, err
	}
	if _, err := w.Write(ready(self, identity)); err != nil {
		return h, err
	}
	h, err = readReady(r)
	h.minor = minor
	if err == nil && !slices.Contains(partners[self], h.kind) {
		err = fmt.Errorf("%w: a %s socket cannot talk to a %q socket", ErrProtocol, self, cut(string(h.kind)))
		w.Write(errorCommand("Invalid socket type")) // it is being cut anyway
	}
	return h, err
}

func greeting() []byte {
	g := make([]byte, greetingSize)
	g[0], g[9], g[10], g[11] = 0xff, 0x7f, 3, 1
	copy(g[12:], mechanism)
	return g
}

// readGreeting reads the signature first: what is not ZMTP is refused after ten bytes.
func readGreeting(r io.Reader) (minor byte, err error) {
	var g [greetingSize]byte
	if _, err := io.ReadFull(r, g[:10]); err != nil {
		return 0, noEOF(err)
	}
	if g[0] != 0xff || g[9]&1 != 1 {
		return 0, fmt.Errorf("%w: this is not ZMTP: %.10q", ErrProtocol, g[:10])
	}
	if _, err := io.ReadFull(r, g[10:11]); err != nil {
		return 0, noEOF(err)
	}
	if g[10] < 3 { // such a peer waits for our version before it sends more
		return 0, fmt.Errorf("%w: ZMTP version %d, need 3", ErrProtocol, g[10])
	}
	if _, err := io.ReadFull(r, g[11:]); err != nil {
		return 0, noEOF(err)
	}
	if got := string(bytes.TrimRight(g[12:32], "\x00")); got != mechanism {
		return 0, fmt.Errorf("%w: security mechanism %q, need NULL", ErrProtocol, got)
	}
	return g[11], nil
}

func ready(self Kind, identity string) []byte {
	body := appendProperty(nil, "Socket-Type", string(self))
	if self == Dealer || self == Req || self == Router {
		body = appendProperty(body, "Identity", identity)
	}
	return appendCommand(nil, "READY", body)
}

func appendProperty(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(value))), value...)
}

func readReady(r *reader) (hello, error) {
	defer r.release()
	flags, b, err := r.frame()
	if err != nil {
		return hello{}, noEOF(err)
	}
	if flags&flagCommand == 0 {
		return hello{}, fmt.Errorf("%w: message before READY", ErrProtocol)
	}
	name, body, err := splitCommand(b)
	switch {
	case err != nil:
		return hello{}, err
	case name == "ERROR":
		return hello{}, reason(body)
	case name != "READY":
		return hello{}, fmt.Errorf("%w: command %q before READY", ErrProtocol, cut(name))
	}
	return parseReady(body)
}

// parseReady reads the properties: a byte of name length, the name, four of value length,
// the value.
func parseReady(b []byte) (hello, error) {
	var h hello
	for n := 0; len(b) > 0; n++ {
		if n == maxProperties {
			return h, fmt.Errorf("%w: READY with more than %d properties", ErrProtocol, maxProperties)
		}
		k := int(b[0])
		if k == 0 || len(b) < 1+k+4 {
			return h, fmt.Errorf("%w: READY property is cut short", ErrProtocol)
		}
		name, rest := string(b[1:1+k]), b[1+k:]
		size := binary.BigEndian.Uint32(rest)
		if uint64(size) > uint64(len(rest)-4) {
			return h, fmt.Errorf("%w: READY property %q is cut short", ErrProtocol, cut(name))
		}
		value := string(rest[4 : 4+size])
		b = rest[4+size:]
		switch strings.ToLower(name) {
		case "socket-type":
			h.kind = Kind(value)
		case "identity":
			if len(value) > maxIdentity {
				return h, fmt.Errorf("%w: identity of %d bytes, limit %d", ErrProtocol, len(value), maxIdentity)
			}
			h.identity = value
		}
	}
	if h.kind == "" {
		return h, fmt.Errorf("%w: READY without Socket-Type", ErrProtocol)
	}
	return h, nil
}

// cut keeps a peer's words short in an error.
func cut(s string) string {
	if len(s) > 32 {
		return s[:32] + "…"
	}
	return s
}
