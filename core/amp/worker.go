package amp

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"trivium/core/run"
)

// deepest is how many light nodes may follow one on another before a queue is used after all.
const deepest = 64

// A worker is one device: a goroutine that hosts nodes and does what their messages ask.
type worker struct {
	store
	e       *engine
	id      int
	nodes   []*node // that it hosts
	bridges []*node // of those, the ones that other workers' nodes wait for
	in      inbox
	taken   []message
	out     [][]message // to each worker, until the end of the batch
	batch   []message
	stack   [deepest]message
	depth   int

	// of the message or batch at work
	at    *node
	state *State
	stale int

	sends   Pump
	pumpDue bool // an instance has ended, so another may enter

	xs, ys, ts, ds []payload
	gx, gy, gt, gd gatherer
	gh             gatherer
	halves         []payload
	begun          []bool
	tapes          []tape
	calc           calc
	room           []float32
	goodType       reflect.Type

	busy     atomicFloat // seconds in nodes and in the data
	idle     atomicFloat // seconds without anything to do
	sending  fit         // seconds of the data by instances
	received atomic.Int64
	spans    spanner
	executed int
	debit    float64 // flops of the batch
	work     float64 // flops not yet told to the trace
}

func newWorker(e *engine, id int) *worker {
	w := &worker{e: e, id: id, store: store{depot: &e.depot}}
	w.in.init()
	w.out = make([][]message, e.workers())
	return w
}

// alloc returns a payload; a plan's has no numbers.
func (w *worker) alloc(rows, cols int) payload {
	if w.e.dry {
		return payload{rows: rows, cols: cols}
	}
	return w.store.alloc(rows, cols)
}

// zeros returns a gradient of zeros for what n sent, or nothing if n has no use for it.
func (w *worker) zeros(n *node, rows, cols int) payload {
	if !n.learns {
		return payload{}
	}
	x := w.alloc(rows, cols)
	if x.b != nil {
		clear(x.data())
	}
	return x
}

// calcBuf is memory for a cell's pass, larger next time if it was not enough.
func (w *worker) calcBuf() []float32 {
	if need := max(w.calc.wanted, 1<<14); need > len(w.room) {
		w.room = make([]float32, need*5/4)
	}
	return w.room
}

// checked ends a cell's pass.
func (w *worker) checked(n *node, s State) {
	if w.calc.err != nil {
		w.failErr(n, s, w.calc.err)
	}
}

// flops counts arithmetic of the batch at work.
func (w *worker) flops(n *node, f float64) {
	n.stats.flops.add(f)
	w.debit += f
}

// own makes a state that a function returned one of the message's instance.
func (w *worker) own(n *node, s State, m *message) State {
	s.Instance = m.s.Instance
	if t := s.incomparable(&w.goodType); t != nil {
		w.fail(n, m.s, "its function gives a state whose Data, a %v, cannot be compared: use a pointer to it", t)
	}
	return s
}

// emit sends a payload from an output of n, and takes it over.
func (w *worker) emit(n *node, out int, inst *instance, s *State, x payload) {
	l := n.out[out]
	w.deliver(l, false, inst, s, x)
}

// emitBack sends a gradient to what sent to an input of n.
func (w *worker) emitBack(n *node, in int, inst *instance, s *State, x payload) {
	w.deliver(n.in[in], true, inst, s, x)
}

func (w *worker) deliver(l link, back bool, inst *instance, s *State, x payload) {
	t := l.node
	if t.twins != nil {
		t = t.twins[inst.home]
	}
	if t.worker != w.id {
		w.out[t.worker] = append(w.out[t.worker], message{t, l.port, back, inst, *s, x})
		return
	}
	if t.light && w.depth < deepest {
		m := w.stack[w.depth : w.depth+1]
		m[0] = message{t, l.port, back, inst, *s, x}
		w.depth++
		at, state := w.at, w.state
		w.do(t, back, m)
		w.at, w.state = at, state
		w.depth--
		return
	}
	m := message{t, l.port, back, inst, *s, x}
	t.queue(back).push(&m)
}

func (n *node) queue(back bool) *fifo {
	if back {
		return &n.bwd
	}
	return &n.fwd
}

// do runs a node on messages of one direction.
func (w *worker) do(n *node, back bool, m []message) {
	w.at, w.state = n, &m[0].s
	dir := 0
	if back {
		dir = 1
	}
	bytes := 0
	for i := range m {
		bytes += 4 * m[i].x.size()
	}
	add(&n.stats.bytes, bytes)
	if n.light {
		add(&n.stats.messages[dir], len(m))
	}
	if back {
		n.op.backward(w, n, m)
	} else {
		n.op.forward(w, n, m)
	}
}

// alive counts messages of an instance that came (positive) or went.
func (w *worker) alive(i *instance, by int) {
	if by != 0 && i.live.Add(int32(by)) == 0 {
		w.e.finish(w, i)
	}
}

// park takes a message out of circulation until others have come.
func (w *worker) park(i *instance) {
	i.parked.Add(1)
	w.alive(i, -1)
}

func (w *worker) unpark(i *instance, n int) { i.parked.Add(int32(-n)) }

// loop works until the run ends. What it returns is why, nil at the end of all work.
func (w *worker) loop(ctx context.Context) (err error) {
	defer w.recovered(&err)
	for {
		if err := run.Gate(ctx); err != nil {
			return err
		}
		select {
		case <-w.e.end:
			return nil
		default:
		}
		w.receive()
		if w.pumpDue {
			w.pumpDue = false
			w.send()
		}
		w.flush() // what light nodes sent on
		n, back := w.next()
		if n == nil {
			since := time.Now()
			w.e.idle.Add(1)
			w.in.wait(w.e.end)
			w.e.idle.Add(-1)
			w.idle.add(time.Since(since).Seconds())
			continue
		}
		w.run(n, back)
		w.flush()
	}
}

// recovered makes an error of a panic that a node left the loop by.
func (w *worker) recovered(err *error) {
	switch r := recover().(type) {
	case nil:
		return
	case unwind:
		*err = r.err
	default:
		e := &run.PanicError{Stack: debug.Stack()}
		e.Value, e.At = run.Explained(r)
		*err = w.blamed(e)
	}
	w.e.fail(*err)
}

// blamed names the node and the state that a panic happened at.
func (w *worker) blamed(err error) error {
	if w.at == nil || w.state == nil {
		return err
	}
	return &NodeError{Node: w.at.Name, State: *w.state, Why: err.Error(), Err: err}
}

// receive sorts what has come into the queues of the nodes.
func (w *worker) receive() {
	w.taken = w.in.takeAll(w.taken[:0])
	add(&w.received, len(w.taken))
	for i := range w.taken {
		m := &w.taken[i]
		if m.to == nil { // the controller's call to send instances
			w.pumpDue = true
			continue
		}
		add(&m.to.stats.crossing, 4*m.x.size())
		if m.to.light {
			w.deliver(link{m.to, m.port}, m.back, m.inst, &m.s, m.x)
			continue
		}
		m.to.queue(m.back).push(m)
	}
	clear(w.taken)
	w.taken = w.taken[:0]
}

// next picks the node with most to do, backward before forward, so that instances end and others can enter, and
// products are large. Nodes next to other workers' come first if one of those has nothing to do, or if to wait for
// more messages would make no larger products.
func (w *worker) next() (n *node, back bool) {
	if n, back = busiest(w.bridges, w.e.idle.Load() == 0); n == nil {
		n, back = busiest(w.nodes, false)
	}
	return n, back
}

func busiest(nodes []*node, largeOnly bool) (n *node, back bool) {
	for _, back = range [2]bool{true, false} {
		most := 0
		for _, c := range nodes {
			q := c.queue(back)
			if k := q.len(); k > most && (!largeOnly || q.m[q.head].x.rows >= large) {
				n, most = c, k
			}
		}
		if n != nil {
			break
		}
	}
	return n, back
}

// run takes messages of a node and does them as one batch.
func (w *worker) run(n *node, back bool) {
	q := n.queue(back)
	most := w.e.o.Batch
	if back {
		if p := n.params(); p != nil {
			most = min(most, p.room())
		}
	}
	w.batch = append(w.batch[:0], q.take(most)...)
	q.tidy()
	rows := 0
	for i := range w.batch {
		rows += w.batch[i].x.rows
	}
	start := time.Now()
	begun := w.e.trace.Now()
	w.stale, w.debit = 0, 0
	w.do(n, back, w.batch)
	took := time.Since(start)
	w.busy.add(took.Seconds())
	dir := 0
	if back {
		dir = 1
	}
	n.stats.count(dir, len(w.batch), rows, took.Nanoseconds())
	w.spans.add(w, n, back, begun, took, w.stale)
	w.work += w.debit
	if w.executed++; w.executed%16 == 0 {
		w.e.trace.Work(w.work)
		w.work = 0
	}
	clear(w.batch)
}

// send lets instances enter, which is work too: of the data.
func (w *worker) send() {
	start, begun := time.Now(), w.e.trace.Now()
	if n := w.e.pump(w); n > 0 {
		took := time.Since(start)
		w.sending.add(n, float64(took.Nanoseconds()))
		w.busy.add(took.Seconds())
		w.spans.add(w, w.e.source, false, begun, took, 0)
	}
}

// params are the parameters of a node that has some, else nil.
func (n *node) params() *params {
	if h, ok := n.op.(interface{ parameters() *params }); ok {
		return h.parameters()
	}
	return nil
}

// flush hands over what the batch made for other workers.
func (w *worker) flush() {
	for i, m := range w.out {
		if len(m) > 0 {
			w.e.w[i].in.send(m)
			clear(m)
			w.out[i] = m[:0]
		}
	}
}

func (w *worker) String() string { return fmt.Sprintf("worker %d", w.id) }
