package crs

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"trivium/core/internal/numtest"
	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/tensor"
)

// Products of the shapes that networks have: a square one, the gradient of a 3×3 convolution
// of 160 channels as a product over 8 images of 32×32 places, and layers at batch 64.
var shapes = []struct {
	name    string
	form    tensor.Form
	m, n, k int
}{
	{"square", tensor.NN, 1024, 1024, 1024}, {"convolution", tensor.TN, 1440, 160, 8192},
	{"batch64", tensor.TN, 784, 512, 64}, {"forward64", tensor.NN, 64, 512, 512},
}

// BenchmarkVersusExact compares sampled products with our own exact one, choosing included (x_exact)
// and for given pairs (x_exact_given), and with numpy's "index, scale, multiply" for given pairs (x_numpy) and
// choosing by norms included on both sides (x_numpy_choosing). Above 1 sampling is faster, or ours. choose_% is
// what choosing alone takes of the exact product, choose_look4_% where norms are measured on a quarter.
func BenchmarkVersusExact(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, g := range shapes {
			for _, s := range []Sampler{TopK{0.5}, TopK{0.25}, TopK{0.1}, Uniform{0.5}} {
				b.Run(fmt.Sprintf("threads=%d/%s/%v", threads, g.name, strings.ReplaceAll(s.String(), ", keep ", "=")), func(b *testing.B) {
					versusExact(b, threads, g.form, g.m, g.n, g.k, s)
				})
			}
		}
	}
}

func versusExact(b *testing.B, threads int, form tensor.Form, m, n, k int, s Sampler) {
	x, y, dst := tensor.New[float32](m, k), tensor.New[float32](k, n), tensor.New[float32](m, n)
	if form == tensor.TN {
		x = tensor.New[float32](k, m)
	}
	r := random.New(1)
	random.FillUniform(r, x.Data, -0.5, 0.5)
	random.FillUniform(r, y.Data, -0.5, 0.5)
	p := tensor.NewPool(threads)
	defer p.Close()
	old := runtime.GOMAXPROCS(threads)
	defer runtime.GOMAXPROCS(old)
	c := newSelector[float32](s, random.New(2))
	draw := uint64(0)
	choosing := func(look int) func() error {
		return func() error {
			draw++
			_, err := c.pairs(form, x, y, MulOptions{Draw: draw, Look: look})
			return err
		}
	}
	sampled := func() error {
		draw++
		drawn, err := c.pairs(form, x, y, MulOptions{Draw: draw})
		if err != nil {
			return err
		}
		return tensor.MulSampled(p, dst, form, x, y, *drawn, 1, 0)
	}
	given := func() error { return tensor.MulSampled(p, dst, form, x, y, c.sample, 1, 0) }
	exact := func() error { return tensor.Mul(p, dst, form, x, y, 1, 0) }
	numpy := startNumpy(b, threads)
	request := map[string]any{"form": form.String(), "m": m, "n": n, "k": k, "keep": pairsKept(s.keep(), k, 0), "type": "float32"}
	var withChoice, alone, share, quarter, theirs, choosers []float64
	defer numtest.HoldClock()()
	for b.Loop() {
		for range 7 {
			e, t, g := timed(b, exact), timed(b, sampled), timed(b, given)
			withChoice, alone, share = append(withChoice, e/t), append(alone, e/g), append(share, 100*timed(b, choosing(0))/e)
			quarter = append(quarter, 100*timed(b, choosing(4))/e)
			if numpy == nil {
				continue
			}
			request["op"] = "sampled"
			theirs = append(theirs, numpy(b, request)/g)
			if s.looksAt() != seesNothing {
				request["op"] = "chosen"
				choosers = append(choosers, numpy(b, request)/t)
			}
			time.Sleep(3 * time.Millisecond) // until its threads have gone to sleep
		}
	}
	b.ReportMetric(numtest.Median(withChoice), "x_exact")
	b.ReportMetric(numtest.Median(alone), "x_exact_given")
	b.ReportMetric(numtest.Median(share), "choose_%")
	b.ReportMetric(numtest.Median(quarter), "choose_look4_%")
	if numpy != nil {
		b.ReportMetric(numtest.Median(theirs), "x_numpy")
	}
	if len(choosers) > 0 {
		b.ReportMetric(numtest.Median(choosers), "x_numpy_choosing")
	}
}

// BenchmarkVersusExactConv compares sampled 3×3 convolutions with exact ones, for given channels (x_exact_given) and
// with choosing by norms included (x_exact): 160 channels of 16 images of 32×32 pixels, forward. choose_% is what
// choosing takes of the exact one; where a batch norm with ReLU goes before, it has found the norms already.
func BenchmarkVersusExactConv(b *testing.B) {
	const images, channels, size = 16, 160, 32
	for _, threads := range []int{1, 2} {
		for _, s := range []TopK{{0.5}, {0.25}, {0.1}} {
			b.Run(fmt.Sprintf("threads=%d/keep=%v", threads, s.Keep), func(b *testing.B) {
				old := runtime.GOMAXPROCS(threads)
				defer runtime.GOMAXPROCS(old)
				pool := tensor.NewPool(threads)
				defer pool.Close()
				x, y := tensor.NewImages[float32](images, channels, size, size), tensor.NewImages[float32](images, channels, size, size)
				w := tensor.NewImages[float32](channels, channels, 3, 3)
				r := random.New(1)
				random.FillUniform(r, x.Data, -0.5, 0.5)
				random.FillUniform(r, w.Data, -0.5, 0.5)
				o, p := tensor.Window{Pad: 1}, &nn.Pass[float32]{Pool: pool, Train: true}
				m := Product{Sampler: s}.Multiplier32(nn.Info{Inputs: channels, Outputs: channels, Size: 3}, random.New(2)).(*multiplier[float32])
				sampled := func() error { p.Step++; return m.ConvForward(p, y, x, w, o, nil, false) }
				exact := func() error { return tensor.ConvForward(pool, y, x, w, o, nil, nil, false) }
				if err := sampled(); err != nil {
					b.Fatal(err)
				}
				given := func() error { return tensor.ConvForward(pool, y, x, w, o, m.kept, nil, false) }
				norms := make([]float32, channels)
				choosing := func() error {
					if err := tensor.ChannelNorms(norms, x); err != nil {
						return err
					}
					return tensor.ChannelNorms(norms, w)
				}
				var withChoice, alone, share []float64
				defer numtest.HoldClock()()
				for b.Loop() {
					for range 7 {
						e, t, g := timed(b, exact), timed(b, sampled), timed(b, given)
						withChoice, alone, share = append(withChoice, e/t), append(alone, e/g), append(share, 100*timed(b, choosing)/e)
					}
				}
				b.ReportMetric(numtest.Median(withChoice), "x_exact")
				b.ReportMetric(numtest.Median(alone), "x_exact_given")
				b.ReportMetric(numtest.Median(share), "choose_%")
			})
		}
	}
}

// timed returns the median seconds of a call, of as many as fit into some milliseconds.
func timed(b *testing.B, f func() error) float64 {
	b.Helper()
	var t []float64
	for begun := time.Now(); len(t) < 3 || len(t) < 200 && time.Since(begun) < 15*time.Millisecond; {
		start := numtest.Seconds()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		t = append(t, numtest.Seconds()-start)
	}
	return numtest.Median(t)
}

// startNumpy starts the baseline of core/tensor's benchmarks and returns a function that asks
// for the median seconds of an operation; nil where numpy is absent, or not with OpenBLAS.
func startNumpy(b *testing.B, threads int) func(*testing.B, map[string]any) float64 {
	err := numtest.HasPython(b, "numpy")
	if err == nil {
		err = numtest.HasOpenBLAS(b)
	}
	if err != nil {
		b.Log(err)
		return nil
	}
	p := numtest.StartPython(b, "numpy", threads, nil, filepath.Join("..", "tensor", "testdata", "baseline.py"))
	return func(b *testing.B, r map[string]any) float64 {
		r["reps"] = 3
		return p.Ask(b, r)
	}
}

// steps are the trainings of which a step is compared: network, optimiser, batch, and the product
// that is beside the exact one.
var steps = []struct {
	name  string
	net   func() *nn.Net
	o     optim.Optimizer
	batch int
	q     nn.Product
}{
	{"MLP/SGD", func() *nn.Net { return nn.MLP(784, 500, 500, 10) }, optim.SGD{}, 64, TopK{0.5}},
	{"MLP/Adam", func() *nn.Net { return nn.MLP(784, 500, 500, 10) }, optim.Adam{}, 50, TopK{0.5}},
	{"MLP/Adam/batch256", func() *nn.Net { return nn.MLP(784, 500, 500, 10) }, optim.Adam{}, 256, TopK{0.5}},
	{"CNN", nn.MNISTCNN, optim.SGD{Momentum: 0.5}, 64, Product{Sampler: TopK{0.45}, WeightGrad: TopK{0.25}}},
	{"WRN-10-2", func() *nn.Net { return nn.WRN(10, 2, nn.WRNOptions{In: nn.Shape{C: 1, H: 28, W: 28}}) }, optim.SGD{Momentum: 0.9}, 64, Product{Sampler: TopK{0.5}, MinPairs: 10}},
}

// BenchmarkVersusExactStep compares whole steps of training, optimiser and choosing included, with
// exact ones. work_% is the share of the flops of products that is left.
func BenchmarkVersusExactStep(b *testing.B) {
	for _, s := range steps {
		b.Run(s.name, func(b *testing.B) {
			exact, sampled := stepOf(b, s.net(), s.o, s.batch, nil), stepOf(b, s.net(), s.o, s.batch, s.q)
			var x, work []float64
			for b.Loop() {
				for range 7 {
					e, t := timed(b, exact.step), timed(b, sampled.step)
					x = append(x, e/t)
				}
				work = append(work, 100*sampled.net.Pass().Flops/exact.net.Pass().Flops)
			}
			b.ReportMetric(numtest.Median(x), "x_exact")
			b.ReportMetric(numtest.Median(work), "work_%")
		})
	}
}

// BenchmarkStep is the sampled and the exact step alone, for profiles.
func BenchmarkStep(b *testing.B) {
	for _, s := range steps {
		for name, q := range map[string]nn.Product{"exact": nil, "sampled": s.q} {
			b.Run(s.name+"/"+name, func(b *testing.B) {
				t := stepOf(b, s.net(), s.o, s.batch, q)
				for b.Loop() {
					if err := t.step(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

type stepper struct {
	net    *nn.Net
	o      optim.Optimizer
	x, dy  tensor.Matrix[float32]
	labels []int
	memory []float32
	n      int
}

func stepOf(b *testing.B, net *nn.Net, o optim.Optimizer, batch int, q nn.Product) *stepper {
	net.SetProduct(q, 1)
	s := &stepper{net: net, o: o, x: tensor.New[float32](batch, net.In().Size()), dy: tensor.New[float32](batch, net.Out().Size()), labels: make([]int, batch)}
	random.FillUniform(random.New(3), s.x.Data, 0, 1)
	for i := range s.labels {
		s.labels[i] = i % net.Out().Size()
	}
	s.memory = make([]float32, o.Memory()*len(net.Weights()))
	if err := s.step(); err != nil {
		b.Fatal(err)
	}
	return s
}

func (s *stepper) step() error {
	p := s.net.Pass()
	p.Train, p.Step, p.Flops = true, uint64(s.n), 0
	y, err := s.net.Forward(s.x)
	if err != nil {
		return err
	}
	if _, err := nn.LossOf(nn.CrossEntropy, s.dy, y, s.labels, tensor.Matrix[float32]{}); err != nil {
		return err
	}
	s.n++
	if s.o == optim.Optimizer(optim.SGD{}) { // as trainings do
		return s.net.Descend(s.dy, 1e-3)
	}
	if err := s.net.Backward(s.dy); err != nil {
		return err
	}
	optim.Step(s.o, s.net.Weights(), s.net.Gradients(), s.memory, 1e-3, s.n)
	return nil
}
