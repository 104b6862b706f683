package amp

import (
	"encoding/gob"
	"fmt"
	"math"
	"strings"
)

// Result is what a training came to.
type Result struct {
	Epochs, Instances int // done
	Loss              float64
	TestLoss          float64 // NaN without a test
	Accuracy          float64 // of the test's rows, from 0 to 1; NaN for numbers
	Error             float64 // mean absolute error of the test; NaN for classes
	Seconds           float64 // of training, tests and pauses left out
	Rate              float64 // instances a second in training, in the last epoch
	TestRate          float64 // and in the last test, which goes forward only; NaN without one of its own
	Workers           int
	Utilisation       float64 // share of the workers' time in nodes, in the last epoch
	Staleness         float64 // mean over all gradients, in updates
	Worst             int     // the most
	Updates           int64   // of all nodes
	Nodes             []NodeInfo
	Why               string // it ended: "all epochs", "all instances", "target"; empty if it was stopped
}

func init() { gob.Register(&Result{}) }

// String says it in a few lines.
func (r *Result) String() string {
	if r == nil {
		return "no result: the training goes on or could not begin; Err says why"
	}
	var b strings.Builder
	some := func(n int, what string) string {
		if n == 1 {
			return "1 " + what
		}
		return fmt.Sprintf("%d %ss", n, what)
	}
	if r.Instances == 0 {
		return "nothing was trained"
	}
	switch {
	case !math.IsNaN(r.Accuracy):
		fmt.Fprintf(&b, "%.2f %% of the test right, loss %.4g (training %.4g)", 100*r.Accuracy, r.TestLoss, r.Loss)
	case !math.IsNaN(r.Error):
		fmt.Fprintf(&b, "mean error of the test %.4g, loss %.4g (training %.4g)", r.Error, r.TestLoss, r.Loss)
	default:
		fmt.Fprintf(&b, "loss %.4g in training, no test", r.Loss)
	}
	why := r.Why
	if why == "" {
		why = "stopped"
	}
	fmt.Fprintf(&b, "\n%s, %s in %.3g s, %.4g instances/s (%s)", some(r.Epochs, "epoch"), some(r.Instances, "instance"), r.Seconds, r.Rate, why)
	if !math.IsNaN(r.TestRate) {
		fmt.Fprintf(&b, "; forward only %.4g/s", r.TestRate)
	}
	fmt.Fprintf(&b, "\n%s %.0f %% busy; %s, gradients %.2g updates late on average, %d at most", some(r.Workers, "worker"), 100*r.Utilisation, some(int(r.Updates), "update"), r.Staleness, r.Worst)
	return b.String()
}

// sum fills in what the nodes counted.
func (e *engine) sum(res *Result) {
	res.Nodes = e.infos()
	var n, total int64
	for _, i := range res.Nodes {
		res.Updates += i.Updates
		for k, c := range i.Staleness {
			n += c
			total += int64(k) * c
			if c > 0 {
				res.Worst = max(res.Worst, k)
			}
		}
	}
	if n > 0 {
		res.Staleness = float64(total) / float64(n)
	}
}
