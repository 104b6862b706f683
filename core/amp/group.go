package amp

import "fmt"

// A Gather says which messages a Group puts together.
type Gather struct {
	// Key returns the state of the message that s becomes a part of: those with equal keys meet.
	Key func(s State) State

	// Count returns how many messages a key waits for.
	Count func(key State) int

	// Place returns the position of a message among those of its key, from 0. nil means the
	// order in which they come, which several workers do not repeat.
	Place func(s State) int

	// Wide lays rows side by side in one row, [a b], instead of one below the other. Then all
	// messages have one row, and Parts says how many meet.
	Wide  bool
	Parts int
}

// Group adds a node that collects the messages of a key until all are there, and sends one.
// Its gradient is cut into theirs.
func (g *Graph) Group(name string, in Port, by Gather) Port {
	if by.Key == nil || by.Count == nil && by.Parts < 1 {
		g.bad("group %s needs Key, and Count or Parts", name)
		by.Key, by.Parts = same, max(by.Parts, 1)
	}
	width := in.width()
	if by.Wide {
		if by.Parts < 1 {
			g.bad("group %s: rows side by side need Parts, the number of them", name)
		}
		width *= by.Parts
	}
	return g.add(name, "group", &groupOp{by: by}, []Port{in}, width).port(0)
}

// A groupOp has, under the key, what came until all are there, and then the states that the
// parts of the gradient go back to.
type groupOp struct {
	by      Gather
	waiting cache[int32]
	open    cache[int32]
	groups  []group
	free    []int32
}

type group struct {
	n, want int
	parts   []groupPart
}

type groupPart struct {
	ok   bool
	s    State
	x    payload
	rows int
	cols int
}

func (o *groupOp) fresh() op { return &groupOp{by: o.by} }

func (o *groupOp) held(f func(State, string)) {
	o.waiting.each(func(s State, v *int32) {
		f(s, fmt.Sprintf("%d of %d messages", o.groups[*v].want-o.groups[*v].n, o.groups[*v].want))
	})
	o.open.each(func(s State, _ *int32) { f(s, "") })
}

func (o *groupOp) newGroup(want int) int32 {
	at := int32(len(o.groups))
	if last := len(o.free) - 1; last >= 0 {
		at = o.free[last]
		o.free = o.free[:last]
	} else {
		o.groups = append(o.groups, group{})
	}
	r := &o.groups[at]
	r.n, r.want = 0, want
	if cap(r.parts) < want {
		r.parts = make([]groupPart, want)
	}
	r.parts = r.parts[:want]
	return at
}

func (o *groupOp) drop(at int32) {
	clear(o.groups[at].parts)
	o.free = append(o.free, at)
}

func (o *groupOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		o.collect(w, n, &m[i])
	}
}

func (o *groupOp) collect(w *worker, n *node, m *message) {
	key := w.own(n, o.by.Key(m.s), m)
	v, existed := o.waiting.put(&key)
	if !existed {
		want := o.by.Parts
		if o.by.Count != nil {
			want = o.by.Count(key)
		}
		if want < 1 {
			w.fail(n, key, "it waits for %d messages", want)
		}
		*v = o.newGroup(want)
	}
	at := *v
	r := &o.groups[at]
	place := r.n
	if o.by.Place != nil {
		place = o.by.Place(m.s)
	}
	if place < 0 || place >= r.want || r.parts[place].ok {
		w.fail(n, m.s, "place %d in the group of %v, which has %d, is not free", place, key, r.want)
	}
	if o.by.Wide && m.x.rows != 1 {
		w.fail(n, m.s, "%d rows: what is laid side by side has one", m.x.rows)
	}
	r.parts[place] = groupPart{true, m.s, m.x, m.x.rows, m.x.cols}
	r.n++
	if r.n < r.want {
		w.park(m.inst)
		return
	}
	w.unpark(m.inst, r.want-1)
	o.waiting.take(&key)
	x := o.stack(w, n, key, r)
	if m.inst.train {
		v, twice := o.open.put(&key)
		if twice {
			w.failTwice(n, key)
		}
		*v = at
	} else {
		o.drop(at)
	}
	w.emit(n, 0, m.inst, &key, x)
}

// stack makes one payload of the parts, and releases theirs.
func (o *groupOp) stack(w *worker, n *node, key State, r *group) payload {
	rows, cols := 0, r.parts[0].cols
	for i := range r.parts {
		if r.parts[i].cols != cols {
			w.fail(n, key, "rows of %d and of %d numbers meet", cols, r.parts[i].cols)
		}
		rows += r.parts[i].rows
	}
	y := w.alloc(rows, cols)
	y.given = true
	at := 0
	for i := range r.parts {
		p := &r.parts[i]
		y.given = y.given && p.x.given
		if y.b != nil {
			at += copy(y.data()[at:], p.x.data())
		}
		w.release(p.x)
		p.x = payload{}
	}
	if o.by.Wide {
		y = y.shaped(1, rows*cols)
	}
	return y
}

func (o *groupOp) backward(w *worker, n *node, m []message) {
	for i := range m {
		v, ok := o.open.take(&m[i].s)
		if !ok {
			w.failUnknown(n, m[i].s)
		}
		parts := o.groups[v].parts
		w.alive(m[i].inst, len(parts)-1)
		x, row := m[i].x, 0
		if x.rows > 0 {
			x = x.shaped(x.size()/parts[0].cols, parts[0].cols)
			x.share(len(parts) - 1)
		}
		for j := range parts {
			p := &parts[j]
			var d payload
			if x.rows > 0 {
				d = x.part(row, p.rows)
			}
			row += p.rows
			w.emitBack(n, 0, m[i].inst, &p.s, d)
		}
		o.drop(v)
	}
}
