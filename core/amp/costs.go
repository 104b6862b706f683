package amp

import "sync/atomic"

// A Cost is the seconds that a node takes for a batch of rows: Fixed + PerRow·rows.
type Cost struct{ Fixed, PerRow float64 }

func (c Cost) of(rows int) float64 { return c.Fixed + c.PerRow*float64(rows) }

// NodeCost is the cost of a node in both directions, as measured in a run or assumed by a plan.
type NodeCost struct{ Forward, Backward Cost }

// Costs returns what the nodes of a run have cost so far, by name: a line through the times of
// all batches, by least squares. Nodes that only direct messages are in the costs of those that they follow. What
// sending costs is that of "controller", with instances for rows.
func (r *Run) Costs() map[string]NodeCost {
	costs := map[string]NodeCost{}
	if r.e == nil {
		return costs
	}
	for _, n := range r.e.nodes {
		var sums [2]fitSums
		for _, s := range n.statsOfAll() {
			for dir := range sums {
				sums[dir].add(&s.fit[dir])
			}
		}
		if sums[0].n > 0 {
			costs[n.Name] = NodeCost{sums[0].line(), sums[1].line()}
		}
	}
	var send fitSums
	for _, w := range r.e.w {
		send.add(&w.sending)
	}
	costs[controllerName] = NodeCost{Forward: send.line()}
	return costs
}

const controllerName = "controller"

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

// fitSums are the sums of one fit or several.
type fitSums struct{ n, rows, rows2, seconds, cross float64 }

func (a *fitSums) add(f *fit) {
	a.n += float64(f.n.Load())
	a.rows += f.rows.load()
	a.rows2 += f.rows2.load()
	a.seconds += f.nanos.load() * 1e-9
	a.cross += f.cross.load() * 1e-9
}

// line returns the fitted line with neither part negative. Where all batches were of one size the time goes
// by rows alone.
func (a *fitSums) line() Cost {
	n, r, r2, t, rt := a.n, a.rows, a.rows2, a.seconds, a.cross
	if n == 0 || r == 0 {
		return Cost{}
	}
	spread := n*r2 - r*r
	if spread <= 1e-9*r*r {
		return Cost{0, t / r}
	}
	slope := (n*rt - r*t) / spread
	fixed := (t - slope*r) / n
	switch {
	case fixed < 0:
		return Cost{0, t / r}
	case slope < 0:
		return Cost{t / n, 0}
	}
	return Cost{fixed, slope}
}
