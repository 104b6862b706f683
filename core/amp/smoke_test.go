package amp_test

import (
	"context"
	"fmt"
	"testing"

	"trivium/core/amp"
	"trivium/core/optim"
	"trivium/datasets/babi"
	"trivium/datasets/lists"
	"trivium/datasets/molecules"
	"trivium/datasets/trees"
)

func TestSmoke(t *testing.T) {
	for _, w := range []int{1, 2} {
		bank := trees.Generate(200, 1)
		run := func(name string, g *amp.Graph, data, valid any, o amp.Options) {
			o.Workers = w
			o.Validate = valid
			o.OnEpoch = func(e amp.EpochInfo) { t.Logf("%s %+v", name, e) }
			r, err := amp.Train(context.Background(), g, data, o)
			if err != nil {
				t.Fatal(name, err)
			}
			t.Logf("%s: %.0f/s util %.2f stale %.2f worst %d updates %d", name, r.Rate, r.Utilisation, r.Staleness, r.Worst, r.Updates)
			for _, n := range r.Nodes {
				if n.Seconds > 0 {
					t.Logf("   %-10s w%d %s %d/%d in %d batches, %.3fs %.1f GFLOP/s", n.Name, n.Worker, n.Kind, n.Forward, n.Backward, n.Batches, n.Seconds, n.Flops/n.Seconds/1e9)
				}
			}
		}
		_ = fmt.Sprint
		run("lists", amp.Lists(amp.ListOptions{}), lists.Generate(20000, 1), lists.Generate(2000, 2), amp.Options{MaxActiveKeys: 4, Epochs: 2, Optimizer: optim.Adam{}, MinUpdateFrequency: 10})
		run("trees", amp.TreeLSTM(amp.TreeOptions{Words: len(bank.Words), Replicas: w}), bank, bank, amp.Options{MaxActiveKeys: 16, MinUpdateFrequency: 50, Epochs: 2, Rate: 0.01})
		run("babi", amp.Stories(amp.GraphOptions{}), babi.Generate(50, 1, babi.Inflated()), babi.Generate(50, 2, babi.Inflated()), amp.Options{MaxActiveKeys: 4, MinUpdateFrequency: 10, Epochs: 2, Optimizer: optim.Adam{}, Rate: 0.01})
		run("molecules", amp.Molecules(amp.GraphOptions{}), molecules.Generate(400, 1), molecules.Generate(100, 2), amp.Options{MaxActiveKeys: 16, MinUpdateFrequency: 20, Epochs: 2, Optimizer: optim.Adam{}})
	}
}
