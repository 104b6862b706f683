package crs

import (
	"fmt"
	"slices"
	"sync"

	"trivium/core/nn"
)

// A Record keeps what was drawn in a training, so that figures can show it while the training goes
// on: which pairs, and what share of them, of each product of each layer. Its zero value is ready:
//
//	kept := &crs.Record{}
//	r := train.Start(ctx, net, data, train.Options{Product: crs.Product{Sampler: crs.TopK{Keep: 0.5}, Record: kept}})
//	viz.Kept(kept, r)
//
// It takes a bounded amount of memory: neighbouring steps, and neighbouring pairs, are joined
// as there come to be many. Give each training its own.
type Record struct {
	mu      sync.Mutex
	order   []string
	series  map[string]*series
	version uint64
}

// Bounds of what is kept of a series.
const (
	mostColumns = 64  // of steps
	mostRows    = 196 // of pairs
)

// A series is the draws of one product of one layer. Column c stands for steps
// first+c·span to before first+(c+1)·span.
type series struct {
	pairs       int
	rows        int // groups of pairs
	first, span uint64
	last        uint64 // step so far
	columns     []column
}

type column struct {
	draws   float64
	share   float64   // sum over draws
	count   []float64 // pairs drawn of each group; nil: all in each draw
	overall float64   // draws of all pairs
}

// A layerRecord is a record's part for one layer.
type layerRecord struct {
	r    *Record
	name string
}

func (r *Record) layer(l nn.Info) *layerRecord {
	if r == nil {
		return nil
	}
	return &layerRecord{r, l.Name}
}

// note adds a draw of a product of n pairs.
func (l *layerRecord) note(step uint64, product string, n int, all bool, index []int32) {
	if n == 0 {
		return
	}
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	l.r.version++
	name := l.name + " " + product
	s := l.r.series[name]
	if s == nil || s.pairs < n { // the last batch of an epoch may be smaller
		if s == nil {
			l.r.order = append(l.r.order, name)
		}
		if l.r.series == nil {
			l.r.series = map[string]*series{}
		}
		s = &series{pairs: n, rows: min(n, mostRows), first: step, span: 1}
		l.r.series[name] = s
	}
	if step < s.first {
		*s = series{pairs: s.pairs, rows: s.rows, first: step, span: 1} // a new training
	}
	s.last = max(s.last, step)
	c := s.column(step)
	c.draws++
	if all {
		c.overall++
		c.share++
		return
	}
	c.share += float64(len(index)) / float64(n)
	if c.count == nil {
		c.count = make([]float64, s.rows)
	}
	for _, i := range index {
		c.count[int(i)*s.rows/s.pairs]++
	}
}

// column returns the column of a step, joining columns by two as long as there are too many.
func (s *series) column(step uint64) *column {
	for (step-s.first)/s.span >= mostColumns {
		half := s.columns[:0]
		for i := 0; i < len(s.columns); i += 2 {
			c := s.columns[i]
			if i+1 < len(s.columns) {
				c.add(s.columns[i+1])
			}
			half = append(half, c)
		}
		clear(s.columns[len(half):])
		s.columns = half
		s.span *= 2
	}
	at := int((step - s.first) / s.span)
	for len(s.columns) <= at {
		s.columns = append(s.columns, column{})
	}
	return &s.columns[at]
}

func (c *column) add(d column) {
	c.draws += d.draws
	c.share += d.share
	c.overall += d.overall
	switch {
	case c.count == nil:
		c.count = d.count
	case d.count != nil:
		for i, v := range d.count {
			c.count[i] += v
		}
	}
}

// Series returns the products there are draws of: "dense1 forward", "conv2 weight gradient".
func (r *Record) Series() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.order)
}

// Share returns the share of the pairs that were computed, over the steps of a training.
func (r *Record) Share(name string) (steps, share []float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.series[name]
	if s == nil {
		return nil, nil
	}
	for i, c := range s.columns {
		if c.draws > 0 {
			from := s.first + uint64(i)*s.span
			to := min(from+s.span-1, s.last)
			steps = append(steps, float64(from+to)/2)
			share = append(share, c.share/c.draws)
		}
	}
	return steps, share
}

// Drawn returns how often pairs were drawn: a row for each group of neighbouring pairs, a column
// for each group of steps from the first to the last, values from 0 to 1, NaN where there was
// no draw.
func (r *Record) Drawn(name string) (often [][]float64, pairs int, first, last float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.series[name]
	if s == nil {
		return nil, 0, 0, 0
	}
	often = make([][]float64, s.rows)
	for i := range often {
		often[i] = make([]float64, len(s.columns))
		inGroup := float64(groupStart(i+1, s) - groupStart(i, s))
		for j, c := range s.columns {
			drawn := c.overall
			if c.count != nil {
				drawn += c.count[i] / inGroup
			}
			often[i][j] = drawn / c.draws
		}
	}
	return often, s.pairs, float64(s.first), float64(s.last)
}

// groupStart is the first pair of a group: the smallest i with i·rows/pairs = g.
func groupStart(g int, s *series) int { return (g*s.pairs + s.rows - 1) / s.rows }

// Version grows with each draw.
func (r *Record) Version() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

func (r *Record) String() string {
	text := "what was drawn:"
	for _, name := range r.Series() {
		_, share := r.Share(name)
		mean := 0.0
		for _, v := range share {
			mean += v / float64(len(share))
		}
		text += fmt.Sprintf("\n  %-24s %5.1f%% of the pairs", name, 100*mean)
	}
	return text
}
