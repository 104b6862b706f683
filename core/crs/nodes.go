package crs

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"sync"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
	"trivium/core/train"
)

// Nodes trains a network on several nodes, each with its own part of every batch:
//
//	crs.Nodes{N: 4}.Start(ctx, net, data, train.Options{Product: crs.TopK{Keep: 0.5}})
//
// The nodes choose the same inputs without a message for it, and after the backward pass exchange the
// gradients of just these inputs, in one sum over all nodes. What is sent falls with the share that
// is kept. With all pairs, the result is that of one node on the joined batch, up to rounding; batch
// norms aside, which see the node's own part.
//
// How they come to the same choice: all have the same weights and seed. [TopKWeights] looks at
// nothing else. That is the published way, and fit for layers whose inputs matter alike, such as
// the channels between convolutions. It cannot tell an empty pixel from a telling one, and an input that is not
// chosen stays small and is not chosen again. All other samplers take the norms of weights times those of the
// inputs in the last ten steps or so: each node adds its own to what is exchanged anyhow, one number for each
// input beside the gradients of all its weights, so that every node knows those of the joined batch. Scaled
// samplers stay unbiased, as no pair is left without a chance.
type Nodes struct {
	N        int      // 0 means 2
	Exchange Exchange // nil means a new Ring of N
}

// A NodesRun is a training on several nodes that goes on in the background.
type NodesRun struct{ *run.Run }

// Result returns what the training came to; nil while it goes on, or if it could not begin.
func (r *NodesRun) Result() *NodesResult {
	res, _ := r.Run.Result().(*NodesResult)
	return res
}

// NodesResult is what a training on several nodes came to.
type NodesResult struct {
	Nodes, Epochs, Steps int
	Loss                 float64 // of the last joined batch
	TestLoss, Accuracy   float64 // NaN without samples to test with
	Bytes                int64   // sent by all nodes together
	Share                float64 // of the numbers of all gradients that were exchanged
	Flops                float64 // of the products of all nodes
}

func init() { gob.Register(&NodesResult{}) }

func (r *NodesResult) String() string {
	return fmt.Sprintf("%d nodes, %d epochs, %d steps\n  loss in training %.4g, in the test %.4g, accuracy %.2f %%\n  %.1f MB sent, %.1f%% of all gradients",
		r.Nodes, r.Epochs, r.Steps, r.Loss, r.TestLoss, 100*r.Accuracy, float64(r.Bytes)/1e6, 100*r.Share)
}

// Start trains the network itself in the background. Options.Batch is that of one node; the
// joined batch of a step is N times as large and is dealt out in order. The product must be a sampler
// other than [Custom], or a [Product] of one in mode Forward. Checkpoint, Best, Resume, Patience, GradientNorms
// and Augment cannot be used, nor losses other than cross-entropy. It never fails: what cannot be gives a run that has already
// failed and says why.
func (n Nodes) Start(ctx context.Context, net *nn.Net, data train.Data, o train.Options) *NodesRun {
	t, err := n.prepare(net, data, o)
	if err != nil {
		return &NodesRun{run.Failed(run.Options{Name: o.Name, Kind: "nodes"}, err)}
	}
	set := []run.Setting{
		{Name: "nodes", Value: fmt.Sprint(t.n)}, {Name: "network", Value: net.Name}, {Name: "epochs", Value: fmt.Sprint(t.o.Epochs)},
		{Name: "batch", Value: fmt.Sprint(t.o.Batch)}, {Name: "optimizer", Value: t.o.Optimizer.String()},
		{Name: "rate", Value: fmt.Sprint(t.o.Rate)}, {Name: "seed", Value: fmt.Sprint(t.o.Seed)},
	}
	if o.Product != nil {
		set = append(set, run.Setting{Name: "product", Value: o.Product.String()})
	}
	ro := run.Options{Name: o.Name, Kind: "nodes", Settings: set, Total: float64(t.total), CallsCells: o.OnStep != nil || o.OnEpoch != nil}
	return &NodesRun{run.Start(ctx, ro, t.work)}
}

// Train is Start followed by waiting for the end.
func (n Nodes) Train(ctx context.Context, net *nn.Net, data train.Data, o train.Options) (*NodesResult, error) {
	ctx, done := run.Waits(ctx)
	defer done()
	r := n.Start(ctx, net, data, o)
	<-r.Done() // the run itself looks at the caller's context
	return r.Result(), r.Err()
}

// A parallel is a training on n nodes.
type parallel struct {
	n               int
	net             *nn.Net
	exchange        Exchange
	o               train.Options
	product         Product
	x, testX        tensor.Matrix[float32]
	labels, testY   []int
	perEpoch, total int
	nodes           []*node
	trace           *run.Trace
	result          NodesResult
}

func (n Nodes) prepare(net *nn.Net, data train.Data, o train.Options) (t *parallel, err error) {
	defer run.Catch(&err) // data may be anybody's
	if n.N == 0 {
		n.N = 2
	}
	if n.N < 1 {
		return nil, &OptionError{"Nodes.N", fmt.Sprint(n.N), "it must be at least 1"}
	}
	if net == nil || data == nil {
		return nil, errors.New("crs: the network or the data is nil")
	}
	if err := net.Err(); err != nil {
		return nil, err
	}
	if o, err = usual(o); err != nil {
		return nil, err
	}
	t = &parallel{n: n.N, net: net, exchange: n.Exchange, o: o}
	if t.exchange == nil {
		t.exchange = NewRing(n.N)
	}
	if t.product, err = sameOnAll(o.Product); err != nil {
		return nil, err
	}
	t.product = t.product.ForNet(net.Layers()).(Product)
	if err := t.product.Err(); err != nil {
		return nil, err
	}
	t.x, t.labels = data.TrainData()
	t.testX, t.testY = data.TestData()
	if err := t.check(); err != nil {
		return nil, err
	}
	joined := n.N * o.Batch
	t.perEpoch = (t.x.Rows + joined - 1) / joined
	if o.DropLast {
		t.perEpoch = t.x.Rows / joined
	}
	t.total = o.Epochs * t.perEpoch
	if o.Steps > 0 {
		t.total = min(t.total, o.Steps)
	}
	t.result = NodesResult{Nodes: n.N, TestLoss: math.NaN(), Accuracy: math.NaN()}
	return t, nil
}

// usual fills in what is usual and refuses what several nodes cannot do.
func usual(o train.Options) (train.Options, error) {
	for _, c := range []struct {
		name string
		set  bool
	}{
		{"Checkpoint", o.Checkpoint != ""}, {"Best", o.Best}, {"Resume", o.Resume != ""}, {"Patience", o.Patience != 0},
		{"GradientNorms", o.GradientNorms != 0}, {"Augment", o.Augment != train.Augment{}},
	} {
		if c.set {
			return o, &OptionError{"Options." + c.name, "set", "several nodes cannot use it: leave it out"}
		}
	}
	if o.Loss != nn.CrossEntropy {
		return o, &OptionError{"Options.Loss", o.Loss.String(), "several nodes train with cross-entropy only"}
	}
	return o.Usual()
}

// sameOnAll refuses products that several nodes cannot use.
func sameOnAll(q nn.Product) (Product, error) {
	p, err := asProduct(q)
	if err != nil {
		return p, err
	}
	_, custom := p.Sampler.(Custom)
	why := ""
	switch {
	case p.Mode != Forward || p.InputGrad != nil || p.WeightGrad != nil:
		why = "only the forward product can be sampled, with gradients through it"
	case custom:
		why = "all nodes would call its function at once: use TopK or another sampler of this package"
	}
	if why != "" {
		return p, &OptionError{"Options.Product", p.String(), why}
	}
	return p, nil
}

func (t *parallel) check() error {
	in, out := t.net.In().Size(), t.net.Out().Size()
	switch {
	case t.x.Rows == 0:
		return errors.New("crs: there are no training samples")
	case t.x.Cols != in:
		return fmt.Errorf("crs: the training samples have %d numbers each and the network takes %d", t.x.Cols, in)
	case len(t.labels) != t.x.Rows:
		return fmt.Errorf("crs: %d labels for %d training samples", len(t.labels), t.x.Rows)
	}
	for i, l := range t.labels {
		if l < 0 || l >= out {
			return fmt.Errorf("crs: label %d of the training samples is %d: it must be from 0 to below %d, the network's outputs", i, l, out)
		}
	}
	return nil
}

// work runs all nodes and waits for them. The first error ends the others' waiting.
func (t *parallel) work(ctx context.Context, trace *run.Trace) (any, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t.trace = trace
	before := t.exchange.Bytes()
	defer t.net.SetProduct(t.net.Product()) // what it is now
	nets := []*nn.Net{t.net}
	for range t.n - 1 {
		nets = append(nets, t.net.Clone()) // before its products are those of node 0
	}
	for rank, net := range nets {
		t.nodes = append(t.nodes, newNode(t, rank, net))
	}
	errs := make([]error, t.n) // node i writes errs[i]
	var wg sync.WaitGroup
	for i, n := range t.nodes {
		wg.Go(func() {
			defer func() {
				if errs[i] != nil {
					cancel(errs[i])
				}
			}()
			defer run.Catch(&errs[i])
			errs[i] = n.train(ctx)
		})
	}
	wg.Wait()
	res := t.result
	res.Bytes = t.exchange.Bytes() - before
	var sent, all float64
	for _, n := range t.nodes {
		res.Flops += n.flops
		sent, all = sent+n.sent, all+n.all
	}
	if all > 0 {
		res.Share = sent / all
	}
	for _, err := range errs {
		if err != nil {
			return &res, context.Cause(ctx) // the first one, which others have too
		}
	}
	return &res, nil
}

// order returns the order of an epoch's samples, the same as on one node.
func (t *parallel) order(epoch int) []int {
	if t.o.InOrder {
		all := make([]int, t.x.Rows)
		for i := range all {
			all[i] = i
		}
		return all
	}
	return random.New(t.o.Seed).Split("order").SplitN(epoch).Perm(t.x.Rows)
}

// test measures node 0, which all others equal.
func (t *parallel) test(ctx context.Context, order []int, step int) error {
	if t.testX.Rows == 0 {
		return nil
	}
	if err := train.Settle(ctx, t.net, t.x, order, t.o.Batch); err != nil {
		return err
	}
	loss, accuracy, err := train.Evaluate(t.net, t.testX, t.testY, t.o.Loss)
	if err != nil {
		return err
	}
	t.result.TestLoss, t.result.Accuracy = loss, accuracy
	t.trace.Sample("test loss", float64(step), loss)
	t.trace.Sample("accuracy", float64(step), accuracy)
	return nil
}
