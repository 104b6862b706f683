package mgrit

import (
	"math"
	"testing"
)

// Long vectors go to the vector unit: results are those of plain loops, to the rounding of
// sums (n·ε of n terms of size 1, and so on).
func TestVectorsOfEveryLength(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 16, 63, 64, 65, 255, 256, 257, 512, 1210} {
		x, y := lcgWeights(n, 1), lcgWeights(n, 2)
		want := map[string][]float64{"add": make([]float64, n), "subtract": make([]float64, n), "addScaled": make([]float64, n), "divide": make([]float64, n)}
		product, distance := 0.0, 0.0
		for k := range n {
			want["add"][k], want["subtract"][k] = x[k]+y[k], x[k]-y[k]
			want["addScaled"][k], want["divide"][k] = x[k]+0.3*y[k], x[k]/0.7
			product += x[k] * y[k]
			distance += (x[k] - y[k]) * (x[k] - y[k])
		}
		dst := make([]float64, n)
		for name, f := range map[string]func(){
			"add":       func() { add(dst, x, y) },
			"subtract":  func() { subtract(dst, x, y) },
			"addScaled": func() { addScaled(dst, x, 0.3, y) },
			"divide":    func() { copy(dst, x); divide(dst, 0.7) },
		} {
			f()
			for k, got := range dst {
				if math.Abs(got-want[name][k]) > 4*0x1p-52 {
					t.Errorf("%s of %d numbers: number %d is %v, want %v", name, n, k, got, want[name][k])
				}
			}
		}
		copy(dst, x)
		accumulate(dst, y)
		for k, got := range dst {
			if got != want["add"][k] {
				t.Errorf("accumulate, %d numbers: number %d is %v, want %v", n, k, got, want["add"][k])
			}
		}
		bound := float64(n) * 4 * 0x1p-52
		if got := dot(x, y); math.Abs(got-product) > bound {
			t.Errorf("dot of %d numbers is %v, want %v", n, got, product)
		}
		z := lcgWeights(n, 3)
		copy(dst, z)
		if got := differences(dst, x, y); math.Abs(got-distance) > bound {
			t.Errorf("the distance of %d numbers is %v, want %v", n, got, distance)
		}
		for k, got := range dst {
			if got != x[k]-z[k] {
				t.Errorf("differences of %d numbers: number %d is %v, want %v", n, k, got, x[k]-z[k])
			}
		}
	}
}

func TestFinite(t *testing.T) {
	for x, want := range map[float64]bool{0: true, -math.MaxFloat64: true, math.MaxFloat64: true, math.Inf(1): false, math.Inf(-1): false, math.NaN(): false} {
		if finite(x) != want {
			t.Errorf("finite(%v) is %v", x, !want)
		}
	}
}

// distance2 is the squared 2-norm of a-b, as runs sum it.
func distance2(a, b []float64) float64 {
	return differences(make([]float64, len(a)), a, b)
}
