package random

import (
	"math"
	"math/bits"
)

func mul64(a, b uint64) (hi, lo uint64) { return bits.Mul64(a, b) }

// log returns the natural logarithm of x, 0 < x < ∞ and not tiny, to about 1 part in 10¹⁵. The
// library's is assembly on some machines; this one has the same bits everywhere.
func log(x float64) float64 {
	f, e := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f, e = 2*f, e-1
	}
	// ln f = 2·artanh(s) with s = (f-1)/(f+1), |s| < 0.172: twelve terms leave 10⁻¹⁹.
	s := (f - 1) / (f + 1)
	q := s * s
	sum := 0.0
	for k := 23; k >= 1; k -= 2 {
		sum = float64(sum*q) + 1/float64(k)
	}
	return float64(2*float64(s*sum)) + float64(float64(e)*math.Ln2)
}
