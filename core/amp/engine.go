package amp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"trivium/core/run"
)

// An engine is a graph at work.
type engine struct {
	g         *Graph
	o         Options
	nodes     []*node // in the graph's order
	inputs    map[string]*node
	losses    []*lossOp
	source    *node // stands for the controller in errors
	w         []*worker
	depot     depot
	trace     *run.Trace
	ctl       controller
	total     int // instances, for progress
	epoch     int
	dry       bool // sizes alone: a plan
	planned   bool // time is simulated: nobody takes messages from inboxes
	inference bool
	testing   bool // between epochs
	collect   func(i *instance, s State, x payload)

	placed atomic.Pointer[[]int] // the nodes\' workers, for who looks while the run goes on

	idle atomic.Int32  // workers without anything to do
	end  chan struct{} // closed when a phase is over
	bad  chan struct{} // closed by the first failure
	mu   sync.Mutex
	err  error
}

// newEngine makes nodes of a graph's description. Parameters are the graph's, or none for dry.
func newEngine(g *Graph, o Options, dry bool) *engine {
	e := &engine{g: g, o: o, dry: dry, inputs: map[string]*node{}, bad: make(chan struct{})}
	e.source = &node{Node: &Node{Name: controllerName}, spanNames: [2]string{"send", "send"}}
	for _, d := range g.nodes {
		n := &node{Node: d, op: d.op.fresh(), spanNames: [2]string{d.Name + " forward", d.Name + " backward"}}
		switch op := n.op.(type) {
		case *inputOp:
			e.inputs[d.Name] = n
			n.light = true
		case *ppt:
			if dry {
				op.p = &params{shapes: op.p.shapes, dry: true}
			}
			n.learns = op.learns()
		case *layerOp:
			if dry {
				op.p = &params{shapes: op.p.shapes, dry: true, weights: make([]float32, min(1, len(op.p.weights)))}
			}
			n.learns = len(op.p.weights) > 0
		case *nptOp:
		case *lossOp:
			n.light = true
		default:
			n.light = true
		}
		e.nodes = append(e.nodes, n)
	}
	for _, n := range e.nodes {
		for _, p := range n.Node.ins {
			n.in = append(n.in, link{e.nodes[p.node.id], p.out})
		}
		for _, q := range n.Node.outs {
			l := link{}
			if q.to != nil {
				l = link{e.nodes[q.to.id], q.port}
			}
			n.out = append(n.out, l)
		}
	}
	e.keepApart()
	for changed := true; changed; {
		changed = false
		for _, n := range e.nodes {
			for _, l := range n.in {
				if l.node.learns && !n.learns {
					n.learns, changed = true, true
				}
			}
		}
	}
	for _, n := range e.nodes { // parameters of the run
		p := n.params()
		if p == nil {
			continue
		}
		most := o.MinUpdateFrequency
		if n.Node.MinUpdateFrequency > 0 && !o.Still {
			most = n.Node.MinUpdateFrequency
		}
		if dry {
			p.most = most
			continue
		}
	}
	for i := range max(o.Workers, 1) {
		e.w = append(e.w, newWorker(e, i))
	}
	if len(e.w) > 1 && g.copies > 0 {
		e.makeTwins()
	}
	e.ctl.copies = make([]copies, g.copies)
	for _, w := range e.w {
		w.out = make([][]message, len(e.w))
	}
	for n := range e.all {
		if l, ok := n.op.(*lossOp); ok {
			e.losses = append(e.losses, l)
		}
	}
	e.ctl.lastBusy = make([]float64, len(e.w))
	return e
}

// makeTwins gives those nodes twins for which that can be of use: what learns nothing and is next to
// replicas, directly or by others of the kind.
func (e *engine) makeTwins() {
	near := map[*node]bool{}
	for _, set := range e.g.replicas {
		for _, d := range set {
			near[e.nodes[d.id]] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range e.nodes {
			if p := n.params(); near[n] || p != nil && !n.frozen() {
				continue
			}
			if _, given := e.o.Affinity[n.Name]; given {
				continue
			}
			for _, l := range append(n.in[:len(n.in):len(n.in)], n.out...) {
				if l.node != nil && near[l.node] && !near[n] {
					near[n], changed = true, true
					for range e.w {
						t := &node{Node: n.Node, op: n.op.fresh(), light: n.light, learns: n.learns, in: n.in, out: n.out, spanNames: n.spanNames}
						t.worker = len(n.spare)
						n.spare = append(n.spare, t)
					}
				}
			}
		}
	}
}

// frozen reports whether the node's parameters never change.
func (n *node) frozen() bool {
	o, ok := n.op.(*ppt)
	return ok && o.plan.frozen
}

// all yields the nodes and their twins.
func (e *engine) all(yield func(*node) bool) {
	for _, n := range e.nodes {
		if !yield(n) {
			return
		}
		for _, t := range n.spare {
			if !yield(t) {
				return
			}
		}
	}
}

func (e *engine) workers() int { return max(e.o.Workers, 1) }

// prepare gives every node its optimiser.
func (e *engine) prepare() error {
	for _, n := range e.nodes {
		p := n.params()
		if p == nil {
			continue
		}
		o, rate, most := e.o.Optimizer, e.o.Rate, e.o.MinUpdateFrequency
		if n.Optimizer != nil {
			if err := n.Optimizer.Check(); err != nil {
				return fmt.Errorf("amp: node %s: %w", n.Name, err)
			}
			o, rate = n.Optimizer, n.Optimizer.UsualRate()
		}
		if n.Rate > 0 {
			rate = n.Rate
		}
		if n.MinUpdateFrequency < 0 {
			return fmt.Errorf("amp: node %s: MinUpdateFrequency is %d: it must be at least 1, or 0 for that of the options", n.Name, n.MinUpdateFrequency)
		}
		if n.MinUpdateFrequency > 0 && !e.o.Still {
			most = n.MinUpdateFrequency
		}
		var fix fixer
		if e.o.Correct != nil {
			fix = e.o.Correct.start(p)
		}
		p.prepare(o, rate, e.o.Clip, most, fix)
	}
	return nil
}

func (e *engine) inputNames() (names []string) {
	for _, n := range e.nodes {
		if _, ok := n.op.(*inputOp); ok {
			names = append(names, n.Name)
		}
	}
	return names
}

// fail ends the phase with its first error.
func (e *engine) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
		close(e.bad)
	}
}

// phase sends instances and waits until all have ended. Its goroutines end with it.
func (e *engine) phase(ctx context.Context, jobs []job) error {
	if len(jobs) == 0 {
		return nil
	}
	e.ctl.begin(jobs, e.o.MaxActiveKeys)
	e.end = make(chan struct{})
	var wg sync.WaitGroup
	for _, w := range e.w {
		w.in.m, w.pumpDue = w.in.m[:0], false
		w.in.n.Store(0)
		w.in.away.Store(false)
		wg.Go(func() { _ = w.loop(ctx) }) // errors are in e.err
	}
	e.w[0].in.send([]message{{}})
	var err error
	select {
	case <-e.ctl.drained:
	case <-e.bad:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	close(e.end)
	wg.Wait()
	for _, w := range e.w {
		w.spans.flush(w)
		e.trace.Work(w.work)
		w.work = 0
	}
	if err == nil {
		err = e.err
	}
	return e.explained(err)
}

// explained makes a DeadlockError of what a worker found, from the caches.
func (e *engine) explained(err error) error {
	s, ok := errors.AsType[*stuck](err)
	if !ok {
		return err
	}
	d := &DeadlockError{Instance: s.key}
	for n := range e.all {
		n.op.held(func(st State, waits string) {
			if st.Instance == s.key && waits != "" {
				d.Waits = append(d.Waits, fmt.Sprintf("%s %s, state %v, waits for %s", n.Kind, n.Name, st, waits))
			}
		})
	}
	if len(d.Waits) == 0 {
		d.Waits = []string{fmt.Sprintf("the controller waits for %d gradients", s.missing)}
	}
	return d
}

// remains lists what is left in caches: nothing, after a drain.
func (e *engine) remains() (left []string) {
	for n := range e.all {
		n.op.held(func(s State, _ string) { left = append(left, fmt.Sprintf("%s %v", n.Name, s)) })
		if n.fwd.len()+n.bwd.len() > 0 {
			left = append(left, fmt.Sprintf("%s has %d messages", n.Name, n.fwd.len()+n.bwd.len()))
		}
	}
	return left
}

// score adds up all losses of training or validation.
func (e *engine) score(train bool) (s score) {
	for _, l := range e.losses {
		s = s.plus(l.tallies[kindOf(train)].now())
	}
	return s
}

// blame says where numbers stopped being numbers, as far as worker w can look.
func (e *engine) blame(w *worker) string {
	for _, n := range e.nodes {
		if p := n.params(); p != nil && n.worker == w.id && !p.finite() {
			return fmt.Sprintf("the parameters of %s are not all finite: %s", n.Name, e.calmer())
		}
	}
	return e.calmer() + ", and look at the data"
}

// calmer says what keeps a training from growing without bounds.
func (e *engine) calmer() string {
	s := fmt.Sprintf("try a rate below %.3g", e.o.Rate)
	if e.o.Clip == 0 {
		s += ", Options.Clip (1 is often right)"
	}
	if e.o.MaxActiveKeys > 1 {
		s += fmt.Sprintf(", or fewer MaxActiveKeys than %d: gradients are less stale then", e.o.MaxActiveKeys)
	}
	return s
}

// factor is what the rate is multiplied by now.
func (e *engine) factor() float64 {
	if e.o.Schedule == nil {
		return 1
	}
	c := &e.ctl
	c.mu.Lock()
	part := float64(c.done) / float64(max(len(c.jobs), 1))
	c.mu.Unlock()
	return e.o.Schedule.Factor(float64(e.epoch)+part, float64(e.o.Epochs))
}
