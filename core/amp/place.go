package amp

import "sort"

// place gives every node a worker: those that Affinity names theirs, the others so that the
// seconds of work given by cost are as even as may be. First replica k of every node goes to one worker, and nodes with
// twins to all. Then heavy nodes go one by one, the costliest first, to the worker with least to do; light ones to where
// what they feed is.
func (e *engine) place(cost func(n *node) float64) {
	load := make([]float64, len(e.w))
	fixed := map[*node]bool{}
	e.placeReplicas(load, fixed, cost)
	var heavy []*node
	for _, n := range e.nodes {
		if w, ok := e.o.Affinity[n.Name]; ok {
			n.worker, fixed[n] = w, true
			load[w] += cost(n)
		} else if !n.light && !fixed[n] {
			heavy = append(heavy, n)
		}
	}
	sort.SliceStable(heavy, func(i, j int) bool { return cost(heavy[i]) > cost(heavy[j]) })
	for _, n := range heavy {
		best := 0
		for k := range load {
			if load[k] < load[best] {
				best = k
			}
		}
		n.worker, fixed[n] = best, true
		load[best] += cost(n)
	}
	// The rest follow their neighbours, successors first; whoever has none that is placed waits for them.
	for range e.nodes {
		for i := len(e.nodes) - 1; i >= 0; i-- {
			if n := e.nodes[i]; !fixed[n] {
				if w, ok := e.neighbour(n, fixed, cost); ok {
					n.worker, fixed[n] = w, true
				}
			}
		}
	}
	for _, w := range e.w {
		w.nodes = w.nodes[:0]
	}
	place := make([]int, len(e.nodes))
	for i, n := range e.nodes {
		place[i] = n.worker
		if n.twins == nil {
			e.w[n.worker].nodes = append(e.w[n.worker].nodes, n)
			continue
		}
		place[i] = Everywhere
		for k, t := range n.twins {
			e.w[k].nodes = append(e.w[k].nodes, t)
		}
	}
	seen := make([]bool, len(e.nodes))
	for _, w := range e.w {
		w.bridges = w.bridges[:0]
		for _, n := range w.nodes {
			if !n.light && len(e.w) > 1 && e.bridge(n, seen) {
				w.bridges = append(w.bridges, n)
			}
		}
	}
	e.placed.Store(&place)
}

// bridge reports whether what a node sends, or what light nodes make of it, may go to another worker. Replicas
// that instances choose, and twins, deal with instances at home. seen has a place for each node.
func (e *engine) bridge(n *node, seen []bool) bool {
	clear(seen)
	return e.leads(n, n, n.ofInstance || e.nodes[n.id] != n, seen)
}

// leads looks from a node on the way from n at its neighbours.
func (e *engine) leads(at, n *node, atHome bool, seen []bool) bool {
	seen[at.id] = true
	for _, links := range [2][]link{at.in, at.out} {
		for _, l := range links {
			m := l.node
			if m == nil || seen[m.id] {
				continue
			}
			home := m.twins != nil || m.ofInstance
			if home && !atHome || !home && m.worker != n.worker || m.light && e.leads(m, n, atHome, seen) {
				return true
			}
		}
	}
	return false
}

// placeReplicas puts the copies that instances choose between on workers in turn, unless Affinity names one for the first of
// a copy's nodes, and what has twins on all.
func (e *engine) placeReplicas(load []float64, fixed map[*node]bool, cost func(n *node) float64) {
	taken := make([]int, len(e.w)) // copies on each worker
	free := map[int]bool{}
	for k := range e.ctl.copies {
		free[k] = true
		for _, set := range e.g.replicas {
			if w, ok := e.o.Affinity[set[min(k, len(set)-1)].Name]; ok && k < len(set) && free[k] {
				e.ctl.copies[k].worker, free[k] = w, false
				taken[w]++
			}
		}
	}
	for k := range e.ctl.copies {
		c := &e.ctl.copies[k]
		if free[k] {
			c.worker = 0
			for w := range taken {
				if taken[w] < taken[c.worker] {
					c.worker = w
				}
			}
			taken[c.worker]++
		}
		for _, set := range e.g.replicas {
			if k >= len(set) {
				continue
			}
			n := e.nodes[set[k].id]
			if _, given := e.o.Affinity[n.Name]; !given { // place does those
				n.worker, fixed[n] = c.worker, true
				load[c.worker] += cost(n)
			}
		}
	}
	for _, n := range e.nodes {
		if n.twins = n.spare; n.twins != nil {
			fixed[n] = true
			for w := range load {
				load[w] += cost(n) / float64(len(load))
			}
		}
	}
}

// neighbour is the worker of the costliest placed node that n feeds, or that feeds it.
func (e *engine) neighbour(n *node, fixed map[*node]bool, cost func(*node) float64) (worker int, ok bool) {
	for _, links := range [][]link{n.out, n.in} {
		most := -1.0
		for _, l := range links {
			if l.node != nil && fixed[l.node] && cost(l.node) > most {
				most, worker, ok = cost(l.node), l.node.worker, true
			}
		}
		if ok {
			return worker, true
		}
	}
	return 0, false
}

// rehearse sends a few instances through the graph with sizes alone and returns what that costs each node, in
// seconds, by a rule of thumb.
func (e *engine) rehearse(d Data) (func(*node) float64, error) {
	dry, err := rehearsal(e.g, e.o, d, 32)
	if err != nil {
		return nil, err
	}
	return func(n *node) float64 {
		s := &dry.nodes[n.id].stats
		messages := float64(s.messages[0].Load() + s.messages[1].Load())
		return s.flops.load()*2e-11 + messages*2e-7 + float64(s.bytes.Load())*2e-10
	}, nil
}

// measured is the cost of a node by what it has taken so far.
func measured(n *node) float64 {
	sum := 0.0
	for _, s := range n.statsOfAll() {
		sum += float64(s.nanos[0].Load()+s.nanos[1].Load())*1e-9 + 1e-12*float64(s.messages[0].Load())
	}
	return sum
}
