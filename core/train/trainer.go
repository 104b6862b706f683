package train

import (
	"context"
	"errors"
	"fmt"
	"math"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
)

// A trainer is one training of one network.
type trainer[T tensor.Float] struct {
	net         *nn.Network[T]
	o           Options
	train, test part
	perEpoch    int // steps
	total       int
	batch       *batch[T]
	order       []int // of the epoch's samples
	trace       *run.Trace
	norms       []layerNorm // of the step's gradient, where they are recorded
	state[T]
}

func newTrainer[T tensor.Float](net *nn.Network[T], data Data, o Options) (t *trainer[T], err error) {
	defer run.Catch(&err) // data may be anybody's, and a nil pointer too
	t = &trainer[T]{net: net, o: o}
	t.train, t.test = partsOf(data)
	in, out := net.In().Size(), net.Out().Size()
	if t.train.x.Rows == 0 {
		return nil, errors.New("train: there are no training samples")
	}
	if err := t.train.check(in, out, o.Loss); err != nil {
		return nil, err
	}
	if t.test.x.Rows > 0 {
		if err := t.test.check(in, out, o.Loss); err != nil {
			return nil, err
		}
	}
	if t.test.x.Rows == 0 && (o.Patience > 0 || o.Best) {
		return nil, errors.New("train: Options.Patience and Best need samples to test with, and there are none")
	}
	if err := o.Augment.check(net.In()); err != nil {
		return nil, err
	}
	n := t.train.x.Rows
	t.o.Batch = min(o.Batch, n)
	t.perEpoch = (n + t.o.Batch - 1) / t.o.Batch
	if o.DropLast {
		t.perEpoch = n / t.o.Batch
	}
	t.total = o.Epochs * t.perEpoch
	if o.Steps > 0 {
		t.total = min(t.total, o.Steps)
	}
	t.Weights, t.Running = net.Weights(), net.Running()
	t.Memory = make([]T, o.Optimizer.Memory()*len(t.Weights))
	t.Seed, t.Batch, t.Samples = o.Seed, t.o.Batch, n
	t.Net, t.Optimizer, t.Augment = net.String(), o.Optimizer.String(), o.Augment.String()
	t.Result.TestLoss, t.Result.Accuracy, t.Best = math.NaN(), math.NaN(), math.NaN()
	if o.Resume != "" {
		if err := t.resume(o.Resume); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// work is the whole training, on the run's goroutine.
func (t *trainer[T]) work(ctx context.Context, trace *run.Trace) (any, error) {
	workers := tensor.NewPool(t.o.Workers)
	defer workers.Close()
	if t.o.Product != nil { // for this training: the next one is exact again if it does not say otherwise
		defer t.net.SetProduct(t.net.Product())
		t.net.SetProduct(t.o.Product, t.o.Seed)
	}
	p := t.net.Pass()
	old := *p
	defer func() { *p = old }() // the network may be used without the pool
	*p = nn.Pass[T]{Pool: workers, Train: true, Seed: t.o.Seed}
	t.trace = trace
	trace.Work(t.Flops)
	t.batch = newBatch[T](t.o.Batch, t.net.In().Size(), t.net.Out().Size(), t.o.Loss)
	err := t.epochs(ctx, p)
	if err != nil && run.Stopped(err) {
		err = errors.Join(err, t.save("")) // to go on from here
	}
	res := t.Result
	return &res, err
}

func (t *trainer[T]) epochs(ctx context.Context, p *nn.Pass[T]) error {
	for t.Steps < t.total || t.Done == t.perEpoch { // the latter where a stop came before the test
		t.shuffle()
		for ; t.Done < t.perEpoch && t.Steps < t.total; t.Done++ {
			if err := run.Gate(ctx); err != nil {
				return err
			}
			if err := t.step(p); err != nil {
				return err
			}
			if ctx.Err() != nil { // a hook that was interrupted comes back with its work undone
				t.Done++
				return context.Cause(ctx)
			}
		}
		if t.Done < t.perEpoch {
			break // all steps, in the middle of an epoch
		}
		ends, err := t.epoch(ctx, p)
		if err != nil {
			return err
		}
		if ends {
			t.Why = "no better test"
			return nil
		}
	}
	t.Why = "all epochs"
	if t.Steps < t.o.Epochs*t.perEpoch {
		t.Why = "all steps"
		if err := t.save(""); err != nil { // before the test, which a longer training would not have
			return err
		}
		_, err := t.measure(ctx, p)
		return err
	}
	return nil
}

// shuffle sets the order of the epoch, which follows from seed and number alone.
func (t *trainer[T]) shuffle() {
	n := t.train.x.Rows
	if t.o.InOrder {
		if t.order == nil {
			t.order = make([]int, n)
			for i := range t.order {
				t.order[i] = i
			}
		}
		return
	}
	t.order = random.New(t.o.Seed).Split("order").SplitN(t.Epochs).Perm(n)
}

// step takes one training step.
func (t *trainer[T]) step(p *nn.Pass[T]) error {
	from := t.Done * t.o.Batch
	numbers := t.order[from:min(from+t.o.Batch, len(t.order))]
	x, targets, grad, labels := t.batch.gather(t.train, numbers, t.o.Loss)
	if t.o.Augment != (Augment{}) {
		change(t.o.Augment, x, t.net.In(), random.New(t.o.Seed).Split("augment").SplitN(t.Steps))
	}
	p.Train, p.Step, p.Flops = true, uint64(t.Steps), 0
	p.Epoch = float64(t.Steps) / float64(t.perEpoch)
	y, err := t.net.Forward(x)
	if err != nil {
		return t.at(err)
	}
	loss, err := nn.LossOf(t.o.Loss, grad, y, labels, targets)
	if err != nil {
		return t.at(err)
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		e := &DivergedError{Step: t.Steps + 1, Epoch: t.Epochs + 1, Loss: loss, LastStep: t.Steps, LastLoss: t.Result.Loss}
		e.Layer = t.net.Blame(x)
		return e
	}
	rate := t.o.Rate
	if t.o.Schedule != nil {
		rate *= t.o.Schedule.Factor(float64(t.Steps)/float64(t.perEpoch), float64(t.o.Epochs))
	}
	if err := t.update(grad, rate); err != nil {
		return t.at(err)
	}
	t.Steps++
	t.Result.Loss = loss
	t.Sum += loss * float64(len(numbers))
	t.Seen += len(numbers)
	t.Flops += p.Flops
	t.trace.Work(p.Flops)
	t.trace.Sample("loss", float64(t.Steps), loss)
	for _, n := range t.norms { // after the loss, which is the run's main series
		t.trace.Sample("gradient/"+n.layer, float64(t.Steps), n.norm)
	}
	t.norms = t.norms[:0]
	t.trace.Progress(float64(t.Steps), float64(t.total))
	if t.o.OnStep != nil {
		t.o.OnStep(StepInfo{t.Steps, t.Epochs + 1, loss, rate})
	}
	return nil
}

// update goes backward and changes the weights. Plain gradient descent does both at once where
// nobody wants to see the gradients.
func (t *trainer[T]) update(grad tensor.Matrix[T], rate float64) error {
	norms := t.o.GradientNorms > 0 && t.Steps%t.o.GradientNorms == 0
	if t.o.Optimizer == optim.Optimizer(optim.SGD{}) && !norms && t.o.Clip == 0 && t.o.OnStep == nil {
		return t.net.Descend(grad, rate)
	}
	if err := t.net.Backward(grad); err != nil {
		return err
	}
	if norms {
		t.norms = gradientNorms(t.net, t.norms[:0])
	}
	g := t.net.Gradients()
	if t.o.Clip > 0 {
		optim.ClipNorm(g, t.o.Clip)
	}
	optim.Step(t.o.Optimizer, t.Weights, g, t.Memory, rate, t.Steps+1)
	return nil
}

func (t *trainer[T]) at(err error) error {
	return fmt.Errorf("train: step %d: %w", t.Steps+1, err)
}

// epoch ends an epoch: test, best, checkpoint. It reports whether Patience is at its end.
func (t *trainer[T]) epoch(ctx context.Context, p *nn.Pass[T]) (ends bool, err error) {
	better, err := t.measure(ctx, p)
	if err != nil {
		return false, err
	}
	mean := t.Sum / float64(t.Seen)
	t.Epochs, t.Done, t.Sum, t.Seen = t.Epochs+1, 0, 0, 0
	if better {
		t.BestEpoch = t.Epochs
	}
	ends = t.o.Patience > 0 && t.Epochs-t.BestEpoch >= t.o.Patience
	if err := t.save(""); err != nil {
		return false, err
	}
	if better && t.o.Best {
		if err := t.save(".best"); err != nil {
			return false, err
		}
	}
	if t.o.OnEpoch != nil {
		t.o.OnEpoch(EpochInfo{t.Epochs, t.Steps, mean, t.Result.TestLoss, t.Accuracy, better, ends})
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
	}
	return ends, nil
}

// measure tests, and reports whether the test is the best so far: by accuracy where there are
// labels, by loss where not.
func (t *trainer[T]) measure(ctx context.Context, p *nn.Pass[T]) (better bool, err error) {
	if t.test.x.Rows == 0 {
		return false, nil
	}
	if t.net.Sampled() {
		if err := settle(ctx, t.net, t.train.x, t.order, t.o.Batch); err != nil {
			return false, err
		}
	}
	loss, accuracy, err := t.evaluate(ctx, p)
	if err != nil {
		return false, err
	}
	t.Result.TestLoss, t.Accuracy = loss, accuracy
	t.trace.Sample("test loss", float64(t.Steps), loss)
	score, best := -loss, -t.Best
	if !math.IsNaN(accuracy) {
		t.trace.Sample("accuracy", float64(t.Steps), accuracy)
		score, best = accuracy, t.Best
	}
	if better = score > best || math.IsNaN(best) && !math.IsNaN(score); better {
		t.Best = math.Abs(score)
	}
	return better, nil
}
