package amp

import "sort"

// place gives every node a worker: those that Affinity names theirs, the others so that the
// seconds of work given by cost are as even as may be. First replica k of every node goes to one worker, and nodes with
// twins to all. Then heavy nodes go one by one, the costliest first, to the worker with least to do; light ones to the
// costliest heavy one around.
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
	light := map[*node]int{}
	for _, n := range e.nodes {
		if !fixed[n] {
			light[n] = e.costliest(n, fixed, cost)
		}
	}
	for n, w := range light {
		n.worker = w
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

// costliest is the worker of the costliest placed node that n is next to, or that only nodes without a place lie between:
// a loop's control goes to what is most of the loop's work, so that rounds cross to no other worker and back.
func (e *engine) costliest(n *node, fixed map[*node]bool, cost func(*node) float64) (worker int) {
	most := -1.0
	seen := make([]bool, len(e.nodes))
	var look func(n *node)
	look = func(n *node) {
		seen[n.id] = true
		for _, links := range [2][]link{n.in, n.out} {
			for _, l := range links {
				m := l.node
				switch {
				case m == nil || seen[m.id]:
				case !fixed[m]:
					look(m)
				case m.twins == nil && cost(m) > most:
					most, worker = cost(m), m.worker
				}
			}
		}
	}
	look(n)
	return worker
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
