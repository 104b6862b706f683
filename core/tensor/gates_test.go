package tensor

import (
	"fmt"
	"math"
	"testing"

	"trivium/core/random"
)

// TestGRU compares a unit's step with its formula in float64, and its gradients with differences of that.
func TestGRU(t *testing.T) {
	onEachLevel(t, func(t *testing.T) {
		testGRU[float32](t)
		testGRU[float64](t)
	})
}

// stepOf is the formula: of the gates r, z, c before their functions, u and h.
func stepOf(v [5]float64) float64 {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	z, c := sigmoid(v[1]), math.Tanh(v[2]+sigmoid(v[0])*v[3])
	return (1-z)*c + z*v[4]
}

func testGRU[T Float](t *testing.T) {
	s := random.New(3)
	for n := range 40 {
		var in, v [5][]T // r, z, c, u, h
		for k := range in {
			in[k] = randomMatrix[T](s, 1, n, 0).Data
			v[k] = append([]T(nil), in[k]...)
		}
		y, dy, dh := make([]T, n), randomMatrix[T](s, 1, n, 0).Data, make([]T, n)
		GRU(v[0], v[1], v[2], v[3], v[4], y)
		GRUGrad(v[0], v[1], v[2], v[3], v[4], dy, dh)
		want, bound := make([]float64, n), make([]float64, n)
		var grads, slack [5][]float64
		for k := range grads {
			grads[k], slack[k] = make([]float64, n), make([]float64, n)
		}
		for i := range n {
			x := [5]float64{}
			for k := range x {
				x[k] = float64(in[k][i])
			}
			want[i], bound[i] = stepOf(x), 16*eps[T]() // three functions to 4 units each, of numbers below 1, and their sums
			for k := range x {
				const d = 1e-5
				up, down := x, x
				up[k] += d
				down[k] -= d
				grads[k][i] = float64(dy[i]) * (stepOf(up) - stepOf(down)) / (2 * d)
				slack[k][i] = 64*eps[T]() + 1e-9 // of factors of errors as above; a difference is as good as d²
			}
		}
		within(t, fmt.Sprintf("%T GRU of %d", T(0), n), y, want, bound)
		for k, name := range []string{"r", "z", "c", "u"} {
			within(t, fmt.Sprintf("%T GRUGrad of %d: %s", T(0), n, name), v[k], grads[k], slack[k])
		}
		within(t, fmt.Sprintf("%T GRUGrad of %d: h", T(0), n), dh, grads[4], slack[4])
	}
}
