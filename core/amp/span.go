package amp

import (
	"time"

	"trivium/core/run"
)

// A spanner writes a worker's bars of the timeline. Batches in a row of the same direction are
// joined to one bar until it has a least length, and so are those with shorter gaps between them. The least length is
// 0 at first, and doubles whenever the worker has written its share of bars, so that a long run
// has hardly more of them than a short one.
type spanner struct {
	open       bool
	node       *node
	back       bool
	start, end time.Duration
	stale      int
	longest    time.Duration // of the batches in it: it is named after that one
	written    int
	least      time.Duration
}

const barStart = 20 * time.Microsecond

// add is told of each batch.
func (s *spanner) add(w *worker, n *node, back bool, start, took time.Duration, stale int) {
	if w.e.o.Spans < 0 || w.e.trace == nil || w.e.inference {
		return
	}
	if s.open && ((s.back != back || start-s.end > barStart) && s.end-s.start >= s.least || start-s.end > max(s.least, barStart)) {
		s.flush(w)
	}
	if !s.open {
		*s = spanner{open: true, node: n, back: back, start: start, longest: took, written: s.written, least: s.least}
	} else if took > s.longest {
		s.node, s.longest, s.back = n, took, back
	}
	s.stale, s.end = max(s.stale, stale), start+took
	if s.least == 0 {
		s.flush(w)
	}
}

// flush writes the open bar.
func (s *spanner) flush(w *worker) {
	if !s.open {
		return
	}
	s.open = false
	name := s.node.spanNames[kindOf(s.back)]
	if w.e.testing {
		name = "test"
	}
	w.e.trace.AddSpan(run.Span{Worker: w.id, Name: name, Start: s.start, End: s.end, Stale: s.stale})
	s.written++
	if share := max(64, w.e.o.Spans/len(w.e.w)/4); s.written%share == 0 {
		s.least = max(2*s.least, barStart)
	}
}
