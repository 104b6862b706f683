package amp

import "sync/atomic"

const staleBins = 256 // the last one has all that are older

// nodeStats count what a node did. Its worker writes them; figures read them while it goes on.
type nodeStats struct {
	messages [2]atomic.Int64 // forward, backward
	batches  [2]atomic.Int64
	rows     [2]atomic.Int64
	nanos    [2]atomic.Int64
	bytes    atomic.Int64 // of payloads that came in, forward and backward
	crossing atomic.Int64 // of those, from other workers
	flops    atomicFloat
	updates  atomic.Int64
	staleN   [staleBins]atomic.Int64
	staleSum atomic.Int64
	fit      [2]fit
}

// statsOfAll returns those of a node and its twins.
func (n *node) statsOfAll() []*nodeStats {
	all := []*nodeStats{&n.stats}
	for _, t := range n.spare {
		all = append(all, &t.stats)
	}
	return all
}

func (s *nodeStats) stale(k int) {
	c := &s.staleN[min(max(k, 0), staleBins-1)]
	c.Store(c.Load() + 1) // one writer
	add(&s.staleSum, k)
}

// add counts by an owner, who needs no atomic addition.
func add(c *atomic.Int64, v int) { c.Store(c.Load() + int64(v)) }

func (s *nodeStats) count(dir, messages, rows int, nanos int64) {
	add(&s.messages[dir], messages)
	add(&s.batches[dir], 1)
	add(&s.rows[dir], rows)
	add(&s.nanos[dir], int(nanos))
	s.fit[dir].add(rows, float64(nanos))
}
