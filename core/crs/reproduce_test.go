package crs

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"trivium/core/internal/numtest"
	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/train"
	"trivium/datasets/fashion"
	"trivium/datasets/mnist"
)

// A reproduction is a training, exactly and sampled, with what is wanted of the latter. Speed and
// accuracy are those of the same setting.
type reproduction struct {
	name   string
	net    func() *nn.Net
	data   func() train.Data
	o      train.Options
	q      nn.Product
	speed  float64 // wall clock of all epochs, exact over sampled, at least
	points float64 // of accuracy that may be lost
	target float64 // accuracy, to which the time is measured
	steps  int     // of a round in which speed is measured
}

// The rates fall to 0, so that the end of a training is that of its last epochs and not of its last
// batches, and are high enough for both trainings to get to where more epochs change little.
//
// What other settings cost the MLP, in points after ten epochs with one seed. Rate 0.1 falling to 0: top-k
// 0.36, with the last epoch exact 0.33, with norms of a quarter 0.42, winner-take-all 0.44, Bernoulli
// for the gradients alone 0.23; top-k of the first layer alone 0.12, of the second alone 0.31, so that
// it is the hidden units without training that cost. Rate 0.25: top-k 0.13, with norms of a
// quarter 0.17, winner-take-all 0.07. Rate 0.1 that stays: 0.1 to 0.6, whatever the setting.
//
// The CNN after two epochs without warming up, top-k of a third, one seed: rate 0.05 0.68 points
// (98.73% exactly), rate 0.1 0.27 (98.81%), with the convolutions alone 0.16 and the other layers alone
// 0.12; rate 0.25 0.18 (99.01%), with norms of a quarter 0.26, but with another seed the exact training
// never began to learn. Three epochs at 0.15, warmed up, with norms of a quarter: 0.29 (99.19%). As below,
// five seeds: 0.30 ± 0.12 (99.04 to 99.18% exactly).
var reproductions = []reproduction{
	{
		name: "MLP", net: func() *nn.Net { return nn.MLP(784, 500, 500, 10) },
		data: func() train.Data { return mnist.Load() },
		o:    train.Options{Epochs: 10, Batch: 64, Rate: 0.25, Schedule: optim.Cosine{}, Workers: 1},
		// The last layer is 1% of the work.
		q: Product{Sampler: TopK{0.5}, Exact: []string{"dense3"}, Look: 4}, speed: 1.5, points: 0.3, target: 0.98, steps: 600,
	},
	{
		name: "CNN", net: nn.MNISTCNN,
		data: func() train.Data { return mnist.Load() },
		o: train.Options{Epochs: 2, Batch: 64, Rate: 0.3, Optimizer: optim.SGD{Momentum: 0.5},
			Schedule: optim.WarmUp{Epochs: 0.3, Then: optim.Cosine{}}, Workers: 1},
		q: TopK{1. / 3}, speed: 1.8, points: 0.3, target: 0.98, steps: 50,
	},
	{
		name: "WRN", net: func() *nn.Net { return nn.WRN(10, 2, nn.WRNOptions{In: nn.Shape{C: 1, H: 28, W: 28}}) },
		data: func() train.Data { return fashion.Load() },
		o:    train.Options{Epochs: 2, Batch: 64, Rate: 0.05, Optimizer: optim.SGD{Momentum: 0.9}, Schedule: optim.Cosine{}, Workers: 1},
		q:    Product{Sampler: TopK{0.5}, MinPairs: 10, Exact: []string{"dense"}}, speed: 1.6, points: 0.3, target: 0.88, steps: 10,
	},
}

// number reads a whole number from the environment.
func number(t *testing.T, name string, usual int) int {
	s := os.Getenv(name)
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: it must be a number of at least 1", name, s)
	}
	return n
}

// TestReproduceSpeed measures wall clock, exact over sampled, in rounds of some steps in turn, each
// after some to warm up. With TRIVIUM_REPRODUCE=1 it takes a minute; it wants a quiet machine.
// Every step of these trainings is made in the same way, so that what holds for some holds for all.
func TestReproduceSpeed(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("a minute of training: set TRIVIUM_REPRODUCE=1")
	}
	for _, r := range reproductions {
		t.Run(r.name, r.measure)
	}
}

func (r reproduction) measure(t *testing.T) {
	var times [2][]float64
	const rounds = 7
	for range rounds {
		for i, q := range []nn.Product{nil, r.q} {
			o := r.o
			o.Product, o.Steps = q, r.steps+r.steps/5
			run := train.Start(context.Background(), r.net().Init(1), r.data(), o)
			if err := run.Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
			loss := run.Trace().Points("loss")
			times[i] = append(times[i], (loss[len(loss)-1].Seconds-loss[r.steps/5-1].Seconds)/float64(r.steps))
		}
	}
	var ratios []float64
	for i := range rounds {
		ratios = append(ratios, times[0][i]/times[1][i])
	}
	slices.Sort(ratios)
	exact, sampled := numtest.Median(times[0]), numtest.Median(times[1])
	t.Logf("%s, %v: a step takes %.3g ms exactly and %.3g ms sampled: %.2f times as fast, want %.1f; rounds from %.2f to %.2f",
		r.name, r.q, 1e3*exact, 1e3*sampled, exact/sampled, r.speed, ratios[0], ratios[rounds-1])
	if exact/sampled < r.speed {
		t.Errorf("%s is %.2f times as fast, want %.1f", r.name, exact/sampled, r.speed)
	}
}

// TestReproduceTraining trains exactly and sampled in turn, with the same seeds, and prints the accuracy of
// both, and for both the time to the end and to a target accuracy. With TRIVIUM_REPRODUCE=1 it takes
// an hour; TRIVIUM_SEEDS says how many seeds, 5 without it, and TRIVIUM_EPOCHS how many epochs.
func TestReproduceTraining(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("an hour of training: set TRIVIUM_REPRODUCE=1")
	}
	for _, r := range reproductions {
		t.Run(r.name, r.run)
	}
}

func (r reproduction) run(t *testing.T) {
	seeds := number(t, "TRIVIUM_SEEDS", 5)
	r.o.Epochs = number(t, "TRIVIUM_EPOCHS", r.o.Epochs)
	var speed, lost, work, soon stats
	for seed := range uint64(seeds) {
		exact, sampled := r.train(t, seed, nil), r.train(t, seed, r.q)
		speed.add(exact.seconds / sampled.seconds)
		lost.add(100 * (exact.accuracy - sampled.accuracy))
		work.add(100 * sampled.flops / exact.flops)
		soon.add(exact.reached / sampled.reached)
		t.Logf("seed %d: exact %.2f%% in %.1f s, %.0f%% after %.1f s; sampled %.2f%% in %.1f s, %.0f%% after %.1f s", seed,
			100*exact.accuracy, exact.seconds, 100*r.target, exact.reached, 100*sampled.accuracy, sampled.seconds, 100*r.target, sampled.reached)
	}
	t.Logf("%s, %v, %d epochs, %d seeds: figure, target, mean ± standard deviation", r.name, r.q, r.o.Epochs, seeds)
	t.Logf("  points lost     ≤ %.1f   %v", r.points, lost)
	t.Logf("  work left, %%           %v", work)
	t.Logf("  speed-up               %v (see TestReproduceSpeed)", speed)
	t.Logf("  speed-up to %.0f%%        %v (NaN where one did not get there)", 100*r.target, soon)
	if lost.mean() > r.points {
		t.Errorf("%s loses %.2f points of accuracy, want no more than %.1f", r.name, lost.mean(), r.points)
	}
}

type outcome struct{ seconds, accuracy, flops, reached float64 }

func (r reproduction) train(t *testing.T, seed uint64, q nn.Product) outcome {
	t.Helper()
	o := r.o
	o.Seed, o.Product = seed, q
	run := train.Start(context.Background(), r.net().Init(seed), r.data(), o)
	if err := run.Wait(context.Background()); err != nil {
		t.Fatal(err)
	}
	accuracy := run.Trace().Points("accuracy")
	out := outcome{accuracy: run.Result().Accuracy, flops: run.Result().Flops, reached: math.NaN()}
	for i := len(accuracy) - 1; i >= 0; i-- {
		out.seconds = max(out.seconds, accuracy[i].Seconds)
		if accuracy[i].Value >= r.target {
			out.reached = accuracy[i].Seconds
		}
	}
	return out
}

// stats is a list of figures.
type stats []float64

func (s *stats) add(v float64) { *s = append(*s, v) }

func (s stats) mean() float64 { return sum(s) / float64(len(s)) }

func (s stats) String() string {
	m, v := s.mean(), 0.0
	for _, x := range s {
		v += (x - m) * (x - m)
	}
	return fmt.Sprintf("%.2f ± %.2f", m, math.Sqrt(v/float64(max(len(s)-1, 1))))
}

// TestReproduceNodes trains on four nodes with half of the inputs, and wants the accuracy of four
// nodes with all of them, for about half of the bytes.
func TestReproduceNodes(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("minutes of training: set TRIVIUM_REPRODUCE=1")
	}
	seeds := number(t, "TRIVIUM_SEEDS", 5)
	var lost, bytes stats
	for seed := range uint64(seeds) {
		res := map[float64]*NodesResult{}
		for _, keep := range []float64{1, 0.5} {
			o := train.Options{Epochs: number(t, "TRIVIUM_EPOCHS", 5), Batch: 16, Rate: 0.25, Schedule: optim.Cosine{}, Seed: seed, Product: TopKWeights{keep}}
			r, err := Nodes{N: 4}.Train(context.Background(), nn.MLP(784, 500, 500, 10).Init(seed), mnist.Load(), o)
			if err != nil {
				t.Fatal(err)
			}
			res[keep] = r
		}
		t.Logf("seed %d: %.2f%% with %d MB, %.2f%% with %d MB", seed, 100*res[1].Accuracy, res[1].Bytes/1e6, 100*res[0.5].Accuracy, res[0.5].Bytes/1e6)
		lost.add(100 * (res[1].Accuracy - res[0.5].Accuracy))
		bytes.add(100 * float64(res[0.5].Bytes) / float64(res[1].Bytes))
	}
	t.Logf("4 nodes, top-k of weights, %d seeds: points lost ≤ 0.3: %v; bytes left, %%: %v", seeds, lost, bytes)
	if lost.mean() > 0.3 {
		t.Errorf("%.2f points of accuracy are lost, want no more than 0.3", lost.mean())
	}
	if math.Abs(bytes.mean()-50) > 0.5 {
		t.Errorf("%.1f%% of the bytes are left, want 50%%", bytes.mean())
	}
}
