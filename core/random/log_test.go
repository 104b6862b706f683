package random

import (
	"math"
	"testing"
)

// TestLog compares with the library's logarithm, which is good to one unit in the last place.
func TestLog(t *testing.T) {
	s := New(2)
	for range 100000 {
		x := math.Ldexp(s.Float64()+0x1p-60, -s.IntN(60))
		if d := math.Abs(log(x) - math.Log(x)); d > 1e-15*max(math.Abs(math.Log(x)), 1) {
			t.Fatalf("log(%v) is off by %.2g", x, d)
		}
	}
}
