package wire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"os/user"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Scheme is the only signature scheme that Jupyter front ends use.
const Scheme = "hmac-sha256"

// Errors that Decode returns, wrapped with what was found.
var (
	ErrSignature = errors.New("signature does not match")
	ErrMalformed = errors.New("malformed message")
)

const delimiter = "<IDS|MSG>"

// A Session signs the messages it encodes and checks those it decodes. Its methods may be
// called from several goroutines at once.
type Session struct {
	id       string
	username string
	unsigned bool
	macs     sync.Pool // of hash.Hash keyed with the session's key
	n        atomic.Uint64
}

// NewSession makes a session with a fresh id. An empty key means that messages are not
// signed. An empty scheme means [Scheme]; an empty username the name of the current user.
func NewSession(key []byte, scheme, username string) (*Session, error) {
	if scheme != "" && scheme != Scheme {
		return nil, fmt.Errorf("wire: signature scheme %q is not supported, use %q", scheme, Scheme)
	}
	if username == "" {
		username = "kernel"
		if u, err := user.Current(); err == nil && u.Username != "" {
			username = u.Username
		}
	}
	key = append([]byte(nil), key...)
	s := &Session{id: newID(), username: username, unsigned: len(key) == 0}
	s.macs.New = func() any { return hmac.New(sha256.New, key) }
	return s, nil
}

// ID is the session id in the headers of messages encoded here.
func (s *Session) ID() string { return s.id }

// Stamp fills in what a header still lacks: id, session, user name, date and version.
// [Session.Encode] does it too; a sender that waits for the answer needs the id before.
func (s *Session) Stamp(m *Message) {
	h := &m.Header
	if h.MsgID == "" {
		h.MsgID = s.id + "_" + strconv.FormatUint(s.n.Add(1), 10)
	}
	if h.Session == "" {
		h.Session = s.id
	}
	if h.Username == "" {
		h.Username = s.username
	}
	if h.Date == "" {
		h.Date = time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")
	}
	if h.Version == "" {
		h.Version = Version
	}
}

// Encode stamps the message and gives its frames, signed. The frames share memory with the
// message, which must not be changed any more.
func (s *Session) Encode(identities [][]byte, m *Message) ([][]byte, error) {
	s.Stamp(m)
	header, err := json.Marshal(&m.Header)
	if err != nil {
		return nil, fmt.Errorf("wire: header of %s: %w", m.Header.MsgType, err)
	}
	frames := make([][]byte, 0, len(identities)+6+len(m.Buffers))
	frames = append(frames, identities...)
	frames = append(frames, []byte(delimiter), nil, header, object(m.Parent), object(m.Metadata), object(m.Content))
	parts := frames[len(identities)+2:]
	frames[len(identities)+1] = s.sign(parts)
	return append(frames, m.Buffers...), nil
}

// Decode checks the signature and reads a message. The message shares memory with the frames.
// An error wraps [ErrSignature] or [ErrMalformed].
func (s *Session) Decode(frames [][]byte) (identities [][]byte, m *Message, err error) {
	at := -1
	for i, f := range frames {
		if string(f) == delimiter {
			at = i
			break
		}
	}
	if at < 0 {
		return nil, nil, fmt.Errorf("wire: %w: no %s among %d frames", ErrMalformed, delimiter, len(frames))
	}
	identities, rest := frames[:at:at], frames[at+1:]
	if len(rest) < 5 {
		return identities, nil, fmt.Errorf("wire: %w: %d frames after %s, need 5", ErrMalformed, len(rest), delimiter)
	}
	if !s.unsigned {
		// Both are hexadecimal; comparing takes equally long wherever they differ.
		if subtle.ConstantTimeCompare(s.sign(rest[1:5]), rest[0]) != 1 {
			return identities, nil, fmt.Errorf("wire: %w", ErrSignature)
		}
	}
	m = &Message{raw: rest[1], Buffers: rest[5:len(rest):len(rest)]}
	if err := m.parse(rest[1:5]); err != nil {
		return identities, nil, err
	}
	return identities, m, nil
}

func (m *Message) parse(parts [][]byte) error {
	if !isObject(parts[0]) {
		return fmt.Errorf("wire: %w: header is not a JSON object", ErrMalformed)
	}
	if err := json.Unmarshal(parts[0], &m.Header); err != nil {
		return fmt.Errorf("wire: %w: header: %v", ErrMalformed, err)
	}
	if m.Header.MsgType == "" || m.Header.MsgID == "" {
		return fmt.Errorf("wire: %w: header without msg_type or msg_id", ErrMalformed)
	}
	for i, p := range []struct {
		name string
		into *json.RawMessage
	}{{"parent header", &m.Parent}, {"metadata", &m.Metadata}, {"content", &m.Content}} {
		raw := parts[i+1]
		if len(raw) == 0 || string(raw) == "null" {
			raw = emptyObject
		}
		if !isObject(raw) {
			return fmt.Errorf("wire: %w: %s of %s is not a JSON object", ErrMalformed, p.name, m.Header.MsgType)
		}
		*p.into = raw
	}
	return nil
}

// sign returns the signature in hexadecimal; it is empty when there is no key.
func (s *Session) sign(parts [][]byte) []byte {
	if s.unsigned {
		return []byte{}
	}
	mac := s.macs.Get().(hash.Hash)
	mac.Reset()
	for _, p := range parts {
		mac.Write(p)
	}
	var sum [sha256.Size]byte
	out := hex.AppendEncode(nil, mac.Sum(sum[:0]))
	s.macs.Put(mac)
	return out
}

func object(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return emptyObject
	}
	return raw
}

// newID is a random UUID (version 4).
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
