package tensor

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"trivium/core/random"
)

// sparse makes a share of the elements 0, half of them negative zeros.
func sparse[T Float](s *random.Stream, a Matrix[T], share float64) {
	for i := range a.Rows {
		for j := range a.Row(i) {
			if s.Float64() < share {
				a.Row(i)[j] = T(math.Copysign(0, float64(j%2)-0.5))
			}
		}
	}
}

// TestMulSkipping compares with the slow product, at shapes where panels and slabs are cut and where
// nothing is skipped.
func TestMulSkipping(t *testing.T) {
	shares := []float64{0.5, 0.97, 0.1, 1}
	onEachLevel(t, func(t *testing.T) {
		for i, v := range [][3]int{{64, 130, 90}, {90, 199, 64}, {33, 128, 300}, {70, 300, 70}, {300, 64, 71}, {5, 5, 5}, {20, 70, 400}} {
			if testing.Short() && i%3 > 0 {
				continue
			}
			for j, form := range []Form{NN, NT, TN} {
				testMulSkipping[float32](t, form, v, shares[(i+j)%4], i+j)
				testMulSkipping[float64](t, form, v, shares[(i+j+1)%4], i+j+1)
			}
		}
	})
}

func testMulSkipping[T Float](t *testing.T, form Form, v [3]int, share float64, number int) {
	s := random.New(uint64(v[0]))
	f := [][2]T{{1, 0}, {-0.5, 1}, {2, -1.5}}[number%3]
	a, b, c := operands[T](s, form, v[0], v[1], v[2], number%3)
	sparse(s, a, share)
	var bias []T
	if f[0] == 1 {
		bias = randomMatrix[T](s, 1, v[1], 0).Data
	}
	want, bound := plainProduct(c, form, a, b, nil, f[0], f[1])
	for j := range want {
		if bias != nil {
			want[j] = max(0, want[j]+float64(bias[j%v[1]]))
		}
		bound[j] += 4 * eps[T]() * math.Abs(want[j])
	}
	if f[1] == 0 {
		for i := range c.Rows {
			for j := range c.Row(i) {
				c.Row(i)[j] = T(math.NaN()) // must not be read
			}
		}
	}
	flops, err := MulSkipping(nil, c, form, a, b, f[0], f[1], bias, bias != nil)
	if err != nil {
		t.Fatal(err)
	}
	what := fmt.Sprintf("%T %v %v, %v zeros, factors %v", f[0], form, v, share, f)
	within(t, what, flat(c), want, bound)
	if !gapsUntouched(c) {
		t.Errorf("%s: wrote between the rows", what)
	}
	all := 2 * float64(v[0]) * float64(v[1]) * float64(v[2])
	skips := share > 0.4 && all >= skipFlops
	if part := flops / all; !skips && part != 1 || skips && math.Abs(part-(1-share)) > 0.05 {
		t.Errorf("%s: took %.3f of the flops", what, part)
	}
}

// TestSkippingWorkersChangeNoBit compares shared products with those of one goroutine, over more rows than are
// listed at a time.
func TestSkippingWorkersChangeNoBit(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		most := 4
		if testing.Short() {
			most = 2
		}
		for workers := 2; workers <= most; workers++ {
			p := NewPool(workers)
			for _, v := range [][3]int{{64, 300, 90}, {801, 130, 170}} {
				for _, form := range []Form{NN, NT, TN} {
					s := random.New(2)
					a, b, c := operands[float32](s, form, v[0], v[1], v[2], 0)
					sparse(s, a, 0.6)
					d := c.Clone()
					_, err := MulSkipping(nil, c, form, a, b, 0.7, -1.5, nil, false)
					_, err2 := MulSkipping(p, d, form, a, b, 0.7, -1.5, nil, false)
					if err := errors.Join(err, err2); err != nil {
						t.Fatal(err)
					}
					for i := range c.Data {
						if c.Data[i] != d.Data[i] {
							t.Fatalf("%v %v: element %d is %v with %d workers, %v with one", form, v, i, d.Data[i], workers, c.Data[i])
						}
					}
				}
			}
			p.Close()
		}
	})
}

// TestSkippingTakesZeroTimesInfinityForZero is the difference to Mul.
func TestSkippingTakesZeroTimesInfinityForZero(t *testing.T) {
	a, b, c := New[float32](64, 100), New[float32](100, 128), New[float32](64, 128)
	for i := range a.Rows {
		a.Row(i)[1] = 2
	}
	for i := range b.Row(0) {
		b.Row(0)[i], b.Row(1)[i] = float32(math.Inf(1)), 3
	}
	if _, err := MulSkipping(nil, c, NN, a, b, 1, 0, nil, false); err != nil {
		t.Fatal(err)
	}
	for i, v := range c.Data {
		if v != 6 {
			t.Fatalf("element %d is %v, want 6", i, v)
		}
	}
	a.Row(3)[5] = float32(math.NaN())
	if _, err := MulSkipping(nil, c, NN, a, b, 1, 0, nil, false); err != nil {
		t.Fatal(err)
	}
	if v := c.Row(3)[7]; v == v {
		t.Errorf("a NaN of the left factor gave %v", v)
	}
	if v := c.Row(4)[7]; v != 6 {
		t.Errorf("the row after it is %v", v)
	}
}
