package amp

import (
	"fmt"

	"trivium/core/tensor"
)

const mostPorts = 8 // of Concat and Split

// Concat adds a node that waits for a message on every input, all of one state, and joins
// their rows: [a b] of a row a and a row b.
func (g *Graph) Concat(name string, ins ...Port) Port {
	widths, total := g.widths("concat", name, ins)
	return g.add(name, "concat", &concatOp{widths: widths, parts: parts{ports: len(ins)}}, ins, total).port(0)
}

// Split adds a node that cuts rows into pieces of the widths, the mirror of Concat.
func (g *Graph) Split(name string, in Port, widths ...int) []Port {
	total := 0
	for _, w := range widths {
		total += w
	}
	if total != in.width() || len(widths) < 1 || len(widths) > mostPorts {
		g.bad("split %s: widths %v of rows of %d numbers; 1 to %d pieces can be cut", name, widths, in.width(), mostPorts)
		return make([]Port, len(widths))
	}
	return g.add(name, "split", &splitOp{widths: widths, parts: parts{ports: len(widths)}}, []Port{in}, widths...).ports()
}

func (g *Graph) widths(kind, name string, ins []Port) (widths []int, total int) {
	if len(ins) < 1 || len(ins) > mostPorts {
		g.bad("%s %s: %d inputs, 1 to %d can be joined", kind, name, len(ins), mostPorts)
	}
	for _, p := range ins {
		if p.node != nil && p.width() == 0 {
			g.bad("%s %s: the rows of %s are not of one width", kind, name, p)
		}
		widths = append(widths, p.width())
		total += p.width()
	}
	return widths, total
}

// parts collects a message from each of several ports under one state.
type parts struct {
	ports   int
	waiting cache[arrived]
}

type arrived struct {
	n  int
	x  [mostPorts]payload
	ok [mostPorts]bool
}

// add returns all payloads when the last has come.
func (p *parts) add(w *worker, n *node, m *message) (all arrived, complete bool) {
	v, _ := p.waiting.put(&m.s)
	if v.ok[m.port] {
		w.fail(n, m.s, "a second message came to port %d before the others had one", m.port)
	}
	v.n++
	v.x[m.port], v.ok[m.port] = m.x, true
	if v.n < p.ports {
		w.park(m.inst)
		return arrived{}, false
	}
	all, _ = p.waiting.take(&m.s)
	w.unpark(m.inst, p.ports-1)
	return all, true
}

func (p *parts) held(f func(State, string), what string, name func(port int) string) {
	p.waiting.each(func(s State, v *arrived) {
		text := ""
		for i := range p.ports {
			if !v.ok[i] {
				text += fmt.Sprintf(" and %s from %s", what, name(i))
			}
		}
		f(s, text[len(" and "):])
	})
}

// matching looks whether payloads have as many rows each, and the widths, and returns the rows.
func matching(w *worker, n *node, m *message, x []payload, widths []int) (rows int) {
	for i, p := range x {
		if p.rows > 0 && rows > 0 && p.rows != rows {
			w.fail(n, m.s, "%d rows are to be joined to %d", p.rows, rows)
		}
		if p.rows > 0 && p.width() != widths[i] {
			w.fail(n, m.s, "a row of %d numbers came to port %d, which takes %d", p.width(), i, widths[i])
		}
		rows = max(rows, p.rows)
	}
	return rows
}

// join puts payloads of the widths side by side, which have as many rows each or none.
func join(w *worker, x []payload, rows int, widths []int, total int) payload {
	y := w.alloc(rows, total)
	y.given = true
	for _, p := range x {
		y.given = y.given && p.given
	}
	if y.b != nil {
		to, at := y.data(), 0
		for i, p := range x {
			if p.rows == 0 { // a gradient that nobody computed
				for r := range rows {
					clear(to[r*total+at:][:widths[i]])
				}
			} else {
				from := p.data()
				for r := range rows {
					copy(to[r*total+at:][:widths[i]], from[r*widths[i]:])
				}
			}
			at += widths[i]
		}
	}
	for _, p := range x {
		w.release(p)
	}
	return y
}

// columns is the reverse of join, without releasing x.
func columns(w *worker, x payload, from, width int) payload {
	y := w.alloc(x.rows, width)
	y.given = x.given
	if y.b != nil {
		a, b := x.data(), y.data()
		for r := range x.rows {
			copy(b[r*width:][:width], a[r*x.cols+from:])
		}
	}
	return y
}

type concatOp struct {
	widths []int
	apart  bool // what comes next multiplies both parts by themselves, so they stay where they are
	parts
}

func (o *concatOp) fresh() op {
	return &concatOp{widths: o.widths, apart: o.apart, parts: parts{ports: o.ports}}
}

func (o *concatOp) held(f func(State, string)) {
	o.parts.held(f, "a message", func(i int) string { return fmt.Sprintf("input %d", i) })
}

func (o *concatOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		if all, ok := o.add(w, n, &m[i]); ok {
			x := all.x[:o.ports]
			rows := matching(w, n, &m[i], x, o.widths)
			if o.apart {
				w.emit(n, 0, m[i].inst, &m[i].s, sideBySide(x[0], x[1]))
			} else {
				w.emit(n, 0, m[i].inst, &m[i].s, join(w, x, rows, o.widths, n.outs[0].width))
			}
		}
	}
}

func (o *concatOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		w.alive(m[i].inst, o.ports-1)
		if o.apart {
			var d [2]payload
			d[0], d[1] = m[i].x.apart()
			for k, x := range d {
				if !n.in[k].node.learns {
					w.release(x)
					x = payload{}
				}
				w.emitBack(n, k, m[i].inst, &m[i].s, x)
			}
			continue
		}
		at := 0
		for k, width := range o.widths {
			var d payload
			if n.in[k].node.learns && m[i].x.rows > 0 {
				d = columns(w, m[i].x, at, width)
			}
			w.emitBack(n, k, m[i].inst, &m[i].s, d)
			at += width
		}
		w.release(m[i].x)
	}
}

// keepApart finds out which Concats may leave their parts where they are: those that send to nothing but cells that have
// a use for that, be it through a Cond.
func (e *engine) keepApart() {
	for _, n := range e.nodes {
		o, ok := n.op.(*concatOp)
		if !ok || o.ports != 2 {
			continue
		}
		var cells []*ppt
		o.apart = receivers(n, o.widths[0], &cells)
		for _, c := range cells {
			c.apart = o.apart
		}
	}
}

// receivers appends the cells that n sends to, and reports whether nothing else is there and all can do with rows cut after left numbers.
func receivers(n *node, left int, cells *[]*ppt) bool {
	for _, l := range n.out {
		if l.node == nil {
			return false
		}
		switch o := l.node.op.(type) {
		case *ppt:
			if o.plan.left != left {
				return false
			}
			*cells = append(*cells, o)
		case *condOp:
			if !receivers(l.node, left, cells) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

type splitOp struct {
	widths []int
	parts
}

func (o *splitOp) fresh() op {
	return &splitOp{widths: o.widths, parts: parts{ports: o.ports}}
}

func (o *splitOp) held(f func(State, string)) {
	o.parts.held(f, "the gradient", func(i int) string { return fmt.Sprintf("output %d", i) })
}

func (o *splitOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		w.alive(m[i].inst, len(o.widths)-1)
		at := 0
		for k, width := range o.widths {
			w.emit(n, k, m[i].inst, &m[i].s, columns(w, m[i].x, at, width))
			at += width
		}
		w.release(m[i].x)
	}
}

func (o *splitOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		if all, ok := o.add(w, n, &m[i]); ok {
			x := all.x[:o.ports]
			rows := matching(w, n, &m[i], x, o.widths)
			w.emitBack(n, 0, m[i].inst, &m[i].s, join(w, x, rows, o.widths, n.ins[0].width()))
		}
	}
}

// Columns adds a node that passes on width numbers of each row, from a column on. The gradient of
// the others is 0.
func (g *Graph) Columns(name string, in Port, from, width int) Port {
	if from < 0 || width < 1 || from+width > in.width() {
		g.bad("columns %s: %d from %d of rows of %d numbers", name, width, from, in.width())
	}
	return g.add(name, "columns", &columnsOp{from}, []Port{in}, width).port(0)
}

type columnsOp struct{ from int }

func (o *columnsOp) fresh() op                { return o }
func (o *columnsOp) held(func(State, string)) {}

func (o *columnsOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		y := columns(w, m[i].x, o.from, n.outs[0].width)
		w.release(m[i].x)
		w.emit(n, 0, m[i].inst, &m[i].s, y)
	}
}

func (o *columnsOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		x, cols := m[i].x, n.ins[0].width()
		dx := w.zeros(n.in[0].node, x.rows, cols)
		if dx.b != nil && x.rows > 0 {
			for r := range x.rows {
				copy(dx.data()[r*cols+o.from:], x.data()[r*x.cols:][:x.cols])
			}
		}
		w.release(x)
		w.emitBack(n, 0, m[i].inst, &m[i].s, dx)
	}
}

// Bcast adds a node that sends each message to k outputs. Their gradients are added.
func (g *Graph) Bcast(name string, in Port, k int) []Port {
	if k < 1 {
		g.bad("bcast %s: %d outputs", name, k)
		k = 1
	}
	widths := make([]int, k)
	for i := range widths {
		widths[i] = in.width()
	}
	return g.add(name, "bcast", &bcastOp{}, []Port{in}, widths...).ports()
}

type bcastOp struct{ out cache[sum] }

// A sum of gradients that is not complete.
type sum struct {
	missing int
	x       payload
}

// add takes a gradient over.
func (v *sum) add(w *worker, x payload) {
	switch {
	case x.rows == 0:
	case v.x.rows == 0:
		v.x = x
	default:
		if x.b != nil {
			tensor.Add(v.x.data(), v.x.data(), x.data())
		}
		w.release(x)
	}
	v.missing--
}

func (o *bcastOp) fresh() op { return &bcastOp{} }

func (o *bcastOp) held(f func(State, string)) {
	o.out.each(func(s State, v *sum) { f(s, fmt.Sprintf("%d more gradients", v.missing)) })
}

func (o *bcastOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		k := len(n.out)
		if m[i].inst.train {
			v, twice := o.out.put(&m[i].s)
			if twice {
				w.failTwice(n, m[i].s)
			}
			v.missing = k
		}
		w.alive(m[i].inst, k-1)
		m[i].x.share(k - 1)
		for j := range k {
			w.emit(n, j, m[i].inst, &m[i].s, m[i].x)
		}
	}
}

func (o *bcastOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		v := o.out.get(&m[i].s)
		if v == nil {
			w.failUnknown(n, m[i].s)
		}
		v.add(w, m[i].x)
		if v.missing > 0 {
			w.alive(m[i].inst, -1) // those that are missing are on their way
			continue
		}
		all, _ := o.out.take(&m[i].s)
		w.emitBack(n, 0, m[i].inst, &m[i].s, all.x)
	}
}
