package nn

import (
	"math"

	"trivium/core/random"
	"trivium/core/tensor"
)

// An Init is a rule for the first weights of a layer.
type Init int

// The rules, with n inputs and m outputs of a number of the layer (for a convolution, times
// the size of its filters).
const (
	HeNormal      Init = iota // normal with variance 2/n (He et al., ICCV 2015), for layers before a ReLU
	HeUniform                 // uniform with the same variance
	XavierNormal              // normal with variance 2/(n+m) (Glorot, Bengio, AISTATS 2010)
	XavierUniform             // uniform with the same variance
	Orthogonal                // rows or columns orthonormal (Saxe, McClelland, Ganguli, ICLR 2014)
	Zeros
)

// weight returns a parameter of in×out numbers that rule fills, seeing field numbers of each
// input at once, in rows of cols. gain 0 means 1.
func weight[T tensor.Float](in, out, field, cols int, rule Init, gain float64) *Param[T] {
	if gain == 0 {
		gain = 1
	}
	fill := func(name string, seed uint64, w []T) {
		fanIn, fanOut := float64(in*field), float64(out*field)
		variance := 2 / fanIn
		if rule == XavierNormal || rule == XavierUniform {
			variance = 2 / (fanIn + fanOut)
		}
		d := gain * math.Sqrt(variance)
		s := random.New(seed).Split(name)
		switch rule {
		case HeUniform, XavierUniform:
			random.FillUniform(s, w, -d*math.Sqrt(3), d*math.Sqrt(3))
		case Orthogonal:
			orthogonal(s, w, cols, gain)
		case Zeros:
			clear(w)
		default:
			random.FillNormal(s, w, 0, d)
		}
	}
	return &Param[T]{Name: "weight", Len: in * out * field, init: fill}
}

func constant[T tensor.Float](name string, n int, v T) *Param[T] {
	return &Param[T]{Name: name, Len: n, init: func(_ string, _ uint64, w []T) {
		for i := range w {
			w[i] = v
		}
	}}
}

// orthogonal makes the shorter of rows and columns of w orthonormal, times gain, by
// Gram-Schmidt, done twice, which is enough (Parlett, The Symmetric Eigenvalue Problem,
// 1980, 6.9).
func orthogonal[T tensor.Float](s *random.Stream, w []T, cols int, gain float64) {
	rows := len(w) / cols
	n, length := rows, cols // vectors, and the length of each
	at := func(v, i int) int { return v*cols + i }
	if rows > cols {
		n, length = cols, rows
		at = func(v, i int) int { return i*cols + v }
	}
	q := make([][]float64, n)
	for v := range q {
		x := make([]float64, length)
		random.FillNormal(s, x, 0, 1)
		for range 2 {
			for _, y := range q[:v] {
				tensor.Axpy(x, -tensor.Dot(x, y), y)
			}
		}
		tensor.Scale(x, 1/tensor.Norm(x), x)
		q[v] = x
		for i, xi := range x {
			w[at(v, i)] = T(gain * xi)
		}
	}
}
