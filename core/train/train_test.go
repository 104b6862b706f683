package train

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clouds are samples around three centres of unit distance in 8 dimensions, spread by 0.2.
func clouds(train, test int) *Samples {
	s := random.New(11)
	draw := func(n int) (tensor.Matrix[float32], []int) {
		x, labels := tensor.New[float32](n, 8), make([]int, n)
		random.FillNormal(s, x.Data, 0, 0.2)
		for i := range labels {
			labels[i] = s.IntN(3)
			x.Row(i)[labels[i]]++
		}
		return x, labels
	}
	d := &Samples{}
	d.X, d.Labels = draw(train)
	d.TestX, d.TestLabels = draw(test)
	return d
}

func TestTrainingIsThatOfPlainLoops(t *testing.T) {
	d := clouds(50, 0)
	net := nn.MLP(8, 3).Float64()
	w := slices.Clone(net.Weights())
	o := Options{Batch: 7, Epochs: 2, Rate: 0.5, Loss: nn.MSE, InOrder: true, Optimizer: optim.SGD{Decay: 0.01}}
	res, err := Train64(context.Background(), net, d, o)
	if err != nil {
		t.Fatal(err)
	}
	var loss float64
	for range 2 {
		for from := 0; from < 50; from += 7 {
			n := min(7, 50-from)
			g := make([]float64, len(w))
			loss = 0
			for i := from; i < from+n; i++ {
				for j := range 3 {
					e := w[24+j]
					for k, x := range d.X.Row(i) {
						e += float64(x) * w[3*k+j]
					}
					if d.Labels[i] == j {
						e--
					}
					scale := 1 / float64(3*n)
					loss += e * e * scale
					for k, x := range d.X.Row(i) {
						g[3*k+j] += 2 * e * float64(x) * scale
					}
					g[24+j] += 2 * e * scale
				}
			}
			for i := range w {
				w[i] -= 0.5 * (g[i] + 0.01*w[i])
			}
		}
	}
	for i, v := range net.Weights() {
		if math.Abs(v-w[i]) > 1e-13 { // 16 steps of sums of some 60 numbers below 1
			t.Errorf("weight %d is %.15g, plainly %.15g", i, v, w[i])
		}
	}
	if math.Abs(res.Loss-loss) > 1e-13 || res.Steps != 16 || res.Epochs != 2 || !math.IsNaN(res.Accuracy) {
		t.Errorf("result %+v, last loss plainly %g", res, loss)
	}
}

func TestTraceTellsWhatHappened(t *testing.T) {
	d := clouds(300, 100)
	net := nn.MLP(8, 16, 3)
	steps, epochs := 0, 0
	o := Options{Epochs: 3, Batch: 32, Rate: 0.5, OnStep: func(StepInfo) { steps++ }, OnEpoch: func(e EpochInfo) {
		if epochs++; e.Epoch != epochs || e.Step != 10*epochs || !(e.Loss > 0 && e.Loss < 2) {
			t.Errorf("epoch %d is told as %+v", epochs, e)
		}
	}}
	r := Start(context.Background(), net, d, o)
	if err := r.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	loss, accuracy := r.Trace().Points("loss"), r.Trace().Points("accuracy")
	if len(loss) != 30 || len(accuracy) != 3 || steps != 30 || epochs != 3 {
		t.Fatalf("%d losses, %d accuracies, hooks called %d and %d times", len(loss), len(accuracy), steps, epochs)
	}
	res := r.Result()
	if res.Accuracy < 0.98 || accuracy[2].Value != res.Accuracy || accuracy[2].Step != 30 {
		t.Errorf("accuracy %g, in the trace %+v", res.Accuracy, accuracy[2])
	}
	// Forward and weights' gradients of both layers, and the input's of the second.
	want := 3. * 300 * (2*2*(8*16+16*3) + 2*16*3)
	if res.Flops != want || loss[29].Work != want {
		t.Errorf("%g flops, in the trace %g, want %g", res.Flops, loss[29].Work, want)
	}
	if r.CallsCells() == false || r.Progress().Done != 30 || r.Progress().Total != 30 {
		t.Errorf("progress %+v", r.Progress())
	}
	path := filepath.Join(t.TempDir(), "run")
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := run.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := back.Result().(*Result); !ok || *got != *res {
		t.Errorf("saved %+v, loaded %+v", res, back.Result())
	}
	mean, share, err := Evaluate(net, d.TestX, d.TestLabels, nn.CrossEntropy)
	if err != nil || share != res.Accuracy || math.Abs(mean-res.TestLoss) > 1e-6 {
		t.Errorf("evaluated to %g and %g, %v; result %+v", mean, share, err, res)
	}
}

// busy is a net in which everything that is random or remembered takes part.
func busy() *nn.Net {
	return nn.New(nn.Vector(8), nn.Dense{Out: 24}, nn.BatchNorm{}, nn.ReLU{}, nn.Dropout{Rate: 0.2}, nn.Dense{Out: 3})
}

func busyOptions() Options {
	return Options{Epochs: 3, Batch: 32, Seed: 5, Optimizer: optim.Adam{Decay: 1e-4}, Schedule: optim.WarmUp{Then: optim.Cosine{}}, Clip: 1, Workers: 1}
}

func TestSameSeedSameBits(t *testing.T) {
	d := clouds(300, 100)
	weights := func(change func(*Options)) []float32 {
		net, o := busy(), busyOptions()
		change(&o)
		if _, err := Train(context.Background(), net, d, o); err != nil {
			t.Fatal(err)
		}
		return net.Weights()
	}
	want := weights(func(*Options) {})
	if !slices.Equal(want, weights(func(o *Options) { o.Workers = 2 })) {
		t.Error("two workers give other bits")
	}
	if slices.Equal(want, weights(func(o *Options) { o.Seed++ })) {
		t.Error("another seed gives the same bits")
	}
}

func TestResumedTrainingIsThatWithoutInterruption(t *testing.T) {
	d := clouds(300, 100)
	whole := busy()
	want, err := Train(context.Background(), whole, d, busyOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{1, 10, 14, 29, 30} { // 10 steps an epoch
		file := filepath.Join(t.TempDir(), "checkpoint")
		o := busyOptions()
		o.Checkpoint = file
		ctx, cancel := context.WithCancel(context.Background())
		o.OnStep = func(s StepInfo) {
			if s.Step == at {
				cancel()
			}
		}
		part, err := Train(ctx, busy(), d, o)
		if !errors.Is(err, context.Canceled) || part.Steps != at || part.Why != "" {
			t.Fatalf("stopped at %d: %+v, %v", at, part, err)
		}
		o.OnStep, o.Resume = nil, file
		net := busy().Init(99)
		got, err := Train(context.Background(), net, d, o)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(net.Weights(), whole.Weights()) || !slices.Equal(net.Running(), whole.Running()) || *got != *want {
			t.Errorf("stopped at %d and resumed: %+v, without interruption %+v", at, got, want)
		}
	}
}

func TestDivergenceIsToldAndEndsTheRun(t *testing.T) {
	d := clouds(64, 0)
	net := nn.MLP(8, 16, 3)
	r := Start(context.Background(), net, d, Options{Epochs: 200, Batch: 16, Rate: 1e12})
	err := r.Wait(context.Background())
	var e *DivergedError
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	points := r.Trace().Points("loss")
	last := points[len(points)-1]
	if e.LastStep != len(points) || e.LastLoss != last.Value || e.Step != e.LastStep+1 || !strings.HasPrefix(e.Layer, "dense") {
		t.Errorf("told %+v, last sample %+v of %d", e, last, len(points))
	}
	if !strings.Contains(err.Error(), e.Layer) || r.State() != run.StateFailed {
		t.Errorf("state %v, error %v", r.State(), err)
	}
}

func TestPatienceAndBest(t *testing.T) {
	d := clouds(100, 100)
	for i := range d.TestLabels { // labels that a network can only unlearn
		d.TestLabels[i] = (d.TestLabels[i] + 1) % 3
	}
	file := filepath.Join(t.TempDir(), "c")
	var best []float32
	net := nn.MLP(8, 3)
	o := Options{Epochs: 50, Rate: 0.5, Patience: 3, Checkpoint: file, Best: true}
	o.OnEpoch = func(e EpochInfo) {
		if e.Better {
			best = slices.Clone(net.Weights())
		}
	}
	res, err := Train(context.Background(), net, d, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Why != "no better test" || res.Epochs != res.BestEpoch+3 {
		t.Errorf("result %+v", res)
	}
	other := nn.MLP(8, 3)
	if err := LoadWeights(other, file+".best"); err != nil || !slices.Equal(other.Weights(), best) {
		t.Errorf("the best weights are not those of the best epoch: %v", err)
	}
	if _, a, _ := Evaluate(other, d.TestX, d.TestLabels, nn.CrossEntropy); a != res.Best {
		t.Errorf("best weights are %g right, result says %g", a, res.Best)
	}
	if err := LoadWeights(nn.MLP(8, 4), file+".best"); err == nil {
		t.Error("weights of another network were taken")
	}
}

func TestStepsAllocateNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes sync.Pool allocate")
	}
	d := clouds(256, 0)
	o := busyOptions().defaults()
	tr, err := newTrainer(busy(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	tr.batch = newBatch[float32](32, 8, 3, o.Loss)
	tr.shuffle()
	p := tr.net.Pass()
	step := func() {
		if err := tr.step(p); err != nil {
			t.Fatal(err)
		}
	}
	step()
	if n := testing.AllocsPerRun(20, step); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

func TestBadInputIsAnErrorThatSaysSo(t *testing.T) {
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged")
	good := filepath.Join(dir, "good")
	if _, err := Train(context.Background(), nn.MLP(8, 3), clouds(20, 0), Options{Checkpoint: good, Batch: 8}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, data[:len(data)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]struct {
		net  *nn.Net
		data Data
		o    Options
	}{
		"Epochs is -1":                       {nn.MLP(8, 3), clouds(9, 0), Options{Epochs: -1}},
		"Rate is NaN":                        {nn.MLP(8, 3), clouds(9, 0), Options{Rate: math.NaN()}},
		"Clip is -1":                         {nn.MLP(8, 3), clouds(9, 0), Options{Clip: -1}},
		"Momentum is 2":                      {nn.MLP(8, 3), clouds(9, 0), Options{Optimizer: optim.SGD{Momentum: 2}}},
		"network or the data is nil":         {nil, clouds(9, 0), Options{}},
		"dense2: Out is -1":                  {nn.MLP(8, 3, -1), clouds(9, 0), Options{}},
		"8 numbers each":                     {nn.MLP(7, 3), clouds(9, 0), Options{}},
		"must be from 0 to 1, as":            {nn.MLP(8, 2), clouds(50, 0), Options{}},
		"the data is nil":                    {nn.MLP(8, 3), (*Samples)(nil), Options{}},
		`its network is "MLP 8-3: 8 to 3, 2`: {nn.MLP(8, 5, 3), clouds(20, 0), Options{Resume: good, Batch: 8}},
		"no training samples":                {nn.MLP(8, 3), &Samples{}, Options{}},
		"0 labels for 9":                     {nn.MLP(8, 3), &Samples{X: clouds(9, 0).X}, Options{}},
		"need samples to test":               {nn.MLP(8, 3), clouds(9, 0), Options{Patience: 1}},
		"say where to write":                 {nn.MLP(8, 3), clouds(9, 0), Options{Best: true}},
		"no such file":                       {nn.MLP(8, 3), clouds(9, 0), Options{Resume: filepath.Join(dir, "none")}},
		"damaged or cut short":               {nn.MLP(8, 3), clouds(20, 0), Options{Resume: damaged}},
		`its number of samples is "20"`:      {nn.MLP(8, 3), clouds(9, 0), Options{Resume: good, Batch: 8}},
		`its optimizer is "SGD"`:             {nn.MLP(8, 3), clouds(20, 0), Options{Resume: good, Optimizer: optim.Adam{}}},
		"targets for 9 training samples and": {nn.MLP(8, 3), &Samples{X: clouds(9, 0).X, Targets: tensor.New[float32](9, 2)}, Options{Loss: nn.MSE}},
		"norm1: batch norm of 1 number":      {busy(), clouds(33, 0), Options{Batch: 32}},
	} {
		res, err := Train(context.Background(), c.net, c.data, c.o)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
		if res != nil && res.Epochs > 0 {
			t.Errorf("%q: result %+v", want, res)
		}
	}
}
