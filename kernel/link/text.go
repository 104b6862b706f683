package link

import (
	"os"
	"sync"
	"syscall"
)

// textPipe reads what the evaluator prints to one of its standard descriptors.
type textPipe struct {
	name string // stdout or stderr
	f    *os.File
	raw  syscall.RawConn
	sink func(name string, text []byte)

	mu   sync.Mutex // held over reading and handing on, so that chunks stay in order
	buf  []byte
	keep int    // bytes of the text's end to remember
	tail []byte // what is remembered
}

func newTextPipe(name string, f *os.File, sink func(string, []byte)) (*textPipe, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &textPipe{name: name, f: f, raw: raw, sink: sink, buf: make([]byte, 64<<10)}, nil
}

// drain hands on what the pipe holds now. What arrives meanwhile is left to run, so a
// goroutine that prints without end cannot hold up the caller.
func (p *textPipe) drain() {
	p.raw.Control(func(fd uintptr) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for left := buffered(fd); left > 0; {
			n, err := readSome(fd, p.buf[:min(left, len(p.buf))])
			if err != nil || n <= 0 {
				return
			}
			p.hand(p.buf[:n])
			left -= n
		}
	})
}

func (p *textPipe) hand(text []byte) {
	p.sink(p.name, text)
	if p.keep == 0 {
		return
	}
	if p.tail = append(p.tail, text...); len(p.tail) > 2*p.keep {
		p.tail = append(p.tail[:0], p.tail[len(p.tail)-p.keep:]...)
	}
}
