package train

import (
	"fmt"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// Data is samples to train with and others to test with, one a row, with the number of the
// class of each. *datasets.Split is Data; so is *Samples.
type Data interface {
	TrainData() (x tensor.Matrix[float32], labels []int)
	TestData() (x tensor.Matrix[float32], labels []int)
}

// Samples is Data given in full. Targets are for losses other than cross-entropy: where they
// are absent, such a loss compares with 1 at the label and 0 elsewhere. The test part may be
// left out.
type Samples struct {
	X           tensor.Matrix[float32]
	Labels      []int
	Targets     tensor.Matrix[float32]
	TestX       tensor.Matrix[float32]
	TestLabels  []int
	TestTargets tensor.Matrix[float32]
}

// TrainData returns X and Labels.
func (s *Samples) TrainData() (tensor.Matrix[float32], []int) { return s.X, s.Labels }

// TestData returns TestX and TestLabels.
func (s *Samples) TestData() (tensor.Matrix[float32], []int) { return s.TestX, s.TestLabels }

// A part is one of the two.
type part struct {
	what    string
	x       tensor.Matrix[float32]
	labels  []int
	targets tensor.Matrix[float32] // no rows: none
}

func partsOf(d Data) (train, test part) {
	train.what, test.what = "training", "test"
	train.x, train.labels = d.TrainData()
	test.x, test.labels = d.TestData()
	if s, ok := d.(*Samples); ok {
		train.targets, test.targets = s.Targets, s.TestTargets
	}
	return train, test
}

// check says what about the samples does not fit a network from in to out numbers.
func (p part) check(in, out int, loss nn.Loss) error {
	n := p.x.Rows
	switch {
	case p.x.Cols != in:
		return fmt.Errorf("train: the %s samples have %d numbers each and the network takes %d", p.what, p.x.Cols, in)
	case p.x.Stride < p.x.Cols || len(p.x.Data) < (n-1)*p.x.Stride+p.x.Cols:
		return fmt.Errorf("train: the %s samples are %d rows, %d apart, in %d numbers", p.what, n, p.x.Stride, len(p.x.Data))
	case p.targets.Rows > 0 && loss != nn.CrossEntropy:
		if p.targets.Rows != n || p.targets.Cols != out || p.targets.Stride < out || len(p.targets.Data) < (n-1)*p.targets.Stride+out {
			return fmt.Errorf("train: %d×%d targets for %d %s samples and %d outputs", p.targets.Rows, p.targets.Cols, n, p.what, out)
		}
		return nil
	case len(p.labels) != n:
		return fmt.Errorf("train: %d labels for %d %s samples", len(p.labels), n, p.what)
	}
	for i, l := range p.labels {
		if l < 0 || l >= out {
			return fmt.Errorf("train: the label of %s sample %d is %d: it must be from 0 to %d, as the network has %d outputs", p.what, i, l, out-1, out)
		}
	}
	return nil
}

// A batch is memory for the samples of one step, in the network's type.
type batch[T tensor.Float] struct {
	x, targets, grad tensor.Matrix[T]
	labels           []int
}

func newBatch[T tensor.Float](size, in, out int, loss nn.Loss) *batch[T] {
	b := &batch[T]{x: tensor.New[T](size, in), grad: tensor.New[T](size, out), labels: make([]int, size)}
	if loss != nn.CrossEntropy {
		b.targets = tensor.New[T](size, out)
	}
	return b
}

// gather copies the samples of those numbers, at most as many as there is room for.
func (b *batch[T]) gather(p part, numbers []int, loss nn.Loss) (x, targets, grad tensor.Matrix[T], labels []int) {
	n := len(numbers)
	x, grad, labels = rows(b.x, n), rows(b.grad, n), b.labels[:n]
	convertRows(x, p.x, numbers)
	if len(p.labels) > 0 {
		for i, k := range numbers {
			labels[i] = p.labels[k]
		}
	}
	if loss == nn.CrossEntropy {
		return x, targets, grad, labels
	}
	targets = rows(b.targets, n)
	if p.targets.Rows > 0 {
		convertRows(targets, p.targets, numbers)
		return x, targets, grad, labels
	}
	for i := range numbers {
		clear(targets.Row(i))
		targets.Row(i)[labels[i]] = 1
	}
	return x, targets, grad, labels
}

func rows[T tensor.Float](m tensor.Matrix[T], n int) tensor.Matrix[T] {
	return tensor.Of(n, m.Cols, m.Data[:n*m.Cols])
}

// convertRows copies rows of src by their numbers.
func convertRows[T tensor.Float](dst tensor.Matrix[T], src tensor.Matrix[float32], numbers []int) {
	if same, ok := any(dst).(tensor.Matrix[float32]); ok && tensor.GatherRows(same, src, numbers) == nil {
		return
	}
	for i, k := range numbers {
		convert(dst.Row(i), src.Row(k))
	}
}

func convert[T tensor.Float](dst []T, src []float32) {
	if same, ok := any(dst).([]float32); ok {
		copy(same, src)
		return
	}
	for i, v := range src {
		dst[i] = T(v)
	}
}
