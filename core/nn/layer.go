package nn

import "trivium/core/tensor"

// A Layer describes a layer: its kind and sizes, no weights. Layers are values, written as
// Dense{Out: 10}, and the same one may stand in several nets.
type Layer interface {
	Kind() string                  // "dense", for names such as dense2.weight
	Shape(in Shape) (Shape, error) // of what comes out, or why in cannot go in
	Unit32(in Shape) Unit[float32] // the layer itself; only called with shapes that fit
	Unit64(in Shape) Unit[float64]
}

// A Unit is a layer at work in one net: it holds what Backward needs of the last Forward.
//
// Matrices are batches, one sample a row, without gaps. What a method returns belongs to the
// unit and is valid until its next call.
type Unit[T tensor.Float] interface {
	// Params returns the layer's parameters. They have room when the net has been used.
	Params() []*Param[T]

	// Forward returns the layer's result for x, which it leaves as it is and may look at
	// again in Backward.
	Forward(p *Pass[T], x tensor.Matrix[T]) tensor.Matrix[T]

	// Backward sets the gradients of the parameters for the batch of the last Forward from
	// dy, the gradient of its result, and returns that of its x, or anything if wantX is
	// false. It may use dy's memory as it likes.
	Backward(p *Pass[T], dy tensor.Matrix[T], wantX bool) tensor.Matrix[T]
}

// A Param is one parameter of a layer, such as the weights or the bias.
type Param[T tensor.Float] struct {
	Name  string // "weight"; with the layer's name before it in Network.Params
	Len   int
	Value []T
	Grad  []T // nil for Running

	// Running marks what is kept but not learned: the averages of a BatchNorm.
	Running bool

	init      func(name string, seed uint64, w []T) // nil means zeros
	descended bool                                  // Backward has changed Value already; see Network.Descend
}

// A Pass is what all layers share during a forward and backward pass.
type Pass[T tensor.Float] struct {
	Pool       *tensor.Pool // nil means the calling goroutine alone
	Train      bool         // dropout drops, batch norm uses the batch's own mean, products are sampled
	Accumulate bool         // Backward adds to gradients instead of setting them
	Seed, Step uint64       // what dropout draws from: the same two give the same mask
	Epoch      float64      // epochs done so far, which schedules go by; only trainings set it
	Flops      float64      // done by products so far

	descend float64 // the rate of Network.Descend, 0 in Backward

	live, left []int32 // what Live returns, and will return next
	liveSample tensor.Sample[T]

	sampled bool          // products may choose by norms; Network.Forward sets it
	norms   []measured[T] // of results of this forward pass
	settle  int           // the number of a pass of Network.Settle, 0 in Forward

	err   error
	watch bool   // look for the first layer whose result is not finite
	found string // and its name
}

// Fail records an error of a layer. The first one is what Network.Forward or Backward returns.
func (p *Pass[T]) Fail(err error) {
	if p.err == nil && err != nil {
		p.err = err
	}
}

func (p *Pass[T]) beta() T {
	if p.Accumulate {
		return 1
	}
	return 0
}

// A buffer is memory for batches, which grows to the largest and stays.
type buffer[T tensor.Float] struct{ data []T }

func (b *buffer[T]) matrix(rows, cols int) tensor.Matrix[T] {
	return tensor.Of(rows, cols, b.slice(rows*cols))
}

func (b *buffer[T]) slice(n int) []T {
	if cap(b.data) < n {
		b.data = make([]T, n)
	}
	return b.data[:n]
}

// images sees a batch as images of a shape.
func images[T tensor.Float](x tensor.Matrix[T], s Shape) tensor.Images[T] {
	return tensor.Images[T]{N: x.Rows, C: s.C, H: s.H, W: s.W, Data: x.Data}
}

// flat returns the numbers of a batch.
func flat[T tensor.Float](x tensor.Matrix[T]) []T { return x.Data[:x.Rows*x.Cols] }
