package crs

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/tensor"
	"trivium/core/train"
)

// small networks of both kinds, in float64.
func smallNets() map[string]*nn.Net64 {
	return map[string]*nn.Net64{
		"dense": nn.New(nn.Vector(8), nn.Dense{Out: 12}, nn.Tanh{}, nn.Dense{Out: 7}, nn.Tanh{}, nn.Dense{Out: 3}).Init(3).Float64(),
		"convolution": nn.New(nn.Shape{C: 4, H: 5, W: 5}, nn.Conv{Out: 6, Size: 3, Pad: 1}, nn.Tanh{},
			nn.Conv{Out: 5, Size: 3, Stride: 2, Pad: 1}, nn.Tanh{}, nn.Dense{Out: 3}).Init(3).Float64(),
	}
}

func someBatch(net *nn.Net64, n int, seed uint64) (x, t tensor.Matrix[float64]) {
	s := random.New(seed)
	x, t = tensor.New[float64](n, net.In().Size()), tensor.New[float64](n, net.Out().Size())
	random.FillNormal(s, x.Data, 0.2, 1)
	random.FillNormal(s, t.Data, 0, 1)
	return x, t
}

// lossOf is the loss of a training step, with its gradient in net.Gradients if back is set.
func lossOf(t *testing.T, net *nn.Net64, x, want tensor.Matrix[float64], step uint64, back bool) float64 {
	t.Helper()
	p := net.Pass()
	p.Train, p.Step = true, step
	y, err := net.Forward(x)
	if err != nil {
		t.Fatal(err)
	}
	dy := tensor.New[float64](y.Rows, y.Cols)
	loss, err := nn.LossOf(nn.MSE, dy, y, nil, want)
	if err != nil {
		t.Fatal(err)
	}
	if back {
		if err := net.Backward(dy); err != nil {
			t.Fatal(err)
		}
	}
	return loss
}

// In mode Forward the gradient is that of the product that was computed. With samplers that do
// not look at the numbers the sample stays the same, so that finite differences say what it is.
func TestForwardGradient(t *testing.T) {
	for name, net := range smallNets() {
		for _, s := range []Sampler{Uniform{0.5}, WithReplacement{Keep: 0.6, Uniform: true}} {
			t.Run(fmt.Sprintf("%s, %v", name, s), func(t *testing.T) {
				net.SetProduct(s, 4)
				x, want := someBatch(net, 6, 1)
				lossOf(t, net, x, want, 9, true)
				got := slices.Clone(net.Gradients())
				f := func() float64 { return lossOf(t, net, x, want, 9, false) }
				if err := numtest.CheckGradient(f, net.Weights(), got, 1e-4, 1e-7); err != nil {
					t.Error(err)
				}
				zero := 0
				for _, g := range got {
					if g == 0 {
						zero++
					}
				}
				if zero < len(got)/4 {
					t.Errorf("%d of %d numbers of the gradient are 0: what was left out should have none", zero, len(got))
				}
			})
		}
	}
}

// In mode Backward the loss is exact, and the gradient's mean over draws is the exact gradient:
// each of some 400 elements within five standard errors.
func TestBackwardIsUnbiased(t *testing.T) {
	for name, net := range smallNets() {
		for _, q := range []nn.Product{
			Product{Sampler: Bernoulli{Keep: 0.5}, Mode: Backward},
			Product{InputGrad: WithoutReplacement{0.5}, WeightGrad: WithReplacement{Keep: 0.7}, Mode: Backward},
			Product{Sampler: Uniform{0.5}, Mode: Backward, MinPairs: 4},
			Budget{Variance: 1},
		} {
			t.Run(fmt.Sprintf("%s, %v", name, q), func(t *testing.T) {
				x, want := someBatch(net, 8, 2)
				net.SetProduct(nil, 0)
				loss := lossOf(t, net, x, want, 0, true)
				exact := slices.Clone(net.Gradients())
				net.SetProduct(q, 5)
				const trials = 3000
				sum, squares := make([]float64, len(exact)), make([]float64, len(exact))
				for step := range uint64(trials) {
					if got := lossOf(t, net, x, want, step, true); got != loss {
						t.Fatalf("the loss is %v, exactly %v", got, loss)
					}
					for i, g := range net.Gradients() {
						sum[i] += g - exact[i]
						squares[i] += (g - exact[i]) * (g - exact[i])
					}
				}
				noise := 0.0
				for i := range sum {
					variance := squares[i]/trials - math.Pow(sum[i]/trials, 2)
					noise += variance
					if d := math.Abs(sum[i] / trials); d > numtest.MeanBound(variance, trials)+1e-12 {
						t.Errorf("element %d: mean off by %.3g, bound %.3g", i, d, numtest.MeanBound(variance, trials))
					}
				}
				if noise == 0 {
					t.Error("nothing was sampled")
				}
			})
		}
	}
}

// ForwardOnly computes the gradients of products with what came in, as if all of it had been used.
func TestForwardOnly(t *testing.T) {
	net := nn.New(nn.Vector(6), nn.Dense{Out: 4}).Init(2).Float64()
	x, want := someBatch(net, 5, 3)
	net.SetProduct(Product{Sampler: TopK{0.5}, Mode: ForwardOnly}, 1)
	p := net.Pass()
	p.Train = true
	y, err := net.Forward(x)
	if err != nil {
		t.Fatal(err)
	}
	dy := tensor.New[float64](5, 4)
	if _, err := nn.LossOf(nn.MSE, dy, y, nil, want); err != nil {
		t.Fatal(err)
	}
	exact := tensor.New[float64](6, 4)
	if err := tensor.Mul(nil, exact, tensor.TN, x, dy, 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := net.Backward(dy); err != nil {
		t.Fatal(err)
	}
	for i, g := range net.Gradients()[:24] {
		if math.Abs(g-exact.Data[i]) > 1e-12 {
			t.Errorf("weight %d has gradient %g, want %g", i, g, exact.Data[i])
		}
	}
}

// A forward sample with gradients that are sampled too has the gradient of the forward sample as
// its mean.
func TestForwardWithSampledGradients(t *testing.T) {
	for name, net := range smallNets() {
		t.Run(name, func(t *testing.T) {
			x, want := someBatch(net, 8, 2)
			forward := Uniform{0.5}
			net.SetProduct(forward, 5)
			// The forward sample follows from stream and step; gradients are drawn from another
			// stream of the same step. To vary one and not the other, the multipliers are built apart.
			lossOf(t, net, x, want, 1, true)
			exact := slices.Clone(net.Gradients())
			const trials = 3000
			sum, squares := make([]float64, len(exact)), make([]float64, len(exact))
			for trial := range trials {
				net.SetProduct(shifted{Product{Sampler: forward, InputGrad: Bernoulli{Keep: 0.6}, WeightGrad: Uniform{0.5}}, trial}, 5)
				lossOf(t, net, x, want, 1, true)
				for i, g := range net.Gradients() {
					sum[i] += g - exact[i]
					squares[i] += (g - exact[i]) * (g - exact[i])
				}
			}
			for i := range sum {
				variance := squares[i]/trials - math.Pow(sum[i]/trials, 2)
				if d := math.Abs(sum[i] / trials); d > numtest.MeanBound(variance, trials)+1e-12 {
					t.Errorf("element %d: mean off by %.3g, bound %.3g", i, d, numtest.MeanBound(variance, trials))
				}
			}
		})
	}
}

// shifted draws gradients from other streams.
type shifted struct {
	Product
	by int
}

func (q shifted) ForNet(layers []nn.Info) nn.Product { return q }

func (q shifted) Multiplier64(l nn.Info, s *random.Stream) nn.Multiplier[float64] {
	m := q.Product.Multiplier64(l, s).(*multiplier[float64])
	m.input.stream, m.weight.stream = m.input.stream.SplitN(q.by), m.weight.stream.SplitN(q.by)
	return m
}

func moons(n int) *train.Samples {
	s := random.New(11)
	d := &train.Samples{X: tensor.New[float32](n, 10), Labels: make([]int, n)}
	random.FillNormal(s, d.X.Data, 0, 1)
	for i := range d.Labels {
		r := d.X.Row(i)
		if r[0]*r[1]+r[2] > 0 {
			d.Labels[i] = 1
		}
	}
	d.TestX, d.TestLabels = d.X.Slice(0, n/4, 0, 10), d.Labels[:n/4]
	return d
}

func products() []nn.Product {
	return []nn.Product{
		TopK{0.5}, WithReplacement{Keep: 0.5}, WTA{0.5},
		Product{Sampler: Bernoulli{Keep: 0.5}, Mode: Backward},
		Product{Sampler: TopK{0.5}, WeightGrad: WTA{0.5}, Look: 3},
		Budget{},
		Schedule{{Epochs: 1.5, Product: Uniform{0.5}}, {Epochs: 1, Product: Product{Sampler: TopK{0.3}, MinPairs: 4}}},
	}
}

// A training that was saved and resumed ends with the same bits, whatever is drawn.
func TestResume(t *testing.T) {
	data := moons(200)
	for i, q := range products() {
		o := train.Options{Epochs: 4, Batch: 32, Seed: 3, Product: q, Optimizer: optim.Adam{}}
		whole := nn.MLP(10, 24, 16, 2)
		if _, err := train.Train(context.Background(), whole, data, o); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), fmt.Sprint(i))
		first := o
		first.Checkpoint, first.Steps = file, 10 // in the middle of the second epoch
		if _, err := train.Train(context.Background(), nn.MLP(10, 24, 16, 2), data, first); err != nil {
			t.Fatal(err)
		}
		second := o
		second.Resume = file
		resumed := nn.MLP(10, 24, 16, 2)
		if _, err := train.Train(context.Background(), resumed, data, second); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(whole.Weights(), resumed.Weights()) {
			t.Errorf("%v: the resumed training ends with other weights", q)
		}
	}
}

// Tests and other uses of a trained network are exact.
func TestEvaluationIsExact(t *testing.T) {
	data := moons(200)
	for _, q := range products() {
		net := nn.MLP(10, 24, 16, 2)
		net.SetProduct(q, 1)
		plain := nn.MLP(10, 24, 16, 2)
		y, err := net.Forward(data.X)
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Forward(data.X)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(y.Data[:200*2], want.Data[:200*2]) {
			t.Errorf("%v: outside of training the result is another", q)
		}
	}
}

// Work is counted as it is done: half the pairs are half the flops, but for the norms.
func TestFlops(t *testing.T) {
	count := func(q nn.Product) float64 {
		net := nn.MLP(64, 64, 64)
		net.SetProduct(q, 1)
		p := net.Pass()
		p.Train, p.Flops = true, 0
		x := tensor.New[float32](64, 64)
		random.FillNormal(random.New(1), x.Data, 0, 1)
		y, err := net.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		if err := net.Backward(y.Clone()); err != nil {
			t.Fatal(err)
		}
		return p.Flops
	}
	const product, norms = 2 * 64 * 64 * 64, 2 * 64 * 128
	for _, c := range []struct {
		q    nn.Product
		want float64
	}{
		{nil, 5 * product}, // the first layer's input needs no gradient
		{TopK{0.5}, 2.5*product + 2*norms},
		{Uniform{0.5}, 2.5 * product},
		{TopKWeights{0.25}, 1.25*product + norms},
		{Product{Sampler: TopK{0.5}, Mode: Backward}, 2*product + 1.5*product + 3*norms},
		{Product{Sampler: TopK{0.5}, Mode: ForwardOnly}, 4*product + 2*norms},
		{Product{Sampler: TopK{0.5}, MinPairs: 64}, 5 * product},
		{Product{Sampler: Uniform{0.5}, Exact: []string{"dense1"}}, 2*product + 1.5*product},
	} {
		if got := count(c.q); got != c.want {
			t.Errorf("%v: %g flops, want %g", c.q, got, c.want)
		}
	}
}

// Schedules change what is drawn at their times.
func TestSchedule(t *testing.T) {
	record := &Record{}
	q := Schedule{{Epochs: 1, Product: Product{Sampler: TopK{0.5}, Record: record}}, {Epochs: 2}, {Epochs: 1, Product: Product{Sampler: TopK{0.25}, Record: record}}}
	if got, want := q.String(), "top-k, keep 0.5 for 1 epochs, then exact for 2 epochs, then top-k, keep 0.25 for 1 epochs, then exact"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := train.Train(context.Background(), nn.MLP(10, 16, 2), moons(64), train.Options{Epochs: 6, Batch: 32, Product: q}); err != nil {
		t.Fatal(err)
	}
	steps, share := record.Share("dense2 forward")
	if !slices.Equal(steps, []float64{0, 1, 6, 7}) || !slices.Equal(share, []float64{0.5, 0.5, 0.25, 0.25}) {
		t.Errorf("drawn in steps %v with shares %v", steps, share)
	}
}

// A sampled layer wider than what is gathered at a time computes what a layer does whose inputs
// are cut and scaled by hand, gradients added to others included.
func TestWideLayer(t *testing.T) {
	const in, out, n = 400, 9, 7
	for _, s := range []Sampler{TopK{0.7}, Uniform{0.6}} {
		net := nn.New(nn.Vector(in), nn.Dense{Out: out}).Init(5).Float64()
		x, dy := someBatch(net, n, 8)
		net.SetProduct(s, 2)
		p := net.Pass()
		p.Train, p.Step = true, 3
		y, err := net.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		got := y.Clone()
		dx, err := net.InputGradient(dy.Clone())
		if err != nil {
			t.Fatal(err)
		}
		p.Accumulate = true
		if err := net.Backward(dy.Clone()); err != nil {
			t.Fatal(err)
		}
		m := Product{Sampler: s}.Multiplier64(net.Layers()[0], random.New(2).Split("product").Split("dense1")).(*multiplier[float64])
		w := tensor.Of(in, out, net.Weights()[:in*out])
		if err := m.Forward(&nn.Pass[float64]{Step: 3}, tensor.New[float64](n, out), x, w, nil, false); err != nil {
			t.Fatal(err)
		}
		factor := make([]float64, in)
		for i, j := range m.kept.Index {
			factor[j] = scaleOf(*m.kept, i)
		}
		cut := x.Clone()
		for i := range n {
			tensor.Hadamard(cut.Row(i), cut.Row(i), factor)
		}
		wantY, wantW, wantX := tensor.New[float64](n, out), tensor.New[float64](in, out), tensor.New[float64](n, in)
		if tensor.Mul(nil, wantY, tensor.NN, cut, w, 1, 0) != nil || tensor.Mul(nil, wantW, tensor.TN, cut, dy, 2, 0) != nil || tensor.Mul(nil, wantX, tensor.NT, dy, w, 1, 0) != nil {
			t.Fatal("products")
		}
		for i := range n {
			tensor.Hadamard(wantX.Row(i), wantX.Row(i), factor)
		}
		for name, c := range map[string][2][]float64{"y": {got.Data, wantY.Data}, "dw": {net.Gradients()[:in*out], wantW.Data}, "dx": {dx.Data[:n*in], wantX.Data}} {
			for i, v := range c[0] {
				if math.Abs(v-c[1][i]) > 1e-11 { // sums of 400 terms of about 1
					t.Fatalf("%v: %s[%d] is %v, want %v", s, name, i, v, c[1][i])
				}
			}
		}
	}
}

// TestDescend compares descent without gradients written down with Backward and a step of SGD.
// Both round each weight once or twice.
func TestDescend(t *testing.T) {
	for name, q := range map[string]nn.Product{
		"top-k": TopK{0.5}, "scaled": Bernoulli{Keep: 0.5}, "gradients by themselves": Product{Sampler: TopK{0.5}, WeightGrad: Bernoulli{Keep: 0.5}},
		"forward only": Product{Sampler: TopK{0.3}, Mode: ForwardOnly}, "schedule": Schedule{{Epochs: 1, Product: TopK{0.5}}}, "budget": Budget{},
		"a part of the norms": Product{Sampler: TopK{0.5}, Look: 4},
	} {
		t.Run(name, func(t *testing.T) {
			a := nn.MLP(30, 40, 20, 3).Init(1)
			b := a.Clone()
			x := tensor.New[float32](10, 30)
			random.FillNormal(random.New(1), x.Data, 0, 1)
			for step := range 3 {
				var dy [2]tensor.Matrix[float32]
				for i, net := range []*nn.Net{a, b} {
					if step == 0 {
						net.SetProduct(q, 1)
					}
					p := net.Pass()
					p.Train, p.Step, p.Epoch = true, uint64(step), float64(step)/2
					y, err := net.Forward(x)
					if err != nil {
						t.Fatal(err)
					}
					dy[i] = y.Clone()
				}
				if err := a.Descend(dy[0], 1./1024); err != nil {
					t.Fatal(err)
				}
				if err := b.Backward(dy[1]); err != nil {
					t.Fatal(err)
				}
				tensor.SGD(b.Weights(), b.Gradients(), 1./1024, 0)
				for i, w := range a.Weights() {
					if v := b.Weights()[i]; math.Abs(float64(w-v)) > 1e-5*(1+math.Abs(float64(v))) {
						t.Fatalf("step %d: weight %d is %v, by its gradient %v", step, i, w, v)
					}
				}
			}
		})
	}
}
