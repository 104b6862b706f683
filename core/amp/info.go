package amp

// NodeInfo is what a node is and what it has done in a run.
type NodeInfo struct {
	Name, Kind        string
	Worker            int
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
		out = append(out, n.info())
	}
	return out
}

func (n *node) info() NodeInfo {
	s := &n.stats
	i := NodeInfo{
		Name: n.Name, Kind: n.Kind, Worker: n.worker, Parameters: n.Count(),
		Forward: s.messages[0].Load(), Backward: s.messages[1].Load(), Batches: s.batches[0].Load() + s.batches[1].Load(),
		Rows: s.rows[0].Load() + s.rows[1].Load(), Seconds: float64(s.nanos[0].Load()+s.nanos[1].Load()) * 1e-9,
		Bytes: s.bytes.Load(), Crossing: s.crossing.Load(), Flops: s.flops.load(), Updates: s.updates.Load(),
	}
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
