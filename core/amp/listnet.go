package amp

import (
	"fmt"

	"trivium/core/nn"
	"trivium/core/random"
)

// ListOptions sizes the network for list reduction. The zero value is the one of AMPNet.
type ListOptions struct {
	Hidden   int // 0 means 128
	Tokens   int // different ones; 0 means 14
	Classes  int // 0 means 10
	Replicas int // of the loop's layer; 0 means 1
	Batch    int // sequences of equal length that go through together as one instance; 0 means 100

	Product nn.Product // how its layers multiply, as Graph.SetProduct has it; nil means exactly
}

// Lists returns a plain recurrent network with ReLU that reads a sequence token by token and then gives its class:
//
//	state ── Phi ── Concat ── Linear, ReLU ── Step ── Cond ── Linear ── loss
//	          │        │                               │
//	          │      token ── Embedding                │
//	          └────────────────── t < length ──────────┘
//
// It takes data with Len and Sequence(i) (tokens []int, label int), such as a *lists.Set.
func Lists(o ListOptions) *Graph {
	def := func(v *int, usual int) {
		if *v == 0 {
			*v = usual
		}
	}
	def(&o.Hidden, 128)
	def(&o.Tokens, 14)
	def(&o.Classes, 10)
	def(&o.Replicas, 1)
	def(&o.Batch, 100)
	g := NewGraph("list reduction")
	g.SetProduct(o.Product)
	token := g.PPT("embed", g.Input("token", 1), Embedding{Words: o.Tokens, Dim: o.Hidden, Spread: 1})
	state := g.Phi("state", g.Input("start", o.Hidden))
	next := g.Replicas("loop", g.Concat("join", token, state), Linear{Out: o.Hidden, Act: ReLU}, o.Replicas, nil)
	ways := g.Cond("more?", g.Step("step", next), 2, func(s State) int {
		if s.Step < s.Count {
			return 0
		}
		return 1
	})
	g.Join(state, ways[0])
	g.Classify("loss", g.Linear("out", ways[1], o.Classes, None), func(s State) []int { return s.Data.(*sequences).labels })
	g.read = func(data any, _ bool) (Data, error) { return readSequences(data, o) }
	if o.Batch < 0 {
		g.bad("batches of %d sequences", o.Batch)
	}
	return g
}

// sequences are of equal length and go through together.
type sequences struct {
	samples []int
	labels  []int
}

type sequenceData struct {
	tokens  [][]int
	labels  []int
	size    int
	batches []sequences
	column  []float32
}

func readSequences(data any, o ListOptions) (Data, error) {
	v, ok := data.(interface {
		Len() int
		Sequence(i int) (tokens []int, label int)
	})
	if !ok {
		return nil, fmt.Errorf("amp: the network for lists takes data with Len and Sequence, such as a *lists.Set; it got a %T", data)
	}
	d := &sequenceData{size: o.Batch, column: make([]float32, o.Batch)}
	for i := range v.Len() {
		t, l := v.Sequence(i)
		if len(t) == 0 {
			return nil, fmt.Errorf("amp: sequence %d is empty", i)
		}
		if l < 0 || l >= o.Classes {
			return nil, fmt.Errorf("amp: sequence %d has label %d: it must be from 0 to below %d", i, l, o.Classes)
		}
		d.tokens, d.labels = append(d.tokens, t), append(d.labels, l)
	}
	d.cut(0, 0)
	return d, nil
}

// cut puts sequences of equal length together, in the random order of an epoch.
func (d *sequenceData) cut(epoch int, seed uint64) {
	byLength := map[int]*sequences{}
	d.batches = d.batches[:0]
	end := func(b *sequences) {
		d.batches = append(d.batches, *b)
		*b = sequences{}
	}
	longest := 0
	for _, i := range random.New(seed).Split("sequences").SplitN(epoch).Perm(len(d.tokens)) {
		n := len(d.tokens[i])
		longest = max(longest, n)
		b := byLength[n]
		if b == nil {
			b = &sequences{}
			byLength[n] = b
		}
		b.samples, b.labels = append(b.samples, i), append(b.labels, d.labels[i])
		if len(b.samples) == d.size {
			end(b)
		}
	}
	for n := 1; n <= longest; n++ {
		if b := byLength[n]; b != nil && len(b.samples) > 0 {
			end(b)
		}
	}
}

func (d *sequenceData) epoch(k int, seed uint64) { d.cut(k, seed) }

func (d *sequenceData) Len() int { return len(d.batches) }

func (d *sequenceData) Send(i int, p *Pump) {
	b := &d.batches[i]
	n, rows := len(d.tokens[b.samples[0]]), len(b.samples)
	s := State{Sample: i, Count: n, Data: b}
	p.SendZeros("start", s, rows)
	for t := range n {
		for j, k := range b.samples {
			d.column[j] = float32(d.tokens[k][t])
		}
		s.Step = t
		p.sendColumn("token", s, d.column[:rows])
	}
}
