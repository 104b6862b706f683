package zmtp

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A peer is one connection after the handshake: a queue, and a goroutine that writes it.
type peer struct {
	conn  net.Conn
	name  string // for the log
	id    string // ROUTER: identity; made up here when temporary
	temp  bool
	limit int64         // bytes of the queue
	total *atomic.Int64 // unsent bytes of all peers of the socket

	mu      sync.Mutex
	changed *sync.Cond // whenever a field below changes
	queue   []packet   // the head is being written
	unsent  int64      // bytes of queue
	drained int64      // bytes that the connection took so far
	closing bool       // no more packets: half-close when the queue is empty
	closed  bool

	full struct { // while messages find the queue full
		since, last time.Time
		drained     int64 // at since
	}

	written chan struct{} // closed when the writer has ended
}

func newPeer(conn net.Conn, limit int64, total *atomic.Int64) *peer {
	p := &peer{conn: conn, name: connName(conn), limit: limit, total: total, written: make(chan struct{})}
	p.changed = sync.NewCond(&p.mu)
	return p
}

// connName is the peer's address; those of Unix sockets have none.
func connName(c net.Conn) string {
	if a := c.RemoteAddr(); a != nil && a.String() != "" && a.String() != "@" {
		return a.String()
	}
	return c.LocalAddr().Network() + " peer of " + c.LocalAddr().String()
}

// fits says whether the queue takes n more bytes. An empty one takes anything.
func (p *peer) fits(n int64) bool { return p.unsent == 0 || p.unsent+n <= p.limit }

// push queues a packet, or returns ErrFull.
func (p *peer) push(k packet) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pushLocked(k)
}

func (p *peer) pushLocked(k packet) error {
	switch {
	case p.closed || p.closing:
		return ErrNoPeer
	case !p.fits(k.size):
		p.foundFull()
		return ErrFull
	}
	p.queue = append(p.queue, k)
	p.unsent += k.size
	p.total.Add(k.size)
	p.changed.Broadcast()
	return nil
}

// foundFull keeps the time since when messages have found the queue full. It starts anew
// when none has come for a while: then the peer was not slow, it was not asked.
func (p *peer) foundFull() {
	const pause = 5 * time.Second
	now := time.Now()
	if p.full.since.IsZero() || now.Sub(p.full.last) > pause {
		p.full.since, p.full.drained = now, p.drained
	}
	p.full.last = now
}

// inherit queues packets before the peer is written to, whatever the limit: they were
// accepted once.
func (p *peer) inherit(ks []packet) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, ks...)
	for _, k := range ks {
		p.unsent += k.size
		p.total.Add(k.size)
	}
	p.changed.Broadcast()
}

// waitLocked waits for a change, at most until the deadline.
func (p *peer) waitLocked(deadline time.Time) (inTime bool) {
	d := time.Until(deadline)
	if d <= 0 {
		return false
	}
	t := time.AfterFunc(d, func() {
		p.mu.Lock() // so that it cannot fire between the look and the wait
		defer p.mu.Unlock()
		p.changed.Broadcast()
	})
	defer t.Stop()
	p.changed.Wait()
	return true
}

const (
	batchBytes   = 1 << 20 // per write, so that progress shows
	batchBuffers = 512     // Linux takes 1024
)

// write sends the queue until the peer is closed. Packets leave the queue when the connection
// has taken them whole: what remains after an error was not delivered.
func (p *peer) write() {
	defer close(p.written)
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.closed && !p.closing {
			p.changed.Wait()
		}
		if p.closed || len(p.queue) == 0 {
			p.mu.Unlock()
			p.halfClose()
			return
		}
		var bufs [][]byte
		for i, n := 0, int64(0); i < len(p.queue) && len(bufs) < batchBuffers && n < batchBytes; i++ {
			bufs = append(bufs, p.queue[i].bufs...)
			n += p.queue[i].size
		}
		p.mu.Unlock()
		if !p.send(bufs) {
			p.kill()
			return
		}
	}
}

// send writes buffers in pieces of limited size and takes from the queue what is written.
func (p *peer) send(bufs [][]byte) bool {
	var sent int64 // of the packet at the head
	for len(bufs) > 0 {
		var piece net.Buffers
		for n := 0; len(bufs) > 0 && n < batchBytes && len(piece) < batchBuffers; {
			b := bufs[0]
			if room := batchBytes - n; len(b) > room {
				b, bufs[0] = b[:room], b[room:]
			} else {
				bufs = bufs[1:]
			}
			piece = append(piece, b)
			n += len(b)
		}
		n, err := piece.WriteTo(p.conn)
		sent = p.sent(sent+n, n)
		if err != nil {
			return false
		}
	}
	return true
}

// sent takes whole packets off the head of the queue and returns what is left over.
func (p *peer) sent(ready, n int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drained += n
	k := 0
	for k < len(p.queue) && p.queue[k].size <= ready {
		ready -= p.queue[k].size
		p.dropped(p.queue[k].size)
		k++
	}
	clear(p.queue[:k])
	p.queue = p.queue[k:]
	if len(p.queue) == 0 {
		p.queue = nil
	}
	if p.unsent <= p.limit/2 {
		p.full.since = time.Time{}
	}
	p.changed.Broadcast()
	return ready
}

func (p *peer) dropped(n int64) {
	p.unsent -= n
	p.total.Add(-n)
}

// kill closes the connection. The queue stays for take.
func (p *peer) kill() {
	p.mu.Lock()
	p.closed = true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.conn.Close()
}

// take waits until the writer of a killed peer has ended and returns the messages that were
// not delivered.
func (p *peer) take() []packet {
	<-p.written
	p.mu.Lock()
	defer p.mu.Unlock()
	var left []packet
	for _, k := range p.queue {
		if !k.command {
			left = append(left, k)
		}
		p.dropped(k.size)
	}
	p.queue = nil
	return left
}

// discard closes the connection and drops the queue. It returns how many bytes that were.
func (p *peer) discard() int64 {
	p.mu.Lock()
	n := p.unsent
	p.dropped(n)
	p.queue, p.closed = nil, true
	p.changed.Broadcast()
	p.mu.Unlock()
	p.conn.Close()
	return n
}

// finish lets the queue drain until the deadline; the writer then half-closes, which the
// other end sees after the last byte. It returns how many bytes could not be sent.
func (p *peer) finish(deadline time.Time) int64 {
	p.mu.Lock()
	p.closing = true
	p.changed.Broadcast()
	for p.unsent > 0 && !p.closed && p.waitLocked(deadline) {
	}
	left := p.unsent
	p.mu.Unlock()
	if left > 0 {
		p.kill()
	}
	<-p.written
	return left
}

func (p *peer) halfClose() {
	if c, ok := p.conn.(interface{ CloseWrite() error }); ok {
		c.CloseWrite() // the other end may be gone already
	}
}
