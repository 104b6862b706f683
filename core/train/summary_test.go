package train

import (
	"math"
	"testing"
)

func TestResultReadsWell(t *testing.T) {
	for _, c := range []struct {
		r    *Result
		want string
	}{
		{nil, "no result: the run goes on, failed or was stopped"},
		{
			&Result{Epochs: 3, Steps: 30, Loss: 0.5, TestLoss: 0.25, Accuracy: 0.9, BestEpoch: 2, Best: 0.95, Flops: 2e9, Why: "all epochs"},
			"3 epochs, 30 steps: all epochs\nloss in training 0.5, in the test 0.25\naccuracy in the test 90.00 %, best 95.00 % after epoch 2\nproducts: 2 GFLOP",
		},
		{
			&Result{Epochs: 1, Steps: 10, Loss: 0.5, TestLoss: math.NaN(), Accuracy: math.NaN()},
			"1 epochs, 10 steps: stopped\nloss in training 0.5\nproducts: 0 GFLOP",
		},
	} {
		if got := c.r.String(); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}
