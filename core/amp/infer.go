package amp

import (
	"context"
	"sync"

	"trivium/core/run"
	"trivium/core/tensor"
)

// Infer sends instances through the graph forward only and returns what comes to its loss: for
// each instance the rows in the order of State.Node and arrival, as many as its messages had. Options are used as far as they matter: Workers,
// MaxActiveKeys, Batch, Affinity.
func (g *Graph) Infer(ctx context.Context, data any, o Options) ([]tensor.Mat32, error) {
	_, out, err := g.forward(ctx, data, o, true)
	return out, err
}

// Evaluate sends instances through the graph forward only and returns their mean loss and the
// share of rows that are right, or for numbers the mean absolute error.
func (g *Graph) Evaluate(ctx context.Context, data any, o Options) (loss, accuracyOrError float64, err error) {
	s, _, err := g.forward(ctx, data, o, false)
	if err != nil {
		return 0, 0, err
	}
	if s.right == 0 && s.off != 0 {
		return s.mean(), s.off / float64(s.rows), nil
	}
	return s.mean(), s.accuracy(), nil
}

func (g *Graph) forward(ctx context.Context, data any, o Options, keep bool) (score, []tensor.Mat32, error) {
	o.Validate, o.Resume, o.Target, o.Spans, o.Epochs = nil, "", 0, -1, 1
	e, err := begin(g, data, o, true)
	if err != nil {
		return score{}, nil, err
	}
	defer g.give()
	ctx, done := run.Waits(ctx)
	defer done()
	e.ctl.data[0] = e.ctl.data[1]
	n := e.ctl.data[0].Len()
	out := make([]results, n)
	if keep {
		var mu sync.Mutex
		e.collect = func(i *instance, s State, x payload) {
			mu.Lock()
			defer mu.Unlock()
			out[i.sample].add(s.Node, x)
		}
	}
	jobs := make([]job, n)
	for i := range jobs {
		jobs[i] = job{i, false}
	}
	err = e.phase(ctx, jobs)
	var rows []tensor.Mat32
	if err == nil && keep {
		for i := range out {
			rows = append(rows, out[i].matrix())
		}
	}
	return e.score(false), rows, err
}

// results are the rows of one instance, in the order of the node that they belong to.
type results struct {
	node []int
	x    []tensor.Mat32
}

func (r *results) add(node int, x payload) {
	at := len(r.node)
	for at > 0 && r.node[at-1] > node {
		at--
	}
	m := x.matrix().Clone()
	r.node = append(r.node, 0)
	r.x = append(r.x, m)
	copy(r.node[at+1:], r.node[at:])
	copy(r.x[at+1:], r.x[at:])
	r.node[at], r.x[at] = node, m
}

func (r *results) matrix() tensor.Mat32 {
	if len(r.x) == 0 {
		return tensor.Mat32{}
	}
	rows := 0
	for _, x := range r.x {
		rows += x.Rows
	}
	m := tensor.NewMat32(rows, r.x[0].Cols)
	at := 0
	for _, x := range r.x {
		at += copy(m.Data[at:], x.Data)
	}
	return m
}
