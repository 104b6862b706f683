package lists

// Sequence returns sample i as core/amp's network takes it.
func (s *Set) Sequence(i int) (tokens []int, label int) {
	return s.Samples[i].Tokens, s.Samples[i].Label
}
