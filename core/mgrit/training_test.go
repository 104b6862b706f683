package mgrit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"trivium/core/crs"
	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/run"
	"trivium/core/train"
	"trivium/datasets/digits"
)

// few are digits of 8×8 pixels, small enough for a test.
func few() train.Data { return digits.Load().Small(30, 5) }

// optimisers are those of package optim, with rates that train.
var optimisers = []struct {
	o    optim.Optimizer
	rate float64
}{
	{optim.SGD{}, 0.1},
	{optim.SGD{Decay: 1e-3}, 0.1},
	{optim.SGD{Momentum: 0.9}, 0.02},
	{optim.SGD{Momentum: 0.8, Nesterov: true, Decay: 1e-3}, 0.02},
	{optim.Adam{}, 0.003},
	{optim.AdamW{}, 0.003},
	{optim.Adagrad{}, 0.02},
	{optim.RMSProp{}, 0.001},
}

// One level takes the very steps of package train: the same bits, for every optimiser, in
// both types, with dropout, batch norm, schedules and clipping.
func TestTrainingIsThatOfTrain(t *testing.T) {
	data := few()
	layers := map[string][]nn.Layer{
		"dense":   {nn.Dense{Out: 16}, nn.ReLU{}, nn.Dense{Out: 10}},
		"dropout": {nn.Dense{Out: 16}, nn.Tanh{}, nn.Dropout{Rate: 0.3}, nn.Dense{Out: 10}},
		"norm":    {nn.Dense{Out: 12}, nn.BatchNorm{}, nn.ReLU{}, nn.Dense{Out: 10}},
	}
	const steps = 25 // more than two epochs of 300 samples
	for name, l := range layers {
		for _, opt := range optimisers {
			o := train.Options{Batch: 32, Epochs: 3, Steps: steps, Seed: 5, Optimizer: opt.o, Rate: opt.rate, Clip: 2, Schedule: optim.Cosine{}}
			if name == "norm" {
				o.Loss = nn.MSE
			}
			net := nn.New(nn.Vector(64), l...).Init(3)
			serial := net.Clone()
			trained, err := train.Train(context.Background(), serial, data, o)
			if err != nil {
				t.Fatal(err)
			}
			p := TrainingOf(net, data, o)
			res := mustSolve(t, p, Options{Steps: steps, MaxLevels: 1, Workers: 2, Check: true})
			got := p.Net(res.Final)
			if !slices.Equal(got.Weights(), serial.Weights()) || !slices.Equal(got.Running(), serial.Running()) {
				t.Errorf("%s, %v in float32: other weights than those of train", name, opt.o)
			}
			if res.Flops != trained.Flops || res.Flops == 0 {
				t.Errorf("%s: %g flops, train did %g", name, res.Flops, trained.Flops)
			}
			serial64 := net.Float64()
			if _, err := train.Train64(context.Background(), serial64, data, o); err != nil {
				t.Fatal(err)
			}
			p = TrainingOf64(net.Float64(), data, o)
			res = mustSolve(t, p, Options{Steps: steps, MaxLevels: 1, Check: true})
			got64 := p.Net64(res.Final)
			if !slices.Equal(got64.Weights(), serial64.Weights()) || !slices.Equal(got64.Running(), serial64.Running()) {
				t.Errorf("%s, %v in float64: other weights than those of train", name, opt.o)
			}
		}
	}
}

// All steps at once give the weights that one after the other gives, with state that
// the optimiser carries or without.
func TestTrainingConverges(t *testing.T) {
	if testing.Short() {
		t.Skip("many trainings: left out with -short")
	}
	data := few()
	const steps = 64
	for _, opt := range optimisers {
		net := nn.New(nn.Vector(64), nn.Dense{Out: 8}, nn.Tanh{}, nn.Dense{Out: 10}).Float64()
		o := train.Options{Batch: 32, Optimizer: opt.o, Rate: opt.rate}
		p := TrainingOf64(net, data, o)
		want := mustSerial(t, p, steps)
		res, err := Solve(context.Background(), p, Options{Steps: steps, Coarsen: 4, Coarse: Pooled{Rule: Adaptive{}}, Workers: 2, MaxCycles: 20})
		if err != nil {
			t.Errorf("%v: %v", opt.o, err)
			continue
		}
		t.Logf("%v: %d cycles, %.2g", opt.o, res.Cycles, res.Residuals[0])
		if d := maxAbsDiff(res.Final, want); d > 1e-8 {
			t.Errorf("%v: off by %.2g after %d cycles, residuals %.2g", opt.o, d, res.Cycles, res.Residuals[0])
		}
	}
}

// The steps of an optimiser with one gradient, in one go, are those taken one by one: to
// rounding where there is a formula, and nearly where the gradient is divided by an average that changes.
func TestStretch(t *testing.T) {
	const n, span = 9, 8
	for _, opt := range optimisers {
		g, w := make([]float64, n), make([]float64, n)
		memory := make([]float64, n*opt.o.Memory())
		u := &unit[float64]{}
		for i := range g {
			g[i], w[i] = math.Cos(float64(i)), math.Sin(float64(3*i))
		}
		gradient := func() []float64 { // decay is part of a gradient that stays
			return slices.Clone(g)
		}
		for k := range 40 {
			optim.Step(opt.o, w, gradient(), memory, opt.rate, k+1)
		}
		one, m1 := slices.Clone(w), slices.Clone(memory)
		for k := range span {
			optim.Step(opt.o, one, gradient(), m1, opt.rate, 41+k)
		}
		u.stretch(opt.o, w, gradient(), memory, span*opt.rate, 41, span)
		moved := 0.0
		for i := range w {
			moved = math.Max(moved, math.Abs(one[i]-math.Sin(float64(3*i))))
		}
		tolerance := 2e-2 * moved
		if d := maxAbsDiff(w, one); d > tolerance {
			t.Errorf("%v: weights are off by %.2g of %.2g", opt.o, d, moved)
		}
		if d := maxAbsDiff(memory, m1); d > 2e-2 {
			t.Errorf("%v: memory is off by %.2g", opt.o, d)
		}
	}
}

func TestBadTrainings(t *testing.T) {
	data := few()
	net := nn.MLP(64, 10)
	x, _ := data.TrainData()
	one := Options{Steps: 16}
	sampled := one
	sampled.Coarse = Sampled{}
	for want, c := range map[string]struct {
		p Problem
		o Options
	}{
		"no network":             {Training(nil, nil, TrainingOptions{}), one},
		"no minibatches":         {Training(net, nil, TrainingOptions{}), one},
		"cannot be trained":      {TrainingOf(nn.MLP(3), data, train.Options{}), one},
		"got no data":            {TrainingOf(net, nil, train.Options{}), one},
		"no training samples":    {TrainingOf(net, &train.Samples{}, train.Options{}), one},
		"rows of 63 numbers":     {TrainingOf(nn.MLP(63, 10), data, train.Options{}), one},
		"from 0 to below 3":      {TrainingOf(nn.MLP(64, 3), data, train.Options{}), one},
		"0 labels for":           {TrainingOf(net, &train.Samples{X: x}, train.Options{}), one},
		"Rate is -1":             {TrainingOf(net, data, train.Options{Rate: -1}), one},
		"Momentum is 2":          {TrainingOf(net, data, train.Options{Optimizer: optim.SGD{Momentum: 2}}), one},
		"Batch is -1":            {TrainingOf(net, data, train.Options{Batch: -1}), one},
		"Sampled.Product is nil": {TrainingOf(net, data, train.Options{}), sampled},
		"was not made by Tra":    {XOR(XOROptions{}), Options{Steps: 16, Coarse: Repeated{Rule: Pooled{}}}},
		"plain gradient descent": {TrainingOf(net, data, train.Options{Optimizer: optim.Adam{}}), Options{Steps: 16, Coarse: Chebyshev{}}},
	} {
		if _, err := Solve(context.Background(), c.p, c.o); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mgrit: ") {
			t.Errorf("error is %v, expected it to say %q", err, want)
		}
	}
	if p := XOR(XOROptions{}); p.Net(p.Init) != nil || p.Net64(p.Init) != nil {
		t.Error("a problem without a network gave one")
	}
	if p := TrainingOf(net, data, train.Options{}); p.Net(p.Init[1:]) != nil {
		t.Error("a vector of another length gave a network")
	}
}

// A coarse step from a sample of the column-row pairs changes the way, not where it leads,
// and is the same each time it is taken, also with random sampling.
func TestSampledCoarseSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("some trainings: left out with -short")
	}
	const steps = 96
	net := nn.New(nn.Vector(64), nn.Dense{Out: 8}, nn.Tanh{}, nn.Dense{Out: 10})
	for _, q := range []nn.Product{crs.TopK{Keep: 0.5}, crs.Bernoulli{Keep: 0.5}} {
		p := TrainingOf64(net.Float64(), few(), train.Options{Batch: 32})
		want := mustSerial(t, p, steps)
		o := Options{Steps: steps, Coarsen: 4, Check: true, Workers: 2, MaxCycles: 30}
		exact := mustSolve(t, p, o)
		o.Coarse = Sampled{Product: q, Rule: Adaptive{}}
		res := mustSolve(t, p, o)
		t.Logf("%v: %d cycles, %.2g; exact %d", q, res.Cycles, res.Residuals[0], exact.Cycles)
		if d := maxAbsDiff(res.Final, want); !res.Converged || d > 1e-8 {
			t.Errorf("%v: off by %.2g, %s", q, d, res.Why)
		}
		if slices.Equal(res.Residuals[0], exact.Residuals[0]) {
			t.Errorf("%v: the same residuals as with exact products: nothing was sampled", q)
		}
	}
}

// One problem solved with one product and then with another samples as each has it.
func TestSampledAnewInEverySolution(t *testing.T) {
	net := nn.New(nn.Vector(64), nn.Dense{Out: 8}, nn.Tanh{}, nn.Dense{Out: 10})
	p := TrainingOf64(net.Float64(), few(), train.Options{Batch: 32})
	var last []float64
	for _, keep := range []float64{0.25, 0.75, 1} {
		o := Options{Steps: 32, Coarsen: 4, Workers: 1, MaxCycles: 2, Fixed: true, Coarse: Sampled{Product: crs.TopK{Keep: keep}}}
		r := mustSolve(t, p, o).Residuals[0]
		if slices.Equal(r, last) {
			t.Errorf("keep %g: the residuals %.3g of the solution before", keep, r)
		}
		last = r
	}
	if exact := mustSolve(t, p, Options{Steps: 32, Coarsen: 4, Workers: 1, MaxCycles: 2, Fixed: true, Coarse: Same{}}).Residuals[0]; !slices.Equal(exact, last) {
		t.Errorf("keep 1: residuals %.3g, exact products %.3g", last, exact)
	}
}

// In float32 the residual ends at rounding, and the usual tolerance is one that can be reached.
func TestFloat32Converges(t *testing.T) {
	net := nn.New(nn.Vector(64), nn.Dense{Out: 8}, nn.Tanh{}, nn.Dense{Out: 10})
	const steps = 256
	p := TrainingOf(net, few(), train.Options{Batch: 32, Rate: 0.05})
	want := mustSerial(t, p, steps)
	res := mustSolve(t, p, Options{Steps: steps, Coarsen: 4, Coarse: Pooled{}, Workers: 2})
	t.Logf("%d cycles, residuals %.2g, off by %.2g", res.Cycles, res.Residuals[0], maxAbsDiff(res.Final, want))
	if d := maxAbsDiff(res.Final, want); !res.Converged || d > 1e-5 {
		t.Errorf("off by %.2g, %s, residuals %.2g", d, res.Why, res.Residuals[0])
	}
}

// The memory is known before the run, with the networks of all workers.
func TestMemoryIsToldBefore(t *testing.T) {
	p := TrainingOf64(nn.MLP(64, 64, 10).Float64(), few(), train.Options{})
	for _, workers := range []int{1, 3} {
		r := Start(t.Context(), p, Options{Steps: 64, Coarsen: 4, Workers: workers, Memory: 1 << 20})
		<-r.Done()
		if r.Err() == nil || !strings.Contains(r.Err().Error(), "MB of memory") || r.State() != run.StateFailed {
			t.Errorf("%d workers: %v", workers, r.Err())
		}
	}
	r := Start(t.Context(), p, Options{Steps: 64, Coarsen: 4, Workers: 1, MaxCycles: 1})
	numbers := float64(8 * len(p.Init))
	// C-points; the right-hand side of each point of the two coarser levels; and what a worker needs.
	if least := numbers * (17 + 17 + 5); r.Memory() < least || r.Memory() > least+20*numbers+float64(8*64*64+4*64*64) {
		t.Errorf("%g bytes for at least %g", r.Memory(), least)
	}
	<-r.Done()
}
