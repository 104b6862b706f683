package amp

import (
	"fmt"

	"trivium/core/nn"
)

// GraphOptions sizes a gated graph network. The zero value is the one for molecules.
type GraphOptions struct {
	Hidden   int     // numbers of a node; 0 means 100 for molecules, 5 for stories
	Steps    int     // of propagation; 0 means 4 for molecules, 2 for stories
	Kinds    int     // of edges; 0 means 4 for molecules, 2 for stories
	Labels   int     // different nodes, such as elements; 0 means 5. Stories have none
	Replicas int     // of the cells; 0 means 1
	Mean     float64 // taken from targets, which are then divided by Scale
	Scale    float64 // 0 means 1

	Product nn.Product // how its layers multiply, as Graph.SetProduct has it; nil means exactly
}

// Molecules returns a gated graph sequence network (Li, Tarlow, Brockschmidt, Zemel, ICLR 2016) that gives one number for a
// graph: messages along the edges of each kind through a matrix of their own, added up where they arrive, a GRU step at
// every node, Steps times; then the gated sum of all nodes. An instance's nodes travel as rows of one
// payload; a Flatmap picks for each kind of edge the rows that it leaves from, so that only what edges that exist
// bring is computed, and once where a node has several of a kind.
//
// It takes data with Len and Graph(i) (labels []int, edges [][3]int, target float64), an edge
// being from, kind, to, and used both ways: a *molecules.Set, for instance.
func Molecules(o GraphOptions) *Graph {
	o = o.filled(GraphOptions{Hidden: 100, Steps: 4, Kinds: 4, Labels: 5})
	g := NewGraph("GGSNN for molecules")
	g.SetProduct(o.Product)
	if o.Labels > o.Hidden {
		g.bad("%d labels do not fit into %d hidden numbers", o.Labels, o.Hidden)
	}
	final := propagate(g, o)
	g.Regress("loss", g.SumAll("molecule", g.PPT("readout", final, Readout{})), nn.MSE, func(s State) []float32 {
		return s.Data.(*graphInstance).target
	})
	g.read = func(data any, _ bool) (Data, error) { return readMolecules(data, o) }
	return g
}

// Stories returns a gated graph sequence network that chooses a node of a graph: the answer to a question
// about the node that is marked. Edges are used in both directions, with matrices of their own.
//
// It takes data with Len and Graph(i) (nodes int, edges [][3]int, questions [][2]int), an
// edge being from, kind, to, and a question the node asked about and the answer: a *babi.Set, for instance. Each question
// is an instance.
func Stories(o GraphOptions) *Graph {
	o = o.filled(GraphOptions{Hidden: 5, Steps: 2, Kinds: 2})
	kinds := o.Kinds
	o.Kinds *= 2
	g := NewGraph("GGSNN for stories")
	g.SetProduct(o.Product)
	final := propagate(g, o)
	score := g.Linear("score", g.Linear("choose", final, 2*o.Hidden, Tanh), 1, None)
	g.Classify("loss", g.Flat("nodes as classes", score), func(s State) []int { return s.Data.(*graphInstance).answer })
	g.read = func(data any, _ bool) (Data, error) { return readStories(data, o, kinds) }
	return g
}

func (o GraphOptions) filled(usual GraphOptions) GraphOptions {
	def := func(v *int, usual int) {
		if *v == 0 {
			*v = usual
		}
	}
	def(&o.Hidden, usual.Hidden)
	def(&o.Steps, usual.Steps)
	def(&o.Kinds, usual.Kinds)
	def(&o.Labels, usual.Labels)
	def(&o.Replicas, 1)
	if o.Scale == 0 {
		o.Scale = 1
	}
	return o
}

// propagate adds the loop and returns [h x], the nodes' states after it beside those before.
func propagate(g *Graph, o GraphOptions) Port {
	start := g.Bcast("start", g.Input("nodes", o.Hidden), 2)
	h := g.Phi("h", start[0])
	both := g.Bcast("along and here", h, 2)
	along := g.Flatmap("edges", both[0], Spread{
		States: func(s State, out []State) []State {
			for _, e := range s.Data.(*graphInstance).kinds {
				s.Kind = e.kind + 1
				out = append(out, s)
			}
			return out
		},
		Rows: func(s State) []int {
			i := s.Data.(*graphInstance)
			return i.kinds[i.place[s.Kind-1]].from
		},
	})
	var sent []Port
	for k, p := range g.Cond("kind?", along, o.Kinds, func(s State) int { return s.Kind - 1 }) {
		sent = append(sent, g.Replicas(fmt.Sprintf("edge %d", k), p, Linear{Out: o.Hidden}, o.Replicas, nil))
	}
	arrived := g.Group("all kinds", g.Phi("any kind", sent...), Gather{
		Key:   func(s State) State { s.Kind = 0; return s },
		Count: func(s State) int { return len(s.Data.(*graphInstance).kinds) },
		Place: func(s State) int { return s.Data.(*graphInstance).place[s.Kind-1] },
	})
	sum := g.SumAlong("arrive", arrived, func(s State) (from, to []int, rows int) {
		i := s.Data.(*graphInstance)
		return i.from, i.to, i.nodes
	})
	next := g.Replicas("gru", g.Concat("with state", sum, both[1]), GRU{Out: o.Hidden}, o.Replicas, nil)
	ways := g.Cond("again?", g.Step("step", next), 2, func(s State) int {
		if s.Step < o.Steps {
			return 0
		}
		return 1
	})
	g.Join(h, ways[0])
	later := g.Isu("till the end", start[1], func(s State) State { s.Step += o.Steps; return s }, func(s State) State { s.Step -= o.Steps; return s })
	return g.Concat("with start", ways[1], later)
}

// A graphInstance is a graph as its messages need it.
type graphInstance struct {
	nodes  int
	x      []float32 // first numbers of the nodes
	kinds  []edgeKind
	place  []int // of each kind in kinds; -1 if it has no edges
	from   []int // of the edges of all kinds, which of all the kinds' rows they bring,
	to     []int // and the nodes where they arrive
	answer []int
	target []float32
}

// An edgeKind has the nodes that edges of a kind leave from. What several edges bring from one node is computed once.
type edgeKind struct {
	kind int
	from []int
}

func newGraphInstance(nodes int, edges [][3]int, hidden, kinds int) (*graphInstance, error) {
	if nodes < 1 || len(edges) == 0 {
		return nil, fmt.Errorf("%d nodes, %d edges: it needs at least one of each", nodes, len(edges))
	}
	i := &graphInstance{nodes: nodes, x: make([]float32, nodes*hidden), place: make([]int, kinds)}
	byKind := make([][][3]int, kinds)
	for _, e := range edges {
		if e[0] < 0 || e[0] >= nodes || e[2] < 0 || e[2] >= nodes || e[1] < 0 || e[1] >= kinds {
			return nil, fmt.Errorf("an edge from %d of kind %d to %d: there are %d nodes and %d kinds", e[0], e[1], e[2], nodes, kinds)
		}
		byKind[e[1]] = append(byKind[e[1]], e)
	}
	rows := 0
	for k, of := range byKind {
		i.place[k] = -1
		if len(of) == 0 {
			continue
		}
		i.place[k] = len(i.kinds)
		row := make([]int, nodes) // 1 + a node's row among all that are sent
		kind := edgeKind{kind: k}
		for _, e := range of {
			if row[e[0]] == 0 {
				kind.from = append(kind.from, e[0])
				rows++
				row[e[0]] = rows
			}
			i.from, i.to = append(i.from, row[e[0]]-1), append(i.to, e[2])
		}
		i.kinds = append(i.kinds, kind)
	}
	return i, nil
}

type graphData struct {
	graphs []*graphInstance
	hidden int
}

func (d *graphData) Len() int { return len(d.graphs) }

func (d *graphData) Send(i int, p *Pump) {
	g := d.graphs[i]
	n := p.input("nodes")
	x := p.alloc(n, g.nodes, d.hidden)
	if x.b != nil {
		copy(x.data(), g.x)
	}
	p.send(n, State{Sample: i, Data: g}, x)
}

func readMolecules(data any, o GraphOptions) (Data, error) {
	v, ok := data.(interface {
		Len() int
		Graph(i int) (labels []int, edges [][3]int, target float64)
	})
	if !ok {
		return nil, fmt.Errorf("amp: the network for molecules takes data with Len and Graph, such as a *molecules.Set; it got a %T", data)
	}
	d := &graphData{hidden: o.Hidden}
	for i := range v.Len() {
		labels, edges, target := v.Graph(i)
		both := make([][3]int, 0, 2*len(edges))
		for _, e := range edges {
			both = append(both, e, [3]int{e[2], e[1], e[0]})
		}
		in, err := newGraphInstance(len(labels), both, o.Hidden, o.Kinds)
		if err != nil {
			return nil, fmt.Errorf("amp: graph %d: %w", i, err)
		}
		for k, l := range labels {
			if l < 0 || l >= o.Labels {
				return nil, fmt.Errorf("amp: graph %d: node %d has label %d: it must be from 0 to below %d", i, k, l, o.Labels)
			}
			in.x[k*o.Hidden+l] = 1
		}
		in.target = []float32{float32((target - o.Mean) / o.Scale)}
		d.graphs = append(d.graphs, in)
	}
	return d, nil
}

func readStories(data any, o GraphOptions, kinds int) (Data, error) {
	v, ok := data.(interface {
		Len() int
		Graph(i int) (nodes int, edges [][3]int, questions [][2]int)
	})
	if !ok {
		return nil, fmt.Errorf("amp: the network for stories takes data with Len and Graph, such as a *babi.Set; it got a %T", data)
	}
	d := &graphData{hidden: o.Hidden}
	for i := range v.Len() {
		nodes, edges, questions := v.Graph(i)
		both := make([][3]int, 0, 2*len(edges))
		for _, e := range edges {
			both = append(both, e, [3]int{e[2], e[1] + kinds, e[0]})
		}
		for _, q := range questions {
			in, err := newGraphInstance(nodes, both, o.Hidden, o.Kinds)
			if err != nil {
				return nil, fmt.Errorf("amp: story %d: %w", i, err)
			}
			if q[0] < 0 || q[0] >= nodes || q[1] < 0 || q[1] >= nodes {
				return nil, fmt.Errorf("amp: story %d: a question about node %d with answer %d: there are %d nodes", i, q[0], q[1], nodes)
			}
			in.x[q[0]*o.Hidden] = 1
			in.answer = []int{q[1]}
			d.graphs = append(d.graphs, in)
		}
	}
	return d, nil
}
