package amp

// The nodes of control flow: they read states and leave payloads alone.

// Input adds a node through which the controller sends payloads of width numbers a row.
func (g *Graph) Input(name string, width int) Port {
	if width < 1 {
		g.bad("input %s: rows of %d numbers", name, width)
	}
	return g.add(name, "input", &inputOp{}, nil, width).port(0)
}

// An inputOp counts gradients that come back; what it sends forward, the pump sends.
type inputOp struct{}

func (o *inputOp) fresh() op                         { return o }
func (o *inputOp) held(func(State, string))          {}
func (o *inputOp) forward(*worker, *node, []message) {}

func (o *inputOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		w.release(m[i].x)
		m[i].inst.returned.Add(1)
		w.alive(m[i].inst, -1)
	}
}

// Cond adds a node that sends each message to one of several outputs: f returns its number,
// from the state alone.
func (g *Graph) Cond(name string, in Port, ways int, f func(s State) int) []Port {
	if f == nil || ways < 1 {
		g.bad("cond %s: %d ways, function given: %v", name, ways, f != nil)
		f, ways = func(State) int { return 0 }, max(ways, 1)
	}
	widths := make([]int, ways)
	for i := range widths {
		widths[i] = in.width()
	}
	return g.add(name, "cond", &condOp{f}, []Port{in}, widths...).ports()
}

// which adds the Cond in front of replicas: without a function it asks the instance.
func (g *Graph) which(name string, in Port, k int, choose func(s State) int) []Port {
	if choose != nil {
		return g.Cond(name, in, k, choose)
	}
	g.copies = max(g.copies, k)
	ways := g.Cond(name, in, k, func(State) int { return 0 })
	ways[0].node.op = &condOp{}
	return ways
}

// A condOp without a function sends to the replica of the instance.
type condOp struct{ f func(State) int }

func (o *condOp) fresh() op                { return o }
func (o *condOp) held(func(State, string)) {}

func (o *condOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		k := m[i].inst.copy % len(n.out)
		if o.f != nil {
			k = o.f(m[i].s)
		}
		if k < 0 || k >= len(n.out) {
			w.fail(n, m[i].s, "the condition gives way %d, and there are ways 0 to %d", k, len(n.out)-1)
		}
		w.emit(n, k, m[i].inst, &m[i].s, m[i].x)
	}
}

func (o *condOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		w.emitBack(n, 0, m[i].inst, &m[i].s, m[i].x)
	}
}

// Phi adds a node that passes on what comes from any of its inputs. Loops enter by one; see [Graph.Join].
func (g *Graph) Phi(name string, ins ...Port) Port {
	width := 0
	for i, p := range ins {
		if i == 0 {
			width = p.width()
		} else if p.width() != width {
			g.bad("phi %s: %s has rows of %d numbers and %s of %d", name, ins[0], width, p, p.width())
		}
	}
	return g.add(name, "phi", &phiOp{}, ins, width).port(0)
}

// Join makes a port another input of a Phi: the end of a loop.
func (g *Graph) Join(phi, in Port) {
	if phi.node == nil || phi.node.Kind != "phi" {
		g.bad("Join closes a loop at a Phi, and %s is none", phi)
		return
	}
	if in.width() != phi.width() {
		g.bad("phi %s takes rows of %d numbers, and %s has %d", phi, phi.width(), in, in.width())
	}
	g.connect(in, phi.node)
}

// A phiOp remembers where each message came from.
type phiOp struct{ from cache[int] }

func (o *phiOp) fresh() op { return &phiOp{} }

func (o *phiOp) held(f func(State, string)) {
	o.from.each(func(s State, _ *int) { f(s, "") })
}

func (o *phiOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		if m[i].inst.train {
			v, twice := o.from.put(&m[i].s)
			if twice {
				w.failTwice(n, m[i].s)
			}
			*v = m[i].port
		}
		w.emit(n, 0, m[i].inst, &m[i].s, m[i].x)
	}
}

func (o *phiOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		port, ok := o.from.take(&m[i].s)
		if !ok {
			w.failUnknown(n, m[i].s)
		}
		w.emitBack(n, port, m[i].inst, &m[i].s, m[i].x)
	}
}

// Isu adds a node that changes the state by f, such as one step of a loop more, and back by inverse:
// inverse(f(s)) must be s.
func (g *Graph) Isu(name string, in Port, f, inverse func(s State) State) Port {
	if f == nil || inverse == nil {
		g.bad("isu %s needs a function and its inverse", name)
		f, inverse = same, same
	}
	return g.add(name, "isu", &isuOp{f: f, inverse: inverse}, []Port{in}, in.width()).port(0)
}

// Step adds an Isu that counts a step: State.Step + 1.
func (g *Graph) Step(name string, in Port) Port {
	return g.Isu(name, in, func(s State) State { s.Step++; return s }, func(s State) State { s.Step--; return s })
}

func same(s State) State { return s }

// tries is how many messages an Isu proves its inverse with; more would only cost time.
const tries = 64

type isuOp struct {
	f, inverse func(State) State
	tried      int
}

func (o *isuOp) fresh() op                { return &isuOp{f: o.f, inverse: o.inverse} }
func (o *isuOp) held(func(State, string)) {}

func (o *isuOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		s := w.own(n, o.f(m[i].s), &m[i])
		if o.tried < tries && m[i].inst.train {
			o.tried++
			if back := w.own(n, o.inverse(s), &m[i]); !back.same(&m[i].s) {
				w.fail(n, m[i].s, "the inverse does not invert: it makes %v of %v", back, s)
			}
		}
		w.emit(n, 0, m[i].inst, &s, m[i].x)
	}
}

func (o *isuOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		s := w.own(n, o.inverse(m[i].s), &m[i])
		w.emitBack(n, 0, m[i].inst, &s, m[i].x)
	}
}

// Drop adds a node where messages end that no loss is taken of. Their gradient is 0.
func (g *Graph) Drop(name string, in Port) {
	g.add(name, "drop", &dropOp{}, []Port{in})
}

type dropOp struct{}

func (o *dropOp) fresh() op                { return o }
func (o *dropOp) held(func(State, string)) {}

func (o *dropOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		x := m[i].x
		w.release(x)
		if !m[i].inst.train {
			w.alive(m[i].inst, -1)
			continue
		}
		w.emitBack(n, 0, m[i].inst, &m[i].s, w.zeros(n.in[0].node, x.rows, x.cols))
	}
}

func (o *dropOp) backward(*worker, *node, []message) {}
