package amp

import (
	"fmt"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// MLPOptions sizes a perceptron. The zero value is the one of AMPNet for MNIST.
type MLPOptions struct {
	In, Out int   // 0 means 784 and 10
	Hidden  []int // nil means three layers of 784
	Batch   int   // samples that go through together as one instance; 0 means 100

	Product nn.Product // how its layers multiply, as Graph.SetProduct has it; nil means exactly
}

// MLP returns a perceptron with ReLU between its layers: nothing in it is dynamic, so that all there is to gain
// is layers at work at once. With several instances on their way the first layers' gradients are as many updates late, and
// plain descent at its usual rate of 0.1 may end in NaN: Adam at its usual rate does not, nor does descent with
// Options.Clip = 1. It takes data with TrainData and TestData, such as a
// *datasets.Split, or X and Labels, such as a *datasets.Set.
func MLP(o MLPOptions) *Graph {
	if o.In == 0 {
		o.In = 784
	}
	if o.Out == 0 {
		o.Out = 10
	}
	if o.Hidden == nil {
		o.Hidden = []int{784, 784, 784}
	}
	if o.Batch == 0 {
		o.Batch = 100
	}
	g := NewGraph("perceptron")
	g.SetProduct(o.Product)
	x := g.Input("samples", o.In)
	for i, h := range o.Hidden {
		x = g.Linear(fmt.Sprintf("layer %d", i+1), x, h, ReLU)
	}
	x = g.Linear(fmt.Sprintf("layer %d", len(o.Hidden)+1), x, o.Out, None)
	g.Classify("loss", x, func(s State) []int { return s.Data.(*rowBatch).labels })
	g.read = func(data any, train bool) (Data, error) { return readRows(data, train, o) }
	if o.Batch < 0 {
		g.bad("batches of %d samples", o.Batch)
	}
	return g
}

type rowBatch struct{ labels []int }

// rowData are samples in batches.
type rowData struct {
	x       tensor.Matrix[float32]
	labels  []int
	order   []int
	batches []rowBatch
	size    int
	buf     []float32
}

func readRows(data any, train bool, o MLPOptions) (Data, error) {
	d := &rowData{size: o.Batch}
	switch v := data.(type) {
	case tester:
		if train {
			d.x, d.labels = v.TrainData()
		} else {
			d.x, d.labels = v.TestData()
		}
	case interface {
		X() tensor.Matrix[float32]
		Labels() []int
	}:
		d.x, d.labels = v.X(), v.Labels()
	default:
		return nil, fmt.Errorf("amp: a perceptron takes a *datasets.Split or *datasets.Set; it got a %T", data)
	}
	if d.x.Cols != o.In || len(d.labels) != d.x.Rows {
		return nil, fmt.Errorf("amp: samples of %d numbers and %d labels for %d samples: the perceptron takes %d numbers, and each needs a label", d.x.Cols, len(d.labels), d.x.Rows, o.In)
	}
	for i, l := range d.labels {
		if l < 0 || l >= o.Out {
			return nil, fmt.Errorf("amp: sample %d has label %d: it must be from 0 to below %d", i, l, o.Out)
		}
	}
	d.order = make([]int, d.x.Rows)
	for i := range d.order {
		d.order[i] = i
	}
	d.cut()
	return d, nil
}

func (d *rowData) cut() {
	d.batches = make([]rowBatch, (len(d.order)+d.size-1)/d.size)
	for i := range d.batches {
		for _, k := range d.order[i*d.size : min((i+1)*d.size, len(d.order))] {
			d.batches[i].labels = append(d.batches[i].labels, d.labels[k])
		}
	}
	d.buf = make([]float32, d.size*d.x.Cols)
}

// epoch puts the samples in a new order.
func (d *rowData) epoch(k int, seed uint64) {
	d.order = random.New(seed).Split("samples").SplitN(k).Perm(d.x.Rows)
	d.cut()
}

func (d *rowData) Len() int { return len(d.batches) }

func (d *rowData) Send(i int, p *Pump) {
	b := &d.batches[i]
	for j := range b.labels {
		copy(d.buf[j*d.x.Cols:], d.x.Row(d.order[i*d.size+j]))
	}
	p.SendRows("samples", State{Sample: i, Data: b}, tensor.Of(len(b.labels), d.x.Cols, d.buf))
}
