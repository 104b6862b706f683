package crs

import (
	"math"

	"trivium/core/tensor"
)

// joinedNorms is the norms of a layer's inputs on several nodes: what all of them had in the last
// steps, by which they choose in this one, so that they choose alike, and what this node has now,
// for the next exchange. In the first step all inputs count alike, so that weights decide.
type joinedNorms[T tensor.Float] struct {
	own  []T // squares, of this step
	mean []T // of squares over all nodes and the last steps; none before the first exchange
}

// recent is the weight of one step in the mean. With a single step, an input that was small in it by
// chance would be scaled up much in the next.
const recent = 0.1

// swap keeps the norms of this node's samples and puts those of all nodes, of the steps before, in
// their place. One node alone, which is nil, keeps its own.
func (j *joinedNorms[T]) swap(norms []T) {
	if j == nil {
		return
	}
	j.own = room(j.own, len(norms))
	for i, v := range norms {
		j.own[i] = v * v
		norms[i] = 1
	}
	for i, v := range j.mean {
		norms[i] = T(math.Sqrt(float64(v)))
	}
}

// join takes the sums of all nodes' squares.
func (j *joinedNorms[T]) join(squares []T) {
	if len(j.mean) == 0 {
		j.mean = append(j.mean, squares...)
		return
	}
	for i, v := range squares {
		j.mean[i] += recent * (v - j.mean[i])
	}
}
