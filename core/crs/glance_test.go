package crs

import (
	"testing"

	"trivium/core/random"
	"trivium/core/tensor"
)

// In as many steps as there are parts, all of both factors is looked at, once.
func TestGlanceSeesAllInTurn(t *testing.T) {
	for _, form := range []tensor.Form{tensor.NN, tensor.NT, tensor.TN} {
		a, b := tensor.New[float64](7, 5), tensor.New[float64](5, 11)
		switch form {
		case tensor.NT:
			b = tensor.New[float64](11, 5)
		case tensor.TN:
			a = tensor.New[float64](5, 7)
		}
		for step := range uint64(4) {
			x, y := glance[float64]{4, step}.factors(form, a, b)
			if inner(form, x) != 5 || x.Rows*x.Cols > 10 || y.Rows*y.Cols > 15 {
				t.Errorf("%v: step %d looks at %d×%d and %d×%d", form, step, x.Rows, x.Cols, y.Rows, y.Cols)
			}
			for _, m := range []tensor.Matrix[float64]{x, y} {
				for i := range m.Rows {
					for j := range m.Cols {
						m.Data[i*m.Stride+j]++
					}
				}
			}
		}
		for _, v := range append(a.Data, b.Data...) {
			if v != 1 {
				t.Errorf("%v: a number was looked at %v times", form, v)
			}
		}
	}
}

// Norms of a part choose nearly the pairs that all norms choose, where numbers of a pair are alike
// in size.
func TestGlanceChoosesNearlyTheSame(t *testing.T) {
	a, b := factors(64, 100, 64, 0, 1, 2)
	c := newSelector[float32](TopK{0.5}, random.New(1))
	drawn := map[int32]int{}
	for _, look := range []int{0, 4} {
		s, err := c.pairs(tensor.NN, a, b, MulOptions{Look: look, Draw: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range s.Index {
			drawn[i]++
		}
	}
	both := 0
	for _, n := range drawn {
		both += n - 1
	}
	if both < 42 || both == 50 {
		t.Errorf("%d of 50 pairs are the same", both)
	}
}
