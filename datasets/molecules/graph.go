package molecules

// Graph returns molecule i as core/amp's network takes it: elements, bonds as atom, kind, atom,
// and the target.
func (s *Set) Graph(i int) (labels []int, edges [][3]int, target float64) {
	m := s.Molecules[i]
	for _, b := range m.Bonds {
		edges = append(edges, [3]int{b.A, b.Kind, b.B})
	}
	return m.Atoms, edges, m.Target
}
