package tensor

import (
	"errors"
	"testing"

	"trivium/core/random"
)

func TestGatherRows(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		s := random.New(1)
		for _, cols := range []int{0, 1, 7, 8, 33, 100} {
			src, dst := randomMatrix[float32](s, 9, cols, 3), randomMatrix[float32](s, 5, cols, 2)
			rows := []int{8, 0, 3, 3, 7}
			if err := GatherRows(dst, src, rows); err != nil {
				t.Fatal(err)
			}
			for i, r := range rows {
				for j, v := range src.Row(r) {
					if dst.Row(i)[j] != v {
						t.Fatalf("%d columns: element %d, %d is %v, want %v", cols, i, j, dst.Row(i)[j], v)
					}
				}
			}
			if !gapsUntouched(dst) {
				t.Fatalf("%d columns: what is between the rows was written", cols)
			}
		}
	})
	a, b := New[float64](3, 4), New[float64](2, 4)
	for name, err := range map[string]error{
		"a row that does not exist": GatherRows(b, a, []int{0, 3}),
		"a negative row":            GatherRows(b, a, []int{0, -1}),
		"too few rows":              GatherRows(b, a, []int{0}),
		"other columns":             GatherRows(New[float64](2, 5), a, []int{0, 1}),
		"the same memory":           GatherRows(a.Slice(0, 2, 0, 4), a, []int{0, 1}),
	} {
		var e *ShapeError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
