package mgrit

import "trivium/core/tensor"

// long is the length from which vectors are worth the vector unit's preparations.
const long = 64

// Loops over short vectors are the plainest: there the processor begins with a number before the step function has
// stored the last, which loops of several numbers at a time make it wait for.

// accumulate writes dst += x.
func accumulate(dst, x []float64) {
	if len(dst) >= long {
		tensor.Add(dst, dst, x)
		return
	}
	x = x[:len(dst)]
	for k := range dst {
		dst[k] += x[k]
	}
}

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

// differences writes dst = a - dst and returns the squared 2-norm of a - c.
func differences(dst, a, c []float64) float64 {
	if len(dst) >= long {
		return tensor.Differences(dst, a, c)
	}
	a, c = a[:len(dst)], c[:len(dst)]
	sum := 0.0
	for k := range dst {
		d := a[k] - c[k]
		sum += d * d
		dst[k] = a[k] - dst[k]
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
