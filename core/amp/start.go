package amp

import (
	"context"
	"fmt"
	"math"
	"time"

	"trivium/core/random"
	"trivium/core/run"
)

// A Run is a training that goes on in the background.
type Run struct {
	*run.Run
	g *Graph
	e *engine // nil if it could not begin
}

// Start trains the graph in the background: leave it alone until the run has ended. It never
// fails: a graph or options that make no sense give a run that has already failed and says why.
// What kind of data a graph takes, its builder says; graphs of one's own take [Data].
func Start(ctx context.Context, g *Graph, data any, o Options) *Run {
	e, err := begin(g, data, o, false)
	if err != nil {
		if g == nil {
			g = NewGraph("nothing")
		}
		return &Run{run.Failed(run.Options{Name: o.Name, Kind: "amp"}, err), g, nil}
	}
	ro := e.o.run(g)
	ro.Total = float64(e.total)
	return &Run{run.Start(ctx, ro, e.work), g, e}
}

// Train is Start followed by waiting for the end; it ends the training if ctx ends.
func Train(ctx context.Context, g *Graph, data any, o Options) (*Result, error) {
	ctx, done := run.Waits(ctx)
	defer done()
	r := Start(ctx, g, data, o)
	<-r.Done() // the run itself looks at the caller's context
	return r.Result(), r.Err()
}

// Result returns what the training came to; nil while it goes on, or if it could not begin.
func (r *Run) Result() *Result {
	res, _ := r.Run.Result().(*Result)
	return res
}

func begin(g *Graph, data any, o Options, inference bool) (e *engine, err error) {
	defer run.Catch(&err) // data may be anybody's
	if g == nil {
		return nil, errNoGraph
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	if err := o.check(g); err != nil {
		return nil, err
	}
	o = o.filled()
	if !inference && o.Validate == nil {
		if t, ok := data.(tester); ok {
			o.Validate = t
		}
	}
	d, err := g.adapt(data, !inference)
	if err != nil {
		return nil, err
	}
	if err := g.take(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			g.give()
		}
	}()
	e = newEngine(g, o, false)
	e.inference = inference
	e.ctl.data[1] = d
	if o.Validate != nil {
		if e.ctl.data[0], err = g.adapt(o.Validate, false); err != nil {
			return nil, fmt.Errorf("%w (of Options.Validate)", err)
		}
	}
	if !inference {
		if err := e.prepare(); err != nil {
			return nil, err
		}
	}
	e.total = o.Epochs * d.Len()
	if o.Instances > 0 {
		e.total = min(e.total, o.Instances)
	}
	if o.Target > 0 && e.ctl.data[0] == nil && !inference {
		return nil, errNoTest
	}
	if o.Resume != "" {
		if err := e.resume(o.Resume); err != nil {
			return nil, err
		}
	}
	if len(e.w) == 1 {
		e.place(func(*node) float64 { return 0 })
	} else {
		cost, err := e.rehearse(d)
		if err != nil {
			return nil, err
		}
		e.place(cost)
	}
	if !inference {
		g.mu.Lock()
		g.last = e
		g.mu.Unlock()
	}
	return e, nil
}

// work is the whole training, on the run's goroutine.
func (e *engine) work(ctx context.Context, trace *run.Trace) (any, error) {
	defer e.g.give()
	e.trace = trace
	nan := math.NaN()
	res := &Result{TestLoss: nan, Accuracy: nan, Error: nan, Loss: nan, TestRate: nan, Workers: len(e.w), Epochs: e.epoch, Instances: e.ctl.trained}
	err := e.epochs(ctx, res)
	if err != nil && run.Stopped(err) && e.o.Checkpoint != "" {
		if saved := e.save(); saved != nil {
			err = joined(err, saved)
		}
	}
	e.sum(res)
	return res, err
}

func (e *engine) epochs(ctx context.Context, res *Result) error {
	for e.epoch < e.o.Epochs && e.ctl.trained < e.total {
		jobs := e.order()
		busy := e.busy()
		before, beforeTest := e.score(true), e.score(false)
		start := e.trace.Now()
		e.ctl.lastSample = time.Now()
		if err := e.phase(ctx, jobs); err != nil {
			return err
		}
		took := (e.trace.Now() - start).Seconds()
		if left := e.remains(); len(left) > 0 {
			return errLeft(left)
		}
		e.epoch++
		res.Seconds += took
		e.average()
		res.Epochs, res.Instances = e.epoch, e.ctl.trained
		res.Loss = e.score(true).minus(before).mean()
		res.Rate = float64(len(jobs)) / took
		res.Utilisation = (e.busy() - busy) / took / float64(len(e.w))
		e.trace.Sample("epoch loss", float64(e.ctl.trained), res.Loss)
		e.trace.Sample("instances/s", float64(e.ctl.trained), res.Rate)
		e.trace.Sample("utilisation", float64(e.ctl.trained), res.Utilisation)
		if err := e.test(ctx, res, beforeTest); err != nil {
			return err
		}
		if e.o.Checkpoint != "" {
			if err := e.save(); err != nil {
				return err
			}
		}
		if e.o.OnEpoch != nil {
			e.o.OnEpoch(EpochInfo{e.epoch, e.ctl.trained, res.Loss, res.Accuracy, res.TestLoss, res.Seconds})
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		if e.o.Target > 0 && (res.Accuracy >= e.o.Target || 1-res.Error >= e.o.Target) {
			res.Why = "target"
			return nil
		}
		if len(e.w) > 1 {
			e.place(measured)
		}
	}
	res.Why = "all epochs"
	if e.epoch < e.o.Epochs {
		res.Why = "all instances"
	}
	return nil
}

// order returns the instances of an epoch, which follow from seed and number alone; those to test with are spread
// evenly among them if they are to be interleaved.
func (e *engine) order() []job {
	n := e.ctl.data[1].Len()
	if d, ok := e.ctl.data[1].(interface{ epoch(k int, seed uint64) }); ok && !e.o.InOrder {
		d.epoch(e.epoch, e.o.Seed)
		n = e.ctl.data[1].Len()
	}
	var order []int
	if !e.o.InOrder {
		order = random.New(e.o.Seed).Split("order").SplitN(e.epoch).Perm(n)
	}
	tests := 0
	if e.o.Interleave && e.ctl.data[0] != nil {
		tests = e.ctl.data[0].Len()
	}
	n = min(n, e.total-e.ctl.trained)
	jobs := make([]job, 0, n+tests)
	for i := range n {
		k := i
		if order != nil {
			k = order[i]
		}
		jobs = append(jobs, job{k, true})
		for t := i * tests / n; t < (i+1)*tests/n; t++ {
			jobs = append(jobs, job{t, false})
		}
	}
	return jobs
}

// test measures what the validation data say.
func (e *engine) test(ctx context.Context, res *Result, before score) error {
	if e.ctl.data[0] == nil {
		return nil
	}
	if !e.o.Interleave {
		jobs := make([]job, e.ctl.data[0].Len())
		for i := range jobs {
			jobs[i] = job{i, false}
		}
		start := e.trace.Now()
		e.testing = true
		err := e.phase(ctx, jobs)
		e.testing = false
		if err != nil {
			return err
		}
		res.TestRate = float64(len(jobs)) / (e.trace.Now() - start).Seconds()
	}
	s := e.score(false).minus(before)
	res.TestLoss = s.mean()
	step := float64(e.ctl.trained)
	e.trace.Sample("test loss", step, res.TestLoss)
	if e.losses[0].labels != nil {
		res.Accuracy = s.accuracy()
		e.trace.Sample("accuracy", step, res.Accuracy)
	} else {
		res.Error = s.off / float64(s.rows)
		e.trace.Sample("test error", step, res.Error)
	}
	return nil
}

// average gives the replicas of a node the mean of their parameters.
func (e *engine) average() {
	for _, set := range e.g.replicas {
		if e.o.Still {
			return
		}
		mean := make([]float64, set[0].Count())
		for _, n := range set {
			for i, v := range n.Weights() {
				mean[i] += float64(v)
			}
		}
		for _, n := range set {
			w := n.Weights()
			for i, v := range mean {
				w[i] = float32(v / float64(len(set)))
			}
		}
	}
}

func (e *engine) busy() (sum float64) {
	for _, w := range e.w {
		sum += w.busy.load()
	}
	return sum
}
