package mgrit

import (
	"errors"
	"fmt"
	"sync"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
	"trivium/core/train"
)

// An order is the minibatches of package train: a new order of the samples in each epoch,
// which follows from the seed and the epoch's number alone.
type order struct {
	x          tensor.Matrix[float32]
	labels     []int
	targetRows tensor.Matrix[float32] // no rows: none
	size, n    int                    // samples of a minibatch, minibatches of an epoch
	seed       uint64
	asTheyLie  bool
	mu         sync.Mutex
	kept       map[int]*shuffled // by epoch, those asked for of late
	asked      int               // times
}

// shuffled is the order of one epoch.
type shuffled struct {
	of    []int
	asked int // when it was last
}

// Every sweep of a run comes by all epochs, and coarse steps leap from one to the next. So all are
// kept where they are no more than this many numbers; otherwise as many as are, or a few.
const (
	keptNumbers = 1 << 22 // 32 MB
	keptEpochs  = 16
)

func newOrder(data train.Data, o train.Options) (b *order, err error) {
	defer run.Catch(&err) // data may be anybody's, and a nil pointer too
	if data == nil {
		return nil, errors.New("mgrit: TrainingOf got no data: give samples, such as a *datasets.Split")
	}
	if o.Batch < 0 {
		return nil, fmt.Errorf("mgrit: the options' Batch is %d: it must be at least 0 (0 means 64)", o.Batch)
	}
	b = &order{seed: o.Seed, asTheyLie: o.InOrder, kept: map[int]*shuffled{}}
	b.x, b.labels = data.TrainData()
	if s, ok := data.(*train.Samples); ok && o.Loss != nn.CrossEntropy {
		b.targetRows = s.Targets
	}
	n := b.x.Rows
	if n == 0 {
		return nil, errors.New("mgrit: there are no training samples")
	}
	setInt(&o.Batch, 64)
	b.size = min(o.Batch, n)
	b.n = (n + b.size - 1) / b.size
	if o.DropLast {
		b.n = n / b.size
	}
	return b, nil
}

// Len is the minibatches in an epoch.
func (b *order) Len() int { return b.n }

// Minibatch implements Batches.
func (b *order) Minibatch(k int, x tensor.Matrix[float32], labels []int) (tensor.Matrix[float32], []int) {
	numbers := b.numbers(k)
	x = grown(x, len(numbers), b.x.Cols)
	labels = labels[:0]
	for i, from := range numbers {
		copy(x.Row(i), b.x.Row(from))
		if len(b.labels) > 0 {
			labels = append(labels, b.labels[from])
		}
	}
	return x, labels
}

// targets are what a network's results for minibatch k should be; no rows if there are labels only.
func (b *order) targets(k int, t tensor.Matrix[float32]) tensor.Matrix[float32] {
	if b.targetRows.Rows == 0 {
		return tensor.Matrix[float32]{}
	}
	numbers := b.numbers(k)
	t = grown(t, len(numbers), b.targetRows.Cols)
	for i, from := range numbers {
		copy(t.Row(i), b.targetRows.Row(from))
	}
	return t
}

// numbers are those of the samples of minibatch k.
func (b *order) numbers(k int) []int {
	of := b.epoch(k / b.n)
	from := k % b.n * b.size
	return of[from:min(from+b.size, len(of))]
}

func (b *order) epoch(e int) []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asTheyLie {
		e = 0
	}
	b.asked++
	if c := b.kept[e]; c != nil {
		c.asked = b.asked
		return c.of
	}
	if len(b.kept) >= max(keptEpochs, keptNumbers/b.x.Rows) {
		b.forgetOne()
	}
	var of []int
	if b.asTheyLie {
		of = make([]int, b.x.Rows)
		for i := range of {
			of[i] = i
		}
	} else {
		of = random.New(b.seed).Split("order").SplitN(e).Perm(b.x.Rows)
	}
	b.kept[e] = &shuffled{of, b.asked}
	return of
}

// forgetOne drops the epoch that was not asked for for longest. Its order may still be read by
// who has it.
func (b *order) forgetOne() {
	oldest, at := b.asked, 0
	for e, c := range b.kept {
		if c.asked < oldest {
			oldest, at = c.asked, e
		}
	}
	delete(b.kept, at)
}

// grown is m with so many rows and columns, in its own memory if that is enough.
func grown[T tensor.Float](m tensor.Matrix[T], rows, cols int) tensor.Matrix[T] {
	if cap(m.Data) < rows*cols {
		return tensor.New[T](rows, cols)
	}
	return tensor.Of(rows, cols, m.Data[:rows*cols])
}
