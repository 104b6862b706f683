package amp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/core/amp"
	"trivium/core/optim"
	"trivium/datasets/babi"
	"trivium/datasets/lists"
	"trivium/datasets/mnist"
	"trivium/datasets/molecules"
)

func reproduce(t *testing.T) {
	t.Helper()
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("set TRIVIUM_REPRODUCE=1: this trains for minutes")
	}
}

// row prints a line of the table that these tests make.
func row(t *testing.T, network string, o amp.Options, replicas int, r *amp.Result, figure string) {
	t.Logf("%-16s mak %-3d workers %d replicas %d  epochs %-3d %6.1f s  instances/s: training %6.0f, inference %6.0f  staleness %.2f (worst %d)  utilisation %.0f %%  %s",
		network, o.MaxActiveKeys, o.Workers, replicas, r.Epochs, r.Seconds, r.Rate, r.TestRate, r.Staleness, r.Worst, 100*r.Utilisation, figure)
}

func mustTrain(t *testing.T, g *amp.Graph, data any, o amp.Options) *amp.Result {
	t.Helper()
	r, err := amp.Train(context.Background(), g, data, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestReproduceLists: list reduction reaches 97 % of 10,000 new lists, with several instances of 100 lists on their way in
// at most 1.2 times the epochs of one at a time. The loop's layer and the embedding take a step for the gradients of an
// instance, of which there are as many as it has tokens.
func TestReproduceLists(t *testing.T) {
	reproduce(t)
	data, test := lists.Generate(100_000, 1), lists.Generate(10_000, 2)
	synchronous := 0
	for _, c := range []struct{ mak, replicas, workers int }{{1, 1, 2}, {4, 1, 2}, {4, 2, 2}, {8, 4, 4}, {16, 8, 8}} {
		t.Run(fmt.Sprintf("keys=%d/replicas=%d", c.mak, c.replicas), func(t *testing.T) {
			o := amp.Options{Workers: c.workers, MaxActiveKeys: c.mak, Epochs: 25, Target: 0.97, Validate: test,
				Optimizer: optim.Adam{}, Rate: 2e-3, Clip: 1, Schedule: optim.Cosine{To: 0.05}}
			g := amp.Lists(amp.ListOptions{Replicas: c.replicas})
			for _, n := range g.Nodes() {
				if n.Kind == "embedding" || strings.HasPrefix(n.Name, "loop") {
					n.MinUpdateFrequency = 8
				}
			}
			r := mustTrain(t, g, data, o)
			row(t, "list reduction", o, c.replicas, r, fmt.Sprintf("accuracy %.2f %%, target 97 %%", 100*r.Accuracy))
			if r.Accuracy < 0.97 {
				t.Errorf("accuracy %.4f, target 0.97", r.Accuracy)
			}
			if c.mak == 1 {
				synchronous = r.Epochs
			}
			if synchronous > 0 && c.replicas <= 2 && float64(r.Epochs) > 1.2*float64(synchronous) {
				t.Errorf("%d epochs, synchronous training takes %d, target at most 1.2 times those", r.Epochs, synchronous)
			}
		})
	}
}

// TestReproduceMNIST: the perceptron reaches 98 % of MNIST's test set. With several instances on their way plain descent
// at a rate of 0.1 ends in NaN; Adam at its usual rate does not mind.
func TestReproduceMNIST(t *testing.T) {
	reproduce(t)
	split := mnist.Load()
	for _, mak := range []int{1, 4} {
		t.Run(fmt.Sprintf("keys=%d", mak), func(t *testing.T) {
			o := amp.Options{Workers: 2, MaxActiveKeys: mak, Epochs: 8, Target: 0.98, Optimizer: optim.Adam{}, Schedule: optim.Cosine{To: 0.05}}
			r := mustTrain(t, amp.MLP(amp.MLPOptions{}), split, o)
			row(t, "MNIST", o, 1, r, fmt.Sprintf("accuracy %.2f %%, target 98 %%", 100*r.Accuracy))
			if r.Accuracy < 0.98 {
				t.Errorf("accuracy %.4f, target 0.98", r.Accuracy)
			}
		})
	}
}

// TestReproduceStories: all questions of task 15 are answered, of generated stories of 54 nodes, and of all public
// folds, each from its first 50 training stories.
func TestReproduceStories(t *testing.T) {
	reproduce(t)
	try := func(name string, train, test *babi.Set, mak int) {
		o := amp.Options{Workers: 2, MaxActiveKeys: mak, MinUpdateFrequency: 10, Epochs: 100, Target: 1, Validate: test, Optimizer: optim.Adam{}, Rate: 0.005}
		r := mustTrain(t, amp.Stories(amp.GraphOptions{}), train, o)
		row(t, name, o, 1, r, fmt.Sprintf("accuracy %.2f %% of %d stories", 100*r.Accuracy, test.Len()))
		if r.Accuracy < 1 {
			t.Errorf("%s: accuracy %.4f, target 1", name, r.Accuracy)
		}
	}
	for _, mak := range []int{1, 16} {
		try("54 nodes", babi.Generate(50, 1, babi.Inflated()), babi.Generate(1000, 2, babi.Inflated()), mak)
	}
	folder := os.Getenv("TRIVIUM_BABI")
	if folder == "" {
		t.Log("set TRIVIUM_BABI to the folder with processed_1 to processed_10 for the public folds")
		return
	}
	for fold := 1; fold <= 10; fold++ {
		train, test, err := babi.Load(folder, fold)
		if err != nil {
			t.Fatal(err)
		}
		train.Stories = train.Stories[:50]
		try(fmt.Sprintf("fold %d", fold), train, test, 16)
	}
}

// TestReproduceMolecules: asynchronous training predicts dipoles within 5 % of the error that synchronous training
// comes to in as many epochs. The labels are those of the file, by GFN2-xTB: the error is no published one's rival.
func TestReproduceMolecules(t *testing.T) {
	reproduce(t)
	var set *molecules.Set
	if path := os.Getenv("TRIVIUM_QM9_CSV"); path != "" {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		column := os.Getenv("TRIVIUM_QM9_COLUMN")
		if set, err = molecules.ReadSMILES(f, filepath.Base(path), column); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Log("set TRIVIUM_QM9_CSV and TRIVIUM_QM9_COLUMN for a table of molecules; generated ones are used")
		set = molecules.Generate(2200, 1)
	}
	n := set.Len() * 9 / 10
	train, test := set.Slice(0, n), set.Slice(n, set.Len())
	mean, deviation := train.Moments()
	var errs []float64
	for _, mak := range []int{1, 16} {
		o := amp.Options{Workers: 2, MaxActiveKeys: mak, MinUpdateFrequency: 20, Epochs: 30, Validate: test, Optimizer: optim.Adam{}, Rate: 1e-3, Clip: 1, Schedule: optim.Cosine{To: 0.02}}
		g := amp.Molecules(amp.GraphOptions{Mean: mean, Scale: deviation})
		for _, node := range g.Nodes() {
			switch node.Kind {
			case "gru", "linear":
				node.MinUpdateFrequency = 80 // four uses an instance: an update every 20 instances, as of the readout
			}
		}
		r := mustTrain(t, g, train, o)
		errs = append(errs, r.Error*deviation)
		row(t, set.Name, o, 1, r, fmt.Sprintf("mean error %.4f of %s, deviation %.3f", r.Error*deviation, set.Target, deviation))
	}
	if errs[1] > 1.05*errs[0] {
		t.Errorf("error %.4f, synchronous %.4f", errs[1], errs[0])
	}
}
