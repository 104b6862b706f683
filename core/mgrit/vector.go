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

// distance2 is the squared 2-norm of a-b, as four sums so that they do not wait for each other.
func distance2(a, b []float64) float64 {
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

// correction adds to dst what x has more than it: x, but for rounding, which is as in
// other programs for MGRIT. It overwrites scratch.
func correction(dst, x, scratch []float64) {
	if len(dst) >= long {
		tensor.Sub(scratch, x, dst)
		tensor.Add(dst, dst, scratch)
		return
	}
	x = x[:len(dst)]
	for k, c := range dst {
		dst[k] = c + (x[k] - c)
	}
}
