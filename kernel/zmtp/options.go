package zmtp

import (
	"errors"
	"time"
)

// Options bound what peers can make a socket do. The zero value suits a Jupyter kernel.
type Options struct {
	MaxFrame   int64 // bytes of one received frame; 0 means 512 MB
	MaxMessage int64 // bytes of one received message; 0 means 512 MB
	MaxFrames  int   // frames of one received message; 0 means 10,000
	MaxPending int64 // bytes of unfinished messages of all peers; 0 means 1 GB
	MaxPeers   int   // connections; 0 means 256
	MaxTopics  int   // subscriptions of one peer; 0 means 1,024

	Handshake time.Duration // time to complete it; 0 means 5 s

	Queue      int64         // unsent bytes of one peer; one message of any size fits an empty queue; 0 means 256 MB
	QueueTotal int64         // unsent bytes of all peers; the one that owes most is cut; 0 means 1 GB
	Patience   time.Duration // how long a publisher waits for a subscriber whose queue is full; 0 means 2 s
	MinRate    int64         // bytes per second that such a subscriber must read to be waited for again; 0 means 4 MB

	Hold      time.Duration // how long a ROUTER keeps messages for an identity that went away; 0 means 30 s
	HoldBytes int64         // and how many bytes for all of them; 0 means 64 MB

	// Welcome, when set, makes the message that an XPUB sends a peer for each subscription,
	// ahead of anything published later. It must not call the socket. Nil frames: no message.
	Welcome func(topic string) [][]byte

	// Logf gets a line, without newline, when a peer is cut or output is dropped. Nil: no log.
	Logf func(format string, args ...any)
}

const mb = 1 << 20

func (o Options) withDefaults() Options {
	def(&o.MaxFrame, 512*mb)
	def(&o.MaxMessage, 512*mb)
	def(&o.MaxFrames, 10_000)
	def(&o.MaxPending, 1024*mb)
	def(&o.MaxPeers, 256)
	def(&o.MaxTopics, 1024)
	def(&o.Handshake, 5*time.Second)
	def(&o.Queue, 256*mb)
	def(&o.QueueTotal, 1024*mb)
	def(&o.Patience, 2*time.Second)
	def(&o.MinRate, 4*mb)
	def(&o.Hold, 30*time.Second)
	def(&o.HoldBytes, 64*mb)
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	return o
}

func def[T ~int | ~int64](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Errors of this package, wrapped with what happened.
var (
	ErrNoPeer   = errors.New("no such peer")
	ErrFull     = errors.New("peer does not read")
	ErrClosed   = errors.New("socket closed")
	ErrProtocol = errors.New("protocol error")
	ErrRefused  = errors.New("refused by peer")
)
