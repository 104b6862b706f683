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
	"trivium/datasets/mnist"
)

// TestReproduceMNIST trains the MLP 784-500-500-10 of the sampling paper on all of MNIST, and
// wants 98.3% of the test samples from every seed. With TRIVIUM_REPRODUCE=1 it takes minutes;
// TRIVIUM_SEEDS says how many, 3 without it.
func TestReproduceMNIST(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("minutes of training: set TRIVIUM_REPRODUCE=1")
	}
	t.Run("MLP", func(t *testing.T) {
		reproduce(t, func() *nn.Net { return nn.MLPWith(nn.ReLU{}, 0.2, 784, 500, 500, 10) }, 12, 0.983)
	})
}

func reproduce(t *testing.T, build func() *nn.Net, epochs int, want float64) {
	seeds := 3
	if s := os.Getenv("TRIVIUM_SEEDS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("TRIVIUM_SEEDS=%s: it must be a number of at least 1", s)
		}
		seeds = n
	}
	split := mnist.Load()
	var sum, squares float64
	for seed := range uint64(seeds) {
		start := time.Now()
		res, err := train.Train(context.Background(), build().Init(seed), split, train.Options{
			Epochs: epochs, Batch: 64, Seed: seed, Optimizer: optim.Adam{}, Schedule: optim.Cosine{},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %.2f%% after %d epochs in %v", seed, 100*res.Accuracy, res.Epochs, time.Since(start).Round(time.Second))
		if res.Accuracy < want {
			t.Errorf("seed %d: %.2f%% of the test samples right, want %.1f%%", seed, 100*res.Accuracy, 100*want)
		}
		sum += res.Accuracy
		squares += res.Accuracy * res.Accuracy
	}
	n := float64(seeds)
	spread := math.Sqrt(max(squares/n-sum/n*sum/n, 0))
	t.Logf("mean %.2f%%, standard deviation %.2f points, of %d seeds", 100*sum/n, 100*spread, seeds)
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
