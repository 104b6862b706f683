package zmtp

import (
	"errors"
	"time"
)

// An EchoSocket is a REP socket that answers every message with itself.
type EchoSocket struct{ socket }

// ListenEcho opens a REP socket on tcp://host:port or ipc://path.
func ListenEcho(endpoint string, o Options) (*EchoSocket, error) {
	s := &EchoSocket{}
	if err := s.listen(Rep, endpoint, o, s); err != nil {
		return nil, err
	}
	return s, nil
}

// Close delivers what is queued, for at most linger, and closes all connections.
func (s *EchoSocket) Close(linger time.Duration) { s.close(linger) }

func (s *EchoSocket) receive(p *peer, frames [][]byte) error {
	if err := p.push(encode(frames)); errors.Is(err, ErrFull) {
		return err
	}
	return nil
}

func (s *EchoSocket) join(*peer, hello) error             { return nil }
func (s *EchoSocket) leave(p *peer)                       { p.take() }
func (s *EchoSocket) command(*peer, string, []byte) error { return nil }
