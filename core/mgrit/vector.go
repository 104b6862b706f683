package mgrit

import "trivium/core/tensor"

// long is the length from which vectors are worth the vector unit's preparations.
const long = 64

// add writes dst = x + y; dst may be one of them.
func add(dst, x, y []float64) {
	if len(dst) >= long {
		tensor.Add(dst, x, y)
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for k := range dst {
		dst[k] = x[k] + y[k]
	}
}

// subtract writes dst = x - y; dst may be one of them.
func subtract(dst, x, y []float64) {
	if len(dst) >= long {
		tensor.Sub(dst, x, y)
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for k := range dst {
		dst[k] = x[k] - y[k]
	}
}

// distance2 is the squared 2-norm of a-b; it may overwrite scratch. Short vectors are summed
// in four parts that do not wait for each other.
func distance2(a, b, scratch []float64) float64 {
	if len(a) >= long {
		tensor.Sub(scratch, a, b)
		return tensor.SumSquares(scratch)
	}
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	for len(a) >= 4 {
		d0, d1, d2, d3 := a[0]-b[0], a[1]-b[1], a[2]-b[2], a[3]-b[3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
		a, b = a[4:], b[4:]
	}
	for k, x := range a {
		s0 += (x - b[k]) * (x - b[k])
	}
	return s0 + s1 + (s2 + s3)
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for k, x := range a {
		sum += x * b[k]
	}
	return sum
}
