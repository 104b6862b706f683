package amp

import (
	"context"
	"fmt"
	"testing"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// A plan of a random graph: what happens to a message, step by step. It is built once as a Graph and
// once as a plain recursive function, its reference.
type piece interface {
	build(g *Graph, in Port, name string) Port
	// run is the unrolled reference: it returns y, and a function that takes its gradient.
	run(c *unrolled, x []float32, s State) (y []float32, back func(dy []float32) []float32)
}

type unrolled struct {
	g     *Graph
	grads map[string][]float32
}

const randomWidth = 3

type linearPiece struct {
	name string
	act  Activation
}

func (p *linearPiece) build(g *Graph, in Port, _ string) Port {
	return g.PPT(p.name, in, Linear{Out: randomWidth, Act: p.act})
}

func (p *linearPiece) run(c *unrolled, x []float32, _ State) ([]float32, func([]float32) []float32) {
	a, y := forwardAlone(c.g.Node(p.name), x)
	return append([]float32(nil), y...), func(dy []float32) []float32 { return a.backward(dy, c.grads[p.name]) }
}

// A functionPiece has no parameters.
type functionPiece struct{}

func (functionPiece) build(g *Graph, in Port, name string) Port { return g.Apply(name, in, Tanh) }

func (functionPiece) run(_ *unrolled, x []float32, _ State) ([]float32, func([]float32) []float32) {
	y := append([]float32(nil), x...)
	Tanh.apply(y)
	return y, func(dy []float32) []float32 {
		dx := make([]float32, len(dy))
		Tanh.grad(dx, dy, y)
		return dx
	}
}

// An alongPiece adds a row to where it lies twice, and drops one that nothing leads to.
type alongPiece struct{}

func (alongPiece) build(g *Graph, in Port, name string) Port {
	pair := g.SumAlong(name+" pair", in, func(State) (from, to []int, rows int) { return []int{0, 0, 0}, []int{2, 0, 2}, 3 })
	return g.SumAlong(name+" one", pair, func(State) (from, to []int, rows int) { return []int{2, 1}, []int{0, 0}, 1 })
}

func (alongPiece) run(_ *unrolled, x []float32, _ State) ([]float32, func([]float32) []float32) {
	twice := func(x []float32) []float32 {
		y := make([]float32, len(x))
		tensor.Add(y, x, x)
		return y
	}
	return twice(x), twice
}

type sequencePiece []piece

func (p sequencePiece) build(g *Graph, in Port, name string) Port {
	for i, q := range p {
		in = q.build(g, in, fmt.Sprintf("%s.%d", name, i))
	}
	return in
}

func (p sequencePiece) run(c *unrolled, x []float32, s State) ([]float32, func([]float32) []float32) {
	var backs []func([]float32) []float32
	for _, q := range p {
		y, b := q.run(c, x, s)
		x, backs = y, append(backs, b)
	}
	return x, func(d []float32) []float32 {
		for i := len(backs) - 1; i >= 0; i-- {
			d = backs[i](d)
		}
		return d
	}
}

// A loopPiece goes round as often as the sample's number says.
type loopPiece struct {
	body  piece
	least int
	level int
}

// Loops inside loops count in fields of their own.
func (p *loopPiece) turns(s State) int { return p.least + s.Sample%3 }
func (p *loopPiece) field(s *State) *int {
	return []*int{&s.Step, &s.Kind, &s.Node}[p.level]
}

func (p *loopPiece) build(g *Graph, in Port, name string) Port {
	phi := g.Phi(name+" phi", in)
	y := p.body.build(g, phi, name+"l")
	y = g.Isu(name+" isu", y, func(s State) State { *p.field(&s)++; return s }, func(s State) State { *p.field(&s)--; return s })
	ways := g.Cond(name+" cond", y, 2, func(s State) int {
		if *p.field(&s) < p.turns(s) {
			return 0
		}
		return 1
	})
	g.Join(phi, ways[0])
	n := func(s State) int { return p.turns(s) }
	return g.Isu(name+" reset", ways[1], func(s State) State { *p.field(&s) -= n(s); return s }, func(s State) State { *p.field(&s) += n(s); return s })
}

func (p *loopPiece) run(c *unrolled, x []float32, s State) ([]float32, func([]float32) []float32) {
	turns := max(p.turns(s), 1)
	var backs []func([]float32) []float32
	for range turns {
		y, b := p.body.run(c, x, s)
		x, backs = y, append(backs, b)
	}
	return x, func(d []float32) []float32 {
		for i := len(backs) - 1; i >= 0; i-- {
			d = backs[i](d)
		}
		return d
	}
}

// A forkPiece goes two ways at once and joins them with a matrix.
type forkPiece struct {
	a, b piece
	name string
	gru  bool // which takes the two apart
}

func (p *forkPiece) cell() Cell {
	if p.gru {
		return GRU{Out: randomWidth}
	}
	return Linear{Out: randomWidth, Act: Tanh}
}

func (p *forkPiece) build(g *Graph, in Port, name string) Port {
	both := g.Bcast(name+" both", in, 2)
	return g.PPT(p.name, g.Concat(name+" join", p.a.build(g, both[0], name+"a"), p.b.build(g, both[1], name+"b")), p.cell())
}

func (p *forkPiece) run(c *unrolled, x []float32, s State) ([]float32, func([]float32) []float32) {
	ya, ba := p.a.run(c, x, s)
	yb, bb := p.b.run(c, x, s)
	cell, y := forwardAlone(c.g.Node(p.name), append(append([]float32(nil), ya...), yb...))
	return append([]float32(nil), y...), func(dy []float32) []float32 {
		d := cell.backward(dy, c.grads[p.name])
		da, db := ba(d[:randomWidth]), bb(d[randomWidth:])
		sum := append([]float32(nil), da...)
		tensor.Add(sum, sum, db)
		return sum
	}
}

// A choicePiece goes one of two ways, by the sample's number.
type choicePiece struct {
	a, b piece
	by   int
}

func (p *choicePiece) build(g *Graph, in Port, name string) Port {
	ways := g.Cond(name+" choice", in, 2, func(s State) int { return s.Sample / p.by % 2 })
	return g.Phi(name+" either", p.a.build(g, ways[0], name+"a"), p.b.build(g, ways[1], name+"b"))
}

func (p *choicePiece) run(c *unrolled, x []float32, s State) ([]float32, func([]float32) []float32) {
	if s.Sample/p.by%2 == 0 {
		return p.a.run(c, x, s)
	}
	return p.b.run(c, x, s)
}

// A spreadPiece makes several messages of one, sends each through a matrix, and adds them up again. If again is
// set they are put together in between, and taken apart.
type spreadPiece struct {
	name, again string
	copies      int
}

func (p *spreadPiece) n(s State) int { return 1 + (s.Sample+p.copies)%4 }

// states numbers the messages from 1 in Count.
func (p *spreadPiece) states(s State, out []State) []State {
	for k := range p.n(s) {
		t := s
		t.Count = k + 1
		out = append(out, t)
	}
	return out
}

func (p *spreadPiece) build(g *Graph, in Port, name string) Port {
	gather := Gather{
		Key:   func(s State) State { s.Count = 0; return s },
		Count: p.n,
		Place: func(s State) int { return s.Count - 1 },
	}
	y := g.PPT(p.name, g.Flatmap(name+" many", in, Spread{States: p.states}), Linear{Out: randomWidth, Act: Tanh})
	if p.again != "" {
		y = g.PPT(p.again, g.Ungroup(name+" rows", g.Group(name+" stack", y, gather), p.states), Linear{Out: randomWidth, Act: Sigmoid})
	}
	return g.SumAll(name+" sum", g.Group(name+" one", y, gather))
}

func (p *spreadPiece) run(c *unrolled, x []float32, s State) ([]float32, func([]float32) []float32) {
	sum := make([]float32, randomWidth)
	var backs []func([]float32) []float32
	for range p.n(s) {
		each := sequencePiece{&linearPiece{p.name, Tanh}}
		if p.again != "" {
			each = append(each, &linearPiece{p.again, Sigmoid})
		}
		y, back := each.run(c, x, s)
		tensor.Add(sum, sum, y)
		backs = append(backs, back)
	}
	return sum, func(dy []float32) []float32 {
		d := make([]float32, randomWidth)
		for _, back := range backs {
			tensor.Add(d, d, back(append([]float32(nil), dy...)))
		}
		return d
	}
}

// A turnPiece cuts rows in two and joins the parts the other way round.
type turnPiece struct{}

func (turnPiece) build(g *Graph, in Port, name string) Port {
	parts := g.Split(name+" split", in, 1, randomWidth-1)
	return g.Concat(name+" turned", parts[1], parts[0])
}

func (turnPiece) run(_ *unrolled, x []float32, _ State) ([]float32, func([]float32) []float32) {
	turn := func(x []float32, at int) []float32 { return append(append([]float32(nil), x[at:]...), x[:at]...) }
	return turn(x, 1), func(d []float32) []float32 { return turn(d, randomWidth-1) }
}

// randomPiece draws a piece of at most some depth.
func randomPiece(r *random.Stream, depth, loops int, names *int) piece {
	name := func() string { *names++; return fmt.Sprintf("w%d", *names) }
	leaf := func() piece { return &linearPiece{name(), []Activation{None, Tanh, Sigmoid}[r.IntN(3)]} }
	if depth == 0 {
		return leaf()
	}
	sub := func() piece { return randomPiece(r, depth-1, loops, names) }
	switch r.IntN(10) {
	case 0:
		return sequencePiece{sub(), sub()}
	case 1:
		if loops < 3 {
			return &loopPiece{body: randomPiece(r, depth-1, loops+1, names), least: r.IntN(2) + 1, level: loops}
		}
		return leaf()
	case 2:
		return &forkPiece{sub(), sub(), name(), r.IntN(2) == 0}
	case 3:
		return &choicePiece{sub(), sub(), 1 + r.IntN(2)}
	case 4:
		return &spreadPiece{name: name(), copies: r.IntN(3)}
	case 5:
		return &spreadPiece{name(), name(), r.IntN(3)}
	case 6:
		return sequencePiece{turnPiece{}, sub()}
	case 7:
		return functionPiece{}
	case 8:
		return sequencePiece{alongPiece{}, sub()}
	default:
		return leaf()
	}
}

// TestRandomGraphs: 100 random well-formed graphs of sequences, loops, forks, choices, spreads, turns, sums and functions give
// loss and gradients of the unrolled reference, on up to three workers.
func TestRandomGraphs(t *testing.T) {
	graphs := 100
	if testing.Short() {
		graphs = 20
	}
	r := random.New(11)
	nodes := 0
	for k := range graphs {
		names := 0
		p := sequencePiece{randomPiece(r, 3, 0, &names), &linearPiece{"last", None}}
		if k%2 == 0 { // else what comes in has no gradient, where it is still itself
			p = append(sequencePiece{&linearPiece{"first", None}}, p...)
		}
		const samples = 8
		x := make([]float32, samples*randomWidth)
		r.Normal32(x, 0, 1)
		target := func(s State) []float32 { return []float32{0.5, -0.5, float32(s.Sample)} }
		g := NewGraph(fmt.Sprint("random ", k))
		g.Regress("loss", p.build(g, g.Input("x", randomWidth), "p"), nn.MSE, target)
		nodes += len(g.nodes)
		data := Samples{N: samples, Each: func(i int, p *Pump) {
			p.Send("x", State{Sample: i}, x[i*randomWidth:][:randomWidth]...)
		}}
		c := &unrolled{g, newGrads(g)}
		loss := 0.0
		for i := range samples {
			y, back := p.run(c, x[i*randomWidth:][:randomWidth], State{Sample: i})
			dy := tensor.New[float32](1, randomWidth)
			l, err := nn.LossOf(nn.MSE, dy, tensor.Of(1, randomWidth, y), nil, tensor.Of(1, randomWidth, target(State{Sample: i})))
			if err != nil {
				t.Fatal(err)
			}
			loss += l
			back(dy.Data)
		}
		o := Options{Workers: 1 + k%3, MaxActiveKeys: 1 + k%8, Batch: 1 + k%5, Still: true}
		res, err := Train(context.Background(), g, data, o)
		if err != nil {
			t.Fatalf("%v\n%v", err, g)
		}
		if d := res.Loss - loss/samples; d > 1e-4 || d < -1e-4 {
			t.Fatalf("graph %d: loss %v, reference %v\n%v", k, res.Loss, loss/samples, g)
		}
		for name, want := range c.grads {
			got := g.Node(name).Gradients()
			for i := range want { // a choice that nobody takes has no gradient at all
				if d := got[i] - want[i]; d > 1e-3*(1+abs(want[i])) || -d > 1e-3*(1+abs(want[i])) {
					t.Fatalf("graph %d: %s[%d] %v, reference %v\n%v", k, name, i, got[i], want[i], g)
				}
			}
		}
	}
	t.Logf("%d graphs of %d nodes in all", graphs, nodes)
}

func abs(v float32) float32 { return max(v, -v) }
