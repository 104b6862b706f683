package amp

import (
	"context"
	"math"
	"testing"
)

// TestInterleaved: instances to test with that go through among those to train with are all counted, and leave
// nothing behind; with updates off they say what a test after the epoch says.
func TestInterleaved(t *testing.T) {
	data, test := randomTrees(40, 8, 20, 1), randomTrees(25, 8, 20, 2)
	var losses, accuracies [2]float64
	for i, interleave := range []bool{false, true} {
		r, err := Train(context.Background(), smallTrees(), data, Options{Workers: 2, MaxActiveKeys: 6, Still: true, Validate: test, Interleave: interleave})
		if err != nil {
			t.Fatal(err)
		}
		losses[i], accuracies[i] = r.TestLoss, r.Accuracy
		if r.Instances != 40 {
			t.Errorf("%d instances were trained, want 40", r.Instances)
		}
	}
	if math.Abs(losses[0]-losses[1]) > 1e-5 || accuracies[0] != accuracies[1] {
		t.Errorf("after the epoch: loss %v, accuracy %v; among it: %v, %v", losses[0], accuracies[0], losses[1], accuracies[1])
	}
}
