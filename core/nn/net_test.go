package nn

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"trivium/core/random"
	"trivium/core/tensor"
)

// The counts are those of torchvision's ResNets and of the wide residual networks' paper
// (5.25 counts some of what is not a product; products and convolutions alone are 5.243).
func TestCountsAreThoseOfThePapers(t *testing.T) {
	for name, c := range map[string]struct {
		net    *Net
		params int
		gmacs  float64
		digits float64
	}{
		"MLP 784-500-500-10":           {MLP(784, 500, 500, 10), 784*500 + 500*500 + 500*10 + 1010, 0.000647, 1e-6},
		"MNIST CNN":                    {MNISTCNN(), 800 + 32 + 51200 + 64 + 3136*1024 + 1024 + 10250, 0.0138, 1e-4},
		"ResNet-50":                    {ResNet(50), 25557032, 4.09, 0.005},
		"ResNet-101":                   {ResNet(101), 44549160, 7.80, 0.005},
		"ResNet-152":                   {ResNet(152), 60192808, 11.51, 0.005},
		"WRN-28-10":                    {WRN(28, 10, WRNOptions{}), 36479194, 5.25, 0.007},
		"WRN-28-10, stride in the 2nd": {WRN(28, 10, WRNOptions{StrideIn2nd: true}), 36479194, 5.95, 0.005},
	} {
		if c.net.Err() != nil {
			t.Fatal(c.net.Err())
		}
		if n := c.net.Count(); n != c.params {
			t.Errorf("%s has %d parameters, want %d", name, n, c.params)
		}
		if g := float64(c.net.MACs()) / 1e9; math.Abs(g-c.gmacs) > c.digits {
			t.Errorf("%s has %.4f GMAC, want %.4f", name, g, c.gmacs)
		}
		if c.net.weights != nil {
			t.Errorf("%s took memory for its weights", name)
		}
	}
}

// plainMLP computes a network of dense layers with ReLU between them in float64.
func plainMLP(sizes []int, w []float32, x []float32) []float64 {
	h := make([]float64, len(x))
	for i, v := range x {
		h[i] = float64(v)
	}
	for k, out := range sizes[1:] {
		next := make([]float64, out)
		for j := range next {
			next[j] = float64(w[len(h)*out+j])
			for i, v := range h {
				next[j] += v * float64(w[i*out+j])
			}
			if k < len(sizes)-2 {
				next[j] = max(next[j], 0)
			}
		}
		w = w[(len(h)+1)*out:]
		h = next
	}
	return h
}

func TestForwardIsThatOfPlainLoops(t *testing.T) {
	sizes := []int{20, 30, 10, 4}
	net := MLP(sizes...)
	random.FillNormal(random.New(1), net.Weights(), 0, 0.3)
	x := tensor.New[float32](7, 20)
	random.FillNormal(random.New(2), x.Data, 0, 1)
	y, err := net.Forward(x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		for j, want := range plainMLP(sizes, net.Weights(), x.Row(i)) {
			if d := math.Abs(float64(y.Row(i)[j]) - want); d > 1e-5 { // some 100 roundings of 6e-8 of numbers near 1
				t.Errorf("output %d of sample %d is off by %g", j, i, d)
			}
		}
	}
}

func TestBatchNormNormalises(t *testing.T) {
	net := New(Shape{2, 3, 3}, BatchNorm{})
	x := tensor.New[float32](8, 18)
	random.FillNormal(random.New(2), x.Data, 1000, 2) // a mean whose square would swamp the variance
	p := net.Pass()
	p.Train = true
	y, err := net.Forward(x)
	if err != nil {
		t.Fatal(err)
	}
	for c := range 2 {
		var sum, squares float64
		for n := range 8 {
			for _, v := range images(y, net.In()).Plane(n, c) {
				sum += float64(v)
				squares += float64(v) * float64(v)
			}
		}
		if math.Abs(sum/72) > 1e-3 || math.Abs(squares/72-1) > 1e-3 {
			t.Errorf("channel %d has mean %g and mean square %g", c, sum/72, squares/72)
		}
	}
	if m, v := net.Running()[0], net.Running()[2]; math.Abs(float64(m)-100) > 1 || v < 0.9+0.2 || v > 0.9+0.8 {
		t.Errorf("running mean %g and variance %g after one batch of mean 1000 and variance 4", m, v)
	}
	p.Train = false
	before := slices.Clone(net.Running())
	if _, err := net.Forward(x); err != nil || !slices.Equal(before, net.Running()) {
		t.Errorf("evaluation changed the running averages, %v", err)
	}
}

func TestDropoutKeepsItsShareAndTheMean(t *testing.T) {
	net := New(Vector(1000), Dropout{Rate: 0.3})
	x := tensor.New[float32](100, 1000)
	for i := range x.Data {
		x.Data[i] = 1
	}
	p := net.Pass()
	p.Train, p.Seed = true, 1
	y, _ := net.Forward(x)
	zeros := 0
	for _, v := range flat(y) {
		if v == 0 {
			zeros++
		} else if math.Abs(float64(v)-1/0.7) > 1e-4 {
			t.Fatalf("kept number is %g", v)
		}
	}
	if share := float64(zeros) / 1e5; math.Abs(share-0.3) > 5*math.Sqrt(0.3*0.7/1e5) { // 5 deviations
		t.Errorf("dropped %.4f, want 0.3", share)
	}
	first := slices.Clone(flat(y))
	p.Step++
	y, _ = net.Forward(x)
	if slices.Equal(first, flat(y)) {
		t.Error("two steps have the same mask")
	}
	p.Step--
	y, _ = net.Forward(x)
	if !slices.Equal(first, flat(y)) {
		t.Error("the same step has another mask")
	}
	p.Train = false
	if y, _ = net.Forward(x); !slices.Equal(flat(y), flat(x)) {
		t.Error("evaluation drops")
	}
}

func TestCopiesAreIndependentAndReplicasShare(t *testing.T) {
	net := MLP(3, 4, 2).Init(7)
	c, r := net.Clone(), net.Replica()
	if !slices.Equal(c.Weights(), net.Weights()) {
		t.Error("a clone has other weights")
	}
	net.Weights()[0] = 42
	if c.Weights()[0] == 42 || r.Weights()[0] != 42 {
		t.Errorf("after a change of the net the clone has %g, the replica %g", c.Weights()[0], r.Weights()[0])
	}
	r.Gradients()[0] = 1
	if net.Gradients()[0] == 1 {
		t.Error("a replica shares gradients")
	}
	w := make([]float32, net.Count())
	if err := c.Use(w); err != nil {
		t.Fatal(err)
	}
	y, _ := c.Forward(tensor.Of(1, 3, []float32{1, 2, 3}))
	if y.Data[0] != 0 || c.Use(w[1:]) == nil {
		t.Errorf("with weights of 0 the result is %g", y.Data[0])
	}
}

func TestTwinsHoldSeveralBatches(t *testing.T) {
	net := MLP(3, 5, 2)
	a, b := net.Twin(), net.Twin()
	x, dy := tensor.Of(1, 3, []float32{1, 2, 3}), []float32{1, -1}
	other := tensor.Of(1, 3, []float32{-1, 0.5, 2})
	for _, twin := range []*Net{a, b} {
		twin.Pass().Train, twin.Pass().Accumulate = true, true
	}
	for i, in := range []tensor.Matrix[float32]{x, other} { // both forward, then both backward
		if _, err := []*Net{a, b}[i].Forward(in); err != nil {
			t.Fatal(err)
		}
	}
	for _, twin := range []*Net{a, b} {
		if err := twin.Backward(tensor.Of(1, 2, slices.Clone(dy))); err != nil {
			t.Fatal(err)
		}
	}
	alone := net.Clone()
	alone.Pass().Train, alone.Pass().Accumulate = true, true
	for _, in := range []tensor.Matrix[float32]{x, other} {
		if _, err := alone.Forward(in); err != nil {
			t.Fatal(err)
		}
		if err := alone.Backward(tensor.Of(1, 2, slices.Clone(dy))); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(net.Gradients(), alone.Gradients()) || tensor.SumSquares(net.Gradients()) == 0 {
		t.Errorf("twins' gradients %v, one after the other %v", net.Gradients(), alone.Gradients())
	}
}

func TestFirstWeightsFollowTheirRule(t *testing.T) {
	for rule, variance := range map[Init]float64{HeNormal: 2. / 400, HeUniform: 2. / 400, XavierNormal: 2. / 700, XavierUniform: 2. / 700} {
		net := New(Vector(400), Dense{Out: 300, Init: rule, NoBias: true})
		w := net.Weights()
		got := float64(tensor.SumSquares(w)) / float64(len(w))
		// The variance of a sample variance of n normal numbers is 2σ⁴/n: 5 deviations are 2%.
		if math.Abs(got/variance-1) > 0.025 {
			t.Errorf("rule %d: variance %.6f, want %.6f", rule, got, variance)
		}
	}
	for _, shape := range [][2]int{{6, 4}, {4, 6}} {
		net := New(Vector(shape[0]), Dense{Out: shape[1], Init: Orthogonal, Gain: 3, NoBias: true}).Float64()
		w := tensor.Of(shape[0], shape[1], net.Weights())
		g := tensor.New[float64](4, 4)
		form := tensor.TN
		if shape[0] < shape[1] {
			form = tensor.NT
		}
		if err := tensor.Mul(nil, g, form, w, w, 1, 0); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			for j := range 4 {
				want := 0.0
				if i == j {
					want = 9
				}
				if math.Abs(g.Row(i)[j]-want) > 1e-5 {
					t.Errorf("%v: product %d, %d of the vectors is %g, want %g", shape, i, j, g.Row(i)[j], want)
				}
			}
		}
	}
}

func TestBadNetsSayWhichLayer(t *testing.T) {
	for want, net := range map[string]*Net{
		"dense2: Out is 0":               MLP(3, 4, 0),
		"MLP of [3]":                     MLP(3),
		"conv1: a window of 5×5":         New(Shape{1, 4, 4}, Conv{Out: 2, Size: 5}),
		"block1: the body gives 3 and":   New(Vector(2), Residual{Body: Chain{Dense{Out: 3}}}),
		"block1.body.dropout1: Rate is":  New(Vector(2), Residual{Body: Chain{Dropout{Rate: 1}}}),
		"number 0 is nil":                New(Vector(2), nil),
		"0 goes in":                      New(Shape{0, 1, 1}, ReLU{}),
		"ResNet-51":                      ResNet(51),
		"WRN-27-1":                       WRN(27, 1, WRNOptions{}),
		"maxpool1: Size 0":               New(Shape{1, 4, 4}, MaxPool{}),
		"avgpool1: Size 0 is for square": New(Shape{1, 4, 5}, AvgPool{}),
		"norm1: Momentum NaN":            New(Vector(2), BatchNorm{Momentum: math.NaN()}),
	} {
		if net.Err() == nil || !strings.Contains(net.Err().Error(), want) {
			t.Errorf("want an error with %q, got %v", want, net.Err())
		}
		if _, err := net.Forward(tensor.New[float32](1, 1)); err == nil {
			t.Errorf("%q: a net that cannot be gives a result", want)
		}
		if net.Clone().Err() == nil || net.Weights() != nil || net.Backward(tensor.Matrix[float32]{}) == nil {
			t.Errorf("%q: a net that cannot be is used", want)
		}
	}
	net := MLP(3, 2)
	if _, err := net.Forward(tensor.New[float32](1, 4)); err == nil {
		t.Error("4 numbers went into 3 inputs")
	}
	norm := New(Vector(2), BatchNorm{})
	norm.Pass().Train = true
	_, err := norm.Forward(tensor.New[float32](1, 2))
	var l *LayerError
	if !errors.As(err, &l) || l.Layer != "norm1" {
		t.Errorf("batch norm of one sample: %v", err)
	}
}

func TestBlameFindsTheLayer(t *testing.T) {
	net := MLP(2, 3, 3, 1)
	x := tensor.Of(1, 2, []float32{1, 2})
	if b := net.Blame(x); b != "" {
		t.Errorf("blames %q of a sound net", b)
	}
	for i := range net.Params()[2].Value {
		net.Params()[2].Value[i] = 3e38 // finite, but not what comes of it
	}
	net.Params()[1].Value[0] = 10
	if b := net.Blame(x); b != "dense2" {
		t.Errorf("blames %q, not dense2", b)
	}
	net.Params()[5].Value[0] = float32(math.NaN())
	if b := net.Blame(x); b != "dense3.bias" {
		t.Errorf("blames %q, not dense3.bias", b)
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes sync.Pool allocate")
	}
	net := WRN(10, 1, WRNOptions{In: Shape{1, 8, 8}, Dropout: 0.2})
	x, dy := tensor.New[float32](4, 64), tensor.New[float32](4, 10)
	labels := []int{1, 2, 3, 4}
	net.Pass().Train = true
	step := func() {
		y, err := net.Forward(x)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LossOf(CrossEntropy, dy, y, labels, tensor.Matrix[float32]{}); err != nil {
			t.Fatal(err)
		}
		if err := net.Backward(dy); err != nil {
			t.Fatal(err)
		}
	}
	step()
	if n := testing.AllocsPerRun(5, step); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// half is a product that returns half of the exact forward result, to see where it is used.
type half struct{}

type halved[T tensor.Float] struct{ Exact[T] }

func (half) Multiplier32(Info, *random.Stream) Multiplier[float32] { return halved[float32]{} }
func (half) Multiplier64(Info, *random.Stream) Multiplier[float64] { return halved[float64]{} }
func (half) String() string                                        { return "half" }

func (h halved[T]) Forward(p *Pass[T], y, x, w tensor.Matrix[T], bias []T, relu bool) error {
	err := h.Exact.Forward(p, y, x, w, bias, relu)
	tensor.Scale(flat(y), 0.5, flat(y))
	return err
}

func TestProductIsUsedInTrainingAlone(t *testing.T) {
	net := MLP(2, 1)
	copy(net.Weights(), []float32{3, 4, 0.5})
	net.SetProduct(half{}, 1)
	c := net.Clone()
	for train, want := range map[bool]float32{true: 5.75, false: 11.5} {
		for _, n := range []*Net{net, c} {
			n.Pass().Train = train
			if y, err := n.Forward(tensor.Of(1, 2, []float32{1, 2})); err != nil || y.Data[0] != want {
				t.Errorf("train %v: %v %v, want %v", train, y.Data, err, want)
			}
		}
	}
	if f := net.Pass().Flops; f != 8 {
		t.Errorf("two passes of 2 multiplications took %v flops", f)
	}
}
