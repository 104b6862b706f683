package amp

import (
	"math"
	"sync/atomic"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// Classify adds a node that ends the forward way: the cross-entropy of each row with the label
// that belongs to it, averaged over the rows of a message. labels returns one for each row.
// In validation nothing goes back from here.
func (g *Graph) Classify(name string, in Port, labels func(s State) []int) {
	if labels == nil {
		g.bad("loss %s has no function for the labels", name)
	}
	g.add(name, "loss", &lossOp{kind: nn.CrossEntropy, labels: labels}, []Port{in})
}

// Regress adds a node that compares rows with targets, numbers for all rows one after the other.
func (g *Graph) Regress(name string, in Port, loss nn.Loss, targets func(s State) []float32) {
	if targets == nil || loss == nn.CrossEntropy {
		g.bad("loss %s: %v with a function: %v; for classes there is Classify", name, loss, targets != nil)
	}
	g.add(name, "loss", &lossOp{kind: loss, targets: targets}, []Port{in})
}

// A lossOp makes the first message backward.
type lossOp struct {
	kind    nn.Loss
	labels  func(State) []int
	targets func(State) []float32
	tallies [2]tally // of validation and of training
}

// A tally adds up what losses say. The node's worker writes it, anyone reads it.
type tally struct {
	messages, rows, right atomic.Int64
	loss, off             atomicFloat // sums over messages; off is the absolute error of a number
}

type atomicFloat struct{ bits atomic.Uint64 }

func (f *atomicFloat) add(v float64) { f.bits.Store(math.Float64bits(f.load() + v)) } // one writer
func (f *atomicFloat) load() float64 { return math.Float64frombits(f.bits.Load()) }

// A score is a tally at one moment.
type score struct {
	messages, rows, right int64
	loss, off             float64
}

func (t *tally) now() score {
	return score{t.messages.Load(), t.rows.Load(), t.right.Load(), t.loss.load(), t.off.load()}
}

func (a score) minus(b score) score {
	return score{a.messages - b.messages, a.rows - b.rows, a.right - b.right, a.loss - b.loss, a.off - b.off}
}

func (a score) plus(b score) score {
	return score{a.messages + b.messages, a.rows + b.rows, a.right + b.right, a.loss + b.loss, a.off + b.off}
}

// mean is the loss of a message, accuracy the share of rows that are right, NaN where there is none.
func (a score) mean() float64     { return a.loss / float64(a.messages) }
func (a score) accuracy() float64 { return float64(a.right) / float64(a.rows) }

func (o *lossOp) fresh() op {
	return &lossOp{kind: o.kind, labels: o.labels, targets: o.targets}
}

func (o *lossOp) held(func(State, string)) {}

func (o *lossOp) forward(w *worker, n *node, m []message) {
	for i := range m {
		x, s := m[i].x, m[i].s
		if w.e.dry {
			o.end(w, n, &m[i], payload{rows: x.rows, cols: x.cols})
			continue
		}
		if w.e.collect != nil {
			w.e.collect(m[i].inst, s, x)
		}
		dx := w.alloc(x.rows, x.cols)
		o.measure(w, n, &m[i], dx)
		w.release(x)
		o.end(w, n, &m[i], dx)
	}
}

// measure computes the loss and its gradient.
func (o *lossOp) measure(w *worker, n *node, m *message, dx payload) {
	t := &o.tallies[0]
	if m.inst.train {
		t = &o.tallies[1]
	}
	var labels []int
	var targets matrix
	if o.labels != nil {
		labels = o.labels(m.s)
	} else {
		v := o.targets(m.s)
		if len(v) != m.x.size() {
			w.fail(n, m.s, "%d targets for %d×%d numbers", len(v), m.x.rows, m.x.cols)
		}
		targets = tensor.Of(m.x.rows, m.x.cols, v)
	}
	loss, err := nn.LossOf(o.kind, dx.matrix(), m.x.matrix(), labels, targets)
	if err != nil {
		w.failErr(n, m.s, err)
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		if m.inst.train || !w.e.inference {
			w.fail(n, m.s, "the loss is %v; %s", loss, w.e.blame(w))
		}
	}
	if labels != nil {
		t.right.Store(t.right.Load() + int64(nn.Right(m.x.matrix(), labels)))
	} else {
		for i, v := range m.x.data() {
			t.off.add(math.Abs(float64(v-targets.Data[i])) / float64(m.x.cols))
		}
	}
	t.loss.add(loss)
	t.rows.Store(t.rows.Load() + int64(m.x.rows))
	t.messages.Store(t.messages.Load() + 1)
}

func (o *lossOp) end(w *worker, n *node, m *message, dx payload) {
	if m.inst.train {
		w.emitBack(n, 0, m.inst, &m.s, dx)
		return
	}
	w.release(dx)
	w.alive(m.inst, -1)
}

func (o *lossOp) backward(*worker, *node, []message) {}
