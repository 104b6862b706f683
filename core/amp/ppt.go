package amp

import (
	"fmt"
	"math"

	"trivium/core/nn"
)

// PPT adds a node with parameters: a payload transform y = f(parameters, x) that leaves the state
// alone. It gathers gradients by itself and takes a step of its optimiser as soon as it has
// enough, without a word to other nodes.
func (g *Graph) PPT(name string, in Port, c Cell) Port {
	return g.addPPT(name, in, c).port(0)
}

func (g *Graph) addPPT(name string, in Port, c Cell) *Node {
	o := &ppt{cell: c, p: &params{}}
	var err error
	if c == nil {
		err = fmt.Errorf("no cell")
	} else {
		o.plan, err = c.plan(in.width())
	}
	if err != nil {
		g.bad("%s (%T): %v", name, c, err)
		o.plan = cellPlan{kind: "ppt", out: 1}
	}
	if g.product != nil && o.plan.asLayer != nil {
		return g.addLayer(name, o.plan.kind, in, o.plan.asLayer)
	}
	o.p.shapes, o.p.rowLen = o.plan.shapes, o.plan.rowLen
	n := g.add(name, o.plan.kind, o, []Port{in}, o.plan.out)
	if err == nil {
		o.p.fill(n, g.seed)
	}
	return n
}

// Linear adds act(x·W + b) with rows of out numbers.
func (g *Graph) Linear(name string, in Port, out int, act Activation) Port {
	return g.PPT(name, in, Linear{Out: out, Act: act})
}

// Replicas adds k copies of a node with parameters, named name/0 and so on, with a Cond before them, by
// which each message finds its copy, and a Phi behind. At the end of an epoch their parameters are
// averaged. With a nil choose all messages of an instance go to one copy, that with fewest instances when it
// enters, and the nodes without parameters around the copies are on every worker, so that an
// instance stays on one.
func (g *Graph) Replicas(name string, in Port, c Cell, k int, choose func(s State) int) Port {
	if k < 2 {
		return g.PPT(name, in, c)
	}
	var outs []Port
	var set []*Node
	for i, p := range g.which(name+"/which", in, k, choose) {
		n := g.addPPT(fmt.Sprintf("%s/%d", name, i), p, c)
		if i > 0 { // all start with the same values
			copy(n.Weights(), set[0].Weights())
		}
		n.ofInstance = choose == nil
		set = append(set, n)
		outs = append(outs, n.port(0))
	}
	g.replicas = append(g.replicas, set)
	return g.Phi(name+"/any", outs...)
}

// SetProduct makes nodes that are added from now on multiply in another way, where their cell is
// one of core/nn's layers too: Linear, TreeLeaf, TreeBranch and those of [Graph.Layer]. Then each
// message is a product of its own, since a sample of column-row pairs that was drawn forward
// belongs to the gradients of the same rows. nil means exactly.
func (g *Graph) SetProduct(q nn.Product) { g.product = q }

// A ppt caches, under the whole state, what backward needs of a message.
type ppt struct {
	cell  cell
	plan  cellPlan
	p     *params
	apart bool // rows come in two parts
	mem   cache[tape]
}

type cell = Cell

// A tape is what a node keeps of a forward message.
type tape struct {
	version int
	x, y, t payload
}

func (o *ppt) fresh() op { return &ppt{cell: o.cell, plan: o.plan, p: o.p} }

func (o *ppt) parameters() *params { return o.p }

func (o *ppt) held(f func(State, string)) {
	o.mem.each(func(s State, _ *tape) { f(s, "") })
}

// learns reports whether the node's parameters change.
func (o *ppt) learns() bool { return len(o.plan.shapes) > 0 && !o.plan.frozen }

func (o *ppt) forward(w *worker, n *node, m []message) {
	w.xs = w.xs[:0]
	rows, train := 0, 0
	for i := range m {
		if m[i].x.width() != n.ins[0].width() {
			w.fail(n, m[i].s, "a row of %d numbers came, it takes %d", m[i].x.width(), n.ins[0].width())
		}
		w.xs = append(w.xs, m[i].x)
		rows += m[i].x.rows
		if m[i].inst.train {
			train++
		}
	}
	w.flops(n, o.plan.flops*float64(rows))
	y := w.alloc(rows, o.plan.out)
	var t payload
	if train > 0 && o.plan.tape > 0 || o.plan.tape > 0 && !w.e.dry {
		t = w.alloc(rows, o.plan.tape)
	}
	if !w.e.dry {
		w.calc.begin(o.p, o.weights(), &w.store, w.calcBuf())
		x := w.gather(w.xs, rows)
		o.cell.forward(&w.calc, x, y.matrix(), t.orNone())
		w.checked(n, m[0].s)
	}
	y.share(len(m) - 1)
	t.share(train) // and one for this function
	at := 0
	for i := range m {
		x := m[i].x
		part := y.part(at, x.rows)
		if m[i].inst.train {
			v, twice := o.mem.put(&m[i].s)
			if twice {
				w.failTwice(n, m[i].s)
			}
			*v = tape{version: o.p.version}
			if t.rows > 0 {
				v.t = t.part(at, x.rows)
			}
			if o.plan.keepX {
				v.x = x
			} else {
				w.release(x)
				v.x = payload{rows: x.rows, cols: x.width(), given: x.given}
			}
			if o.plan.keepY {
				part.share(1)
				v.y = part
			}
			if o.p.fix != nil {
				o.p.fix.forward(o.p)
			}
		} else {
			w.release(x)
		}
		at += x.rows
		part.given = x.given && !o.learns()
		w.emit(n, 0, m[i].inst, &m[i].s, part)
	}
	w.release(t)
}

// weights are those a forward pass uses: the current ones unless a correction predicts others.
func (o *ppt) weights() []float32 {
	if o.p.fix != nil {
		if w := o.p.fix.weights(o.p); w != nil {
			return w
		}
	}
	return o.p.weights
}

func (o *ppt) backward(w *worker, n *node, m []message) {
	w.tapes = w.tapes[:0]
	worst := 0
	for i := range m {
		v, ok := o.mem.take(&m[i].s)
		if !ok {
			w.failUnknown(n, m[i].s)
		}
		w.tapes = append(w.tapes, v)
		stale := o.p.version - v.version
		n.stats.stale(stale)
		worst = max(worst, stale)
	}
	w.stale = max(w.stale, worst)
	want := n.in[0].node.learns
	for from := 0; from < len(m); {
		to := len(m)
		if o.p.fix != nil {
			to = from + o.p.fix.together(w.tapes[from:])
		}
		dx := o.grads(w, n, m[from:to], w.tapes[from:to], want)
		at := 0
		for i := from; i < to; i++ {
			var d payload
			rows := w.tapes[i].x.rows
			if dx.rows > 0 {
				d = dx.part(at, rows)
			}
			at += rows
			w.emitBack(n, 0, m[i].inst, &m[i].s, d)
		}
		from = to
	}
	if o.learns() && o.p.update(w.e.factor()) {
		n.stats.updates.Add(1)
	}
}

// grads computes gradients for some messages, releases what was kept for them, and returns the gradient
// of their inputs, if that is wanted.
func (o *ppt) grads(w *worker, n *node, m []message, kept []tape, want bool) (dx payload) {
	rows := 0
	w.xs, w.ys, w.ts, w.ds = w.xs[:0], w.ys[:0], w.ts[:0], w.ds[:0]
	for i := range m {
		k := &kept[i]
		rows += k.x.rows
		w.xs, w.ys, w.ts, w.ds = append(w.xs, k.x), append(w.ys, k.y), append(w.ts, k.t), append(w.ds, m[i].x)
	}
	if want {
		dx = o.room(w, n, kept, rows)
	}
	w.flops(n, o.plan.flops*float64(rows)*(1+float64(dx.width())/float64(n.ins[0].width())))
	if o.learns() && !w.e.dry {
		o.p.begin(w, kept)
		var x, y, t matrix
		if o.plan.keepX {
			x = w.gather(w.xs, rows)
		}
		if o.plan.keepY {
			y = w.gy.rows(w.ys, rows, o.plan.out)
		}
		if o.plan.tape > 0 {
			t = w.gt.rows(w.ts, rows, o.plan.tape)
		}
		left, right := dx.apart()
		w.calc.gradBeside = right.orNone()
		o.cell.backward(&w.calc, x, y, t, w.gd.rows(w.ds, rows, o.plan.out), left.orNone())
		w.checked(n, m[0].s)
		if o.p.fix != nil {
			o.p.fix.gradient(o.p, kept[0].version)
		}
	}
	if o.learns() {
		o.p.pending += len(m)
	}
	for i := range m {
		if o.plan.keepX {
			w.release(kept[i].x)
		}
		w.release(kept[i].y)
		w.release(kept[i].t)
		w.release(m[i].x)
	}
	dx.share(len(m) - 1)
	return dx
}

// room is where the gradient of the inputs of some messages goes, of those parts that anybody wants.
func (o *ppt) room(w *worker, n *node, kept []tape, rows int) (dx payload) {
	left, right := false, false
	for i := range kept {
		left, right = left || !kept[i].x.given, right || !kept[i].x.alsoGiven
	}
	width := n.ins[0].width()
	switch {
	case !o.apart && left:
		return w.alloc(rows, width)
	case !o.apart:
		return payload{}
	}
	var a, b payload
	if left {
		a = w.alloc(rows, o.plan.left)
	}
	if right {
		b = w.alloc(rows, width-o.plan.left)
	}
	return sideBySide(a, b)
}

// gather brings payloads together, those of two parts in two matrices, the right one in calc.
func (w *worker) gather(xs []payload, rows int) (x matrix) {
	if xs[0].beside.cols > 0 {
		w.halves = w.halves[:0]
		for i := range xs {
			var right payload
			xs[i], right = xs[i].apart()
			w.halves = append(w.halves, right)
		}
		w.calc.apart, w.calc.beside = true, w.gh.rows(w.halves, rows, w.halves[0].cols)
	}
	return w.gx.rows(xs, rows, xs[0].cols)
}

// begin sets the worker up for a backward pass: with the current weights, as in the paper.
func (p *params) begin(w *worker, kept []tape) {
	w.calc.begin(p, p.weights, &w.store, w.calcBuf())
	w.calc.first = p.first()
	if p.fix != nil {
		p.fix.begin(p, &w.calc, kept)
	}
}

func (c *calc) begin(p *params, weights []float32, s *store, buf []float32) {
	*c = calc{w: weights, grads: p.grads, p: p, store: s, buf: buf}
}

// orNone is the payload's matrix, or one without rows.
func (p payload) orNone() matrix {
	if p.b == nil {
		return matrix{}
	}
	return p.matrix()
}

// finite reports whether all parameters are numbers.
func (p *params) finite() bool {
	for _, v := range p.weights {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return true
}
