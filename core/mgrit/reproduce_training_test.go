package mgrit

import (
	"math"
	"testing"
	"time"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/train"
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
