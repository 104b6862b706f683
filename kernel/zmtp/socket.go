package zmtp

import (
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// A behaviour is what makes a listening socket a ROUTER, an XPUB or a REP. The methods are
// called on the goroutine that serves the peer.
type behaviour interface {
	join(p *peer, h hello) error                     // before anything is written to p
	receive(p *peer, frames [][]byte) error          // an error cuts p
	command(p *peer, name string, body []byte) error // SUBSCRIBE and CANCEL
	leave(p *peer)                                   // p is closed
}

// A socket is what the listening kinds share: it accepts, greets and reads peers, each on its
// own goroutine, and closes with linger.
type socket struct {
	kind Kind
	o    Options
	is   behaviour
	ln   net.Listener
	done chan struct{} // closed when Close begins

	pending atomic.Int64 // bytes of messages that are being received
	unsent  atomic.Int64 // bytes of all queues
	serving sync.WaitGroup

	mu      sync.Mutex
	conns   map[net.Conn]*peer // nil until the handshake is done
	closing bool
}

func (s *socket) listen(kind Kind, endpoint string, o Options, is behaviour) error {
	ln, err := listen(endpoint)
	if err != nil {
		return err
	}
	s.kind, s.o, s.is, s.ln = kind, o.withDefaults(), is, ln
	s.done = make(chan struct{})
	s.conns = map[net.Conn]*peer{}
	s.serving.Go(s.accept)
	return nil
}

// Addr is the address that the socket listens on.
func (s *socket) Addr() net.Addr { return s.ln.Addr() }

func (s *socket) accept() {
	for {
		c, err := s.ln.Accept()
		if err == nil {
			s.serving.Go(func() { s.serve(c) })
			continue
		}
		select {
		case <-s.done:
			return
		case <-time.After(20 * time.Millisecond): // out of descriptors, perhaps; try again
		}
	}
}

// serve looks after one connection from its first byte to its last.
func (s *socket) serve(c net.Conn) {
	defer c.Close()
	defer s.recover(c)
	if !s.admit(c) {
		return
	}
	defer s.forget(c)
	r := newReader(c, limits{s.o.MaxFrame, s.o.MaxMessage, s.o.MaxFrames, s.o.MaxPending}, &s.pending)
	c.SetDeadline(time.Now().Add(s.o.Handshake))
	h, err := handshake(r, c, s.kind, "")
	if err != nil {
		s.ended(c, "handshake", err)
		return
	}
	c.SetDeadline(time.Time{})
	p := newPeer(c, s.o.Queue, &s.unsent)
	if err := s.is.join(p, h); err != nil {
		s.ended(c, "handshake", err)
		return
	}
	go p.write() // ended by kill; leave waits for it
	defer s.is.leave(p)
	defer p.kill()
	if s.serves(c, p) {
		s.ended(c, "peer cut", s.read(p, r))
	}
}

func (s *socket) recover(c net.Conn) {
	if e := recover(); e != nil {
		s.o.Logf("zmtp: %s: internal error, peer %s cut: %v\n%s", s.kind, connName(c), e, debug.Stack())
	}
}

// admit registers a connection unless there are too many.
func (s *socket) admit(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return false
	}
	if len(s.conns) >= s.o.MaxPeers {
		s.o.Logf("zmtp: %s: refused %s: %d peers are connected, the limit", s.kind, connName(c), len(s.conns))
		return false
	}
	s.conns[c] = nil
	return true
}

// serves registers the peer of a connection; Close looks after those that are registered.
func (s *socket) serves(c net.Conn, p *peer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.conns[c] = p
	}
	return !s.closing
}

func (s *socket) forget(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// ended logs why a connection ended, unless it just did.
func (s *socket) ended(c net.Conn, what string, err error) {
	var timeout net.Error
	switch {
	case errors.Is(err, ErrProtocol), errors.Is(err, ErrRefused), errors.Is(err, ErrFull):
	case errors.As(err, &timeout) && timeout.Timeout() && what == "handshake":
		err = fmt.Errorf("not done within %v", s.o.Handshake)
	default:
		return
	}
	s.o.Logf("zmtp: %s: %s: %s: %v", s.kind, connName(c), what, err)
}

// read receives messages until the peer breaks a rule or is gone.
func (s *socket) read(p *peer, r *reader) error {
	command := func(name string, body []byte) error {
		switch name {
		case "PING":
			answer, err := pong(body)
			if err == nil {
				err = p.push(answer)
			}
			if errors.Is(err, ErrNoPeer) { // closing: queue takes no more, what it has is still delivered
				err = nil
			}
			return err
		case "ERROR":
			return reason(body)
		case "SUBSCRIBE", "CANCEL":
			return s.is.command(p, name, body)
		}
		return nil // unknown commands are to be ignored
	}
	for {
		frames, err := r.message(command)
		if err != nil {
			return err
		}
		select {
		case <-s.done: // only waiting for the peer to close
			continue
		default:
		}
		if err := s.is.receive(p, frames); err != nil {
			return err
		}
	}
}

// cutSlow ends the connection of a peer that does not read, with what it is owed.
func (s *socket) cutSlow(p *peer, why string) {
	n := p.discard()
	s.o.Logf("zmtp: %s: peer %s cut: %s; %d bytes dropped", s.kind, p.name, why, n)
}

// farewell is how long a peer gets to close its end once it has been sent everything.
const farewell = 500 * time.Millisecond

// close stops accepting and reading, gives queues until the deadline to drain, and returns
// when all goroutines of the socket have ended.
func (s *socket) close(linger time.Duration) {
	deadline := time.Now().Add(linger)
	s.mu.Lock()
	first := !s.closing
	s.closing = true
	var peers []*peer
	for c, p := range s.conns {
		if p == nil {
			c.Close()
		} else {
			peers = append(peers, p)
		}
	}
	s.mu.Unlock()
	if first {
		close(s.done)
		s.ln.Close() // removes the file of a Unix socket
		var all sync.WaitGroup
		for _, p := range peers {
			all.Go(func() {
				if left := p.finish(deadline); left > 0 {
					s.o.Logf("zmtp: %s: peer %s: %d bytes not delivered within %v", s.kind, p.name, left, linger)
				}
				// Closing before the peer does would discard what it has not read yet.
				end := time.Now().Add(farewell)
				if deadline.Before(end) {
					end = deadline
				}
				p.conn.SetReadDeadline(end)
			})
		}
		all.Wait()
	}
	s.serving.Wait()
}
