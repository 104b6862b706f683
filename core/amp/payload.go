package amp

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"trivium/core/tensor"
)

// A payload is the rows of numbers in a message. Payloads of one product lie in one block,
// which goes back to the pool when the last of them is done with.
//
// Forward payloads may be shared (Bcast) and are never written to. A backward payload belongs to
// the one message that carries it, which may use its numbers as it likes. A payload without a
// block has sizes alone: none of a gradient that nobody needs (no rows), or one of a plan, which
// computes nothing.
//
// Between a Concat and a cell that multiplies its parts apart, a payload may be two, which lie side by side in meaning
// alone: see [sideBySide].
type payload struct {
	b          *block
	off        int
	rows, cols int
	beside     half
	given      bool // made of no parameters that learn, so that nobody wants its gradient: false where nobody knows
	alsoGiven  bool // of the half beside it
}

// A half is the right one of two payloads, with as many rows as the left one. Messages are copied often, so it is small:
// a block has less than 2³¹ numbers.
type half struct {
	b         *block
	off, cols int32
}

type block struct {
	data  []float32
	refs  atomic.Int32
	class int
}

func (p payload) size() int { return p.rows * p.width() }

// width is how many numbers a row has.
func (p payload) width() int { return p.cols + int(p.beside.cols) }

// sideBySide has the rows of a and b side by side, which stay where they are.
func sideBySide(a, b payload) payload {
	a.rows = max(a.rows, b.rows)
	a.beside, a.alsoGiven = half{b.b, int32(b.off), int32(b.cols)}, b.given
	return a
}

// apart is the reverse of sideBySide; a part that is not there has no rows.
func (p payload) apart() (a, b payload) {
	if h := p.beside; h.cols > 0 {
		b = payload{b: h.b, off: int(h.off), rows: p.rows, cols: int(h.cols), given: p.alsoGiven}
	}
	if p.cols > 0 {
		a = payload{b: p.b, off: p.off, rows: p.rows, cols: p.cols, given: p.given}
	}
	return a, b
}

func (p payload) data() []float32 { return p.b.data[p.off : p.off+p.rows*p.cols : p.off+p.rows*p.cols] }

func (p payload) matrix() tensor.Matrix[float32] { return tensor.Of(p.rows, p.cols, p.data()) }

// part is some rows, sharing the block without counting as a user of it.
func (p payload) part(row, rows int) payload {
	p.off += row * p.cols
	p.beside.off += int32(row) * p.beside.cols
	p.rows = rows
	return p
}

// shaped has the same numbers in rows of another length.
func (p payload) shaped(rows, cols int) payload {
	return payload{b: p.b, off: p.off, rows: rows, cols: cols, given: p.given}
}

// share counts more users.
func (p payload) share(more int) {
	if more == 0 {
		return
	}
	if p.b != nil {
		p.b.refs.Add(int32(more))
	}
	if h := p.beside.b; h != nil {
		h.refs.Add(int32(more))
	}
}

const classes = 32 // blocks of class c have 2^c numbers

// A depot holds blocks that workers have too many of. What flows forward from one worker to
// another comes back as something of another size, so their own lists alone would run dry.
type depot struct {
	mu   sync.Mutex
	free [classes][]*block
}

// A store is a worker's own list of free blocks.
type store struct {
	free  [classes][]*block
	depot *depot
}

const smallest = 4 // class

// keep is how many free blocks of a class a worker has at most, and half of them go to the
// depot and come from it at once.
func keep(class int) int { return max(2, min(64, 1<<(22-min(class, 21)))) }

// alloc returns a payload with anything in it, and one user.
func (s *store) alloc(rows, cols int) payload {
	n := rows * cols
	c := smallest
	if n > 1<<smallest {
		c = bits.Len(uint(n - 1))
	}
	list := s.free[c]
	if len(list) == 0 {
		list = s.fetch(c)
	}
	var b *block
	if last := len(list) - 1; last >= 0 {
		b = list[last]
		s.free[c] = list[:last]
	} else {
		b = &block{data: make([]float32, 1<<c), class: c}
	}
	b.refs.Store(1)
	return payload{b: b, rows: rows, cols: cols}
}

func (s *store) fetch(c int) []*block {
	d := s.depot
	d.mu.Lock()
	from := max(0, len(d.free[c])-keep(c)/2)
	s.free[c] = append(s.free[c], d.free[c][from:]...)
	d.free[c] = d.free[c][:from]
	d.mu.Unlock()
	return s.free[c]
}

// release ends one use of a payload.
func (s *store) release(p payload) {
	s.drop(p.b)
	s.drop(p.beside.b)
}

func (s *store) drop(b *block) {
	if b == nil || b.refs.Add(-1) > 0 {
		return
	}
	c := b.class
	s.free[c] = append(s.free[c], b)
	if most := keep(c); len(s.free[c]) > most {
		d := s.depot
		d.mu.Lock()
		d.free[c] = append(d.free[c], s.free[c][most/2:]...)
		d.mu.Unlock()
		s.free[c] = s.free[c][:most/2]
	}
}

// A strip is where a node puts payloads one after the other: what is computed together next lies together already, and
// need not be brought together.
type strip struct {
	b    *block
	used int
}

const stripClass = 15 // of its blocks: 128 kB

// on returns a payload with anything in it that comes after the one before on the strip.
func (w *worker) on(s *strip, rows, cols int) payload {
	n := rows * cols
	if w.e.dry || n > 1<<stripClass {
		return w.alloc(rows, cols)
	}
	if s.b == nil || s.used+n > len(s.b.data) {
		w.drop(s.b)
		s.b, s.used = w.alloc(1, 1<<stripClass).b, 0
	}
	s.b.refs.Add(1)
	p := payload{b: s.b, off: s.used, rows: rows, cols: cols}
	s.used += n
	return p
}

// A gatherer brings the rows of several payloads together.
type gatherer struct{ buf []float32 }

// rows returns the payloads as one matrix, a view where they lie one after the other already.
func (g *gatherer) rows(ps []payload, rows, cols int) tensor.Matrix[float32] {
	if rows == 0 || cols == 0 {
		return tensor.Of(rows, cols, []float32(nil))
	}
	together := true
	for i := 1; i < len(ps); i++ {
		if ps[i].b != ps[0].b || ps[i].off != ps[i-1].off+ps[i-1].size() {
			together = false
			break
		}
	}
	if together {
		return tensor.Of(rows, cols, ps[0].b.data[ps[0].off:ps[0].off+rows*cols])
	}
	if len(g.buf) < rows*cols {
		g.buf = make([]float32, rows*cols*5/4)
	}
	at := 0
	for _, p := range ps {
		at += copy(g.buf[at:], p.data())
	}
	return tensor.Of(rows, cols, g.buf[:rows*cols])
}
