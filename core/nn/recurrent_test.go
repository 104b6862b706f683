package nn

import (
	"math"
	"strings"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
	"trivium/core/tensor"
)

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// plainRecurrent goes along one sequence as the equations are written.
func plainRecurrent(kind cellKind, steps, in, out int, w, x []float64) (states []float64) {
	g := int(kind) * out
	W, U, b := w[:in*g], w[in*g:(in+out)*g], w[(in+out)*g:]
	h, c := make([]float64, out), make([]float64, out)
	for t := range steps {
		a := func(j int) float64 { // x·W + b of gate number j
			s := b[j]
			for k := range in {
				s += x[t*in+k] * W[k*g+j]
			}
			return s
		}
		hu := func(j int) float64 {
			s := 0.0
			for k := range out {
				s += h[k] * U[k*g+j]
			}
			return s
		}
		next := make([]float64, out)
		for j := range out {
			switch kind {
			case plainCell:
				next[j] = math.Tanh(a(j) + hu(j))
			case lstmCell:
				i, f := sigmoid(a(j)+hu(j)), sigmoid(a(out+j)+hu(out+j))
				c[j] = f*c[j] + i*math.Tanh(a(2*out+j)+hu(2*out+j))
				next[j] = sigmoid(a(3*out+j)+hu(3*out+j)) * math.Tanh(c[j])
			default:
				r, z := sigmoid(a(j)+hu(j)), sigmoid(a(out+j)+hu(out+j))
				next[j] = (1-z)*math.Tanh(a(2*out+j)+r*hu(2*out+j)) + z*h[j]
			}
		}
		h = next
		states = append(states, h...)
	}
	return states
}

func TestRecurrentLayersFollowTheirEquations(t *testing.T) {
	for kind, layers := range map[cellKind][2]Layer{
		plainCell: {RNN{Out: 3}, RNN{Out: 3, Last: true}},
		lstmCell:  {LSTM{Out: 3}, LSTM{Out: 3, Last: true}},
		gruCell:   {GRU{Out: 3}, GRU{Out: 3, Last: true}},
	} {
		net, last := New(Shape{5, 2, 1}, layers[0]).Float64(), New(Shape{5, 2, 1}, layers[1]).Float64()
		random.FillNormal(random.New(2), net.Weights(), 0, 0.7)
		copy(last.Weights(), net.Weights())
		x := tensor.New[float64](4, 10)
		random.FillNormal(random.New(1), x.Data, 0, 1)
		y, err := net.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		end, err := last.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			want := plainRecurrent(kind, 5, 2, 3, net.Weights(), x.Row(i))
			for j, v := range want {
				if math.Abs(y.Row(i)[j]-v) > 1e-13 || j >= 12 && end.Row(i)[j-12] != y.Row(i)[j] {
					t.Errorf("%s: number %d of sequence %d is %g, by the equations %g", layers[0].Kind(), j, i, y.Row(i)[j], v)
				}
			}
		}
	}
}

func TestEmbedding(t *testing.T) {
	net := New(Vector(3), Embedding{Words: 5, Dim: 2}, GRU{Out: 2, Last: true}).Float64()
	x := tensor.Of(2, 3, []float64{4, 0, 4, 1, 2, 4}) // a word twice, one never
	target, dy := tensor.New[float64](2, 2), tensor.New[float64](2, 2)
	loss := func() float64 {
		y, err := net.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		l, _ := LossOf(MSE, dy, y, nil, target)
		return l
	}
	loss()
	if err := net.Backward(dy); err != nil {
		t.Fatal(err)
	}
	g := append([]float64(nil), net.Gradients()...)
	if err := numtest.CheckGradient(loss, net.Weights(), g, 1e-6, 1e-8); err != nil {
		t.Error(err)
	}
	if g[3*2] != 0 || g[4*2] == 0 {
		t.Errorf("gradient of the word that is absent is %g, of the one there twice %g", g[6], g[8])
	}
	w := New(Vector(1), Embedding{Words: 200, Dim: 50}).Weights()
	if v := float64(tensor.SumSquares(w)) / 1e4; math.Abs(v-1) > 5*math.Sqrt(2/1e4) { // 5 deviations
		t.Errorf("first numbers have variance %g, want 1", v)
	}
	for _, bad := range []float64{5, -1, 0.5, math.NaN()} {
		if _, err := net.Forward(tensor.Of(1, 3, []float64{0, bad, 0})); err == nil || !strings.Contains(err.Error(), "embedding1: word 1 of sample 0") {
			t.Errorf("word %v: %v", bad, err)
		}
	}
}
