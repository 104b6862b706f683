package crs

import (
	"errors"
	"math"
	"strings"
	"testing"

	"trivium/core/nn"
	"trivium/core/tensor"
)

func TestBadOperands(t *testing.T) {
	a, b := factors(3, 8, 4, 0, 0, 1)
	spoiled := func(v float64) tensor.Mat32 {
		c := a.Clone()
		c.Set(1, 5, float32(v))
		return c
	}
	zero := tensor.NewMat32(3, 8)
	wide := tensor.NewMat32(3, 9)
	for name, c := range map[string]struct {
		a    tensor.Mat32
		s    Sampler
		want string
	}{
		"keep 0":           {a, TopK{}, "TopK.Keep is 0"},
		"keep negative":    {a, Uniform{-0.5}, "Uniform.Keep is -0.5"},
		"keep above 1":     {a, Bernoulli{Keep: 1.5}, "Bernoulli.Keep is 1.5"},
		"keep NaN":         {a, WTA{math.NaN()}, "WTA.Keep is NaN"},
		"mass 0":           {a, TopKAdaptive{}, "TopKAdaptive.Mass is 0"},
		"no sampler":       {a, nil, "Sampler is nil"},
		"NaN":              {spoiled(math.NaN()), TopK{0.5}, "norm of pair 5 of 8 is NaN"},
		"infinite":         {spoiled(math.Inf(1)), Bernoulli{Keep: 0.5}, "norm of pair 5 of 8 is +Inf"},
		"NaN, uniform":     {spoiled(math.NaN()), Uniform{0.5}, "norm of pair 5 of 8 is NaN"},
		"zero":             {zero, TopK{0.5}, "norms of all 8 pairs are 0"},
		"shapes":           {wide, TopK{0.5}, "a has 9 columns and b 8 rows"},
		"no probabilities": {a, Custom{Keep: 0.5}, "Custom.Probabilities is nil"},
		"too few":          {a, Custom{Keep: 0.5, Probabilities: func([]float64, int) []float64 { return nil }}, "0 probabilities for 8 pairs"},
		"no chance":        {a, Custom{Keep: 0.5, Probabilities: func(c []float64, _ int) []float64 { return make([]float64, len(c)) }}, "pair 0 has norm"},
		"above 1":          {a, Custom{Keep: 0.5, Probabilities: func(c []float64, _ int) []float64 { c[2] = 3; return c }}, "it must be from 0 to 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := MatMul(c.a, b, c.s, 1); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("MatMul: %v, want %q in it", err, c.want)
			}
			if _, err := Choose(c.a, b, c.s, 1); err == nil {
				t.Error("Choose has no error")
			}
			if c.s != nil && c.s.keep() != 0 {
				r := Study(c.a, b, StudyOptions{Samplers: []Sampler{c.s}, Keep: []float64{c.s.keep()}})
				if r.Err() == nil || len(r.Rows) > 0 || !strings.Contains(r.String(), "crs: ") && !strings.Contains(r.String(), "tensor") {
					t.Errorf("Study: %v", r)
				}
			}
		})
	}
	var norm *NormError
	if _, err := MatMul(spoiled(1e30), b, TopK{0.5}, 1); err == nil || !strings.Contains(err.Error(), "so large that their squares are") {
		t.Errorf("squares overflow: %v", err)
	}
	if _, err := MatMul(zero, b, TopK{0.5}, 1); !errors.As(err, &norm) || norm.Pairs != 8 {
		t.Errorf("no NormError in %v", err)
	}
	dst := tensor.New[float32](3, 4)
	err := Mul(nil, dst, tensor.NN, a, b, TopK{0.5}, MulOptions{MinPairs: 9})
	if err == nil || !strings.Contains(err.Error(), "MinPairs is 9: the product has 8 pairs") {
		t.Errorf("MinPairs beyond the axis: %v", err)
	}
}

// A product that cannot be is an error of the first step, with the name of the layer where there
// is one.
func TestBadProducts(t *testing.T) {
	for name, c := range map[string]struct {
		q    nn.Product
		want string
	}{
		"keep":              {TopK{}, "TopK.Keep is 0"},
		"no sampler":        {Product{}, "Product.Sampler is nil"},
		"mode":              {Product{Sampler: TopK{0.5}, Mode: 7}, "Product.Mode is 7"},
		"min pairs":         {Product{Sampler: TopK{0.5}, MinPairs: 100}, "widest layer that is sampled has 12 pairs"},
		"negative":          {Product{Sampler: TopK{0.5}, MinPairs: -1}, "MinPairs is -1"},
		"look":              {Product{Sampler: TopK{0.5}, Look: -1}, "Product.Look is -1"},
		"no such layer":     {Product{Sampler: TopK{0.5}, Exact: []string{"dense7"}}, "it has dense1, dense2"},
		"weights of grads":  {Product{Sampler: TopKWeights{0.5}, Mode: Backward}, "give another sampler"},
		"stage without end": {Schedule{{Product: TopK{0.5}}, {Product: TopK{0.1}}}, "Schedule[0].Epochs is 0"},
		"within a schedule": {Schedule{{Epochs: 1, Product: TopK{2}}}, "TopK.Keep is 2"},
		"budget":            {Budget{Variance: math.NaN()}, "Budget.Variance is NaN"},
		"budget's layers":   {Budget{Exact: []string{"x"}}, "Product.Exact"},
	} {
		t.Run(name, func(t *testing.T) {
			net := nn.MLP(6, 12, 3)
			net.SetProduct(c.q, 1)
			net.Pass().Train = true
			if _, err := net.Forward(tensor.New[float32](2, 6)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q in it", err, c.want)
			}
		})
	}
	t.Run("NaN in a batch", func(t *testing.T) {
		net := nn.MLP(6, 12, 3)
		net.SetProduct(TopK{0.5}, 1)
		net.Pass().Train = true
		x := tensor.New[float32](2, 6)
		x.Data[3] = float32(math.NaN())
		_, err := net.Forward(x)
		var norm *NormError
		if !errors.As(err, &norm) || norm.Pair != 3 || !strings.HasPrefix(err.Error(), "nn: layer dense1: crs: forward: the norm of pair 3 of 6 is NaN") {
			t.Errorf("%v", err)
		}
	})
}

// Weights or activations that are all zero give no order to choose by: then all is computed, so that
// a network that starts at zero can leave it.
func TestZeroLayerIsExact(t *testing.T) {
	net := nn.New(nn.Vector(6), nn.Dense{Out: 4, Init: nn.Zeros})
	net.SetProduct(TopK{0.5}, 1)
	net.Pass().Train = true
	x := tensor.New[float32](2, 6)
	for i := range x.Data {
		x.Data[i] = float32(i + 1)
	}
	if _, err := net.Forward(x); err != nil {
		t.Fatal(err)
	}
	dy := tensor.New[float32](2, 4)
	for i := range dy.Data {
		dy.Data[i] = 1
	}
	if err := net.Backward(dy); err != nil {
		t.Fatal(err)
	}
	for i, g := range net.Gradients()[:24] {
		if g == 0 {
			t.Errorf("weight %d has no gradient", i)
		}
	}
}
