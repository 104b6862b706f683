package numtest

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestGradient(t *testing.T) {
	x := []float64{0.3, -1.2, 2}
	f := func() float64 { return math.Sin(x[0])*x[1] + math.Exp(x[2]) }
	exact := []float64{math.Cos(0.3) * -1.2, math.Sin(0.3), math.Exp(2)}
	// h⁴ with h = 10⁻³ and rounding ε/h.
	if err := CheckGradient(f, x, exact, 1e-3, 1e-10); err != nil {
		t.Error(err)
	}
	if x[0] != 0.3 || x[1] != -1.2 || x[2] != 2 {
		t.Errorf("x is now %v", x)
	}
	exact[1] += 1e-6
	if err := CheckGradient(f, x, exact, 1e-3, 1e-10); err == nil || !strings.Contains(err.Error(), "element 1") {
		t.Errorf("a wrong gradient gave %v", err)
	}
	exact[1] = math.NaN()
	if CheckGradient(f, x, exact, 1e-3, 1e-10) == nil {
		t.Error("NaN passed")
	}
}

func TestOrder(t *testing.T) {
	h := []float64{0.1, 0.05, 0.025}
	var e []float64
	for _, v := range h {
		e = append(e, 3*v*v*v)
	}
	if p := Order(h, e); math.Abs(p-3) > 1e-12 {
		t.Errorf("order of 3h³ is %v", p)
	}
}

func TestULP(t *testing.T) {
	next := func(x float32) float32 { return math.Nextafter32(x, float32(math.Inf(1))) }
	for _, c := range []struct {
		got        float32
		want, ulps float64
	}{
		{next(1.5), 1.5, 1},
		{1, 1, 0},
		{next(0), 0, 1},
		{float32(math.Inf(1)), 1e300, 0},
		{0, 0x1p-150, 0.5},
	} {
		if u := ULP32(c.got, c.want); u != c.ulps {
			t.Errorf("%v for %v: %v units, want %v", c.got, c.want, u, c.ulps)
		}
	}
	nan := math.NaN()
	if ULP64(nan, nan) != 0 || !math.IsInf(ULP64(1, nan), 1) || ULP64(math.Nextafter(3, 4), 3) != 1 {
		t.Error("NaN or a neighbour is measured wrongly")
	}
}

func ExampleOrder() {
	// Halving the step divides the error by four: second order.
	fmt.Printf("%.1f\n", Order([]float64{0.2, 0.1}, []float64{0.04, 0.01}))
	// Output: 2.0
}
