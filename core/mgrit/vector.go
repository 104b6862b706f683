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
	for len(dst) >= 4 && len(x) >= 4 && len(y) >= 4 { // four at a time, without bounds to check
		dst[0], dst[1], dst[2], dst[3] = x[0]+y[0], x[1]+y[1], x[2]+y[2], x[3]+y[3]
		dst, x, y = dst[4:], x[4:], y[4:]
	}
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
	for len(dst) >= 4 && len(x) >= 4 && len(y) >= 4 { // four at a time, without bounds to check
		dst[0], dst[1], dst[2], dst[3] = x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
		dst, x, y = dst[4:], x[4:], y[4:]
	}
	for k := range dst {
		dst[k] = x[k] - y[k]
	}
}

// distance2 is the squared 2-norm of a-b; it may overwrite scratch, which may be short. Short vectors
// are summed in four parts that do not wait for each other.
func distance2(a, b, scratch []float64) float64 {
	if len(a) >= long {
		return longDistance2(a, b, scratch)
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

// longDistance2 takes a part after the other, which takes no more of the nearest cache than a part.
func longDistance2(a, b, scratch []float64) float64 {
	const part = 256
	sum := 0.0
	for len(a) > 0 {
		n := min(part, len(a))
		d := scratch[:n]
		tensor.Sub(d, a[:n], b[:n])
		sum += tensor.SumSquares(d)
		a, b = a[n:], b[n:]
	}
	return sum
}

// dot is the inner product. Its bits do not depend on anything but the vectors and the machine.
func dot(a, b []float64) float64 {
	if len(a) >= long {
		return tensor.Dot(a, b)
	}
	sum := 0.0
	for k, x := range a {
		sum += x * b[k]
	}
	return sum
}

// divide writes v = v/by.
func divide(v []float64, by float64) {
	if len(v) >= long {
		tensor.Scale(v, 1/by, v)
		return
	}
	for k := range v {
		v[k] /= by
	}
}

// addScaled writes dst = x + c·y.
func addScaled(dst, x []float64, c float64, y []float64) {
	if len(dst) >= long {
		tensor.Axpby(dst, 1, x, c, y)
		return
	}
	x, y = x[:len(dst)], y[:len(dst)]
	for k := range dst {
		dst[k] = x[k] + c*y[k]
	}
}
