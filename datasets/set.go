package datasets

import (
	"fmt"
	"sort"

	"trivium/core/random"
	"trivium/core/tensor"
)

// A Set is samples, each a row of features with the number of its class. Sets are views and
// are not changed after New: any number of goroutines can read one.
type Set struct {
	name    string
	x       tensor.Matrix[float32]
	labels  []int
	classes []string
	image   Image
	order   []int // sample i is row order[i]; nil: row i
}

// Image says how a row holds a picture: Height rows of Width pixels of Channels numbers each,
// 0 black and 1 white, plane after plane where Planes is set (CIFAR-10) and pixel after pixel
// otherwise. The zero value means that rows are not pictures.
type Image struct {
	Height, Width, Channels int
	Planes                  bool
}

func (m Image) size() int { return m.Height * m.Width * m.Channels }

// New returns the set of the rows of x, which it shares, with labels from 0 to below
// len(classes). No classes means that they are named by their numbers.
func New(name string, x tensor.Matrix[float32], labels []int, classes []string, image Image) (*Set, error) {
	if x.Rows != len(labels) {
		return nil, fmt.Errorf("datasets: %s: %d rows and %d labels; each row needs one", name, x.Rows, len(labels))
	}
	if x.Rows < 0 || x.Cols < 0 || x.Stride < x.Cols || x.Rows > 0 && x.Cols > 0 && len(x.Data) < (x.Rows-1)*x.Stride+x.Cols {
		return nil, fmt.Errorf("datasets: %s: %d×%d with rows %d apart does not fit in %d numbers", name, x.Rows, x.Cols, x.Stride, len(x.Data))
	}
	if image != (Image{}) && (image.Height < 1 || image.Width < 1 || image.Channels != 1 && image.Channels != 3 || image.size() != x.Cols) {
		return nil, fmt.Errorf("datasets: %s: a picture of %d×%d with %d channels is not a row of %d", name, image.Height, image.Width, image.Channels, x.Cols)
	}
	most := -1
	for i, l := range labels {
		if l < 0 {
			return nil, fmt.Errorf("datasets: %s: sample %d has label %d; labels count from 0", name, i, l)
		}
		if len(classes) > 0 && l >= len(classes) {
			return nil, fmt.Errorf("datasets: %s: sample %d has label %d; there are %d classes", name, i, l, len(classes))
		}
		most = max(most, l)
	}
	const mostClasses = 1 << 20 // more is a mistake, and would only fill the memory
	if most >= mostClasses {
		return nil, fmt.Errorf("datasets: %s: label %d; at most %d classes", name, most, mostClasses)
	}
	if len(classes) == 0 {
		for c := range most + 1 {
			classes = append(classes, fmt.Sprint(c))
		}
	}
	return &Set{name, x, labels, classes, image, nil}, nil
}

// FromRows returns the set of a copy of the rows, for data made in a notebook.
func FromRows(name string, rows [][]float32, labels []int) (*Set, error) {
	x, err := tensor.Rows32(rows...)
	if err != nil {
		return nil, fmt.Errorf("datasets: %s: %w", name, err)
	}
	return New(name, x, append([]int(nil), labels...), nil, Image{})
}

// Name says what the samples are.
func (s *Set) Name() string { return s.name }

// Len returns the number of samples.
func (s *Set) Len() int {
	if s.order != nil {
		return len(s.order)
	}
	return len(s.labels)
}

// Features returns the number of features of a sample.
func (s *Set) Features() int { return s.x.Cols }

// Classes returns the names of the classes, which are not to be changed.
func (s *Set) Classes() []string { return s.classes }

// Image says how a row is a picture.
func (s *Set) Image() Image { return s.image }

func (s *Set) row(i int) int {
	if s.order != nil {
		return s.order[i]
	}
	return i
}

// Row returns the features of sample i, shared with the set.
func (s *Set) Row(i int) []float32 { return s.x.Row(s.row(i)) }

// Label returns the class of sample i.
func (s *Set) Label(i int) int { return s.labels[s.row(i)] }

// X returns all features, a sample a row: the set's own numbers where its samples lie one
// after the other, and a copy otherwise.
func (s *Set) X() tensor.Matrix[float32] { return s.batch(0, s.Len(), nil).X }

// Labels returns the class of each sample: the set's own numbers or a copy, as for X.
func (s *Set) Labels() []int { return s.batch(0, s.Len(), nil).Labels }

// Counts returns the number of samples of each class.
func (s *Set) Counts() []int {
	n := make([]int, len(s.classes))
	for i := range s.Len() {
		n[s.Label(i)]++
	}
	return n
}

// Gather copies the samples of those numbers to the rows of x and their classes to labels,
// without allocating. Both must have len(samples) places; labels may be nil.
func (s *Set) Gather(samples []int, x tensor.Matrix[float32], labels []int) error {
	if x.Rows != len(samples) || x.Cols != s.x.Cols || labels != nil && len(labels) != len(samples) {
		return fmt.Errorf("datasets: %s: %d samples of %d features do not fit into %d×%d and %d labels",
			s.name, len(samples), s.x.Cols, x.Rows, x.Cols, len(labels))
	}
	for _, k := range samples {
		if k < 0 || k >= s.Len() {
			return fmt.Errorf("datasets: %s: no sample %d among %d", s.name, k, s.Len())
		}
	}
	for i, k := range samples {
		copy(x.Row(i), s.Row(k))
		if labels != nil {
			labels[i] = s.Label(k)
		}
	}
	return nil
}

// Slice returns samples from number i to before j as a view. Numbers that reach outside are
// cut off.
func (s *Set) Slice(i, j int) *Set {
	i = min(max(i, 0), s.Len())
	j = min(max(j, i), s.Len())
	v := *s
	if s.order != nil {
		v.order = s.order[i:j:j]
		return &v
	}
	v.x, v.labels = s.x.Slice(i, j, 0, s.x.Cols), s.labels[i:j:j]
	return &v
}

// Pick returns the samples of those numbers, in that order, as a view.
func (s *Set) Pick(samples []int) (*Set, error) {
	v := *s
	v.order = make([]int, len(samples))
	for i, k := range samples {
		if k < 0 || k >= s.Len() {
			return nil, fmt.Errorf("datasets: %s: no sample %d among %d", s.name, k, s.Len())
		}
		v.order[i] = s.row(k)
	}
	return &v, nil
}

// Shuffled returns all samples in the random order of the seed, as a view.
func (s *Set) Shuffled(seed uint64) *Set {
	v, _ := s.Pick(random.New(seed).Split("shuffle").Perm(s.Len()))
	return v
}

// Part returns two views: a share of the samples of each class, drawn by the seed, and the
// others. The share is rounded class by class, and one outside 0 to 1 is none or all of them; both
// keep the order of the set.
func (s *Set) Part(share float64, seed uint64) (part, rest *Set) {
	if !(share > 0) { // NaN too
		share = 0
	}
	share = min(share, 1)
	var in, out []int
	for _, of := range s.byClass(random.New(seed).Split("part")) {
		n := int(share*float64(len(of)) + 0.5)
		in, out = append(in, of[:n]...), append(out, of[n:]...)
	}
	return s.sorted(in), s.sorted(out)
}

// PerClass returns a view of at most n samples of each class, drawn by the seed.
func (s *Set) PerClass(n int, seed uint64) *Set {
	var in []int
	for _, of := range s.byClass(random.New(seed).Split("per class")) {
		in = append(in, of[:min(max(n, 0), len(of))]...)
	}
	return s.sorted(in)
}

func (s *Set) sorted(samples []int) *Set {
	sort.Ints(samples)
	v, _ := s.Pick(samples)
	return v
}

// byClass lists the samples of each class in random order.
func (s *Set) byClass(r *random.Stream) [][]int {
	of := make([][]int, len(s.classes))
	for i := range s.Len() {
		of[s.Label(i)] = append(of[s.Label(i)], i)
	}
	for c, samples := range of {
		r.SplitN(c).Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
	}
	return of
}
