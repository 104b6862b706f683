package amp

import "time"

// A spanner writes a worker's bars of the timeline. Batches in a row of the same direction are
// joined to one bar until it has a least length, which doubles whenever the worker has written its share of
// bars, so that a long run has no more of them than a short one.
type spanner struct {
	open    bool
	node    *node
	back    bool
	start   time.Duration
	stale   int
	longest time.Duration // of the batches in it: it is named after that one
	written int
	least   time.Duration
}

const barStart = 20 * time.Microsecond

// before is told of a batch that begins.
func (s *spanner) before(w *worker, back bool) {
	if s.open && s.back != back {
		s.flush(w)
	}
}

// after is told of its end.
func (s *spanner) after(w *worker, n *node, back bool, start, took time.Duration, stale int) {
	if w.e.o.Spans < 0 || w.e.trace == nil || w.e.inference {
		return
	}
	if !s.open {
		*s = spanner{open: true, node: n, back: back, start: start, longest: took, written: s.written, least: s.least}
	} else if took > s.longest {
		s.node, s.longest = n, took
	}
	s.stale = max(s.stale, stale)
	if start+took-s.start >= s.least {
		s.flush(w)
	}
}

// flush writes the open bar, whose end is now.
func (s *spanner) flush(w *worker) {
	if !s.open {
		return
	}
	s.open = false
	w.e.trace.Span(w.id, s.node.spanNames[kindOf(s.back)], s.start, s.stale)
	s.written++
	if share := max(64, w.e.o.Spans/len(w.e.w)/4); s.written%share == 0 {
		s.least = max(2*s.least, barStart)
	}
}
