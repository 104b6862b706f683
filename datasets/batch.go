package datasets

import (
	"fmt"
	"sort"
	"sync"

	"trivium/core/random"
	"trivium/core/tensor"
)

// A Batch is samples that take a step together.
type Batch struct {
	X      tensor.Matrix[float32] // a sample a row
	Labels []int                  // a class for each
	// Shared says that both are the set's own numbers, which are not to be changed.
	Shared bool

	of *Set // where it was cut from; nil for one that somebody put together
}

// Len returns the number of samples.
func (b Batch) Len() int { return len(b.Labels) }

// batch returns samples i to before j of those listed, or of all where the list is nil:
// shared where they lie one after the other.
func (s *Set) batch(i, j int, samples []int) Batch {
	if s.order == nil && samples == nil {
		return Batch{s.x.Slice(i, j, 0, s.x.Cols), s.labels[i:j:j], true, s}
	}
	var b Batch
	s.fill(&b, i, j, samples)
	return b
}

// fill copies samples into b, whose memory it uses again where it is large enough and b's own.
func (s *Set) fill(b *Batch, i, j int, samples []int) {
	n, size := j-i, (j-i)*s.x.Cols
	if b.Shared || cap(b.X.Data) < size || cap(b.Labels) < n {
		b.X.Data, b.Labels = make([]float32, size), make([]int, n)
	}
	b.X, b.Labels, b.Shared, b.of = tensor.Of(n, s.x.Cols, b.X.Data[:size]), b.Labels[:n], false, s
	for k := range n {
		from := i + k
		if samples != nil {
			from = samples[from]
		}
		copy(b.X.Row(k), s.Row(from))
		b.Labels[k] = s.Label(from)
	}
}

// Batches is a set cut into batches, numbered on and on: batch Len() is the first one of the
// second epoch. Batch k depends on the set, the seed and k alone, whatever was asked for
// before, so that steps can be taken in any order and by several goroutines at once.
type Batches struct {
	set   *Set
	size  int
	order func(epoch int) []int // nil: as they lie
	how   string                // the order in words, for String

	mu     sync.Mutex
	cached map[int][]int // the orders of the last epochs asked for
}

// Batches cuts the set into batches of size samples in the order of the set; the last batch of
// an epoch has the rest. A size below 1 means all samples in one batch.
func (s *Set) Batches(size int) *Batches {
	if size < 1 || size > s.Len() {
		size = max(s.Len(), 1)
	}
	return &Batches{set: s, size: size}
}

// Shuffled returns the batches with a new random order in each epoch.
func (b *Batches) Shuffled(seed uint64) *Batches {
	root := random.New(seed).Split("batches")
	n := b.set.Len()
	order := func(epoch int) []int { return root.SplitN(epoch).Perm(n) }
	return &Batches{set: b.set, size: b.size, order: order, how: fmt.Sprintf(", shuffled by seed %d", seed)}
}

// Stratified returns the batches with a new random order in each epoch, in which every batch
// has the classes in the shares of the set: of C classes, one with share p is off by at most
// 1+pC samples.
func (b *Batches) Stratified(seed uint64) *Batches {
	root := random.New(seed).Split("stratified")
	s := b.set
	order := func(epoch int) []int { return s.stratified(root.SplitN(epoch)) }
	return &Batches{set: s, size: b.size, order: order, how: fmt.Sprintf(", shuffled by seed %d, stratified by class", seed)}
}

// stratified gives the j-th of n samples of a class the place (j+u)/n, with u drawn once per
// class, and returns the samples by place.
func (s *Set) stratified(r *random.Stream) []int {
	type placed struct {
		at     float64
		sample int
	}
	all := make([]placed, 0, s.Len())
	for _, of := range s.byClass(r) {
		u := r.Float64()
		for j, k := range of {
			all = append(all, placed{(float64(j) + u) / float64(len(of)), k})
		}
	}
	sort.Slice(all, func(i, j int) bool {
		if all[i].at != all[j].at {
			return all[i].at < all[j].at
		}
		return all[i].sample < all[j].sample
	})
	order := make([]int, len(all))
	for i, p := range all {
		order[i] = p.sample
	}
	return order
}

// Len returns the number of batches in an epoch.
func (b *Batches) Len() int { return (b.set.Len() + b.size - 1) / b.size }

// Size returns the number of samples in a batch, the last of an epoch aside.
func (b *Batches) Size() int { return b.size }

// At returns batch k. Batches in the order of a set share its numbers; others are copies, for
// which Fill can use memory again.
func (b *Batches) At(k int) Batch {
	var x Batch
	b.Fill(k, &x)
	return x
}

// Fill makes batch k in x, whose memory it uses again where that is large enough.
func (b *Batches) Fill(k int, x *Batch) {
	if b.Len() == 0 || k < 0 {
		*x = Batch{X: tensor.Matrix[float32]{Cols: b.set.x.Cols, Stride: b.set.x.Cols}}
		return
	}
	epoch, i := k/b.Len(), k%b.Len()*b.size
	j := min(i+b.size, b.set.Len())
	if b.order == nil && b.set.order == nil {
		*x = b.set.batch(i, j, nil)
		return
	}
	b.set.fill(x, i, j, b.orderOf(epoch))
}

// orderOf remembers two epochs, since steps of neighbouring ones may be taken in turn.
func (b *Batches) orderOf(epoch int) []int {
	if b.order == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if o, ok := b.cached[epoch]; ok {
		return o
	}
	o := b.order(epoch)
	for e := range b.cached {
		if e != epoch-1 && e != epoch+1 {
			delete(b.cached, e)
		}
	}
	if b.cached == nil || len(b.cached) > 2 {
		b.cached = map[int][]int{}
	}
	b.cached[epoch] = o
	return o
}

// Minibatch returns the features and labels of batch k, as package mgrit takes them. It may
// use the memory of x and labels, which come from an earlier call or are empty.
func (b *Batches) Minibatch(k int, x tensor.Matrix[float32], labels []int) (tensor.Matrix[float32], []int) {
	batch := Batch{X: x, Labels: labels, Shared: b.order == nil && b.set.order == nil}
	b.Fill(k, &batch)
	return batch.X, batch.Labels
}
