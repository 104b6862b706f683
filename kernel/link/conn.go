package link

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// A Conn is one end of the link: it sends and receives frames. Sends may come from several
// goroutines at once; receives come from one.
type Conn struct {
	r  *bufio.Reader
	rc io.Closer

	mu  sync.Mutex // guards w and buf: a frame is written whole
	w   io.WriteCloser
	buf []byte
}

// NewConn makes an end of a link of a pipe to read from and one to write to.
func NewConn(r io.ReadCloser, w io.WriteCloser) *Conn {
	return &Conn{r: bufio.NewReaderSize(r, 64<<10), rc: r, w: w}
}

// Send sends one frame. The head is encoded as JSON, nil means none; the body crosses as
// it is and is not kept.
func (c *Conn) Send(kind Kind, id uint64, head any, body []byte) error {
	f := Frame{Kind: kind, ID: id, Body: body}
	if head != nil {
		h, err := json.Marshal(head)
		if err != nil {
			return fmt.Errorf("link: head of a %v frame: %w", kind, err)
		}
		f.Head = h
	}
	return c.Write(&f)
}

// Write sends a frame as it is.
func (c *Conn) Write(f *Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := f.appendFixed(c.buf[:0])
	if err != nil {
		return err
	}
	b = append(b, f.Head...)
	// One system call for a small frame; a large body is not copied once more.
	if small := len(f.Body) <= 64<<10; small {
		b = append(b, f.Body...)
		_, err = c.w.Write(b)
	} else if _, err = c.w.Write(b); err == nil {
		_, err = c.w.Write(f.Body)
	}
	if cap(b) <= 1<<20 {
		c.buf = b
	}
	if err != nil {
		return fmt.Errorf("link: sending a %v frame: %w", f.Kind, err)
	}
	return nil
}

// Receive waits for the next frame. io.EOF means that the other end is gone.
func (c *Conn) Receive() (Frame, error) {
	return readFrame(c.r)
}

// CloseWrite tells the other end that nothing more will come.
func (c *Conn) CloseWrite() error { return c.w.Close() }

// Close closes both directions; a Receive that waits returns.
func (c *Conn) Close() error {
	err := c.w.Close()
	if e := c.rc.Close(); err == nil {
		err = e
	}
	return err
}
