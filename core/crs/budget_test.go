package crs

import (
	"context"
	"math"
	"testing"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/tensor"
	"trivium/core/train"
	"trivium/datasets/digits"
)

// levelFor finds the level whose variance is what is allowed.
func TestLevelFor(t *testing.T) {
	s := random.New(1)
	for range 200 {
		e := make([]float64, 1+s.IntN(30))
		squares := 0.0
		for i := range e {
			e[i] = math.Exp(2 * s.Normal())
			squares += e[i] * e[i]
		}
		v := squares * math.Exp(2*s.Normal()-1)
		level := levelFor(e, v)
		if got := coinVariance(e, level); math.Abs(got-v) > 1e-6*v {
			t.Fatalf("level %v of %v gives %v, want %v", level, e, got, v)
		}
	}
	if levelFor([]float64{1, 2}, 0) != 0 || levelFor([]float64{1, 2}, -1) != 0 {
		t.Error("no variance allowed is all pairs")
	}
}

// TestBudgetHolds measures what sampling adds to the variance of the gradient, in networks fresh
// and trained, and wants it below the part that was allowed, over all layers together.
func TestBudgetHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of gradients")
	}
	data := digits.Load()
	for name, net := range map[string]*nn.Net{
		"MLP": nn.MLP(64, 96, 64, 10),
		"CNN": nn.New(nn.Shape{C: 1, H: 8, W: 8}, nn.Conv{Out: 12, Size: 3, Pad: 1}, nn.ReLU{}, nn.Conv{Out: 12, Size: 3, Pad: 1}, nn.ReLU{}, nn.MaxPool{Size: 2}, nn.Dense{Out: 10}),
	} {
		for _, epochs := range []int{0, 6} {
			if epochs > 0 {
				if _, err := train.Train(context.Background(), net, data, train.Options{Epochs: epochs, Rate: 0.1}); err != nil {
					t.Fatal(err)
				}
			}
			for _, allowed := range []float64{0.05, 0.3} {
				record := &Record{}
				r, err := Variance(net, data, VarianceOptions{Product: Budget{Variance: allowed, Record: record}, Batches: 24, Draws: 3})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s after %d epochs, allowed %g:\n%v%v", name, epochs, allowed, r, record)
				if !(r.Total.Share() < allowed) {
					t.Errorf("%s after %d epochs: sampling adds %.3f of the variance, allowed is %g", name, epochs, r.Total.Share(), allowed)
				}
				if r.Total.Added == 0 {
					t.Errorf("%s after %d epochs, allowed %g: nothing is sampled", name, epochs, allowed)
				}
			}
		}
	}
}

// Variance knows what no sampling adds, and twice the exact gradient as an error of its size.
func TestVariance(t *testing.T) {
	data := digits.Load()
	net := nn.MLP(64, 16, 10)
	r, err := Variance(net, data, VarianceOptions{Batches: 4})
	if err != nil {
		t.Fatal(err)
	}
	if r.Total.Added != 0 || !(r.Total.Own > 0) || len(r.Layers) != 2 {
		t.Errorf("no sampling: %v", r)
	}
	if _, err := Variance(nn.MLP(63, 10), data, VarianceOptions{}); err == nil {
		t.Error("samples that do not fit have no error")
	}
	if _, err := Variance(net, &train.Samples{X: tensor.New[float32](2, 64)}, VarianceOptions{}); err == nil {
		t.Error("missing labels have no error")
	}
}

// A budget holds from the first step of a training on, of networks with several layers and every optimiser.
func TestBudgetTrains(t *testing.T) {
	for _, o := range []optim.Optimizer{nil, optim.Adam{}} {
		r, err := train.Train(t.Context(), nn.MLP(64, 20, 20, 10), digits.Load(), train.Options{Steps: 30, Optimizer: o, Rate: 0.01, Product: Budget{Variance: 0.2}})
		if err != nil || !(r.Loss < 3) {
			t.Errorf("%v: %v, %v", o, r, err)
		}
	}
}
