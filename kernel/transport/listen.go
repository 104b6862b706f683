package transport

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"trivium/kernel/wire"
	"trivium/kernel/zmtp"
)

// listener is the Server on real sockets.
type listener struct {
	session  *wire.Session
	log      *limitedLog
	routers  [3]*zmtp.RouterSocket // by Channel
	requests [3]chan Request
	iopub    *zmtp.XPubSocket
	beat     *zmtp.EchoSocket
	done     chan struct{}
	once     sync.Once
	reading  sync.WaitGroup
}

// Listen opens the five sockets of a connection. Messages that are badly signed or malformed
// are dropped, with a line in the log. Each new subscriber of iopub gets an iopub_welcome.
func Listen(c *Connection, logf func(string, ...any)) (Server, error) {
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("transport: connection: %w; %s", err, remedy)
	}
	session, err := wire.NewSession([]byte(c.Key), c.SignatureScheme, "")
	if err != nil {
		return nil, err
	}
	l := &listener{session: session, log: newLimitedLog(logf), done: make(chan struct{})}
	if err := l.open(c); err != nil {
		l.close(0)
		return nil, fmt.Errorf("%w; start the kernel again from the front end, which then gives it other ports", err)
	}
	for ch := range l.routers {
		l.requests[ch] = make(chan Request)
		l.reading.Go(func() { l.read(Channel(ch)) })
	}
	return l, nil
}

func (l *listener) open(c *Connection) (err error) {
	o := zmtp.Options{Logf: l.log.printf}
	for ch, port := range [...]int{Shell: c.ShellPort, Control: c.ControlPort, Stdin: c.StdinPort} {
		if l.routers[ch], err = zmtp.ListenRouter(c.endpoint(port), o); err != nil {
			return fmt.Errorf("transport: %s: %w", Channel(ch), err)
		}
	}
	beat := zmtp.Options{Logf: l.log.printf, MaxMessage: 64 << 10, MaxFrame: 64 << 10, Queue: 1 << 20}
	if l.beat, err = zmtp.ListenEcho(c.endpoint(c.HBPort), beat); err != nil {
		return fmt.Errorf("transport: heartbeat: %w", err)
	}
	o.Welcome = l.welcome
	if l.iopub, err = zmtp.ListenXPub(c.endpoint(c.IOPubPort), o); err != nil {
		return fmt.Errorf("transport: iopub: %w", err)
	}
	return nil
}

// welcome makes the first message of a subscription.
func (l *listener) welcome(topic string) [][]byte {
	frames, err := encodeWelcome(l.session, topic)
	if err != nil {
		l.log.printf("transport: %v", err)
	}
	return frames
}

func encodeWelcome(s *wire.Session, topic string) ([][]byte, error) {
	m, err := wire.NewMessage(wire.TypeIOPubWelcome, nil, wire.IOPubWelcome{Subscription: topic})
	if err != nil {
		return nil, err
	}
	return encodeTopic(s, m)
}

// encodeTopic encodes a message for iopub; the topic is there for those who subscribe to
// less than everything.
func encodeTopic(s *wire.Session, m *wire.Message) ([][]byte, error) {
	return s.Encode([][]byte{[]byte("kernel." + m.Header.MsgType)}, m)
}

// read passes on what comes in on a channel until the socket closes.
func (l *listener) read(ch Channel) {
	defer close(l.requests[ch])
	for in := range l.routers[ch].Incoming() {
		req, err := decodeRequest(l.session, ch, in)
		if err != nil {
			l.log.printf("transport: %s: message dropped: %v", ch, err)
			continue
		}
		select {
		case l.requests[ch] <- req:
		case <-l.done:
		}
	}
}

// decodeRequest turns a panic into an error: whatever a message holds, it is only dropped.
func decodeRequest(s *wire.Session, ch Channel, in zmtp.Message) (req Request, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("internal error: %v", e)
		}
	}()
	envelope, m, err := s.Decode(in.Frames)
	if err != nil {
		return Request{}, err
	}
	ids := append([][]byte{[]byte(in.Peer)}, envelope...)
	return Request{Channel: ch, Identities: ids, Message: m}, nil
}

func (l *listener) Requests(ch Channel) <-chan Request { return l.requests[ch] }
func (l *listener) Session() *wire.Session             { return l.session }

func (l *listener) Reply(req Request, m *wire.Message) error { return l.send(req.Channel, req, m) }

// Input relies on the front end using one identity for shell and stdin, as the
// specification demands. A front end that has just connected may have sent its request
// before its stdin is there: it gets a moment.
func (l *listener) Input(req Request, m *wire.Message) error {
	for end := time.Now().Add(time.Second); ; {
		err := l.send(Stdin, req, m)
		if !errors.Is(err, zmtp.ErrNoPeer) || time.Now().After(end) {
			return err
		}
		select {
		case <-l.done:
			return err
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (l *listener) send(ch Channel, req Request, m *wire.Message) error {
	if ch < Shell || ch > Stdin || len(req.Identities) == 0 {
		return fmt.Errorf("transport: %s on %s: the request has no sender", m.Header.MsgType, ch)
	}
	frames, err := l.session.Encode(req.Identities[1:], m)
	if err == nil {
		err = l.routers[ch].Send(string(req.Identities[0]), frames)
	}
	if err != nil {
		return fmt.Errorf("transport: %s on %s: %w", m.Header.MsgType, ch, err)
	}
	return nil
}

func (l *listener) Publish(m *wire.Message) {
	frames, err := encodeTopic(l.session, m)
	if err != nil {
		l.log.printf("transport: iopub: %v", err)
		return
	}
	l.iopub.Publish(frames)
}

func (l *listener) Close(linger time.Duration) { l.close(linger) }

// close closes all sockets at once, so that they share the time.
func (l *listener) close(linger time.Duration) {
	l.once.Do(func() { close(l.done) })
	var all sync.WaitGroup
	for _, r := range l.routers {
		if r != nil {
			all.Go(func() { r.Close(linger) })
		}
	}
	if l.iopub != nil {
		all.Go(func() { l.iopub.Close(linger) })
	}
	if l.beat != nil {
		all.Go(func() { l.beat.Close(0) })
	}
	all.Wait()
	l.reading.Wait()
	l.log.close()
}

var errClosed = errors.New("transport: closed")
