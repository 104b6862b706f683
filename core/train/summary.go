package train

import (
	"fmt"
	"math"
	"strings"
)

// String says in a few lines how far the training came and how good the network is.
func (r *Result) String() string {
	if r == nil {
		return "no result: the run goes on, failed or was stopped"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d epochs, %d steps", r.Epochs, r.Steps)
	why := r.Why
	if why == "" {
		why = "stopped"
	}
	fmt.Fprintf(&b, ": %s", why)
	fmt.Fprintf(&b, "\nloss in training %.4g", r.Loss)
	if !math.IsNaN(r.TestLoss) {
		fmt.Fprintf(&b, ", in the test %.4g", r.TestLoss)
	}
	switch {
	case !math.IsNaN(r.Accuracy):
		fmt.Fprintf(&b, "\naccuracy in the test %.2f %%, best %.2f %% after epoch %d", 100*r.Accuracy, 100*r.Best, r.BestEpoch)
	case r.BestEpoch > 0:
		fmt.Fprintf(&b, ", best %.4g after epoch %d", r.Best, r.BestEpoch)
	}
	fmt.Fprintf(&b, "\nproducts: %.3g GFLOP", r.Flops/1e9)
	return b.String()
}
