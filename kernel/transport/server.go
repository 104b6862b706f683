package transport

import (
	"time"

	"trivium/kernel/wire"
)

// A Channel is one of the sockets that requests come in on.
type Channel int

// The channels.
const (
	Shell Channel = iota
	Control
	Stdin
)

func (c Channel) String() string {
	if c < Shell || c > Stdin {
		return "unknown channel"
	}
	return [...]string{"shell", "control", "stdin"}[c]
}

// A Request is a message from a front end with what is needed to answer it.
type Request struct {
	Channel    Channel
	Identities [][]byte // of the front end that sent it
	*wire.Message
}

// A Server is the kernel's end of the five sockets. Its methods may be called from several
// goroutines at once.
type Server interface {
	// Requests hands out the messages of a channel; it is closed by Close.
	Requests(ch Channel) <-chan Request
	// Reply sends m to the channel and front end that req came from.
	Reply(req Request, m *wire.Message) error
	// Input sends m on stdin to the front end that sent req on shell.
	Input(req Request, m *wire.Message) error
	// Publish sends m to all subscribers of iopub.
	Publish(m *wire.Message)
	Session() *wire.Session
	// Close delivers what is queued, for at most linger, and closes the sockets.
	Close(linger time.Duration)
}
