package mgrit

import (
	"math"
	"slices"
	"testing"
	"time"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/train"
	"trivium/datasets/digits"
	"trivium/datasets/mnist"
)

// A network on MNIST, 1,024 steps of 64 images: the weights of package train to 1e-9, on two
// levels and on all, and in float32 to what that can give.
func TestReproduceMNIST(t *testing.T) {
	reproduce(t)
	data := mnist.Load()
	const steps = 1024
	for _, c := range []struct {
		name   string
		o      optim.Optimizer
		rate   float64
		how    Options
		single bool
		target float64
	}{
		{"gradient descent, all levels", optim.SGD{}, 0.05, Options{Coarsen: 4, Coarse: Pooled{Rule: Adaptive{}}}, false, 1e-9},
		{"gradient descent, two levels", optim.SGD{}, 0.05, Options{Coarsen: 8, MaxLevels: 2, Coarse: Pooled{Most: 8, Rule: Adaptive{}}}, false, 1e-9},
		{"Adam, two levels", optim.Adam{}, 0.001, Options{Coarsen: 8, MaxLevels: 2, Coarse: Pooled{Most: 8, Rule: Adaptive{}}}, false, 1e-9},
		{"float32, two levels", optim.SGD{}, 0.05, Options{Coarsen: 8, MaxLevels: 2, Coarse: Pooled{Most: 8, Rule: Adaptive{}}}, true, 1e-4},
	} {
		net := nn.New(nn.Vector(784), nn.Dense{Out: 16}, nn.Tanh{}, nn.Dense{Out: 10})
		o := train.Options{Optimizer: c.o, Rate: c.rate, Epochs: 2, Steps: steps}
		p := TrainingOf64(net.Float64(), data, o)
		if c.single {
			p = TrainingOf(net, data, o)
		}
		p.Loss = nil
		c.how.Steps = steps
		if !c.single {
			c.how.Tol = 1e-11 // of the residual, so that 1e-9 in the weights is sure
		}
		began := time.Now()
		serial := p.Net64(p.Init)
		var err error
		if c.single {
			n := net.Clone()
			_, err = train.Train(t.Context(), n, data, o)
			serial = n.Float64()
		} else {
			_, err = train.Train64(t.Context(), serial, data, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		began = time.Now()
		res := mustSolve(t, p, c.how)
		off, most := 0.0, 0.0
		for i, w := range serial.Weights() {
			off = math.Max(off, math.Abs(w-res.Final[i]))
			most = math.Max(most, math.Abs(w))
		}
		t.Logf("%s: largest difference %.2g of %.2g, target %.0e; %d cycles (%v), residuals %.1e, potential %.2g; serial %.3g s, here %.3g s",
			c.name, off, most, c.target, res.Cycles, res.Why, res.Residuals[0], res.Potential, took.Seconds(), time.Since(began).Seconds())
		if !(off <= c.target) {
			t.Errorf("%s: weights are off by %.2g, target %.0e", c.name, off, c.target)
		}
	}
}

// A weight other than 1 in C-relaxation is not worth its risk: it saves a cycle at most.
func TestReproduceWeights(t *testing.T) {
	reproduce(t)
	net := nn.New(nn.Vector(64), nn.Dense{Out: 16}, nn.Tanh{}, nn.Dense{Out: 10}).Float64()
	written := TrainingOf64(net, digits.Load(), train.Options{Rate: 0.05})
	written.Loss = nil
	for _, c := range []struct {
		name string
		p    Problem
		o    Options
	}{
		{"XOR, rate 1", XOR(XOROptions{}), Options{Steps: 4096}},
		{"XOR, rate 0.1", XOR(XOROptions{Rate: 0.1}), Options{Steps: 4096}},
		{"XOR, rate 0.01", XOR(XOROptions{Rate: 0.01}), Options{Steps: 4096}},
		{"digits", written, Options{Steps: 1024, Coarsen: 4, Coarse: Pooled{Rule: Adaptive{}}}},
		{"digits, two levels", written, Options{Steps: 1024, Coarsen: 8, MaxLevels: 2, Coarse: Pooled{Most: 8, Rule: Adaptive{}}}},
	} {
		c.o.MaxCycles = 41
		var cycles []int
		for _, c.o.Weight = range []float64{1, 1.1, 1.2, 1.3, 1.5} {
			cycles = append(cycles, mustSolve(t, c.p, c.o).Cycles)
		}
		t.Logf("%s: %d cycles with weights 1, 1.1, 1.2, 1.3, 1.5", c.name, cycles)
		if best := slices.Min(cycles); cycles[0] > best+1 {
			t.Errorf("%s: %d cycles with weight 1, %d with the best: the usual one should change", c.name, cycles[0], best)
		}
	}
}
