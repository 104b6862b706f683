package crs

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
	"trivium/core/train"
)

// A sum around the ring is the sum, to the same bits on every node, and takes the bytes that it should.
func TestRing(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for _, length := range []int{0, 1, 3, 64, 1001} {
			r := NewRing(n)
			v := make([][]float32, n)
			want := make([]float64, length)
			for i := range v {
				v[i] = make([]float32, length)
				random.FillNormal(random.New(uint64(i)), v[i], 0, 1)
				for j, x := range v[i] {
					want[j] += float64(x)
				}
			}
			var wg sync.WaitGroup
			for i := range v {
				wg.Go(func() {
					if err := r.AllReduce(context.Background(), i, v[i]); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			for i := range v {
				if !slices.Equal(v[i], v[0]) {
					t.Fatalf("%d nodes: node %d has another sum than node 0", n, i)
				}
			}
			for j, x := range v[0] {
				if math.Abs(float64(x)-want[j]) > 1e-5 { // rounding of n terms of about 1
					t.Fatalf("%d nodes: number %d is %v, want %v", n, j, x, want[j])
				}
			}
			if got := r.Bytes(); got != int64(2*(n-1)*length*4) {
				t.Errorf("%d nodes, %d numbers: %d bytes, want %d", n, length, got, 2*(n-1)*length*4)
			}
		}
	}
}

func TestRingErrors(t *testing.T) {
	r := NewRing(2)
	if err := r.AllReduce(context.Background(), 2, nil); err == nil {
		t.Error("rank 2 of 2 has no error")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the other node is gone")
	cancel(why)
	if err := r.AllReduce(ctx, 0, make([]float32, 4)); err != why {
		t.Errorf("%v, want %v", err, why)
	}
	r = NewRing(2)
	ctx, cancel2 := context.WithCancelCause(context.Background())
	defer cancel2(nil)
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, n := range []int{10, 20} {
		wg.Go(func() {
			errs[i] = r.AllReduce(ctx, i, make([]float32, n))
			cancel2(errs[i])
		})
	}
	wg.Wait()
	if errs[0] == nil || errs[1] == nil || !strings.Contains(errs[0].Error()+errs[1].Error(), "chosen different pairs") {
		t.Errorf("different lengths: %v", errs)
	}
}

// With all pairs, several nodes train as one does on the joined batches, up to rounding: here 40
// steps that each lose some ε·|w|. The last batch of an epoch is smaller, and one does not divide.
func TestNodesEqualOneNode(t *testing.T) {
	data := moons(211)
	for _, clip := range []float64{0, 0.05} {
		one := nn.MLP(10, 24, 16, 2)
		res, err := train.Train(context.Background(), one, data, train.Options{Epochs: 10, Batch: 48, Seed: 5, Optimizer: optim.SGD{Momentum: 0.9}, Clip: clip})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 3, 4} {
			several := nn.MLP(10, 24, 16, 2)
			got, err := Nodes{N: n}.Train(context.Background(), several, data,
				train.Options{Epochs: 10, Batch: 48 / n, Seed: 5, Optimizer: optim.SGD{Momentum: 0.9}, Clip: clip, Product: TopKWeights{1}})
			if err != nil {
				t.Fatal(err)
			}
			if got.Steps != res.Steps || got.Share != 1 || got.Epochs != 10 {
				t.Errorf("%d nodes: %+v, one node took %d steps", n, got, res.Steps)
			}
			worst, size := 0.0, 0.0
			for i, w := range one.Weights() {
				worst = max(worst, math.Abs(float64(w-several.Weights()[i])))
				size = max(size, math.Abs(float64(w)))
			}
			if worst > 2e-4*size {
				t.Errorf("%d nodes: a weight differs by %.2g, the largest is %.2g", n, worst, size)
			}
			if math.Abs(got.TestLoss-res.TestLoss) > 1e-3 {
				t.Errorf("%d nodes: test loss %v, one node %v", n, got.TestLoss, res.TestLoss)
			}
		}
	}
}

// Nodes choose alike and keep the same weights without being told, while what they send falls.
func TestNodesChooseAlike(t *testing.T) {
	data := moons(128)
	image := &train.Samples{X: tensor.New[float32](128, 100), Labels: data.Labels}
	random.FillNormal(random.New(3), image.X.Data, 0, 1)
	const whole = 10*24 + 24 + 24*16 + 16 + 16*2 + 2
	const half = (5*24 + 24 + 12*16 + 16 + 8*2 + 2) / float64(whole)
	cnn := nn.New(nn.Shape{C: 1, H: 10, W: 10}, nn.Conv{Out: 8, Size: 3, Pad: 1}, nn.BatchNorm{}, nn.ReLU{}, nn.Conv{Out: 6, Size: 3}, nn.ReLU{}, nn.Dense{Out: 2})
	for _, c := range []struct {
		net   *nn.Net
		data  train.Data
		q     nn.Product
		share float64
		norms int // of inputs, that are sent too
	}{
		{nn.MLP(10, 24, 16, 2), data, TopKWeights{0.5}, half, 0},
		{nn.MLP(10, 24, 16, 2), data, TopK{0.5}, half, 10 + 24 + 16},
		{nn.MLP(10, 24, 16, 2), data, WithoutReplacement{0.5}, half, 10 + 24 + 16},
		{nn.MLP(10, 24, 16, 2), data, Product{Sampler: TopK{0.5}, MinPairs: 16, Look: 2}, float64(whole-8*16) / whole, 24},
		{nn.MLP(10, 24, 16, 2), data, Product{Sampler: Uniform{0.5}, Exact: []string{"dense2"}}, float64(5*24+24+24*16+16+8*2+2) / whole, 0},
		{cnn, image, Product{Sampler: TopKWeights{0.5}, Exact: []string{"dense"}}, float64(72+8+16+4*6*9+6+768+2) / float64(72+8+16+8*6*9+6+768+2), 0},
		{cnn, image, Product{Sampler: TopK{0.5}, Exact: []string{"dense"}}, float64(72+8+16+4*6*9+6+768+2) / float64(72+8+16+8*6*9+6+768+2), 8},
	} {
		ring := &watched{Ring: NewRing(4)}
		res, err := Nodes{N: 4, Exchange: ring}.Train(context.Background(), c.net, c.data, train.Options{Epochs: 3, Batch: 8, Product: c.q})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(res.Share-c.share) > 1e-12 {
			t.Errorf("%v: %.4f of the gradients were sent, want %.4f", c.q, res.Share, c.share)
		}
		running := len(c.net.Running())
		each := int64(math.Round(c.share*float64(len(c.net.Weights())))) + int64(running) + int64(c.norms) + 1
		if want := int64(res.Steps) * 6 * 4 * each; res.Bytes != want {
			t.Errorf("%v: %d bytes sent, want %d", c.q, res.Bytes, want)
		}
		if res.Bytes != ring.Bytes() {
			t.Errorf("%v: %d bytes, the ring says %d", c.q, res.Bytes, ring.Bytes())
		}
		if !(res.Loss < 5) { // of two classes, after three epochs with few inputs
			t.Errorf("%v: loss %v", c.q, res.Loss)
		}
	}
}

// Nodes choose by what all of them had in the steps before: here each has inputs that the other has not,
// and those of node 1 are larger.
func TestNodesChooseByAllInputs(t *testing.T) {
	data := &train.Samples{X: tensor.New[float32](40, 8), Labels: make([]int, 40)}
	for i := range data.X.Rows {
		for j := range 4 {
			data.X.Row(i)[4*(i%2)+j] = float32(1 + 20*(i%2))
		}
	}
	for _, s := range []Sampler{TopK{0.5}, TopKAdaptive{0.9}} {
		kept := &Record{}
		q := Product{Sampler: s, Record: kept}
		_, err := Nodes{N: 2}.Train(context.Background(), nn.MLP(8, 6, 2), data, train.Options{Batch: 1, InOrder: true, Rate: 1e-4, Product: q})
		if err != nil {
			t.Fatal(err)
		}
		often, pairs, _, _ := kept.Drawn("dense1 forward")
		if pairs != 8 || len(often[0]) != 20 {
			t.Fatalf("%d pairs, %d steps", pairs, len(often[0]))
		}
		for i, row := range often {
			for step, got := range row[1:] { // the first step knows of no inputs yet
				if want := float64(i / 4); got != want {
					t.Fatalf("%v: input %d in step %d was chosen %v times, want %v", q, i, step+2, got, want)
				}
			}
		}
	}
}

// watched is an exchange of one's own: each node sees the same.
type watched struct{ *Ring }

func (w *watched) AllReduce(ctx context.Context, rank int, v []float32) error {
	return w.Ring.AllReduce(ctx, rank, v)
}

func TestNodesRefuse(t *testing.T) {
	data := moons(64)
	bad := moons(64)
	bad.Labels[7] = 9
	for want, c := range map[string]struct {
		n    int
		data train.Data
		o    train.Options
	}{
		"its function at once":     {2, data, train.Options{Product: Custom{Keep: 0.5, Probabilities: func(c []float64, _ int) []float64 { return c }}}},
		"only the forward product": {2, data, train.Options{Product: Product{Sampler: Uniform{0.5}, Mode: Backward}}},
		"changes in the course":    {2, data, train.Options{Product: Budget{}}},
		"Nodes.N is -1":            {-1, data, train.Options{}},
		"Options.Patience":         {2, data, train.Options{Patience: 3}},
		"Options.GradientNorms":    {2, data, train.Options{GradientNorms: 1}},
		"Options.Augment":          {2, data, train.Options{Augment: train.Augment{Flip: true}}},
		"Options.Steps is -20":     {2, data, train.Options{Steps: -20}},
		"Options.Loss":             {2, data, train.Options{Loss: nn.MSE}},
		"label 7 of the training":  {2, bad, train.Options{}},
		"no training samples":      {2, &train.Samples{}, train.Options{}},
		"TopKWeights.Keep is 2":    {2, data, train.Options{Product: TopKWeights{2}}},
		"try a smaller Rate":       {2, data, train.Options{Rate: 1e30, Epochs: 30}},
	} {
		res, err := Nodes{N: c.n}.Train(context.Background(), nn.MLP(10, 8, 2), c.data, c.o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v: want %q", res, err, want)
		}
	}
	if r := (Nodes{}).Start(context.Background(), nil, data, train.Options{}); r.State() != run.StateFailed || r.Err() == nil {
		t.Errorf("no network: %v", r.Err())
	}
}

func TestNodesTellOfEpochs(t *testing.T) {
	var told []train.EpochInfo
	o := train.Options{Epochs: 3, Batch: 8, OnEpoch: func(e train.EpochInfo) { told = append(told, e) }}
	res, err := Nodes{N: 2}.Train(context.Background(), nn.MLP(10, 8, 2), moons(64), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(told) != 3 || told[2].Epoch != 3 || told[1].Step != 8 || told[2].Accuracy != res.Accuracy || !(told[2].Loss > 0 && told[2].Loss < told[0].Loss) {
		t.Errorf("told %+v", told)
	}
}

func TestNodesStop(t *testing.T) {
	r := Nodes{N: 3}.Start(context.Background(), nn.MLP(10, 8, 2), moons(64), train.Options{Epochs: 1 << 20})
	r.Stop()
	if err := r.Wait(context.Background()); !run.Stopped(err) {
		t.Errorf("a stopped run ends with %v", err)
	}
}
