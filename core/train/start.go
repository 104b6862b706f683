package train

import (
	"context"
	"encoding/gob"
	"errors"

	"trivium/core/nn"
	"trivium/core/run"
	"trivium/core/tensor"
)

// A Run is a training that goes on in the background.
type Run struct{ *run.Run }

// Result returns what the training came to; nil while it goes on, or if it could not begin. A
// training that was stopped has the result of the steps it took.
func (r *Run) Result() *Result {
	res, _ := r.Run.Result().(*Result)
	return res
}

// Result is what a training came to.
type Result struct {
	Epochs, Steps int // done
	Loss          float64
	TestLoss      float64 // NaN without samples to test with, or before the first test
	Accuracy      float64 // of the test samples, from 0 to 1; NaN without labels
	BestEpoch     int     // of the best test: the greatest accuracy, or the smallest loss without labels
	Best          float64 // and its accuracy, or loss
	Flops         float64 // of products, tests left out
	Why           string  // it ended: "all epochs", "all steps", "no better test"; empty if it was stopped
}

func init() { gob.Register(&Result{}) } // so that a run can be saved with it

// Start trains the network itself, not a copy, in the background: leave it alone until the run
// has ended, and give two runs two clones. It never fails: options that make no sense give a
// run that has already failed and says why.
func Start(ctx context.Context, net *nn.Net, data Data, o Options) *Run {
	return start(ctx, net, data, o)
}

// Start64 is Start in float64.
func Start64(ctx context.Context, net *nn.Net64, data Data, o Options) *Run {
	return start(ctx, net, data, o)
}

// Train is Start followed by waiting for the end; it ends the training if ctx ends.
func Train(ctx context.Context, net *nn.Net, data Data, o Options) (*Result, error) {
	ctx, done := run.Waits(ctx)
	defer done()
	return wait(Start(ctx, net, data, o))
}

// Train64 is Train in float64.
func Train64(ctx context.Context, net *nn.Net64, data Data, o Options) (*Result, error) {
	ctx, done := run.Waits(ctx)
	defer done()
	return wait(Start64(ctx, net, data, o))
}

func wait(r *Run) (*Result, error) {
	<-r.Done() // the run itself looks at the caller's context
	return r.Result(), r.Err()
}

func start[T tensor.Float](ctx context.Context, net *nn.Network[T], data Data, o Options) *Run {
	o, err := o.Usual()
	if err != nil {
		return failed(err)
	}
	if s, ok := data.(*Samples); net == nil || data == nil || ok && s == nil {
		return failed(errors.New("train: the network or the data is nil"))
	}
	if err := net.Err(); err != nil {
		return failed(err)
	}
	t, err := newTrainer(net, data, o)
	if err != nil {
		return failed(err)
	}
	ro := o.run(net.Name)
	ro.Total = float64(t.total)
	return &Run{run.Start(ctx, ro, t.work)}
}

func failed(err error) *Run { return &Run{run.Failed(run.Options{Kind: "train"}, err)} }
