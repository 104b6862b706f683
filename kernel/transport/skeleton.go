package transport

import (
	"context"
	"errors"

	"trivium/kernel/wire"
)

// A Connection is what a connection file says.
type Connection struct {
	Transport       string `json:"transport"` // "tcp" or "ipc"
	IP              string `json:"ip"`        // with ipc the start of the paths, {ip}-{port}
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HBPort          int    `json:"hb_port"`
	Key             string `json:"key"` // empty: messages are not signed
	SignatureScheme string `json:"signature_scheme"`
	KernelName      string `json:"kernel_name,omitempty"`
}

var errSkeleton = errors.New("transport: not built yet")

// ReadConnection reads a connection file.
func ReadConnection(path string) (*Connection, error) { return nil, errSkeleton }

// Write writes a connection file that only the user can read.
func (c *Connection) Write(path string) error { return errSkeleton }

// NewConnection picks free ports of the loopback interface and a random key.
func NewConnection() (*Connection, error) { return nil, errSkeleton }

// Listen opens the five sockets.
func Listen(c *Connection, logf func(string, ...any)) (Server, error) { return nil, errSkeleton }

// Pair connects a server and a client in memory.
func Pair() (Server, *Client) { return nil, &Client{} }

// A Client is a front end's end of the five sockets.
type Client struct{}

// Dial connects to a kernel.
func Dial(ctx context.Context, c *Connection) (*Client, error) { return nil, errSkeleton }

// Send sends a request; its id is filled in.
func (c *Client) Send(ch Channel, m *wire.Message) error { return errSkeleton }

// Receive hands out the messages of a channel; closed when the connection ends.
func (c *Client) Receive(ch Channel) <-chan *wire.Message { return nil }

// IOPub hands out what the kernel publishes; closed when the connection ends.
func (c *Client) IOPub() <-chan *wire.Message { return nil }

// Heartbeat returns nil when the kernel echoes.
func (c *Client) Heartbeat(ctx context.Context) error { return errSkeleton }

// Session is the session that signs.
func (c *Client) Session() *wire.Session { return nil }

// Close ends the connection.
func (c *Client) Close() {}
