package zmtp

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"
)

// The flags of a frame.
const (
	flagMore    = 1
	flagLong    = 2 // eight bytes of length instead of one
	flagCommand = 4
)

const (
	maxCommand = 64 << 10  // bytes of a command frame
	firstGrab  = 256 << 10 // what a frame gets before its bytes arrive
)

// limits bound what a reader accepts; see Options.
type limits struct {
	frame, message int64
	frames         int
	pending        int64
}

// A reader reads frames and messages. It allocates at most four times the bytes that have
// arrived, whatever a length field says.
type reader struct {
	src     io.Reader
	lim     limits
	pending *atomic.Int64 // bytes of unfinished messages, shared by the peers of a socket
	held    int64         // this reader's part of it

	buf        [16 << 10]byte
	start, end int
}

func newReader(src io.Reader, lim limits, pending *atomic.Int64) *reader {
	return &reader{src: src, lim: lim, pending: pending}
}

// Read serves what is buffered, and goes past the buffer when p is large.
func (r *reader) Read(p []byte) (int, error) {
	if r.start == r.end {
		if len(p) >= len(r.buf) {
			return r.src.Read(p)
		}
		n, err := r.src.Read(r.buf[:])
		if n <= 0 {
			return 0, err
		}
		r.start, r.end = 0, n
	}
	n := copy(p, r.buf[r.start:r.end])
	r.start += n
	return n, nil
}

// frame reads one frame.
func (r *reader) frame() (flags byte, body []byte, err error) {
	var h [9]byte
	if _, err = io.ReadFull(r, h[:2]); err != nil {
		return 0, nil, err
	}
	flags = h[0]
	n := uint64(h[1])
	if flags&flagLong != 0 {
		if _, err = io.ReadFull(r, h[2:]); err != nil {
			return 0, nil, noEOF(err)
		}
		n = binary.BigEndian.Uint64(h[1:])
	}
	max := r.lim.frame
	if flags&flagCommand != 0 {
		max = maxCommand
	}
	switch {
	case flags&^(flagMore|flagLong|flagCommand) != 0, flags&flagCommand != 0 && flags&flagMore != 0:
		return 0, nil, fmt.Errorf("%w: frame flags %#02x", ErrProtocol, flags)
	case n > uint64(max):
		return 0, nil, fmt.Errorf("%w: frame of %d bytes, limit %d", ErrProtocol, n, max)
	}
	body, err = r.body(int64(n))
	return flags, body, err
}

// body reads n bytes into a buffer that grows fourfold as they arrive.
func (r *reader) body(n int64) ([]byte, error) {
	size := min(n, firstGrab)
	if err := r.reserve(size); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	for have := int64(0); ; {
		if _, err := io.ReadFull(r, b[have:]); err != nil {
			return nil, noEOF(err)
		}
		have = int64(len(b))
		if have == n {
			return b, nil
		}
		size = min(n, 4*have)
		if err := r.reserve(size - have); err != nil {
			return nil, err
		}
		bigger := make([]byte, size)
		copy(bigger, b)
		b = bigger
	}
}

func (r *reader) reserve(n int64) error {
	r.held += n
	if r.pending.Add(n) > r.lim.pending {
		return fmt.Errorf("%w: unfinished messages of all peers exceed %d bytes", ErrProtocol, r.lim.pending)
	}
	return nil
}

// release gives back what unfinished messages had reserved.
func (r *reader) release() {
	r.pending.Add(-r.held)
	r.held = 0
}

// message reads frames up to the last one of a message. Commands may stand between frames
// and are handed to command.
func (r *reader) message(command func(name string, body []byte) error) ([][]byte, error) {
	defer r.release()
	var frames [][]byte
	var total int64
	for {
		flags, body, err := r.frame()
		if err != nil {
			if len(frames) > 0 {
				err = noEOF(err)
			}
			return nil, err
		}
		if flags&flagCommand != 0 {
			name, rest, err := splitCommand(body)
			if err == nil {
				err = command(name, rest)
			}
			if err != nil {
				return nil, err
			}
			if len(frames) == 0 {
				r.release()
			}
			continue
		}
		frames = append(frames, body)
		total += int64(len(body))
		if total > r.lim.message || len(frames) > r.lim.frames {
			return nil, fmt.Errorf("%w: message of more than %d bytes or %d frames", ErrProtocol, r.lim.message, r.lim.frames)
		}
		if flags&flagMore == 0 {
			return frames, nil
		}
	}
}

// noEOF marks an end in the middle of something.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A packet is a message ready for any connection. Large frames are not copied.
type packet struct {
	bufs    [][]byte
	size    int64
	command bool // concerns one connection only
}

// encode makes the packet of a message of at least one frame.
func encode(frames [][]byte) packet {
	const inline = 8 << 10 // from here on a frame is cheaper to write apart than to copy
	var p packet
	var small []byte
	for i, f := range frames {
		var flags byte
		if i < len(frames)-1 {
			flags = flagMore
		}
		small = appendHeader(small, flags, len(f))
		if len(f) < inline {
			small = append(small, f...)
			continue
		}
		p.bufs = append(p.bufs, small, f)
		small = nil
	}
	if len(small) > 0 {
		p.bufs = append(p.bufs, small)
	}
	for _, b := range p.bufs {
		p.size += int64(len(b))
	}
	return p
}

func appendHeader(b []byte, flags byte, n int) []byte {
	if n < 256 {
		return append(b, flags, byte(n))
	}
	return binary.BigEndian.AppendUint64(append(b, flags|flagLong), uint64(n))
}
