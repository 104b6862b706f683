package crs

import (
	"math"

	"trivium/core/tensor"
)

// joinedNorms is the norms of a layer's inputs on several nodes: what all of them had in the last
// step, by which they choose in this one, so that they choose alike, and what this node has now,
// for the next exchange. In the first step all inputs count alike, so that weights decide.
type joinedNorms[T tensor.Float] struct {
	own  []T // squares, of this step
	last []T // norms over all nodes, of the step before; none before the first exchange
}

// swap keeps the norms of this node's samples and puts those of all nodes, one step old, in their
// place. One node alone, which is nil, keeps its own.
func (j *joinedNorms[T]) swap(norms []T) {
	if j == nil {
		return
	}
	j.own = room(j.own, len(norms))
	for i, v := range norms {
		j.own[i] = v * v
		norms[i] = 1
	}
	if len(j.last) > 0 {
		copy(norms, j.last)
	}
}

// join takes the sums of all nodes' squares.
func (j *joinedNorms[T]) join(squares []T) {
	j.last = room(j.last, len(squares))
	for i, v := range squares {
		j.last[i] = T(math.Sqrt(float64(v)))
	}
}
