package amp

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
