package amp

import (
	"fmt"

	"trivium/core/tensor"
)

// A Spread says how a Flatmap makes several messages of one.
type Spread struct {
	// States appends to out the states of the messages that s becomes, at least one, all different.
	States func(s State, out []State) []State

	// Rows returns which rows of the payload the message of a new state gets, in that order;
	// nil for all of them. A Rows that is nil means all for every message.
	Rows func(s State) []int
}

// Flatmap adds a node that sends several messages for each that comes in. The gradient is the
// sum of theirs, which is complete when as many have come back as went out.
func (g *Graph) Flatmap(name string, in Port, by Spread) Port {
	if by.States == nil {
		g.bad("flatmap %s has no function for the new states", name)
		by.States = func(s State, out []State) []State { return append(out, s) }
	}
	return g.add(name, "flatmap", &flatmapOp{states: by.States, rows: by.Rows}, []Port{in}, in.width()).port(0)
}

// Ungroup adds a node that makes a message of each row: states appends a state for each, in the
// order of the rows. It is the mirror of [Graph.Group].
func (g *Graph) Ungroup(name string, in Port, states func(s State, out []State) []State) Port {
	if states == nil {
		g.bad("ungroup %s has no function for the states of the rows", name)
		states = func(s State, out []State) []State { return append(out, s) }
	}
	return g.add(name, "ungroup", &flatmapOp{states: states, each: true}, []Port{in}, in.width()).port(0)
}

// A flatmapOp remembers, under each state that went out, which message it came of.
type flatmapOp struct {
	states func(State, []State) []State
	rows   func(State) []int
	each   bool // one row each

	out     cache[branch]
	origins []origin
	free    []int32
	list    []State
	picked  [8]strip // by the states' kind, since those of one kind often go one way
}

type branch struct {
	origin int32
	row    int
}

type origin struct {
	s          State
	rows, cols int
	sum        sum
}

func (o *flatmapOp) fresh() op { return &flatmapOp{states: o.states, rows: o.rows, each: o.each} }

func (o *flatmapOp) held(f func(State, string)) {
	o.out.each(func(s State, v *branch) {
		f(s, fmt.Sprintf("the gradient of one of the %d messages that %v still waits for", o.origins[v.origin].sum.missing, o.origins[v.origin].s))
	})
}

func (o *flatmapOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		o.spread(w, n, &m[i])
	}
}

func (o *flatmapOp) spread(w *worker, n *node, m *message) {
	// Another message may come in while those of this one go out: a loop on one worker.
	states := o.states(m.s, o.list[:0])
	o.list = nil
	k := len(states)
	if k == 0 {
		w.fail(n, m.s, "it becomes no message, so that no gradient would come back")
	}
	if o.each && k != m.x.rows {
		w.fail(n, m.s, "%d states for %d rows", k, m.x.rows)
	}
	at := int32(-1)
	if m.inst.train {
		at = o.newOrigin()
		o.origins[at] = origin{s: m.s, rows: m.x.rows, cols: m.x.cols, sum: sum{missing: k}}
		for j := range states {
			states[j] = w.own(n, states[j], m)
			v, twice := o.out.put(&states[j])
			if twice {
				w.failTwice(n, states[j])
			}
			*v = branch{at, j}
		}
	}
	w.alive(m.inst, k-1)
	m.x.share(k) // and one for this function, until all have theirs
	for j := range states {
		states[j].Instance = m.s.Instance
		x := m.x
		switch {
		case o.each:
			x = x.part(j, 1)
		case o.rows != nil:
			if rows := o.rows(states[j]); rows != nil {
				x = w.pick(n, m, rows, &o.picked[uint(states[j].Kind)%uint(len(o.picked))])
			}
		}
		w.emit(n, 0, m.inst, &states[j], x)
	}
	w.release(m.x)
	o.list = states
}

// pick copies rows of m's payload and gives up the use that the new message would have had of it.
func (w *worker) pick(n *node, m *message, rows []int, to *strip) payload {
	y := w.on(to, len(rows), m.x.cols)
	y.given = m.x.given
	for i, r := range rows {
		if r < 0 || r >= m.x.rows {
			w.fail(n, m.s, "row %d of %d is asked for", r, m.x.rows)
		}
		if y.b != nil {
			copy(y.data()[i*y.cols:][:y.cols], m.x.data()[r*y.cols:])
		}
	}
	w.release(m.x)
	return y
}

func (o *flatmapOp) newOrigin() int32 {
	if last := len(o.free) - 1; last >= 0 {
		at := o.free[last]
		o.free = o.free[:last]
		return at
	}
	o.origins = append(o.origins, origin{})
	return int32(len(o.origins) - 1)
}

func (o *flatmapOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		v, ok := o.out.take(&m[i].s)
		if !ok {
			w.failUnknown(n, m[i].s)
		}
		r := &o.origins[v.origin]
		if x := m[i].x; x.rows == 0 || !o.each && o.rows == nil {
			r.sum.add(w, x)
		} else {
			o.scatter(w, n, r, v.row, &m[i])
		}
		if r.sum.missing > 0 {
			w.alive(m[i].inst, -1)
			continue
		}
		done := *r
		*r = origin{}
		o.free = append(o.free, v.origin)
		w.emitBack(n, 0, m[i].inst, &done.s, done.sum.x)
	}
}

// scatter adds a gradient to the rows that its message had been given.
func (o *flatmapOp) scatter(w *worker, n *node, r *origin, row int, m *message) {
	var rows []int
	if !o.each {
		if rows = o.rows(m.s); rows == nil {
			r.sum.add(w, m.x)
			return
		}
	}
	if r.sum.x.rows == 0 {
		r.sum.x = w.zeros(n.in[0].node, r.rows, r.cols)
	}
	if m.x.b != nil && r.sum.x.b != nil {
		to, from, c := r.sum.x.data(), m.x.data(), r.cols
		if o.each {
			copy(to[row*c:][:c], from)
		}
		for i, k := range rows {
			tensor.Add(to[k*c:][:c], to[k*c:][:c], from[i*c:][:c])
		}
	}
	w.release(m.x)
	r.sum.missing--
}
