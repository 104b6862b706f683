package amp

import "sync/atomic"

// A Cost is the seconds that a node takes for a batch of rows: Fixed + PerRow·rows.
type Cost struct{ Fixed, PerRow float64 }

func (c Cost) of(rows int) float64 { return c.Fixed + c.PerRow*float64(rows) }

// NodeCost is the cost of a node in both directions, as measured in a run or assumed by a plan.
type NodeCost struct{ Forward, Backward Cost }

// Costs returns what the nodes of a run have cost so far, by name: a line through the times of
// all batches, by least squares. Nodes that only direct messages are in the costs of those that they follow.
func (r *Run) Costs() map[string]NodeCost {
	costs := map[string]NodeCost{}
	if r.e == nil {
		return costs
	}
	for _, n := range r.e.nodes {
		if n.stats.batches[0].Load() > 0 {
			costs[n.Name] = NodeCost{n.stats.fit[0].line(), n.stats.fit[1].line()}
		}
	}
	return costs
}

// A fit gathers what a least-squares line of time over rows needs. One goroutine writes it.
type fit struct {
	n                         atomic.Int64
	rows, rows2, nanos, cross atomicFloat
}

func (f *fit) add(rows int, nanos float64) {
	add(&f.n, 1)
	r := float64(rows)
	f.rows.add(r)
	f.rows2.add(r * r)
	f.nanos.add(nanos)
	f.cross.add(r * nanos)
}

// line returns the fitted line with neither part negative. Where all batches were of one size the time goes
// by rows alone.
func (f *fit) line() Cost {
	n, r, r2, t, rt := float64(f.n.Load()), f.rows.load(), f.rows2.load(), f.nanos.load()*1e-9, f.cross.load()*1e-9
	if n == 0 || r == 0 {
		return Cost{}
	}
	spread := n*r2 - r*r
	if spread <= 1e-9*r*r {
		return Cost{0, t / r}
	}
	b := (n*rt - r*t) / spread
	a := (t - b*r) / n
	switch {
	case a < 0:
		return Cost{0, t / r}
	case b < 0:
		return Cost{t / n, 0}
	}
	return Cost{a, b}
}
