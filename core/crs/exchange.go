package crs

import (
	"context"
	"fmt"
	"sync/atomic"
)

// An Exchange connects the nodes of a training. [Ring] is one within a process; a cluster's
// own is another.
type Exchange interface {
	// AllReduce replaces v by its sum over all nodes, to the same bits on each. Every node calls
	// it with its rank, from 0, and as many numbers; it returns when its own are there,
	// or with an error when ctx ends.
	AllReduce(ctx context.Context, rank int, v []float32) error

	// Bytes returns what all nodes together have sent so far.
	Bytes() int64
}

// A Ring is nodes in one process, each of which sends to the next. A sum goes around twice in
// as many parts as there are nodes, so that each node sends 2(N-1)/N times its numbers, however
// many nodes there are (Patarasuk, Yuan, J. Parallel Distrib. Comput. 69 (2009), 117).
type Ring struct {
	links []link // links[i] goes from node i to the next
	bytes atomic.Int64
}

// A link carries parts one way and empties back.
type link struct{ full, empty chan []float32 }

// NewRing returns a ring of n nodes, at least 1.
func NewRing(n int) *Ring {
	r := &Ring{links: make([]link, max(n, 1))}
	for i := range r.links {
		r.links[i] = link{make(chan []float32, 1), make(chan []float32, 2)}
	}
	return r
}

// Bytes returns what all nodes together have sent so far.
func (r *Ring) Bytes() int64 { return r.bytes.Load() }

// AllReduce replaces v by its sum over all nodes.
func (r *Ring) AllReduce(ctx context.Context, rank int, v []float32) error {
	n := len(r.links)
	if rank < 0 || rank >= n {
		return fmt.Errorf("crs: rank %d in a ring of %d nodes", rank, n)
	}
	part := func(i int) []float32 {
		i = (i%n + n) % n
		return v[i*len(v)/n : (i+1)*len(v)/n]
	}
	for s := range n - 1 { // each part is added up on its way around
		if err := r.send(ctx, rank, part(rank-s)); err != nil {
			return err
		}
		err := r.receive(ctx, rank, part(rank-s-1), func(dst, src []float32) {
			for i, x := range src {
				dst[i] += x
			}
		})
		if err != nil {
			return err
		}
	}
	for s := range n - 1 { // and handed on as it is
		if err := r.send(ctx, rank, part(rank+1-s)); err != nil {
			return err
		}
		err := r.receive(ctx, rank, part(rank-s), func(dst, src []float32) { copy(dst, src) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Ring) send(ctx context.Context, rank int, v []float32) error {
	l := r.links[rank]
	var b []float32
	select {
	case b = <-l.empty:
	default:
	}
	b = append(b[:0], v...)
	select {
	case l.full <- b:
		r.bytes.Add(4 * int64(len(b)))
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Ring) receive(ctx context.Context, rank int, dst []float32, take func(dst, src []float32)) error {
	n := len(r.links)
	l := r.links[(rank+n-1)%n]
	select {
	case b := <-l.full:
		if len(b) != len(dst) {
			return fmt.Errorf("crs: node %d has a part of %d numbers and its neighbour sent %d: the nodes have chosen different pairs", rank, len(dst), len(b))
		}
		take(dst, b)
		select {
		case l.empty <- b:
		default:
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
