package zmtp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A Conn is a connecting socket: DEALER, SUB or REQ. It has one connection and does not
// connect again.
type Conn struct {
	kind    Kind
	o       Options
	minor   byte
	peer    *peer
	in      chan [][]byte
	done    chan struct{} // closed by Close
	once    sync.Once
	ended   sync.WaitGroup
	err     error // why it ended; read after in is closed
	unsent  atomic.Int64
	pending atomic.Int64
}

// Dial connects a DEALER, SUB or REQ socket to tcp://host:port or ipc://path. The identity
// is for a ROUTER at the other end; it may be empty. The context bounds connecting only.
func Dial(ctx context.Context, kind Kind, endpoint, identity string, o Options) (*Conn, error) {
	if kind != Dealer && kind != Sub && kind != Req {
		return nil, fmt.Errorf("zmtp: a %s socket cannot connect here, use DEALER, SUB or REQ", kind)
	}
	network, addr, err := splitEndpoint(endpoint)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	c := &Conn{kind: kind, o: o, in: make(chan [][]byte, 64), done: make(chan struct{})}
	conn, err := (&net.Dialer{Timeout: o.Handshake}).DialContext(ctx, network, addr)
	if err != nil {
		return nil, fmt.Errorf("zmtp: cannot connect to %s: %w", endpoint, err)
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	conn.SetDeadline(time.Now().Add(o.Handshake))
	r := newReader(conn, limits{o.MaxFrame, o.MaxMessage, o.MaxFrames, o.MaxPending}, &c.pending)
	h, err := handshake(r, conn, kind, identity)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("zmtp: handshake with %s: %w", endpoint, err)
	}
	conn.SetDeadline(time.Time{})
	c.minor = h.minor
	c.peer = newPeer(conn, o.Queue, &c.unsent)
	go c.peer.write() // ended by kill; Close waits for it
	c.ended.Go(func() { c.read(r) })
	return c, nil
}

// Incoming hands out what the other end sends. It is closed when the connection ends; Err
// then says why.
func (c *Conn) Incoming() <-chan [][]byte { return c.in }

// Err says why the connection ended; it is to be called after Incoming was closed.
func (c *Conn) Err() error { return c.err }

// Send queues a message; it waits while the queue is full.
func (c *Conn) Send(frames [][]byte) error {
	if c.kind == Sub {
		return fmt.Errorf("zmtp: a SUB socket does not send")
	}
	if c.kind == Req { // the empty frame ends the envelope that a ROUTER or REP keeps
		frames = append([][]byte{{}}, frames...)
	}
	if len(frames) == 0 {
		return fmt.Errorf("zmtp: message without frames")
	}
	return c.push(encode(frames))
}

// Subscribe asks for the messages whose first frame starts with topic.
func (c *Conn) Subscribe(topic string) error { return c.subscription("SUBSCRIBE", 1, topic) }

// Unsubscribe takes one Subscribe back.
func (c *Conn) Unsubscribe(topic string) error { return c.subscription("CANCEL", 0, topic) }

func (c *Conn) subscription(command string, old byte, topic string) error {
	if c.kind != Sub {
		return fmt.Errorf("zmtp: a %s socket does not subscribe", c.kind)
	}
	if c.minor == 0 { // ZMTP 3.0 has messages for it
		return c.push(encode([][]byte{append([]byte{old}, topic...)}))
	}
	return c.push(commandPacket(command, []byte(topic)))
}

func (c *Conn) push(k packet) error {
	p := c.peer
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		err := p.pushLocked(k)
		if !errors.Is(err, ErrFull) {
			if err != nil {
				err = fmt.Errorf("zmtp: %s: %w", p.name, ErrClosed)
			}
			return err
		}
		p.changed.Wait()
	}
}

// Close sends what is queued, for at most linger, and ends the connection.
func (c *Conn) Close(linger time.Duration) {
	c.once.Do(func() {
		close(c.done)
		c.peer.finish(time.Now().Add(linger))
		c.peer.kill()
	})
	c.ended.Wait()
}

func (c *Conn) read(r *reader) {
	defer close(c.in)
	defer func() {
		if e := recover(); e != nil {
			c.err = fmt.Errorf("zmtp: internal error: %v", e)
		}
		c.peer.kill()
		c.peer.take()
	}()
	for {
		frames, err := r.message(c.command)
		if err != nil {
			c.err = fmt.Errorf("zmtp: %s: %w", c.peer.name, err)
			return
		}
		if c.kind == Req && len(frames) > 1 && len(frames[0]) == 0 {
			frames = frames[1:]
		}
		select {
		case c.in <- frames:
		case <-c.done: // nobody wants it any more
		}
	}
}

func (c *Conn) command(name string, body []byte) error {
	switch name {
	case "PING":
		answer, err := pong(body)
		if err != nil {
			return err
		}
		if err := c.peer.push(answer); errors.Is(err, ErrFull) {
			return err
		}
	case "ERROR":
		return reason(body)
	}
	return nil
}
