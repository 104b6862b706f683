package amp

import (
	"errors"
	"fmt"
	"sync"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/run"
)

// A Graph is a network as nodes that send each other messages. Its methods add a node each and
// return the node's output, to be given to the next; a loop is closed by [Graph.Join]. Mistakes
// are kept for [Graph.Check], so that a graph reads as one piece.
//
// The graph holds the parameters. One run at a time trains it or uses it.
type Graph struct {
	Name string

	nodes    []*Node
	errs     []error
	byName   map[string]*Node
	replicas [][]*Node // that are averaged at the end of an epoch
	copies   int       // the most replicas of a node whose instances choose one for all
	read     func(data any, train bool) (Data, error)
	seed     uint64
	product  nn.Product

	mu   sync.Mutex
	busy bool    // a run works with it
	last *engine // of the last training
}

// A Node is one node of a graph. The exported fields may be changed before a run starts.
type Node struct {
	Name string
	Kind string // "phi", "linear"

	// Of a node with parameters; zero values mean what the run's Options say.
	Optimizer          optim.Optimizer
	Rate               float64
	MinUpdateFrequency int

	id int
	op op

	ofInstance bool // a replica that instances choose: it meets them all at home

	ins  []Port   // what sends to each input; a Phi's grow
	outs []outlet // where each output goes
}

type outlet struct {
	to    *Node // nil while nothing takes it
	port  int
	width int // numbers in a row; 0 means that it depends on the message
}

// A Port is an output of a node: what the next node takes. The zero value is no port.
type Port struct {
	node *Node
	out  int
}

// Node returns the node whose output it is.
func (p Port) Node() *Node { return p.node }

func (p Port) String() string {
	if p.node == nil {
		return "no port"
	}
	if len(p.node.outs) == 1 {
		return p.node.Name
	}
	return fmt.Sprintf("%s[%d]", p.node.Name, p.out)
}

func (p Port) width() int {
	if p.node == nil {
		return 0
	}
	return p.node.outs[p.out].width
}

// NewGraph returns a graph without nodes.
func NewGraph(name string) *Graph {
	return &Graph{Name: name, byName: map[string]*Node{}, seed: 1}
}

// Node returns the node of a name, nil if there is none.
func (g *Graph) Node(name string) *Node { return g.byName[name] }

// Nodes returns the nodes in the order in which they were added.
func (g *Graph) Nodes() []*Node { return append([]*Node(nil), g.nodes...) }

// Init gives the parameters the first values of a seed and returns the graph. Without it the seed is 1.
func (g *Graph) Init(seed uint64) *Graph {
	g.seed = seed
	for _, n := range g.nodes {
		switch o := n.op.(type) {
		case *ppt:
			o.p.fill(n, seed)
		case *layerOp:
			o.net.Init(seed)
		}
	}
	for _, set := range g.replicas { // all start alike
		for _, n := range set[1:] {
			copy(n.Weights(), set[0].Weights())
		}
	}
	return g
}

// Count returns the number of learned parameters, replicas counted each.
func (g *Graph) Count() int {
	total := 0
	for _, n := range g.nodes {
		total += n.Count()
	}
	return total
}

func (n *Node) params() *params {
	if h, ok := n.op.(interface{ parameters() *params }); ok {
		return h.parameters()
	}
	return nil
}

// Count returns the number of the node's parameters.
func (n *Node) Count() int {
	if p := n.params(); p != nil {
		return p.count()
	}
	return 0
}

// Weights returns the node's parameters, which writing to changes; nil if it has none.
func (n *Node) Weights() []float32 {
	if p := n.params(); p != nil {
		return p.weights
	}
	return nil
}

// Gradients returns what the node has gathered since its last update.
func (n *Node) Gradients() []float32 {
	if p := n.params(); p != nil {
		return p.grads
	}
	return nil
}

// String lists the nodes: name, kind, what they take, parameters.
func (g *Graph) String() string {
	s := fmt.Sprintf("%s: %d nodes, %d parameters\n", g.Name, len(g.nodes), g.Count())
	for _, n := range g.nodes {
		s += fmt.Sprintf("  %-14s %-9s", n.Name, n.Kind)
		for i, p := range n.ins {
			if i > 0 {
				s += ","
			}
			s += " " + p.String()
		}
		if c := n.Count(); c > 0 {
			s += fmt.Sprintf(" (%d parameters)", c)
		}
		s += "\n"
	}
	return s
}

func (g *Graph) bad(format string, args ...any) {
	g.errs = append(g.errs, fmt.Errorf("amp: %s: "+format, append([]any{g.Name}, args...)...))
}

// add makes a node of an operation that takes ins and gives outputs of the widths.
func (g *Graph) add(name, kind string, o op, ins []Port, widths ...int) *Node {
	if g.byName == nil {
		g.byName = map[string]*Node{}
	}
	if name == "" {
		name = fmt.Sprintf("%s %d", kind, len(g.nodes)+1)
	}
	if g.byName[name] != nil {
		g.bad("two nodes are named %q", name)
	}
	n := &Node{Name: name, Kind: kind, id: len(g.nodes), op: o}
	for _, w := range widths {
		n.outs = append(n.outs, outlet{width: w})
	}
	g.nodes = append(g.nodes, n)
	g.byName[name] = n
	for _, p := range ins {
		g.connect(p, n)
	}
	return n
}

// connect makes an output the next input of a node.
func (g *Graph) connect(p Port, n *Node) {
	if p.node == nil || p.node.id >= len(g.nodes) || g.nodes[p.node.id] != p.node {
		g.bad("input %d of %s: the port is of no node of this graph", len(n.ins), n.Name)
		return
	}
	o := &p.node.outs[p.out]
	if o.to != nil {
		g.bad("output %s goes to %s and to %s: an output has one taker; put a Bcast between", p, o.to.Name, n.Name)
		return
	}
	o.to, o.port = n, len(n.ins)
	n.ins = append(n.ins, p)
}

func (n *Node) port(i int) Port { return Port{n, i} }

func (n *Node) ports() []Port {
	out := make([]Port, len(n.outs))
	for i := range out {
		out[i] = n.port(i)
	}
	return out
}

// guard calls a function of the user's at building time.
func guard(f func()) (err error) {
	defer run.Catch(&err)
	f()
	return nil
}

var errBusy = errors.New("amp: the graph is at work in another run: wait for that or stop it, or build a graph of its own")

func (g *Graph) take() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy {
		return errBusy
	}
	g.busy = true
	return nil
}

func (g *Graph) give() {
	g.mu.Lock()
	g.busy = false
	g.mu.Unlock()
}
