package amp

import (
	"fmt"
	"reflect"

	"trivium/core/tensor"
)

// Data is instances: each is some messages that enter the graph together.
type Data interface {
	Len() int

	// Send sends the messages of instance i by way of p. It is called by one goroutine at a time.
	Send(i int, p *Pump)
}

// Samples is Data made of a function.
type Samples struct {
	N    int
	Each func(i int, p *Pump) // sends the messages of instance i
}

// Len returns N.
func (s Samples) Len() int { return s.N }

// Send calls Each.
func (s Samples) Send(i int, p *Pump) { s.Each(i, p) }

// A Pump takes the messages of one instance.
type Pump struct {
	w    *worker
	inst *instance
	at   State
}

// Send sends one row of numbers through an input of the graph.
func (p *Pump) Send(input string, s State, row ...float32) {
	n := p.input(input)
	x := p.alloc(n, 1, len(row))
	if x.b != nil {
		copy(x.data(), row)
	}
	p.send(n, s, x)
}

// SendRows sends rows of numbers as one message.
func (p *Pump) SendRows(input string, s State, rows tensor.Mat32) {
	n := p.input(input)
	x := p.alloc(n, rows.Rows, rows.Cols)
	if x.b != nil {
		for i := range rows.Rows {
			copy(x.data()[i*rows.Cols:], rows.Row(i))
		}
	}
	p.send(n, s, x)
}

// SendZeros sends rows of zeros: the first state of a loop.
func (p *Pump) SendZeros(input string, s State, rows int) {
	n := p.input(input)
	x := p.alloc(n, rows, n.outs[0].width)
	if x.b != nil {
		clear(x.data())
	}
	p.send(n, s, x)
}

func (p *Pump) input(name string) *node {
	n := p.w.e.inputs[name]
	if n == nil {
		p.w.fail(p.w.e.source, p.at, "the data sends to input %q, and the graph has %v", name, p.w.e.inputNames())
	}
	return n
}

func (p *Pump) alloc(n *node, rows, cols int) payload {
	if want := n.outs[0].width; cols != want || rows < 1 {
		p.w.fail(n, p.at, "%d rows of %d numbers are sent; it takes at least one row of %d", rows, cols, want)
	}
	return p.w.alloc(rows, cols)
}

func (p *Pump) send(n *node, s State, x payload) {
	s.Instance = p.inst.key
	if t := s.incomparable(&p.w.goodType); t != nil {
		p.w.fail(n, State{Instance: s.Instance, Sample: s.Sample}, "the state's Data, a %v, cannot be compared: use a pointer to it", t)
	}
	p.inst.pumped++
	p.w.alive(p.inst, 1)
	add(&n.stats.messages[0], 1)
	p.w.at, p.w.state = n, &p.at
	x.given = true
	p.w.emit(n, 0, p.inst, &s, x)
}

// A tester has data to test with beside those to train with, as *datasets.Split and *train.Samples.
type tester interface {
	TrainData() (x tensor.Matrix[float32], labels []int)
	TestData() (x tensor.Matrix[float32], labels []int)
}

// adapt makes Data of what a cell gave, to train with or to test with: at least one instance.
func (g *Graph) adapt(data any, train bool) (Data, error) {
	d, err := g.data(data, train)
	if err != nil {
		return nil, err
	}
	if s, ok := d.(Samples); ok && s.Each == nil {
		return nil, errNoEach
	}
	if d.Len() < 1 {
		return nil, errNothing
	}
	return d, nil
}

func (g *Graph) data(data any, train bool) (Data, error) {
	if d, ok := data.(Data); ok && d != nil {
		if v := reflect.ValueOf(data); v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, fmt.Errorf("amp: the data is a nil %T", data)
		}
		return d, nil
	}
	if data == nil {
		return nil, fmt.Errorf("amp: %s got no data", g.Name)
	}
	if g.read == nil {
		return nil, fmt.Errorf("amp: %s takes amp.Data, such as amp.Samples; it got a %T", g.Name, data)
	}
	return g.read(data, train)
}

// sendColumn sends rows of one number each.
func (p *Pump) sendColumn(input string, s State, column []float32) {
	n := p.input(input)
	x := p.alloc(n, len(column), 1)
	if x.b != nil {
		copy(x.data(), column)
	}
	p.send(n, s, x)
}
