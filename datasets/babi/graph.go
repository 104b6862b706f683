package babi

// Graph returns story i as core/amp's network takes it: edges as from, kind, to, and questions as
// node and answer.
func (s *Set) Graph(i int) (nodes int, edges [][3]int, questions [][2]int) {
	st := &s.Stories[i]
	for _, e := range st.Edges {
		edges = append(edges, [3]int{e.From, e.Kind, e.To})
	}
	for _, q := range st.Questions {
		questions = append(questions, [2]int{q.Node, q.Answer})
	}
	return st.Nodes, edges, questions
}
