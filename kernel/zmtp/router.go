package zmtp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Message is what a ROUTER received.
type Message struct {
	Peer   string // identity of the sender
	Frames [][]byte
}

// A RouterSocket receives messages from many peers and sends to each by its identity.
//
// When a second peer comes with the same identity, it takes over: the newest wins. When a
// peer that chose an identity goes away, messages for it are kept for a while (see
// [Options].Hold) and delivered when it is back, together with those that were queued and not
// sent.
type RouterSocket struct {
	socket
	in chan Message

	joining sync.Mutex // one identity changes hands at a time; taken before mu

	// Guarded by mu.
	byID      map[string]*peer
	held      map[string]*holding
	heldBytes int64
	temporary uint32 // identities made up so far
}

// A holding is what waits for an identity that went away.
type holding struct {
	packets []packet
	expire  *time.Timer
}

// ListenRouter opens a ROUTER socket on tcp://host:port or ipc://path.
func ListenRouter(endpoint string, o Options) (*RouterSocket, error) {
	s := &RouterSocket{in: make(chan Message, 64), byID: map[string]*peer{}, held: map[string]*holding{}}
	if err := s.listen(Router, endpoint, o, s); err != nil {
		return nil, err
	}
	return s, nil
}

// Incoming hands out what peers send; it is closed by Close. A peer whose messages are not
// taken has to wait, the others do not notice until the channel is full.
func (s *RouterSocket) Incoming() <-chan Message { return s.in }

// Send queues a message for an identity and does not wait. ErrNoPeer: nobody has it. ErrFull:
// the peer did not read and was cut, or too much is kept for one that is away.
func (s *RouterSocket) Send(identity string, frames [][]byte) error {
	if len(frames) == 0 {
		return fmt.Errorf("zmtp: message without frames")
	}
	k := encode(frames)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.byID[identity]
	if p == nil {
		if s.held[identity] == nil {
			return fmt.Errorf("zmtp: identity %q: %w", identity, ErrNoPeer)
		}
		return s.hold(identity, k)
	}
	err := p.push(k)
	switch {
	case errors.Is(err, ErrFull):
		s.cutSlow(p, "it does not read")
	case errors.Is(err, ErrNoPeer) && !p.temp && !s.closing:
		return s.hold(identity, k)
	}
	if err != nil {
		return fmt.Errorf("zmtp: identity %q: %w", identity, err)
	}
	return nil
}

// Close delivers what is queued, for at most linger, and closes all connections.
func (s *RouterSocket) Close(linger time.Duration) {
	s.close(linger)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		return
	}
	for _, h := range s.held {
		h.expire.Stop()
	}
	s.held = nil
	close(s.in)
}

func (s *RouterSocket) join(p *peer, h hello) error {
	if h.identity != "" && h.identity[0] == 0 {
		return fmt.Errorf("%w: identity starts with a zero byte", ErrProtocol)
	}
	s.joining.Lock()
	defer s.joining.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	p.id = h.identity
	if p.id == "" {
		s.temporary++
		p.temp = true
		p.id = string(binary.BigEndian.AppendUint32([]byte{0}, s.temporary))
	}
	if old := s.byID[p.id]; old != nil {
		s.mu.Unlock() // take waits for a goroutine, though not for long
		old.kill()
		left := old.take()
		s.mu.Lock()
		p.inherit(left)
	}
	if h := s.held[p.id]; h != nil { // newer than what the old peer left
		p.inherit(h.packets)
		s.release(p.id)
	}
	s.byID[p.id] = p
	return nil
}

func (s *RouterSocket) leave(p *peer) {
	s.joining.Lock()
	defer s.joining.Unlock()
	left := p.take()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[p.id] != p {
		return // handed over
	}
	delete(s.byID, p.id)
	if p.temp || s.closing {
		return
	}
	newer := s.release(p.id)
	for _, k := range append(left, newer...) {
		if err := s.hold(p.id, k); err != nil {
			s.o.Logf("%v", err)
		}
	}
	s.keep(p.id)
}

// hold keeps a packet for an identity that is away.
func (s *RouterSocket) hold(identity string, k packet) error {
	h := s.keep(identity)
	if h == nil || s.heldBytes+k.size > s.o.HoldBytes {
		return fmt.Errorf("zmtp: identity %q is away, message of %d bytes dropped: %w", identity, k.size, ErrFull)
	}
	h.packets = append(h.packets, k)
	s.heldBytes += k.size
	return nil
}

// keep makes the holding of an identity; nil when there are too many.
func (s *RouterSocket) keep(identity string) *holding {
	if h := s.held[identity]; h != nil {
		return h
	}
	if len(s.held) >= s.o.MaxPeers || s.closing {
		return nil
	}
	h := &holding{}
	s.held[identity] = h
	h.expire = time.AfterFunc(s.o.Hold, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held[identity] != h {
			return
		}
		if n := len(s.release(identity)); n > 0 {
			s.o.Logf("zmtp: identity %q did not come back within %v, %d messages dropped", identity, s.o.Hold, n)
		}
	})
	return h
}

// release ends the holding of an identity and returns what it held.
func (s *RouterSocket) release(identity string) []packet {
	h := s.held[identity]
	if h == nil {
		return nil
	}
	h.expire.Stop()
	delete(s.held, identity)
	for _, k := range h.packets {
		s.heldBytes -= k.size
	}
	return h.packets
}

func (s *RouterSocket) receive(p *peer, frames [][]byte) error {
	select {
	case s.in <- Message{Peer: p.id, Frames: frames}:
	case <-s.done:
	}
	return nil
}

func (s *RouterSocket) command(*peer, string, []byte) error { return nil }
