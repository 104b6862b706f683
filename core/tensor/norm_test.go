package tensor

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
)

// TestNormFunctions compares the passes of a batch norm with their formulas in float64, and what of them has a
// ReLU with AffineReLU's own result.
func TestNormFunctions(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		testNorm[float32](t)
		testNorm[float64](t)
	})
}

func testNorm[T Float](t *testing.T) {
	const alpha, beta, mean, a, b, c = 0.75, -0.25, 0.5, 1.5, -0.625, 0.25 // exact in both types
	s := random.New(1)
	for n := range 75 {
		x, dy := randomMatrix[T](s, 1, n, 0).Data, randomMatrix[T](s, 1, n, 0).Data
		y, masked := make([]T, n), make([]T, n)
		AffineReLU(y, alpha, x, beta)
		near := numtest.Gamma(n+3, eps[T]()) * 4 * float64(n)
		ofAll := func(f func(i int, d float64) float64) (sum float64) {
			for i, v := range x {
				sum += f(i, float64(v)-mean)
			}
			return sum
		}
		check := func(name string, got1, got2 T, want1, want2 float64) {
			t.Helper()
			within(t, fmt.Sprintf("%T %s of %d", T(0), name, n), []T{got1, got2}, []float64{want1, want2}, []float64{near, near})
		}
		sum, squares := Moments(x, dy, mean)
		check("Moments", sum, squares, ofAll(func(_ int, d float64) float64 { return d }), ofAll(func(_ int, d float64) float64 { return d * d }))
		again := make([]T, n)
		check("AffineReLUSquares", AffineReLUSquares(again, alpha, x, beta), 0, ofAll(func(i int, _ float64) float64 { return float64(y[i]) * float64(y[i]) }), 0)
		if !slices.Equal(again, y) {
			t.Fatalf("%T AffineReLUSquares of %d is %v, AffineReLU %v", T(0), n, again, y)
		}
		total := ReLUGradSum(masked, dy, y)
		open := ofAll(func(i int, _ float64) float64 { return float64(masked[i]) })
		check("ReLUGradSum", total, 0, open, 0)
		for i, g := range masked {
			if want := dy[i]; y[i] > 0 && g != want || !(y[i] > 0) && g != 0 {
				t.Fatalf("%T ReLUGradSum of %d: number %d is %v of %v where the result is %v", T(0), n, i, g, want, y[i])
			}
		}
		sum, dot := NormSums(dy, x, x, dy, mean)
		check("NormSums", sum, dot, ofAll(func(i int, _ float64) float64 { return float64(dy[i]) }), ofAll(func(i int, d float64) float64 { return float64(dy[i]) * d }))
		sum, dot = NormSumsReLU(dy, x, x, dy, alpha, beta, mean)
		check("NormSumsReLU", sum, dot, open, ofAll(func(i int, d float64) float64 { return float64(masked[i]) * d }))
		for name, g := range map[string]struct {
			do func(dst []T)
			g  []T
		}{
			"NormGrad":              {func(dst []T) { NormGrad(dst, dy, x, mean, a, b, c) }, dy},
			"NormGradReLU":          {func(dst []T) { NormGradReLU(dst, dy, x, alpha, beta, mean, a, b, c) }, masked},
			"NormGradReLU in place": {func(dst []T) { copy(dst, dy); NormGradReLU(dst, dst, x, alpha, beta, mean, a, b, c) }, masked},
		} {
			d := randomMatrix[T](s, 1, n+2, 0).Data
			before := append([]T(nil), d...)
			g.do(d[1 : 1+n])
			if d[0] != before[0] || d[n+1] != before[n+1] {
				t.Fatalf("%s of %d: wrote beside the vector", name, n)
			}
			want, bound := make([]float64, n), make([]float64, n)
			for i := range want {
				want[i], bound[i] = a*float64(g.g[i])+b*(float64(x[i])-mean)+c, 8*eps[T]()
			}
			within(t, fmt.Sprintf("%T %s of %d", T(0), name, n), d[1:1+n], want, bound)
		}
	}
	// What is not a number must not count as a place where the ReLU was open, and shows in sums.
	nan := []T{T(math.NaN())}
	if sum, dot := NormSums([]T{1}, nan, nan, nan, 0); sum != 1 || dot == dot {
		t.Errorf("%T NormSums of NaN are %v, %v", T(0), sum, dot)
	}
	if sum, _ := NormSumsReLU([]T{1}, nan, nan, nan, 1, 0, 0); sum != 0 {
		t.Errorf("%T NormSumsReLU of NaN is %v", T(0), sum)
	}
}
