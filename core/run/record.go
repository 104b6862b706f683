package run

import (
	"sync"
	"sync/atomic"
)

// chunkLen entries make a chunk: 16 kB of points. Chunks never move, so an entry once
// written stays where a reader may be looking at it, and growing copies no data.
const chunkLen = 512

// A record is an append-only list. Writers take turns by a lock; readers take none: they
// load the length first and the chunks after it, so every entry below that length has
// been written and will not be written again.
type record[T any] struct {
	n      atomic.Int64
	chunks atomic.Pointer[[]*[chunkLen]T]

	mu sync.Mutex // held by the one writer
}

func (r *record[T]) append(v T) {
	r.mu.Lock()
	n := r.n.Load()
	if n%chunkLen == 0 {
		r.grow()
	}
	(*r.chunks.Load())[n/chunkLen][n%chunkLen] = v
	r.n.Store(n + 1)
	r.mu.Unlock()
}

// grow adds a chunk. The readers' slices are shorter than what append writes to.
func (r *record[T]) grow() {
	var chunks []*[chunkLen]T
	if p := r.chunks.Load(); p != nil {
		chunks = *p
	}
	chunks = append(chunks, new([chunkLen]T))
	r.chunks.Store(&chunks)
}

func (r *record[T]) len() int { return int(r.n.Load()) }

// since returns a copy of the entries from index from on.
func (r *record[T]) since(from int) []T {
	n := r.len()
	if from < 0 {
		from = 0
	}
	if from >= n {
		return nil
	}
	out := make([]T, 0, n-from)
	r.visit(from, n, func(part []T) { out = append(out, part...) })
	return out
}

// visit calls f with the entries from index from to below to, in parts that lie together
// in memory. f must not keep or change them.
func (r *record[T]) visit(from, to int, f func(part []T)) {
	if from >= to {
		return
	}
	chunks := *r.chunks.Load()
	for from < to {
		start := from % chunkLen
		end := min(chunkLen, start+to-from)
		f(chunks[from/chunkLen][start:end])
		from += end - start
	}
}
