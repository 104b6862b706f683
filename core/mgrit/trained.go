package mgrit

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/run"
	"trivium/core/tensor"
)

// trained is the training of a network in T. Any number of goroutines take its steps at
// once, also those of several runs: each step takes a unit from those that are free.
type trained[T tensor.Float] struct {
	o        TrainingOptions
	batches  Batches
	origin   *nn.Network[T] // as it was at first; only cloned
	weights  int            // numbers in each part of the vector
	memory   int
	running  int
	decay    []T // by what each running average is multiplied in a step
	perEpoch float64

	mu   sync.Mutex
	free []*unit[T]
}

// A unit is what one step at a time needs: networks that work with weights that lie
// elsewhere, and memory for minibatches.
type unit[T tensor.Float] struct {
	of      *trained[T]
	exact   *nn.Network[T]
	sampled map[int]sampledNet[T] // by level

	w, memory []T // of float32; float64 works in the vector itself
	spare     []T // for a step of momentum

	raw        tensor.Matrix[float32] // a minibatch as it comes
	rawTargets tensor.Matrix[float32]
	rawLabels  []int
	x, y       tensor.Matrix[T] // minibatches, one after the other; targets
	grad       tensor.Matrix[T]
	labels     []int
	rows       int
}

func newTrained[T tensor.Float](net *nn.Network[T], b Batches, o TrainingOptions) (t *trained[T], err error) {
	defer run.Catch(&err) // batches may be anybody's, and a nil pointer too
	switch {
	case net == nil:
		return nil, errors.New("mgrit: Training got no network: give one, such as nn.MLP(784, 128, 10)")
	case net.Err() != nil:
		return nil, fmt.Errorf("mgrit: the network cannot be trained: %w", net.Err())
	case b == nil || b.Len() < 1:
		return nil, errors.New("mgrit: Training got no minibatches: give some, such as split.Batches(64)")
	}
	if o, err = o.filled(); err != nil {
		return nil, err
	}
	t = &trained[T]{o: o, batches: b, origin: net.Clone(), perEpoch: float64(b.Len())}
	t.weights, t.running = len(t.origin.Weights()), len(t.origin.Running())
	if t.weights == 0 {
		return nil, fmt.Errorf("mgrit: the network %s has no weights to train", net.Name)
	}
	t.memory = t.weights * o.Optimizer.Memory()
	u := t.take()
	defer t.give(u)
	if err := u.gather(0, 1, 1); err != nil { // what does not fit is found here
		return nil, err
	}
	if t.running > 0 {
		return t, u.measureDecay()
	}
	return t, nil
}

func (t *trained[T]) numbers() int { return t.weights + t.memory + t.running }

// first is the vector before the first step.
func (t *trained[T]) first() []float64 {
	v := make([]float64, t.numbers())
	widen(v[:t.weights], t.origin.Weights())
	widen(v[t.weights+t.memory:], t.origin.Running())
	return v
}

// scratch is the bytes that a worker's unit takes, but for the layers' own memory.
func (t *trained[T]) scratch() float64 {
	size := 8.0
	if _, ok := any(T(0)).(float32); ok {
		size = 4
	}
	u := t.take()
	defer t.give(u)
	return size*float64(3*t.weights+t.memory+t.running) + size*float64(len(u.x.Data)) + 4*float64(len(u.raw.Data))
}

// network is a copy with the weights and averages of a vector.
func (t *trained[T]) network(v []float64) any {
	net := t.origin.Clone()
	narrow(net.Weights(), v[:t.weights])
	narrow(net.Running(), v[t.weights+t.memory:])
	return net
}

func (t *trained[T]) take() *unit[T] {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.free); n > 0 {
		u := t.free[n-1]
		t.free = t.free[:n-1]
		return u
	}
	return &unit[T]{of: t, exact: t.copyOf(t.o.Product)}
}

// give puts a unit back. One whose step panicked is left to the garbage collector.
func (t *trained[T]) give(u *unit[T]) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free = append(t.free, u)
}

// copyOf is a network for steps with another way to multiply; nil is as the network has it.
func (t *trained[T]) copyOf(q nn.Product) *nn.Network[T] {
	net := t.origin.Clone()
	if q != nil {
		net.SetProduct(q, t.o.Seed)
	}
	*net.Pass() = nn.Pass[T]{Train: true, Seed: t.o.Seed}
	return net
}

// step is Problem.Step. What goes wrong in it, which [newTrained] could not see, is a panic
// that the solver makes an error of.
func (t *trained[T]) step(dst, src []float64, s Step) {
	u := t.take()
	copy(dst, src)
	if err := u.step(dst, s); err != nil {
		panic(err)
	}
	t.give(u)
}

// loss is the mean over the first samples, at most some 1,024 of them.
func (t *trained[T]) loss(v []float64) float64 {
	u := t.take()
	defer t.give(u)
	net := u.exact
	net.Pass().Train = false
	defer func() { net.Pass().Train = true }()
	w, _ := u.open(v[:t.weights+t.memory])
	if err := net.Use(w); err != nil {
		return math.NaN()
	}
	narrow(net.Running(), v[t.weights+t.memory:])
	sum, samples := 0.0, 0
	for k := 0; k < t.batches.Len() && samples < 1024; k++ {
		if err := u.gather(k, k+1, 1); err != nil {
			return math.NaN()
		}
		y, err := net.Forward(u.x)
		if err != nil {
			return math.NaN()
		}
		loss, err := nn.LossOf(t.o.Loss, u.grad, y, u.labels, u.y)
		if err != nil {
			return math.NaN()
		}
		sum += loss * float64(u.rows)
		samples += u.rows
	}
	return sum / float64(samples)
}

// step changes v, the vector before s, to the one after it.
func (u *unit[T]) step(v []float64, s Step) error {
	t := u.of
	net, batches := u.exact, 1
	if c := s.Coarse; c != nil {
		if c.Product != nil {
			net = u.sampledNet(s.Level, c)
		}
		batches = max(c.Batches, 1)
	}
	index := s.Index
	w, memory := u.open(v[:t.weights+t.memory])
	running := v[t.weights+t.memory:]
	if err := net.Use(w); err != nil {
		return err
	}
	narrow(net.Running(), running)
	from, to := index, index+1
	if batches > 1 {
		from, to = s.From, s.To
	}
	if err := u.gather(from, to, batches); err != nil {
		return err
	}
	net.Pass().Step, net.Pass().Flops = uint64(index), 0
	y, err := net.Forward(u.x)
	if err != nil {
		return err
	}
	if _, err := nn.LossOf(t.o.Loss, u.grad, y, u.labels, u.y); err != nil {
		return err
	}
	if err := net.Backward(u.grad); err != nil {
		return err
	}
	g := net.Gradients()
	if t.o.Clip > 0 {
		optim.ClipNorm(g, t.o.Clip)
	}
	span, start := max(s.Span, 1), s.From
	if span < s.To-s.From { // a part of the coarse step
		start = s.Index
	}
	rate := t.o.Rate
	if t.o.Schedule != nil {
		rate *= t.o.Schedule.Factor((float64(start)+float64(span-1)/2)/t.perEpoch, t.o.Epochs)
	}
	u.stretch(t.o.Optimizer, w, g, memory, rate*s.Scale, start+1, span)
	if s.flops != nil {
		*s.flops += net.Pass().Flops
	}
	u.close(v[:t.weights+t.memory])
	t.carry(running, net.Running(), span)
	return nil
}

// open returns weights and memory of the optimiser in T: where they are, or copies.
func (u *unit[T]) open(v []float64) (w, memory []T) {
	n := u.of.weights
	if same, ok := any(v).([]T); ok {
		return same[:n:n], same[n:]
	}
	if u.w == nil {
		all := make([]T, len(v))
		u.w, u.memory = all[:n:n], all[n:]
	}
	narrow(u.w, v[:n])
	narrow(u.memory, v[n:])
	return u.w, u.memory
}

// close writes copies back.
func (u *unit[T]) close(v []float64) {
	if _, ok := any(v).([]T); ok {
		return
	}
	widen(v[:u.of.weights], u.w)
	widen(v[u.of.weights:], u.memory)
}

// A sampledNet multiplies as a level's propagator has it. The propagator is another one in
// every solution, which may sample in another way: a unit outlives a solution.
type sampledNet[T tensor.Float] struct {
	of  *Propagator
	net *nn.Network[T]
}

func (u *unit[T]) sampledNet(level int, c *Propagator) *nn.Network[T] {
	if s := u.sampled[level]; s.of == c {
		return s.net
	}
	if u.sampled == nil {
		u.sampled = map[int]sampledNet[T]{}
	}
	net := u.of.copyOf(c.Product)
	u.sampled[level] = sampledNet[T]{c, net}
	return net
}

// gather puts n of the minibatches from from to before to, evenly spread, into u.x and
// u.labels or u.y, and makes room for the gradient.
func (u *unit[T]) gather(from, to, n int) error {
	t := u.of
	in, out := t.origin.In().Size(), t.origin.Out().Size()
	u.rows, u.labels = 0, u.labels[:0]
	for k := range n {
		at := from + k*(to-from)/n
		x, labels := t.batches.Minibatch(at, u.raw, u.rawLabels)
		u.raw, u.rawLabels = x, labels
		if x.Cols != in || x.Rows < 1 {
			return fmt.Errorf("mgrit: minibatch %d is %d×%d: it must have rows of %d numbers, the network's input", at, x.Rows, x.Cols, in)
		}
		var targets tensor.Matrix[float32]
		if b, ok := t.batches.(interface {
			targets(int, tensor.Matrix[float32]) tensor.Matrix[float32]
		}); ok {
			targets = b.targets(at, u.rawTargets)
		}
		if err := checkLabels(at, labels, x.Rows, out, targets); err != nil {
			return err
		}
		u.x = extended(u.x, u.rows, x)
		u.labels = append(u.labels, labels...)
		switch {
		case t.o.Loss == nn.CrossEntropy:
		case targets.Rows > 0:
			u.rawTargets = targets
			u.y = extended(u.y, u.rows, targets)
		default:
			u.y = extended(u.y, u.rows, tensor.New[float32](x.Rows, out))
			for i, l := range labels {
				u.y.Row(u.rows + i)[l] = 1
			}
		}
		u.rows += x.Rows
	}
	u.grad = grown(u.grad, u.rows, out)
	return nil
}

func checkLabels(at int, labels []int, rows, out int, targets tensor.Matrix[float32]) error {
	if targets.Rows > 0 {
		if targets.Rows != rows || targets.Cols != out {
			return fmt.Errorf("mgrit: minibatch %d has targets of %d×%d for %d samples and %d outputs", at, targets.Rows, targets.Cols, rows, out)
		}
		return nil
	}
	if len(labels) != rows {
		return fmt.Errorf("mgrit: minibatch %d has %d labels for %d samples", at, len(labels), rows)
	}
	for _, l := range labels {
		if l < 0 || l >= out {
			return fmt.Errorf("mgrit: minibatch %d has the label %d: it must be from 0 to below %d, the network's outputs", at, l, out)
		}
	}
	return nil
}

// extended is m with x from a row on, and nothing after it.
func extended[T tensor.Float](m tensor.Matrix[T], from int, x tensor.Matrix[float32]) tensor.Matrix[T] {
	old := m
	m = grown(m, from+x.Rows, x.Cols)
	if from > 0 && &m.Data[0] != &old.Data[0] {
		copy(m.Data, old.Data[:from*x.Cols])
	}
	for i := range x.Rows {
		row := m.Row(from + i)
		for j, v := range x.Row(i) {
			row[j] = T(v)
		}
	}
	return m
}

// carry sets the running averages after span steps in which the network was given the same
// minibatch: each is multiplied by its decay and moved on by the same, step after step.
func (t *trained[T]) carry(v []float64, after []T, span int) {
	for i, a := range after {
		if span > 1 {
			moved := a - t.decay[i]*T(v[i])
			for range span - 1 {
				a = t.decay[i]*a + moved
			}
		}
		v[i] = float64(a)
	}
}

// measureDecay finds by what a step multiplies running averages: the difference that a
// difference of 1 makes.
func (u *unit[T]) measureDecay() error {
	t, net := u.of, u.exact
	if err := net.Use(append([]T(nil), t.origin.Weights()...)); err != nil {
		return err
	}
	t.decay = make([]T, t.running)
	for _, start := range []T{0, 1} {
		r := net.Running()
		for i := range r {
			r[i] = start
		}
		if _, err := net.Forward(u.x); err != nil {
			return fmt.Errorf("mgrit: the first minibatch: %w", err)
		}
		for i, a := range r {
			t.decay[i] = a - t.decay[i]
		}
	}
	return nil
}

func widen[T tensor.Float](dst []float64, src []T) {
	for i, v := range src {
		dst[i] = float64(v)
	}
}

func narrow[T tensor.Float](dst []T, src []float64) {
	for i, v := range src {
		dst[i] = T(v)
	}
}
