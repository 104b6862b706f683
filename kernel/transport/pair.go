package transport

import (
	"context"
	"fmt"
	"sync"
	"time"

	"trivium/kernel/wire"
)

// Pair connects a server and one client in memory, for tests. Messages are signed, encoded
// and decoded as on real sockets, and queues have no bound, so neither end ever waits.
func Pair() (Server, *Client) {
	key := []byte("a key for tests")
	kernel, err := wire.NewSession(key, wire.Scheme, "kernel")
	if err != nil {
		panic(err) // the scheme is ours
	}
	front, err := wire.NewSession(key, wire.Scheme, "client")
	if err != nil {
		panic(err)
	}
	p := &pair{session: kernel, client: newClient(front), iopub: newMailbox()}
	c := p.client
	for ch := range p.replies {
		p.replies[ch], p.asked[ch] = newMailbox(), newMailbox()
		p.requests[ch] = make(chan Request)
		p.reading.Go(func() { p.read(Channel(ch)) })
		c.feed(p.replies[ch].out, c.received[ch])
	}
	c.feed(p.iopub.out, c.iopub)
	c.send = func(ch Channel, frames [][]byte) error { return p.asked[ch].put(frames) }
	c.beat = p.heartbeat
	c.shut = p.hangUp
	return p, c
}

type pair struct {
	session  *wire.Session
	client   *Client
	asked    [3]*mailbox // from the client
	requests [3]chan Request
	replies  [3]*mailbox // to the client
	iopub    *mailbox
	reading  sync.WaitGroup
	once     sync.Once
}

func (p *pair) read(ch Channel) {
	defer close(p.requests[ch])
	for frames := range p.asked[ch].out {
		_, m, err := p.session.Decode(frames)
		if err != nil {
			continue // as on sockets
		}
		select {
		case p.requests[ch] <- Request{Channel: ch, Identities: [][]byte{[]byte("client")}, Message: m}:
		case <-p.asked[ch].closed:
		}
	}
}

func (p *pair) Requests(ch Channel) <-chan Request       { return p.requests[ch] }
func (p *pair) Session() *wire.Session                   { return p.session }
func (p *pair) Reply(req Request, m *wire.Message) error { return p.send(req.Channel, m) }
func (p *pair) Input(_ Request, m *wire.Message) error   { return p.send(Stdin, m) }

func (p *pair) send(ch Channel, m *wire.Message) error {
	if ch < Shell || ch > Stdin {
		return fmt.Errorf("transport: %s on %s", m.Header.MsgType, ch)
	}
	frames, err := p.session.Encode(nil, m)
	if err == nil {
		err = p.replies[ch].put(frames)
	}
	if err != nil {
		return fmt.Errorf("transport: %s on %s: %w", m.Header.MsgType, ch, err)
	}
	return nil
}

func (p *pair) Publish(m *wire.Message) {
	if frames, err := encodeTopic(p.session, m); err == nil {
		p.iopub.put(frames) // a closed one has no subscriber
	}
}

func (p *pair) heartbeat(context.Context) error {
	select {
	case <-p.iopub.closed:
		return errClosed
	default:
		return nil
	}
}

// Close ends both directions. What the client has not read yet it still gets.
func (p *pair) Close(time.Duration) {
	p.once.Do(func() {
		for ch := range p.asked {
			p.asked[ch].close()
			p.replies[ch].close()
		}
		p.iopub.close()
	})
	p.reading.Wait()
}

// hangUp is the client's Close; the server goes on without a client.
func (p *pair) hangUp() {
	for _, b := range p.replies {
		b.close()
	}
	p.iopub.close()
}

// A mailbox is a queue without bound between goroutines.
type mailbox struct {
	out    chan [][]byte
	closed chan struct{}

	mu      sync.Mutex
	changed *sync.Cond
	queue   [][][]byte
	shut    bool
}

func newMailbox() *mailbox {
	b := &mailbox{out: make(chan [][]byte), closed: make(chan struct{})}
	b.changed = sync.NewCond(&b.mu)
	go b.deliver() // ends after close, when the queue has been read
	return b
}

func (b *mailbox) put(frames [][]byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shut {
		return errClosed
	}
	b.queue = append(b.queue, frames)
	b.changed.Signal()
	return nil
}

func (b *mailbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.shut {
		b.shut = true
		close(b.closed)
		b.changed.Signal()
	}
}

func (b *mailbox) deliver() {
	defer close(b.out)
	for {
		b.mu.Lock()
		for len(b.queue) == 0 && !b.shut {
			b.changed.Wait()
		}
		if len(b.queue) == 0 {
			b.mu.Unlock()
			return
		}
		frames := b.queue[0]
		b.queue = b.queue[1:]
		b.mu.Unlock()
		b.out <- frames
	}
}
