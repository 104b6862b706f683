package amp

import "context"

// rehearsal sends the first instances through the graph on one worker, with sizes and no
// numbers, and returns the engine with what was counted.
func rehearsal(g *Graph, o Options, d Data, n int) (*engine, error) {
	o.Workers, o.Affinity, o.Batch, o.MaxActiveKeys = 1, nil, 64, min(o.MaxActiveKeys, 16)
	e := newEngine(g, o, true)
	e.ctl.data[1] = d
	e.place(func(*node) float64 { return 0 })
	jobs := make([]job, min(n, d.Len()))
	for i := range jobs {
		jobs[i] = job{i, true}
	}
	return e, e.phase(context.Background(), jobs)
}
