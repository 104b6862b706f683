package amp

import "trivium/core/tensor"

// Sum adds a node that adds up rows: row i of what comes in is added to row to[i] of what goes
// out, which has the given number of rows. Both follow from the state.
func (g *Graph) Sum(name string, in Port, to func(s State) (to []int, rows int)) Port {
	if to == nil {
		g.bad("sum %s has no function", name)
		to = func(State) ([]int, int) { return nil, 1 }
	}
	return g.add(name, "sum", &sumOp{along: func(s State) (from, into []int, rows int) {
		into, rows = to(s)
		return nil, into, rows
	}}, []Port{in}, in.width()).port(0)
}

// SumAlong adds a node that adds up rows along edges: row from[e] of what comes in is added to row to[e] of what goes out, which
// has the given number of rows. A row may be the start of several edges or of none, so that what many need has to be computed once.
func (g *Graph) SumAlong(name string, in Port, edges func(s State) (from, to []int, rows int)) Port {
	if edges == nil {
		g.bad("sum %s has no function for the edges", name)
		edges = func(State) (from, to []int, rows int) { return nil, nil, 1 }
	}
	return g.add(name, "sum", &sumOp{along: edges, counted: true}, []Port{in}, in.width()).port(0)
}

// SumAll adds a node that adds all rows into one.
func (g *Graph) SumAll(name string, in Port) Port {
	return g.add(name, "sum", &sumOp{counted: true}, []Port{in}, in.width()).port(0)
}

// A sumOp remembers how many rows there were, unless the state tells.
type sumOp struct {
	along   func(State) (from, to []int, rows int) // nil: all into one; a nil from: each row once, in order
	counted bool
	rows    cache[int]
	out     strip
}

func (o *sumOp) fresh() op { return &sumOp{along: o.along, counted: o.counted} }

func (o *sumOp) held(f func(State, string)) {
	o.rows.each(func(s State, _ *int) { f(s, "") })
}

// edges returns the edges of a message with rows rows, and how many come out, all of them looked at.
func (o *sumOp) edges(w *worker, n *node, s State, rows int) (from, to []int, out int) {
	if o.along == nil {
		return nil, nil, 1
	}
	from, to, out = o.along(s)
	if from == nil && len(to) != rows {
		w.fail(n, s, "it has places for %d rows and got %d", len(to), rows)
	}
	if from != nil && len(from) != len(to) {
		w.fail(n, s, "%d edges begin and %d end", len(from), len(to))
	}
	for _, k := range from {
		if k < 0 || k >= rows {
			w.fail(n, s, "an edge begins at row %d, and %d rows came", k, rows)
		}
	}
	for _, k := range to {
		if k < 0 || k >= out {
			w.fail(n, s, "row %d of %d is to be added to", k, out)
		}
	}
	return from, to, out
}

func (o *sumOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		x := m[i].x
		from, to, rows := o.edges(w, n, m[i].s, x.rows)
		y := w.on(&o.out, rows, x.cols)
		y.given = x.given
		if y.b != nil {
			w.addRows(y, x, to, from)
		}
		w.release(x)
		if m[i].inst.train && o.counted {
			v, twice := o.rows.put(&m[i].s)
			if twice {
				w.failTwice(n, m[i].s)
			}
			*v = x.rows
		}
		w.emit(n, 0, m[i].inst, &m[i].s, y)
	}
}

// addRows sets dst's row to[e] to the sum of the rows from[e] of src, and to 0 where there are none. A nil from is 0, 1, 2 and
// so on, a nil to all 0.
func (w *worker) addRows(dst, src payload, to, from []int) {
	a, b, cols, edges := dst.data(), src.data(), dst.cols, src.rows
	if to != nil {
		edges = len(to)
	}
	if len(w.begun) < dst.rows {
		w.begun = make([]bool, 2*dst.rows)
	}
	begun := w.begun[:dst.rows]
	clear(begun)
	for e := range edges {
		i, k := e, 0
		if from != nil {
			i = from[e]
		}
		if to != nil {
			k = to[e]
		}
		d, s := a[k*cols:][:cols], b[i*cols:][:cols]
		if begun[k] {
			tensor.Add(d, d, s)
		} else {
			copy(d, s)
			begun[k] = true
		}
	}
	for k, ok := range begun {
		if !ok {
			clear(a[k*cols:][:cols])
		}
	}
}

func (o *sumOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		dy, cols, rows := m[i].x, n.outs[0].width, 0
		if o.counted {
			var ok bool
			if rows, ok = o.rows.take(&m[i].s); !ok {
				w.failUnknown(n, m[i].s)
			}
		}
		var from, to []int
		if o.along != nil {
			from, to, _ = o.along(m[i].s)
		}
		if !o.counted {
			rows = len(to)
		}
		var dx payload
		if n.in[0].node.learns && dy.rows > 0 {
			dx = w.alloc(rows, cols)
			if dx.b != nil {
				w.spread(dx, dy, from, to)
			}
		}
		w.release(dy)
		w.emitBack(n, 0, m[i].inst, &m[i].s, dx)
	}
}

// spread gives each row the gradients of all that it was added to.
func (w *worker) spread(dx, dy payload, from, to []int) {
	if from != nil {
		w.addRows(dx, dy, from, to)
		return
	}
	cols := dx.cols
	for r := range dx.rows {
		k := 0
		if to != nil {
			k = to[r]
		}
		copy(dx.data()[r*cols:][:cols], dy.data()[k*cols:])
	}
}
