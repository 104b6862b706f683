// Package numtest is what tests of numerical code compare with: gradients by finite
// differences, observed orders of convergence, and bounds for rounding and for chance.
package numtest

import (
	"fmt"
	"math"
)

// Gradient returns the gradient of f at x by central differences extrapolated to step 0
// (two steps, h and h/2), with an error of order h⁴ beside rounding of order ε/h. f is called
// four times for each element; x is restored.
func Gradient(f func() float64, x []float64, h float64) []float64 {
	g := make([]float64, len(x))
	for i, at := range x {
		difference := func(h float64) float64 {
			x[i] = at + h
			up := f()
			x[i] = at - h
			down := f()
			x[i] = at
			return (up - down) / (2 * h)
		}
		g[i] = (4*difference(h/2) - difference(h)) / 3
	}
	return g
}

// CheckGradient returns an error unless got is the gradient of f at x, to a part tol of the
// largest element and tol itself.
func CheckGradient(f func() float64, x, got []float64, h, tol float64) error {
	if len(got) != len(x) {
		return fmt.Errorf("gradient has %d elements, want %d", len(got), len(x))
	}
	want := Gradient(f, x, h)
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i := range want {
		if d := math.Abs(got[i] - want[i]); !(d <= tol*(1+largest)) {
			return fmt.Errorf("gradient of element %d is %.9g, by differences %.9g", i, got[i], want[i])
		}
	}
	return nil
}

// Order returns the slope of log error over log step by least squares: the observed order of
// convergence.
func Order(steps, errors []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i, h := range steps {
		x, y := math.Log(h), math.Log(errors[i])
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// MeanBound returns how far the mean of n independent draws of a variance may be from what
// is expected: five standard deviations, exceeded by chance once in 1.7 million where the
// mean is nearly normal.
func MeanBound(variance float64, n int) float64 { return 5 * math.Sqrt(variance/float64(n)) }

// Unit roundoffs: half the distance of 1 to the next number.
const (
	Eps32 = 0x1p-24
	Eps64 = 0x1p-53
)

// Gamma returns nε/(1-nε), the bound on the relative error of n roundings in a row (Higham,
// Accuracy and Stability of Numerical Algorithms, 2002, 3.1).
func Gamma(n int, eps float64) float64 {
	return float64(n) * eps / (1 - float64(n)*eps)
}

// ULP32 returns by how many units in the last place of a float32 got is off. Both NaN, or the
// same infinity, is 0.
func ULP32(got float32, want float64) float64 {
	// Numbers below 2⁻¹²⁶ are 2⁻¹⁴⁹ apart.
	return ulp(float64(got), want, 24, -149, math.MaxFloat32)
}

// ULP64 is ULP32 for float64.
func ULP64(got, want float64) float64 { return ulp(got, want, 53, -1074, math.MaxFloat64) }

func ulp(got, want float64, digits, lowest int, largest float64) float64 {
	switch {
	case math.IsNaN(got) && math.IsNaN(want):
		return 0
	case math.IsNaN(got) || math.IsNaN(want):
		return math.Inf(1)
	case got == want:
		return 0
	case math.IsInf(got, 0) && math.Abs(want) > largest && (got > 0) == (want > 0):
		return 0 // too large for the format
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return math.Inf(1)
	}
	e := lowest
	if want != 0 {
		_, e = math.Frexp(want)
	}
	return math.Abs(got-want) / math.Ldexp(1, max(e-digits, lowest))
}
