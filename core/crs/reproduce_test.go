package crs

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/train"
	"trivium/datasets/fashion"
	"trivium/datasets/mnist"
)

// A reproduction is a training, exactly and sampled, with what is wanted of the latter.
type reproduction struct {
	name   string
	net    func() *nn.Net
	data   func() train.Data
	o      train.Options
	q      nn.Product
	speed  float64 // wall clock of all epochs, exact over sampled, at least
	points float64 // of accuracy that may be lost
	target float64 // accuracy, to which the time is measured
}

var reproductions = []reproduction{
	{
		name: "MLP", net: func() *nn.Net { return nn.MLP(784, 500, 500, 10) },
		data: func() train.Data { return mnist.Load() },
		o:    train.Options{Epochs: 5, Batch: 64, Rate: 0.1, Workers: 1}, q: TopK{0.5}, speed: 1.5, points: 0.3, target: 0.97,
	},
	{
		name: "CNN", net: nn.MNISTCNN,
		data: func() train.Data { return mnist.Load() },
		o:    train.Options{Epochs: 2, Batch: 64, Rate: 0.01, Optimizer: optim.SGD{Momentum: 0.5}, Workers: 1}, q: TopK{1. / 3}, speed: 1.8, points: 0.3, target: 0.97,
	},
	{
		name: "WRN", net: func() *nn.Net { return nn.WRN(10, 2, nn.WRNOptions{In: nn.Shape{C: 1, H: 28, W: 28}}) },
		data: func() train.Data { return fashion.Load() },
		o:    train.Options{Epochs: 2, Batch: 64, Rate: 0.05, Optimizer: optim.SGD{Momentum: 0.9}, Workers: 1},
		q:    Product{Sampler: TopK{0.5}, MinPairs: 10, Exact: []string{"dense"}}, speed: 1.6, points: 0.3, target: 0.85,
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

// TestReproduceTraining trains exactly and sampled in turn, with the same seeds, and prints speed, accuracy and
// the time to a target accuracy of both. With TRIVIUM_REPRODUCE=1 it takes many minutes;
// TRIVIUM_SEEDS says how many seeds, 5 without it, and TRIVIUM_EPOCHS how many epochs.
func TestReproduceTraining(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("many minutes of training: set TRIVIUM_REPRODUCE=1")
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
	t.Logf("  speed-up        ≥ %.1f   %v", r.speed, speed)
	t.Logf("  points lost     ≤ %.1f   %v", r.points, lost)
	t.Logf("  speed-up to %.0f%%        %v", 100*r.target, soon)
	t.Logf("  work left, %%           %v", work)
	if speed.mean() < r.speed {
		t.Errorf("%s is %.2f times as fast, want %.1f", r.name, speed.mean(), r.speed)
	}
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
			o := train.Options{Epochs: number(t, "TRIVIUM_EPOCHS", 5), Batch: 16, Rate: 0.1, Seed: seed, Product: TopKWeights{keep}}
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
