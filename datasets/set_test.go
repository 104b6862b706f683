package datasets

import (
	"reflect"
	"sort"
	"strings"
	"testing"

	"trivium/core/tensor"
)

// counting returns n samples whose features are 10i and 10i+1, of class i mod classes.
func counting(t testing.TB, n, classes int) *Set {
	x, labels := tensor.New[float32](n, 2), make([]int, n)
	for i := range n {
		x.Row(i)[0], x.Row(i)[1], labels[i] = float32(10*i), float32(10*i+1), i%classes
	}
	s, err := New("counting", x, labels, numbered(classes), Image{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ids recovers sample numbers from the features.
func ids(x tensor.Matrix[float32]) []int {
	var n []int
	for i := range x.Rows {
		n = append(n, int(x.Row(i)[0])/10)
	}
	return n
}

func TestViewsShareNumbers(t *testing.T) {
	s := counting(t, 10, 3)
	v := s.Slice(2, 8)
	if got := ids(v.X()); !reflect.DeepEqual(got, []int{2, 3, 4, 5, 6, 7}) {
		t.Errorf("Slice has samples %v", got)
	}
	if &v.X().Data[0] != &s.x.Data[4] {
		t.Error("X of a slice is a copy")
	}
	p, err := v.Pick([]int{5, 0, 0})
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(p.X()); !reflect.DeepEqual(got, []int{7, 2, 2}) {
		t.Errorf("Pick of a slice has samples %v", got)
	}
	if &p.Row(1)[0] != &s.x.Data[4] {
		t.Error("Pick copied a row")
	}
	if got := ids(p.Slice(1, 9).X()); !reflect.DeepEqual(got, []int{2, 2}) {
		t.Errorf("Slice of a pick has samples %v", got)
	}
	if got := p.Labels(); !reflect.DeepEqual(got, []int{1, 2, 2}) {
		t.Errorf("labels %v", got)
	}
	if _, err := v.Pick([]int{6}); err == nil {
		t.Error("sample 6 of 6 was picked")
	}
	if n := s.Slice(7, 3).Len() + s.Slice(-5, 0).Len() + s.Slice(12, 99).Len(); n != 0 {
		t.Errorf("slices of nothing have %d samples", n)
	}
}

func TestPartIsStratifiedAndComplete(t *testing.T) {
	s := counting(t, 100, 3) // 34, 33, 33
	part, rest := s.Part(0.25, 1)
	if got := part.Counts(); !reflect.DeepEqual(got, []int{9, 8, 8}) {
		t.Errorf("a quarter has %v", got)
	}
	all := append(ids(part.X()), ids(rest.X())...)
	sort.Ints(all)
	for i, k := range all {
		if i != k {
			t.Fatalf("together they are not the set: %v", all)
		}
	}
	other, _ := s.Part(0.25, 2)
	if reflect.DeepEqual(ids(part.X()), ids(other.X())) {
		t.Error("two seeds give the same part")
	}
	if got := s.PerClass(4, 0).Counts(); !reflect.DeepEqual(got, []int{4, 4, 4}) {
		t.Errorf("PerClass has %v", got)
	}
}

func TestGather(t *testing.T) {
	s := counting(t, 6, 2).Slice(1, 6)
	x, labels := tensor.New[float32](2, 2), make([]int, 2)
	if err := s.Gather([]int{4, 0}, x, labels); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(ids(x), []int{5, 1}) || !reflect.DeepEqual(labels, []int{1, 1}) {
		t.Errorf("samples %v, labels %v", ids(x), labels)
	}
	if n := testing.AllocsPerRun(10, func() { s.Gather([]int{4, 0}, x, labels) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	for _, bad := range [][]int{{0}, {0, 5}, {-1, 0}} {
		if s.Gather(bad, x, labels) == nil {
			t.Errorf("gathered %v of 5 samples into 2 rows", bad)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	x := tensor.New[float32](2, 4)
	for want, call := range map[string]func() (*Set, error){
		"3 labels":        func() (*Set, error) { return New("a", x, []int{0, 0, 0}, nil, Image{}) },
		"label 2":         func() (*Set, error) { return New("a", x, []int{0, 2}, []string{"a", "b"}, Image{}) },
		"label -1":        func() (*Set, error) { return New("a", x, []int{0, -1}, nil, Image{}) },
		"2×3":             func() (*Set, error) { return New("a", x, []int{0, 0}, nil, Image{2, 3, 1, false}) },
		"fit in 3":        func() (*Set, error) { return New("a", tensor.Of(2, 4, x.Data[:3]), []int{0, 0}, nil, Image{}) },
		"label 999999999": func() (*Set, error) { return New("a", x, []int{0, 999999999}, nil, Image{}) },
		"row 1 has 2":     func() (*Set, error) { return FromRows("a", [][]float32{{1}, {1, 2}}, []int{0, 0}) },
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
