package zmtp

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// An XPubSocket broadcasts. Peers subscribe to topics: the bytes that the first frame of a
// message starts with.
//
// Every subscriber gets every message that matches, in order, or is cut. One whose queue is
// full makes the publisher wait only as long as it reads on (see [Options].Patience and
// MinRate), and only after the others have got the message.
type XPubSocket struct {
	socket
	publishing sync.Mutex // all subscribers see the same order

	topics map[*peer]map[string]int // how often each is subscribed to; guarded by mu
}

// maxTopic bounds the bytes of a topic.
const maxTopic = 4 << 10

// ListenXPub opens an XPUB socket on tcp://host:port or ipc://path.
func ListenXPub(endpoint string, o Options) (*XPubSocket, error) {
	s := &XPubSocket{topics: map[*peer]map[string]int{}}
	if err := s.listen(XPub, endpoint, o, s); err != nil {
		return nil, err
	}
	return s, nil
}

// Publish queues a message for all who subscribed to it.
func (s *XPubSocket) Publish(frames [][]byte) {
	if len(frames) == 0 {
		return
	}
	s.publishing.Lock()
	defer s.publishing.Unlock()
	k := encode(frames)
	var late []*peer
	for _, p := range s.subscribers(frames[0]) {
		if errors.Is(p.push(k), ErrFull) {
			late = append(late, p)
		}
	}
	for _, p := range late {
		s.pushLate(p, k)
	}
	if s.unsent.Load() > s.o.QueueTotal {
		s.cutLargest()
	}
}

func (s *XPubSocket) subscribers(topic []byte) []*peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var to []*peer
	for p, topics := range s.topics {
		for t := range topics {
			if bytes.HasPrefix(topic, []byte(t)) {
				to = append(to, p)
				break
			}
		}
	}
	return to
}

// pushLate waits until the packet fits, as long as the peer reads fast enough.
func (s *XPubSocket) pushLate(p *peer, k packet) {
	p.mu.Lock()
	for errors.Is(p.pushLocked(k), ErrFull) {
		if p.waitLocked(p.full.since.Add(s.o.Patience)) {
			p.full.last = time.Now()
			continue
		}
		elapsed, drained := time.Since(p.full.since), p.drained-p.full.drained
		if float64(drained) < float64(s.o.MinRate)*elapsed.Seconds() {
			owed := p.unsent
			p.mu.Unlock()
			s.cutSlow(p, fmt.Sprintf("it is owed %d bytes and read %d in %v", owed, drained, elapsed.Round(time.Millisecond)))
			return
		}
		p.full.since, p.full.drained = time.Now(), p.drained
	}
	p.mu.Unlock()
}

// cutLargest cuts the subscriber that owes most reading.
func (s *XPubSocket) cutLargest() {
	s.mu.Lock()
	var most *peer
	var owed int64
	for p := range s.topics {
		p.mu.Lock()
		if p.unsent > owed {
			most, owed = p, p.unsent
		}
		p.mu.Unlock()
	}
	s.mu.Unlock()
	if most != nil {
		s.cutSlow(most, fmt.Sprintf("subscribers are owed more than %d bytes, it most of all", s.o.QueueTotal))
	}
}

// Close delivers what is queued, for at most linger, and closes all connections.
func (s *XPubSocket) Close(linger time.Duration) { s.close(linger) }

func (s *XPubSocket) join(p *peer, _ hello) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.topics[p] = map[string]int{}
	return nil
}

func (s *XPubSocket) leave(p *peer) {
	s.mu.Lock()
	delete(s.topics, p)
	s.mu.Unlock()
	p.take()
}

// receive takes subscriptions in the form they have before ZMTP 3.1: a frame that starts
// with 1 or 0. Other messages (an XSUB may send them) are of no use here.
func (s *XPubSocket) receive(p *peer, frames [][]byte) error {
	if f := frames[0]; len(frames) == 1 && len(f) > 0 && f[0] <= 1 {
		return s.subscribe(p, string(f[1:]), f[0] == 1)
	}
	return nil
}

func (s *XPubSocket) command(p *peer, name string, body []byte) error {
	return s.subscribe(p, string(body), name == "SUBSCRIBE")
}

// subscribe welcomes and adds a subscription in one step, so that the welcome comes before
// anything published on it.
func (s *XPubSocket) subscribe(p *peer, topic string, add bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	topics := s.topics[p]
	switch {
	case !add && topics[topic] <= 1:
		delete(topics, topic)
		return nil
	case !add:
		topics[topic]--
		return nil
	case len(topic) > maxTopic, topics[topic] == 0 && len(topics) >= s.o.MaxTopics:
		return fmt.Errorf("%w: more than %d topics or one of more than %d bytes", ErrProtocol, s.o.MaxTopics, maxTopic)
	}
	topics[topic]++
	if s.o.Welcome == nil {
		return nil
	}
	if frames := s.o.Welcome(topic); len(frames) > 0 {
		if err := p.push(encode(slices.Clone(frames))); errors.Is(err, ErrFull) {
			return err
		}
	}
	return nil
}
