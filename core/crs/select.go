package crs

import (
	"math"

	"trivium/core/random"
	"trivium/core/tensor"
)

// A selector chooses the pairs of one product of one layer, step after step.
type selector[T tensor.Float] struct {
	sampler Sampler
	stream  *random.Stream
	step    uint64
	strict  bool // norms that are all 0 are an error
	look    int  // norms are measured on one part in so many; see glance
	stale   bool // norms are those of other steps

	norms, scratch []T
	draw           draw
	sample         tensor.Sample[T]
}

func newSelector[T tensor.Float](s Sampler, stream *random.Stream) *selector[T] {
	c := &selector[T]{sampler: s, stream: stream}
	// What is drawn follows from the stream's name and the step alone.
	c.draw.source = func() *random.Stream { return c.stream.SplitN(int(c.step)) }
	return c
}

// glance is what the norms of this step are measured on.
func (c *selector[T]) glance(step uint64) glance[T] { return glance[T]{c.look, step} }

// choose returns the sample for a product of n pairs, nil if all are to be computed: where no
// fewer than all are asked for, or where all norms are 0, which leaves nothing to choose by and
// almost nothing to compute. norms fills dst, with scratch of the same length.
func (c *selector[T]) choose(step uint64, n, least int, norms func(dst, scratch []T) error) (*tensor.Sample[T], error) {
	if n == 0 {
		return nil, nil
	}
	k := pairsKept(c.sampler.keep(), n, least)
	if k == n {
		return nil, nil
	}
	d := &c.draw
	d.n, d.k, d.stream, c.step = n, k, nil, step
	d.index, d.scale, d.c = d.index[:0], d.scale[:0], d.c[:0]
	if c.sampler.looksAt() != seesNothing {
		c.norms, c.scratch = room(c.norms, n), room(c.scratch, n)
		if err := norms(c.norms, c.scratch); err != nil {
			return nil, err
		}
		total := 0.0
		for _, v := range c.norms {
			d.c = append(d.c, float64(v))
			total += float64(v)
		}
		if total == 0 && c.strict {
			return nil, &NormError{Pair: -1, Pairs: n}
		}
		if total == 0 {
			return nil, nil
		}
		if err := checkNorms(d.c, total); err != nil {
			return nil, err
		}
		switch {
		case c.stale:
			floor(d.c, 0.1*total)
		case c.look > 1:
			floor(d.c, 0.01*total)
		}
	}
	if err := c.sampler.draw(d); err != nil {
		return nil, err
	}
	c.sample.Index, c.sample.Scale = d.index, nil
	if c.sample.Index == nil {
		c.sample.Index = []int32{} // none, which is not all
	}
	if len(d.scale) > 0 {
		c.sample.Scale = room(c.sample.Scale[:0:cap(c.sample.Scale)], len(d.scale))
		for i, v := range d.scale {
			c.sample.Scale[i] = T(v)
		}
	}
	return &c.sample, nil
}

// checkNorms finds the norm that is no number, if their sum is none.
func checkNorms(c []float64, total float64) error {
	if !math.IsNaN(total) && !math.IsInf(total, 0) {
		return nil
	}
	for i, v := range c {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &NormError{Pair: i, Pairs: len(c), Norm: v}
		}
	}
	return nil
}

func room[T any](x []T, n int) []T {
	if cap(x) < n {
		x = make([]T, n)
	}
	return x[:n]
}
