package nn

import (
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/random"
	"trivium/core/tensor"
)

// layerCases are nets whose gradients are compared with finite differences. Inputs are of
// continuous distributions, so that no ReLU or maximum is at its corner but by chance.
var layerCases = map[string]struct {
	in     Shape
	layers Chain
}{
	"dense":                   {Vector(5), Chain{Dense{Out: 3}}},
	"dense without bias":      {Vector(5), Chain{Dense{Out: 3, NoBias: true}, Tanh{}, Dense{Out: 2}}},
	"dense and ReLU":          {Vector(4), Chain{Dense{Out: 6}, ReLU{}, Dense{Out: 2}}},
	"ReLU alone":              {Vector(6), Chain{ReLU{}, Dense{Out: 2}, Sigmoid{}}},
	"conv":                    {Shape{2, 5, 4}, Chain{Conv{Out: 3, Size: 3, Pad: 1}, Sigmoid{}, Conv{Out: 2, Size: 2}}},
	"conv, stride, ReLU":      {Shape{2, 7, 7}, Chain{Conv{Out: 3, Size: 3, Stride: 2, Pad: 1}, ReLU{}, Dense{Out: 2}}},
	"norm of images":          {Shape{3, 4, 4}, Chain{Conv{Out: 2, Size: 3, NoBias: true}, BatchNorm{Gain: 1.5}, Tanh{}, Dense{Out: 2}}},
	"norm and ReLU":           {Shape{2, 4, 4}, Chain{BatchNorm{}, ReLU{}, Dense{Out: 2}}},
	"norm of vectors":         {Vector(4), Chain{Dense{Out: 3}, BatchNorm{}, Dense{Out: 2}}},
	"dropout":                 {Vector(6), Chain{Dense{Out: 8}, Dropout{Rate: 0.4}, Tanh{}, Dense{Out: 2}}},
	"dropout of channels":     {Shape{4, 3, 3}, Chain{Dropout{Rate: 0.4, Channels: true}, Conv{Out: 2, Size: 3}}},
	"max pooling":             {Shape{2, 6, 6}, Chain{MaxPool{Size: 2}, Conv{Out: 2, Size: 2}, MaxPool{Size: 2, Stride: 1}}},
	"average pooling":         {Shape{2, 6, 6}, Chain{AvgPool{Size: 3, Stride: 2, Pad: 1}, Conv{Out: 2, Size: 2}, AvgPool{}, Flatten{}}},
	"block":                   {Vector(5), Chain{Residual{Body: Chain{Dense{Out: 5}, ReLU{}, Dense{Out: 5}}}, Dense{Out: 2}}},
	"block, shortcut, ReLU":   {Shape{2, 4, 4}, Chain{Residual{Body: Chain{Conv{Out: 3, Size: 3, Pad: 1}, BatchNorm{}, ReLU{}}, Shortcut: Chain{Conv{Out: 3, Size: 1}}, ReLU: true}, Dense{Out: 2}}},
	"block at once, no body":  {Vector(3), Chain{Residual{Body: Chain{Tanh{}}, Shortcut: Chain{Sigmoid{}, ReLU{}}}}},
	"block in a block":        {Vector(4), Chain{Residual{Body: Chain{Residual{Body: Chain{Tanh{}, Dense{Out: 4}}}, Dense{Out: 4}}}}},
	"chain as a layer":        {Vector(4), Chain{Chain{Dense{Out: 3}, Tanh{}}, Chain{Dense{Out: 2}}}},
	"wide block, other width": {Shape{2, 4, 4}, append(wideBlock(2, 3, 2, WRNOptions{Dropout: 0.3}), AvgPool{})},
	"wide block, same width":  {Shape{3, 4, 4}, append(wideBlock(3, 3, 1, WRNOptions{}), AvgPool{})},
	"RNN":                     {Shape{4, 3, 1}, Chain{RNN{Out: 5}, Dense{Out: 2}}},
	"RNN, last state":         {Shape{4, 3, 1}, Chain{RNN{Out: 5, Last: true}}},
	"LSTM":                    {Shape{4, 3, 1}, Chain{LSTM{Out: 5}}},
	"LSTM twice, last state":  {Shape{5, 2, 1}, Chain{LSTM{Out: 3}, LSTM{Out: 4, Last: true}, Dense{Out: 2}}},
	"GRU":                     {Shape{4, 3, 1}, Chain{GRU{Out: 5}}},
	"GRU twice, last state":   {Shape{5, 2, 1}, Chain{GRU{Out: 3}, GRU{Out: 4, Last: true}}},
	"tree":                    {Vector(12), Chain{TreeBranch{Out: 3}, TreeLeaf{Out: 2}}},
	"branch alone":            {Vector(8), Chain{Dense{Out: 8}, TreeBranch{Out: 2}}},
	"child sum":               {Vector(3 + 3*4), Chain{ChildSum{In: 3, Out: 2, Children: 3}}},
	"child sum inside":        {Vector(4), Chain{Dense{Out: 2 + 2*6}, Tanh{}, ChildSum{In: 2, Out: 3, Children: 2}, Dense{Out: 1}}},
	"bottleneck":              {Shape{3, 4, 4}, Chain{bottleneck(1, 2, true), AvgPool{}}},
}

func TestGradientsAreThoseByDifferences(t *testing.T) {
	for name, c := range layerCases {
		t.Run(name, func(t *testing.T) { checkGradients(t, c.in, c.layers) })
	}
}

// checkGradients compares the gradients by all weights and inputs, set and accumulated.
func checkGradients(t *testing.T, in Shape, layers Chain) {
	t.Helper()
	net := New(in, layers...).Float64()
	if net.Err() != nil {
		t.Fatal(net.Err())
	}
	const rows = 4
	s := random.New(3)
	x := tensor.New[float64](rows, in.Size())
	random.FillNormal(s, x.Data, 0.3, 1)
	random.FillNormal(s, net.Weights(), 0.1, 0.5)
	target := tensor.New[float64](rows, net.Out().Size())
	random.FillNormal(s, target.Data, 0, 1)
	p := net.Pass()
	p.Train, p.Seed, p.Step = true, 5, 6
	dy := tensor.New[float64](rows, net.Out().Size())
	loss := func() float64 {
		y, err := net.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		l, err := LossOf(MSE, dy, y, nil, target)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	loss()
	dx, err := net.InputGradient(dy)
	if err != nil {
		t.Fatal(err)
	}
	gx := append([]float64(nil), dx.Data[:len(x.Data)]...)
	gw := append([]float64(nil), net.Gradients()...)
	// Differences of step 1e-6 are good to ε/1e-6 ≈ 1e-10, and seldom meet a corner.
	if err := numtest.CheckGradient(loss, x.Data, gx, 1e-6, 1e-7); err != nil {
		t.Errorf("by input: %v", err)
	}
	if err := numtest.CheckGradient(loss, net.Weights(), gw, 1e-6, 1e-7); err != nil {
		t.Errorf("by weights: %v", err)
	}
	// Descend is Backward and a step, up to the rounding of the gradients.
	twin := net.Clone()
	*twin.Pass() = Pass[float64]{Train: true, Seed: p.Seed, Step: p.Step}
	if _, err := twin.Forward(x); err != nil {
		t.Fatal(err)
	}
	before := append([]float64(nil), twin.Weights()...)
	loss()
	if err := twin.Descend(dy, 0.25); err != nil {
		t.Fatal(err)
	}
	for i, w := range twin.Weights() {
		if d := w - (before[i] - 0.25*gw[i]); d > 1e-12 || d < -1e-12 {
			t.Fatalf("weight %d descends to %g, from %g with gradient %g", i, w, before[i], gw[i])
		}
	}
	p.Accumulate = true
	loss()
	if err := net.Backward(dy); err != nil {
		t.Fatal(err)
	}
	for i, g := range net.Gradients() {
		if d := g - 2*gw[i]; d > 1e-12 || d < -1e-12 {
			t.Fatalf("gradient %d added to itself is %g, once %g", i, g, gw[i])
		}
	}
}

func TestLossGradientsAreThoseByDifferences(t *testing.T) {
	y, target := tensor.New[float64](5, 4), tensor.New[float64](5, 4)
	s := random.New(9)
	random.FillNormal(s, y.Data, 0, 2)
	random.FillUniform(s, target.Data, 0, 1)
	labels := []int{0, 3, 1, 2, 2}
	for l := CrossEntropy; l <= BCE; l++ {
		grad, other := tensor.New[float64](5, 4), tensor.New[float64](5, 4)
		if _, err := LossOf(l, grad, y, labels, target); err != nil {
			t.Fatal(err)
		}
		f := func() float64 {
			v, _ := LossOf(l, other, y, labels, target)
			return v
		}
		if err := numtest.CheckGradient(f, y.Data, grad.Data, 1e-4, 1e-8); err != nil {
			t.Errorf("%v: %v", l, err)
		}
	}
}

func TestBatchesAreSamplesSideBySide(t *testing.T) {
	for name, c := range layerCases {
		net := New(c.in, c.layers...).Float64()
		random.FillNormal(random.New(1), net.Weights(), 0, 0.5)
		x := tensor.New[float64](5, c.in.Size())
		random.FillNormal(random.New(2), x.Data, 0, 1)
		y, err := net.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		y = y.Clone()
		for i := range x.Rows {
			one, err := net.Forward(tensor.Of(1, x.Cols, x.Row(i)))
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range one.Row(0) {
				if d := v - y.Row(i)[j]; !(d < 1e-12 && d > -1e-12) {
					t.Errorf("%s: output %d of sample %d is %g alone and %g in a batch", name, j, i, v, y.Row(i)[j])
				}
			}
		}
	}
}
