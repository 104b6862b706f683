package tensor

import (
	"math"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
	"trivium/core/tensor/internal/simd"
)

// onEachLevel runs a test with every set of instructions that this processor has.
func onEachLevel(t *testing.T, f func(t *testing.T)) {
	for _, l := range simd.Testable() {
		t.Run(l.String(), func(t *testing.T) {
			old := simd.SetLevel(l)
			defer simd.SetLevel(old)
			f(t)
		})
	}
}

// eps returns half the distance of 1 to the next number.
func eps[T Float]() float64 {
	if is32[T]() {
		return numtest.Eps32
	}
	return numtest.Eps64
}

// randomMatrix returns numbers from -1 to 1, with gap numbers of NaN between the rows, which
// no operation may read or change.
func randomMatrix[T Float](s *random.Stream, rows, cols, gap int) Matrix[T] {
	m := Matrix[T]{rows, cols, cols + gap, make([]T, rows*(cols+gap))}
	for i := range m.Data {
		m.Data[i] = T(math.NaN())
	}
	for i := range rows {
		random.FillUniform(s, m.Row(i), -1, 1)
	}
	if rows > 0 {
		m.Data = m.Data[:len(m.Data)-gap]
	}
	return m
}

// gapsUntouched tells whether what lies between the rows is still NaN.
func gapsUntouched[T Float](m Matrix[T]) bool {
	for i := 0; i+1 < m.Rows; i++ {
		for _, v := range m.Data[i*m.Stride+m.Cols : (i+1)*m.Stride] {
			if v == v {
				return false
			}
		}
	}
	return true
}

// randomSample returns n sorted indices below k with scales, some of them several times.
func randomSample[T Float](s *random.Stream, n, k int) *Sample[T] {
	r := &Sample[T]{Index: make([]int32, n), Scale: make([]T, n)}
	for i := range r.Index {
		r.Index[i] = int32(i * k / max(n, 1))
		r.Scale[i] = T(0.5 + s.Float64())
	}
	return r
}

// within reports the first element that is further from want than its bound, or NaN.
func within[T Float](t *testing.T, what string, got []T, want, bound []float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= bound[i]) {
			t.Errorf("%s: element %d is %v, want %v ± %.2g", what, i, got[i], want[i], bound[i])
			return
		}
	}
}

// plainProduct computes alpha·a·b + beta·c slowly in float64, and a bound for the error of
// each element when computed with roundoff eps: every product is rounded by its scale, itself and
// its place in the sum, the sum by alpha, beta and their addition.
func plainProduct[T Float](c Matrix[T], form Form, a, b Matrix[T], s *Sample[T], alpha, beta T) (want, bound []float64) {
	m, n, k, _ := fit(New[T](c.Rows, c.Cols), form, a, b, nil)
	if s == nil {
		s = &Sample[T]{}
		for p := range k {
			s.Index = append(s.Index, int32(p))
		}
	}
	for i := range m {
		for j := range n {
			var sum, size float64
			for p, q := range s.Index {
				x, y := element(form == TN, a, i, int(q)), element(form != NT, b, j, int(q))
				if s.Scale != nil {
					x *= float64(s.Scale[p])
				}
				sum += x * y
				size += math.Abs(x * y)
			}
			w, z := float64(alpha)*sum, math.Abs(float64(alpha))*size
			if beta != 0 {
				w += float64(beta) * float64(c.Row(i)[j])
				z += math.Abs(float64(beta) * float64(c.Row(i)[j]))
			}
			want = append(want, w)
			bound = append(bound, numtest.Gamma(len(s.Index)+4, eps[T]())*z)
		}
	}
	return want, bound
}

// element returns element p of row i of a, or of its transpose.
func element[T Float](transposed bool, a Matrix[T], i, p int) float64 {
	if transposed {
		i, p = p, i
	}
	return float64(a.Row(i)[p])
}

func flat[T Float](m Matrix[T]) []T { return m.Clone().Data }
