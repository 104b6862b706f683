package amp

// Everywhere is the worker of nodes that each worker has: those of control around replicas.
const Everywhere = -1

// NodeInfo is what a node is and what it has done in a run.
type NodeInfo struct {
	Name, Kind        string
	Worker            int // Everywhere if each worker has a twin of it
	Parameters        int
	Forward, Backward int64   // messages
	Batches           int64   // of both; fewer than messages where some were computed together
	Rows              int64   // of both
	Seconds           float64 // of both; 0 for nodes that only direct messages
	Bytes             int64   // of payloads that came in
	Crossing          int64   // of those, from other workers
	Flops             float64
	Updates           int64
	Staleness         []int64 // how many gradients were that many updates old; the last place also has older ones
}

func (e *engine) infos() []NodeInfo {
	var out []NodeInfo
	for _, n := range e.nodes {
		i := n.info()
		if p := e.placed.Load(); p != nil {
			i.Worker = (*p)[n.id]
		}
		out = append(out, i)
	}
	return out
}

func (n *node) info() NodeInfo {
	i := NodeInfo{Name: n.Name, Kind: n.Kind, Parameters: n.Count()}
	for _, s := range n.statsOfAll() {
		i.Forward += s.messages[0].Load()
		i.Backward += s.messages[1].Load()
		i.Batches += s.batches[0].Load() + s.batches[1].Load()
		i.Rows += s.rows[0].Load() + s.rows[1].Load()
		i.Seconds += float64(s.nanos[0].Load()+s.nanos[1].Load()) * 1e-9
		i.Bytes += s.bytes.Load()
		i.Crossing += s.crossing.Load()
		i.Flops += s.flops.load()
	}
	s := &n.stats // parameters are in one place
	i.Updates = s.updates.Load()
	last := -1
	for k := range s.staleN {
		if s.staleN[k].Load() > 0 {
			last = k
		}
	}
	for k := range last + 1 {
		i.Staleness = append(i.Staleness, s.staleN[k].Load())
	}
	return i
}

// Graph returns the graph that the run trains.
func (r *Run) Graph() *Graph { return r.g }

// Nodes returns what each node has done so far; it may be called while the run goes on.
func (r *Run) Nodes() []NodeInfo {
	if r.e == nil {
		return nil
	}
	return r.e.infos()
}

// Staleness returns the nodes with parameters and, for each, how many gradients have come back 0, 1,
// 2 and so on updates late: what viz.Staleness draws.
func (r *Run) Staleness() (nodes []string, counts [][]int64) {
	for _, n := range r.Nodes() {
		if n.Parameters > 0 && n.Staleness != nil {
			nodes, counts = append(nodes, n.Name), append(counts, n.Staleness)
		}
	}
	return nodes, counts
}

// Picture returns what viz.Graph draws: of each node its name, kind, number of parameters, worker
// (-1 before a run, and where each worker has a twin) and the bytes of the messages that it got in the last run; and edges as pairs of
// nodes.
func (g *Graph) Picture() (names, kinds []string, parameters, workers []int, bytes []int64, edges [][2]int) {
	g.mu.Lock()
	e := g.last
	g.mu.Unlock()
	var place []int
	if e != nil {
		if p := e.placed.Load(); p != nil {
			place = *p
		}
	}
	for _, n := range g.nodes {
		names, kinds, parameters = append(names, n.Name), append(kinds, n.Kind), append(parameters, n.Count())
		worker, traffic := -1, int64(0)
		if n.id < len(place) {
			worker, traffic = place[n.id], e.nodes[n.id].info().Bytes
		}
		workers, bytes = append(workers, worker), append(bytes, traffic)
		for _, o := range n.outs {
			if o.to != nil {
				edges = append(edges, [2]int{n.id, o.to.id})
			}
		}
	}
	return names, kinds, parameters, workers, bytes, edges
}
