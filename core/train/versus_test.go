package train

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"trivium/core/internal/numtest"
	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// BenchmarkVersusTorch compares training steps of the MLP 784-512-512-10 and of the MNIST CNN,
// the gathering of the batch and the trace included, with torch's, in turn. x_torch above 1:
// ours is faster. The inputs of the MLP are never 0, so that mlp-skip gains by what its ReLUs cut off alone. With TRIVIUM_CLOCK=cpu, which is for one thread, both count the time their
// thread has run.
func BenchmarkVersusTorch(b *testing.B) {
	for _, c := range []struct {
		net         string
		batch, reps int
	}{{"mlp", 64, 10}, {"mlp-skip", 64, 10}, {"mlp", 1, 10}, {"cnn", 64, 2}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d/batch=%d", c.net, threads, c.batch), func(b *testing.B) {
				versusTorch(b, c.net, threads, c.batch, c.reps)
			})
		}
	}
}

func versusTorch(b *testing.B, net string, threads, batch, reps int) {
	ask := startTorch(b, strings.TrimSuffix(net, "-skip"), threads)
	step := netStep(b, net, threads, batch)
	defer numtest.HoldClock()()
	old := runtime.GOMAXPROCS(threads)
	defer runtime.GOMAXPROCS(old)
	ask(batch, reps)
	step()
	var ratios, ours, theirs []float64
	for b.Loop() {
		for range 15 {
			t := ask(batch, reps)
			time.Sleep(10 * time.Millisecond) // until the threads of the other have gone to sleep
			for began := time.Now(); time.Since(began) < numtest.WarmUp; {
				step()
			}
			times := make([]float64, reps)
			for i := range times {
				start := numtest.Seconds()
				step()
				times[i] = numtest.Seconds() - start
			}
			s := numtest.Median(times)
			ratios, ours, theirs = append(ratios, t/s), append(ours, float64(batch)/s), append(theirs, float64(batch)/t)
			time.Sleep(time.Millisecond)
		}
	}
	b.ReportMetric(numtest.Median(ratios), "x_torch")
	b.ReportMetric(numtest.Median(ours), "samples/s")
	b.ReportMetric(numtest.Median(theirs), "theirs_samples/s")
}

// BenchmarkStep is the step of BenchmarkVersusTorch alone, for profiles.
func BenchmarkStep(b *testing.B) {
	for _, net := range []string{"mlp", "mlp-skip", "cnn"} {
		b.Run(net, func(b *testing.B) {
			step := netStep(b, net, 1, 64)
			for b.Loop() {
				step()
			}
			b.ReportMetric(64*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
		})
	}
}

// netStep returns a function that takes the next training step of a network, mlp-skip being mlp with
// nn.SkipZeros.
func netStep(b *testing.B, name string, threads, batch int) func() {
	net, rate := nn.MLP(784, 512, 512, 10), 0.1
	if name == "cnn" {
		net, rate = nn.MNISTCNN(), 0.01
	}
	if name == "mlp-skip" {
		net.SetProduct(nn.SkipZeros{}, 1)
	}
	d := &Samples{X: tensor.New[float32](6400, 784), Labels: make([]int, 6400)}
	s := random.New(1)
	random.FillUniform(s, d.X.Data, 0, 1)
	for i := range d.Labels {
		d.Labels[i] = s.IntN(10)
	}
	o := Options{Batch: batch, Rate: rate, Epochs: 1}.defaults()
	t, err := newTrainer(net, d, o)
	if err != nil {
		b.Fatal(err)
	}
	t.batch = newBatch[float32](batch, 784, 10, o.Loss)
	t.shuffle()
	p := t.net.Pass()
	p.Pool = tensor.NewPool(threads)
	b.Cleanup(p.Pool.Close)
	return func() {
		t.Done = (t.Done + 1) % t.perEpoch
		if err := t.step(p); err != nil {
			b.Fatal(err)
		}
	}
}

// startTorch starts torch with the threads that are best for it, and returns a function that
// asks for the median seconds of some steps. It skips the benchmark where torch is absent.
func startTorch(b *testing.B, net string, threads int) func(batch, reps int) float64 {
	p := numtest.StartPython(b, "torch", threads, nil, "testdata/steps.py", net)
	return func(batch, reps int) float64 {
		return p.Ask(b, map[string]any{"batch": batch, "reps": reps})
	}
}
