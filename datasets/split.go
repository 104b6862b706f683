package datasets

import "trivium/core/tensor"

// A Split is samples to train with and others to test with.
type Split struct {
	Train, Test *Set
	Notice      string // whose data they are, and the licence
}

// Split returns a split of the set: a share of each class to test with, drawn by the seed as by
// Part, and the others to train with. Both are views.
func (s *Set) Split(test float64, seed uint64) *Split {
	t, rest := s.Part(test, seed)
	t.name, rest.name = s.name+", test", s.name+", training"
	return &Split{Train: rest, Test: t}
}

// TrainData returns all features and labels, so that a set can be trained with as it is.
func (s *Set) TrainData() (x tensor.Matrix[float32], labels []int) { return s.X(), s.Labels() }

// TestData returns nothing: a set alone is not tested with. See Split.
func (s *Set) TestData() (x tensor.Matrix[float32], labels []int) { return x, nil }

// TrainData returns the features and labels to train with, as core/train takes them.
func (s *Split) TrainData() (x tensor.Matrix[float32], labels []int) {
	b := s.Train.batch(0, s.Train.Len(), nil)
	return b.X, b.Labels
}

// TestData returns the features and labels to test with, as core/train takes them.
func (s *Split) TestData() (x tensor.Matrix[float32], labels []int) {
	b := s.Test.batch(0, s.Test.Len(), nil)
	return b.X, b.Labels
}

// Batches cuts the samples to train with into batches, shuffled by seed 0.
func (s *Split) Batches(size int) *Batches { return s.Train.Batches(size).Shuffled(0) }

// Small returns the split with at most train and test samples of each class, drawn by seed 0:
// for a first try that takes a second.
func (s *Split) Small(train, test int) *Split {
	return &Split{s.Train.PerClass(train, 0), s.Test.PerClass(test, 0), s.Notice}
}
