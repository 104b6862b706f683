package nn

import (
	"fmt"

	"trivium/core/random"
	"trivium/core/tensor"
)

// Net is a network in float32, Net64 one in float64.
type (
	Net   = Network[float32]
	Net64 = Network[float64]
)

// A Network is a chain of layers with their weights. All weights lie one after the other in
// one vector, all gradients in another. Memory for them is taken at first use, so that a large
// network can be described and counted for nothing.
//
// A network is for one goroutine at a time; Clone and Replica give others to others.
type Network[T tensor.Float] struct {
	Name    string
	in, out Shape
	layers  Chain
	seed    uint64
	err     error

	unit                    *chain[T]
	params                  []*Param[T]
	weights, grads, running []T
	pass                    Pass[T]
	product                 Product
	productSeed             uint64
}

// New returns a network in float32 of the layers, in float64 by way of Network.Float64. Layers
// that do not fit give a network whose Err says which and why, and so does its first use.
func New(in Shape, layers ...Layer) *Net { return describe[float32]("net", in, layers, 1) }

func describe[T tensor.Float](name string, in Shape, layers Chain, seed uint64) *Network[T] {
	n := &Network[T]{Name: name, in: in, layers: layers, seed: seed}
	n.out, n.err = layers.Shape(in)
	if n.err != nil {
		return n
	}
	n.unit = newChain[T](layers, in)
	walk("", Unit[T](n.unit), func(name string, u Unit[T]) {
		for _, p := range u.Params() {
			p.Name = name + "." + p.Name
			n.params = append(n.params, p)
		}
		if k, ok := u.(interface{ setKey(uint64) }); ok {
			k.setKey(random.New(0).Split(name).Uint64())
		}
	})
	return n
}

// like returns a network of the same layers, with no weights yet.
func like[U, T tensor.Float](n *Network[T]) *Network[U] {
	c := describe[U](n.Name, n.in, n.layers, n.seed)
	if n.err != nil {
		c.err = n.err
	}
	return c
}

// Err returns why the network cannot be, nil if it can.
func (n *Network[T]) Err() error { return n.err }

// In and Out return the shape of a sample and of the result for it.
func (n *Network[T]) In() Shape { return n.in }

// Out returns the shape of the result for a sample.
func (n *Network[T]) Out() Shape { return n.out }

// Init gives the weights the first values of a seed and returns the network. Without it the
// seed is 1.
func (n *Network[T]) Init(seed uint64) *Network[T] {
	n.seed = seed
	if n.weights != nil {
		n.fill()
	}
	return n
}

// allocate takes the memory for weights and gradients, unless that is done or cannot be.
func (n *Network[T]) allocate() error {
	if n.err != nil || n.weights != nil {
		return n.err
	}
	learned, running := n.lengths()
	n.bind(make([]T, learned), make([]T, learned), make([]T, running))
	n.fill()
	return nil
}

func (n *Network[T]) lengths() (learned, running int) {
	for _, p := range n.params {
		if p.Running {
			running += p.Len
		} else {
			learned += p.Len
		}
	}
	return learned, running
}

func (n *Network[T]) bind(weights, grads, running []T) {
	n.weights, n.grads, n.running = weights, grads, running
	for _, p := range n.params {
		if p.Running {
			p.Value, running = running[:p.Len:p.Len], running[p.Len:]
			continue
		}
		p.Value, weights = weights[:p.Len:p.Len], weights[p.Len:]
		p.Grad, grads = grads[:p.Len:p.Len], grads[p.Len:]
	}
}

func (n *Network[T]) fill() {
	for _, p := range n.params {
		p.init(p.Name, n.seed, p.Value)
	}
}

// Clone returns a network of its own with the same weights.
func (n *Network[T]) Clone() *Network[T] {
	c := like[T](n)
	if n.weights != nil && c.allocate() == nil {
		copy(c.weights, n.weights)
		copy(c.running, n.running)
	}
	c.SetProduct(n.product, n.productSeed)
	return c
}

// Replica returns a network that shares n's weights and running averages and has gradients
// and everything else of its own: for another goroutine, while nobody writes to the weights.
func (n *Network[T]) Replica() *Network[T] {
	c := like[T](n)
	if n.allocate() == nil {
		c.bind(n.weights, make([]T, len(n.weights)), n.running)
	}
	c.SetProduct(n.product, n.productSeed)
	return c
}

// Twin is Replica that shares the gradients too: several batches can be between Forward and
// Backward at once, each in a twin, with Pass.Accumulate set. All twins are for one goroutine
// at a time.
func (n *Network[T]) Twin() *Network[T] {
	c := like[T](n)
	if n.allocate() == nil {
		c.bind(n.weights, n.grads, n.running)
	}
	c.SetProduct(n.product, n.productSeed)
	return c
}

// Float64 returns the same network with the same weights in float64.
func (n *Network[T]) Float64() *Net64 { return converted[float64](n) }

// Float32 returns the same network with the weights rounded to float32.
func (n *Network[T]) Float32() *Net { return converted[float32](n) }

func converted[U, T tensor.Float](n *Network[T]) *Network[U] {
	c := like[U](n)
	if n.allocate() == nil && c.allocate() == nil {
		for i, v := range n.weights {
			c.weights[i] = U(v)
		}
		for i, v := range n.running {
			c.running[i] = U(v)
		}
	}
	c.SetProduct(n.product, n.productSeed)
	return c
}

// Weights returns all learned parameters as one vector, in the order of Params: writing to it
// changes the network. Gradients is laid out in the same way. Both are nil if the network has an Err.
func (n *Network[T]) Weights() []T { n.allocate(); return n.weights }

// Gradients returns the gradients that the last Backward left.
func (n *Network[T]) Gradients() []T { n.allocate(); return n.grads }

// Running returns what is kept but not learned: the averages of batch norms.
func (n *Network[T]) Running() []T { n.allocate(); return n.running }

// Use makes the network work with weights that lie in w, without copying: a time step of a
// training, say. Their number must be that of Weights.
func (n *Network[T]) Use(w []T) error {
	if err := n.allocate(); err != nil {
		return err
	}
	if len(w) != len(n.weights) {
		return fmt.Errorf("nn: %s has %d weights, got %d", n.Name, len(n.weights), len(w))
	}
	n.bind(w, n.grads, n.running)
	return nil
}

// Params returns the parameters by name, in order: "dense1.weight", "dense1.bias".
func (n *Network[T]) Params() []*Param[T] { n.allocate(); return n.params }

// SetProduct makes the layers multiply in another way during training: nil means exactly. What
// is drawn at random follows from the seed and the layer's name.
func (n *Network[T]) SetProduct(q Product, seed uint64) {
	n.product, n.productSeed = q, seed
	if n.err != nil {
		return
	}
	if f, ok := q.(ForNet); ok {
		q = f.ForNet(n.Layers())
	}
	root := random.New(seed).Split("product")
	n.eachLeaf(func(name string, u Unit[T]) {
		m, ok := u.(interface{ setMultiplier(Multiplier[T]) })
		if !ok {
			return
		}
		if q == nil {
			m.setMultiplier(nil)
			return
		}
		m.setMultiplier(multiplierOf[T](q, infoOf(name, u), root.Split(name)))
	})
}

// Product returns what SetProduct has set last: nil if layers multiply exactly.
func (n *Network[T]) Product() (q Product, seed uint64) { return n.product, n.productSeed }

// Sampled tells whether layers multiply from samples in training, as they do not with SkipZeros.
func (n *Network[T]) Sampled() bool {
	_, exact := n.product.(SkipZeros)
	return n.product != nil && !exact
}

func (n *Network[T]) eachLeaf(f func(name string, u Unit[T])) { walk("", Unit[T](n.unit), f) }

// Pass returns what the network's own passes share: set its Pool, Train, Seed, Step before
// Forward, read Flops after it.
func (n *Network[T]) Pass() *Pass[T] { return &n.pass }

// Forward returns the network's result for a batch, one sample a row. It belongs to the
// network and is valid until the next Forward.
func (n *Network[T]) Forward(x tensor.Matrix[T]) (tensor.Matrix[T], error) {
	if err := n.allocate(); err != nil {
		return tensor.Matrix[T]{}, err
	}
	size := n.in.Size()
	if x.Cols != size || x.Rows < 1 || x.Rows > 1 && x.Stride != x.Cols || len(x.Data) < x.Rows*size {
		return tensor.Matrix[T]{}, fmt.Errorf("nn: %s: a batch of %d×%d (row stride %d, %d numbers): it must be rows of %d numbers without gaps",
			n.Name, x.Rows, x.Cols, x.Stride, len(x.Data), size)
	}
	n.pass.err, n.pass.norms, n.pass.sampled = nil, n.pass.norms[:0], n.Sampled()
	y := n.unit.Forward(&n.pass, x)
	return y, n.pass.err
}

// Settle is pass number k, from 1, of some that make the running averages of batch norms anew, as
// the plain means over these passes' batches. Products are exact and nothing drops, as
// in evaluation, which the averages of a training with sampled products do not fit (Izmailov et al.,
// UAI 2018, do the same for averages of weights).
func (n *Network[T]) Settle(k int, x tensor.Matrix[T]) error {
	train := n.pass.Train
	n.pass.Train, n.pass.settle = false, k
	_, err := n.Forward(x)
	n.pass.Train, n.pass.settle = train, 0
	return err
}

// Backward sets Gradients from dy, the gradient of a loss by the result of the last Forward,
// which must have been one with Train set. dy is used up.
func (n *Network[T]) Backward(dy tensor.Matrix[T]) error {
	_, err := n.backward(dy, false)
	return err
}

// Descend is Backward and a step of plain gradient descent, w -= rate·gradient. Dense layers add
// to their weights what would be their gradient, which saves going through memory twice
// more; so Gradients holds nothing of use afterwards. After an error some weights have changed.
func (n *Network[T]) Descend(dy tensor.Matrix[T], rate float64) error {
	accumulate := n.pass.Accumulate
	n.pass.descend, n.pass.Accumulate = rate, false
	_, err := n.backward(dy, false)
	n.pass.descend, n.pass.Accumulate = 0, accumulate
	for _, p := range n.params {
		if !p.Running && !p.descended && err == nil {
			tensor.SGD(p.Value, p.Grad, T(rate), 0)
		}
		p.descended = false
	}
	return err
}

// InputGradient is Backward that returns the gradient of the loss by the input.
func (n *Network[T]) InputGradient(dy tensor.Matrix[T]) (tensor.Matrix[T], error) {
	return n.backward(dy, true)
}

func (n *Network[T]) backward(dy tensor.Matrix[T], wantX bool) (tensor.Matrix[T], error) {
	if n.err != nil {
		return tensor.Matrix[T]{}, n.err
	}
	n.pass.err = nil
	dx := n.unit.Backward(&n.pass, dy, wantX)
	return dx, n.pass.err
}

// Blame names the first layer that has weights or gives results for x that are not finite;
// it returns "" if there is none.
func (n *Network[T]) Blame(x tensor.Matrix[T]) string {
	if n.allocate() != nil {
		return ""
	}
	for _, p := range n.params {
		if !finite(p.Value) {
			return p.Name
		}
	}
	if !finite(flat(x)) {
		return "input"
	}
	n.pass.watch, n.pass.found = true, ""
	_, _ = n.Forward(x)
	n.pass.watch = false
	return n.pass.found
}
