package train_test

import (
	"context"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/train"
	"trivium/datasets"
	"trivium/datasets/fashion"
	"trivium/datasets/mnist"
)

// A recipe is a network, how it is trained, and the share of test samples that it gets right
// after any seed.
type recipe struct {
	build   func() *nn.Net
	split   func() *datasets.Split
	options train.Options
	want    float64
	seeds   int // usually
}

// TestReproduce trains networks on complete data sets, minutes to an hour each, with
// TRIVIUM_REPRODUCE=1. TRIVIUM_SEEDS says how many seeds, instead of what each recipe has.
func TestReproduce(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("minutes of training: set TRIVIUM_REPRODUCE=1")
	}
	for name, r := range map[string]recipe{
		// The MLP of the sampling paper.
		"MLP on MNIST": {
			build:   func() *nn.Net { return nn.MLPWith(nn.ReLU{}, 0.2, 784, 500, 500, 10) },
			split:   mnist.Load,
			options: train.Options{Epochs: 12, Optimizer: optim.Adam{}, Schedule: optim.Cosine{}},
			want:    0.983, seeds: 3,
		},
		"CNN on MNIST": {
			build:   nn.MNISTCNN,
			split:   mnist.Load,
			options: train.Options{Epochs: 8, Optimizer: optim.Adam{}, Schedule: optim.Cosine{}},
			want:    0.992, seeds: 3,
		},
		"WRN-16-2 on Fashion-MNIST": {
			build: func() *nn.Net { return nn.WRN(16, 2, nn.WRNOptions{In: nn.Shape{C: 1, H: 28, W: 28}}) },
			split: fashion.Load,
			options: train.Options{
				Epochs: 8, Batch: 128, Rate: 0.1, Optimizer: optim.SGD{Momentum: 0.9, Nesterov: true, Decay: 5e-4},
				Schedule: optim.WarmUp{Epochs: 0.5, Then: optim.Cosine{}}, Augment: train.Augment{Flip: true, Shift: 2},
			},
			want: 0.935, seeds: 2,
		},
	} {
		t.Run(name, func(t *testing.T) { r.train(t) })
	}
}

func (r recipe) train(t *testing.T) {
	seeds := r.seeds
	if s := os.Getenv("TRIVIUM_SEEDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("TRIVIUM_SEEDS=%s: it must be a number of at least 1", s)
		}
		seeds = n
	}
	split := r.split()
	var sum, squares float64
	for seed := range uint64(seeds) {
		start := time.Now()
		o := r.options
		o.Seed = seed
		o.OnEpoch = func(e train.EpochInfo) {
			t.Logf("seed %d, epoch %d: loss %.4f, test loss %.4f, %.2f%% right, %v", seed, e.Epoch, e.Loss, e.TestLoss, 100*e.Accuracy, time.Since(start).Round(time.Second))
		}
		res, err := train.Train(context.Background(), r.build().Init(seed), split, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %.2f%% after %d epochs in %v", seed, 100*res.Accuracy, res.Epochs, time.Since(start).Round(time.Second))
		if res.Accuracy < r.want {
			t.Errorf("seed %d: %.2f%% of the test samples right, want %.1f%%", seed, 100*res.Accuracy, 100*r.want)
		}
		sum += res.Accuracy
		squares += res.Accuracy * res.Accuracy
	}
	n := float64(seeds)
	spread := math.Sqrt(max(squares/n-sum/n*sum/n, 0))
	t.Logf("mean %.2f%% (want %.1f%%), standard deviation %.2f points, of %d seeds", 100*sum/n, 100*r.want, 100*spread, seeds)
}

// TestMNISTInSeconds is the same network for one epoch of a sixth of the samples. A linear
// classifier on all samples stays below 93%.
func TestMNISTInSeconds(t *testing.T) {
	net := nn.MLP(784, 500, 500, 10)
	res, err := train.Train(context.Background(), net, mnist.Load().Small(1000, 100), train.Options{Optimizer: optim.Adam{}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Accuracy < 0.93 {
		t.Errorf("%.1f%% of the test samples right after one epoch, want 93%%", 100*res.Accuracy)
	}
}
