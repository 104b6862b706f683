package transport

import (
	"context"
	"fmt"
	"sync"
	"time"

	"trivium/kernel/wire"
	"trivium/kernel/zmtp"
)

// A Client is a front end's end of the five sockets. Its methods may be called from several
// goroutines at once. The channels it hands out have to be read: what is not read fills the
// kernel's queue for this client, and then it is cut.
type Client struct {
	session  *wire.Session
	send     func(ch Channel, frames [][]byte) error
	beat     func(ctx context.Context) error
	shut     func() // ends what feeds the channels
	received [3]chan *wire.Message
	iopub    chan *wire.Message
	done     chan struct{}
	once     sync.Once
	reading  sync.WaitGroup
}

func newClient(s *wire.Session) *Client {
	c := &Client{session: s, iopub: make(chan *wire.Message, 64), done: make(chan struct{})}
	for ch := range c.received {
		c.received[ch] = make(chan *wire.Message, 64)
	}
	return c
}

// Send sends a message; its id is filled in, for the answer to name.
func (c *Client) Send(ch Channel, m *wire.Message) error {
	if ch < Shell || ch > Stdin {
		return fmt.Errorf("transport: %s", ch)
	}
	frames, err := c.session.Encode(nil, m)
	if err == nil {
		err = c.send(ch, frames)
	}
	if err != nil {
		return fmt.Errorf("transport: %s on %s: %w", m.Header.MsgType, ch, err)
	}
	return nil
}

// Receive hands out what the kernel sends on a channel. It is closed when the connection
// ends, by Close or because the kernel is gone.
func (c *Client) Receive(ch Channel) <-chan *wire.Message { return c.received[ch] }

// IOPub hands out what the kernel publishes, without the iopub_welcome. It is closed like
// those of Receive.
func (c *Client) IOPub() <-chan *wire.Message { return c.iopub }

// Heartbeat returns nil as soon as the kernel has echoed.
func (c *Client) Heartbeat(ctx context.Context) error { return c.beat(ctx) }

// Session is the session that signs what is sent.
func (c *Client) Session() *wire.Session { return c.session }

// Close sends what is still queued and ends the connection.
func (c *Client) Close() {
	c.once.Do(func() {
		close(c.done)
		c.shut()
	})
	c.reading.Wait()
}

// feed decodes messages into a channel until in is closed. What cannot be decoded is not
// from the kernel and is dropped.
func (c *Client) feed(in <-chan [][]byte, out chan<- *wire.Message) {
	c.reading.Go(func() {
		defer close(out)
		for frames := range in {
			_, m, err := c.session.Decode(frames)
			if err != nil {
				continue
			}
			select {
			case out <- m:
			case <-c.done: // nobody wants it any more
			}
		}
	})
}

// Dial connects to a kernel, which may be starting still: it tries until the context ends.
// It returns when the kernel has confirmed the subscription to iopub, so no output is lost.
func Dial(ctx context.Context, conn *Connection) (*Client, error) {
	if err := conn.Check(); err != nil {
		return nil, fmt.Errorf("transport: connection: %w", err)
	}
	session, err := wire.NewSession([]byte(conn.Key), conn.SignatureScheme, "")
	if err != nil {
		return nil, err
	}
	d := &dialled{c: newClient(session), conn: conn}
	if err := d.connect(ctx); err != nil {
		d.close(0)
		return nil, fmt.Errorf("transport: no connection to the kernel: %w", err)
	}
	c := d.c
	c.send = func(ch Channel, frames [][]byte) error { return d.dealers[ch].Send(frames) }
	c.beat = d.heartbeat
	c.shut = func() { d.close(time.Second) }
	for ch, s := range d.dealers {
		c.feed(s.Incoming(), c.received[ch])
	}
	c.feed(d.sub.Incoming(), c.iopub)
	return c, nil
}

// dialled is what is behind a Client on real sockets.
type dialled struct {
	c       *Client
	conn    *Connection
	dealers [3]*zmtp.Conn
	sub     *zmtp.Conn

	beating sync.Mutex
	req     *zmtp.Conn // made by the first heartbeat; guarded by beating
}

func (d *dialled) connect(ctx context.Context) (err error) {
	id := d.c.session.ID() // the same on shell and stdin: input requests are routed by it
	for ch, port := range [...]int{Shell: d.conn.ShellPort, Control: d.conn.ControlPort, Stdin: d.conn.StdinPort} {
		if d.dealers[ch], err = d.dial(ctx, zmtp.Dealer, port, id); err != nil {
			return err
		}
	}
	if d.sub, err = d.dial(ctx, zmtp.Sub, d.conn.IOPubPort, ""); err != nil {
		return err
	}
	if err := d.sub.Subscribe(""); err != nil {
		return err
	}
	return d.welcomed(ctx)
}

// dial tries until it succeeds or the context ends; the error is that of the last try.
func (d *dialled) dial(ctx context.Context, kind zmtp.Kind, port int, id string) (*zmtp.Conn, error) {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		c, err := zmtp.Dial(ctx, kind, d.conn.endpoint(port), id, zmtp.Options{})
		if err == nil {
			return c, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// welcomed waits for the iopub_welcome. Kernels older than protocol 5.5 send none: after a
// while the subscription is taken to be in place.
func (d *dialled) welcomed(ctx context.Context) error {
	select {
	case frames, ok := <-d.sub.Incoming():
		if !ok {
			return fmt.Errorf("iopub ended: %w", d.sub.Err())
		}
		_, m, err := d.c.session.Decode(frames)
		if err != nil {
			return fmt.Errorf("iopub: %w", err)
		}
		if m.Header.MsgType != wire.TypeIOPubWelcome {
			d.c.iopub <- m // nobody reads yet, but there is room
		}
		return nil
	case <-time.After(2 * time.Second):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("no iopub_welcome: %w", context.Cause(ctx))
	}
}

// heartbeat sends on its own connection; one that failed is made anew the next time.
func (d *dialled) heartbeat(ctx context.Context) (err error) {
	d.beating.Lock()
	defer d.beating.Unlock()
	select {
	case <-d.c.done:
		return errClosed
	default:
	}
	if d.req == nil {
		if d.req, err = zmtp.Dial(ctx, zmtp.Req, d.conn.endpoint(d.conn.HBPort), "", zmtp.Options{}); err != nil {
			return fmt.Errorf("transport: heartbeat: %w", err)
		}
	}
	defer func() {
		if err != nil {
			d.req.Close(0)
			d.req = nil
		}
	}()
	if err := d.req.Send([][]byte{[]byte("ping")}); err != nil {
		return fmt.Errorf("transport: heartbeat: %w", err)
	}
	select {
	case _, ok := <-d.req.Incoming():
		if !ok {
			return fmt.Errorf("transport: heartbeat: %w", d.req.Err())
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("transport: heartbeat: no echo: %w", context.Cause(ctx))
	case <-d.c.done:
		return errClosed
	}
}

func (d *dialled) close(linger time.Duration) {
	for _, s := range append(d.dealers[:], d.sub) {
		if s != nil {
			s.Close(linger)
		}
	}
	d.beating.Lock()
	defer d.beating.Unlock()
	if d.req != nil {
		d.req.Close(0)
		d.req = nil
	}
}
