package nn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"trivium/core/random"
	"trivium/core/tensor"
)

// dot is x times column j of a matrix of cols columns.
func dot(x, w []float64, j, cols int) float64 {
	s := 0.0
	for k, v := range x {
		s += v * w[k*cols+j]
	}
	return s
}

func forwardOne(t *testing.T, net *Net64, x []float64) []float64 {
	t.Helper()
	y, err := net.Forward(tensor.Of(1, len(x), x))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(flat(y))
}

func TestTreeLayersFollowTheirEquations(t *testing.T) {
	const n = 3
	s := random.New(8)
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) < 1e-13) {
			t.Errorf("%s is %g, by the equations %g", what, got, want)
		}
	}
	leaf := New(Vector(4), TreeLeaf{Out: n}).Float64()
	random.FillNormal(s, leaf.Weights(), 0, 1)
	x := []float64{0.3, -1, 0.5, 2}
	y, w, b := forwardOne(t, leaf, x), leaf.Weights()[:4*3*n], leaf.Weights()[4*3*n:]
	for j := range n {
		a := func(gate int) float64 { return dot(x, w, gate*n+j, 3*n) + b[gate*n+j] }
		c := sigmoid(a(0)) * math.Tanh(a(1))
		near("a leaf's cell", y[n+j], c)
		near("a leaf's state", y[j], sigmoid(a(2))*math.Tanh(c))
	}

	branch := New(Vector(4*n), TreeBranch{Out: n}).Float64()
	random.FillNormal(s, branch.Weights(), 0, 1)
	in := make([]float64, 4*n)
	random.FillNormal(s, in, 0, 1)
	left, right := in[:2*n], in[2*n:]
	y, w, b = forwardOne(t, branch, in), branch.Weights()[:2*n*5*n], branch.Weights()[2*n*5*n:]
	for j := range n {
		a := func(gate int) float64 {
			k := gate*n + j
			return dot(left[:n], w, k, 5*n) + dot(right[:n], w[n*5*n:], k, 5*n) + b[k]
		}
		c := sigmoid(a(0))*math.Tanh(a(3)) + sigmoid(a(1))*left[n+j] + sigmoid(a(2))*right[n+j]
		near("a branch's cell", y[n+j], c)
		near("a branch's state", y[j], sigmoid(a(4))*math.Tanh(c))
	}

	sum := New(Vector(2+4*n), ChildSum{In: 2, Out: n, Children: 2}).Float64()
	random.FillNormal(s, sum.Weights(), 0, 1)
	in = append([]float64{0.7, -0.4}, in...)
	y, w = forwardOne(t, sum, in), sum.Weights()
	u, f, bias := w[2*4*n:], w[2*4*n+3*n*n:], w[2*4*n+4*n*n:]
	for j := range n {
		a := func(gate int) float64 {
			k := gate*n + j
			return dot(in[:2], w, k, 4*n) + dot(left[:n], u, k, 3*n) + dot(right[:n], u, k, 3*n) + bias[k]
		}
		fx := dot(in[:2], w, 3*n+j, 4*n) + bias[3*n+j]
		c := sigmoid(a(0)) * math.Tanh(a(1))
		c += sigmoid(fx+dot(left[:n], f, j, n))*left[n+j] + sigmoid(fx+dot(right[:n], f, j, n))*right[n+j]
		near("a sum's cell", y[n+j], c)
		near("a sum's state", y[j], sigmoid(a(2))*math.Tanh(c))
	}
}

func TestAbsentChildrenCountForNothing(t *testing.T) {
	one := New(Vector(2+6), ChildSum{In: 2, Out: 3, Children: 1}).Float64()
	three := New(Vector(2+18), ChildSum{In: 2, Out: 3, Children: 3}).Float64()
	random.FillNormal(random.New(1), one.Weights(), 0, 1)
	copy(three.Weights(), one.Weights())
	x := []float64{1, 2, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
	a, b := forwardOne(t, one, x), forwardOne(t, three, append(slices.Clone(x), make([]float64, 12)...))
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-15 {
			t.Errorf("number %d is %g with one child, %g with two absent ones", i, a[i], b[i])
		}
	}
	for want, l := range map[string]Layer{"takes 8 numbers": TreeBranch{Out: 2}, "Out is 0": TreeLeaf{}, "Children 0": ChildSum{In: 1, Out: 1}} {
		if err := New(Vector(7), l).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
