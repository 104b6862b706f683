package mgrit

import (
	"fmt"
	"math"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/tensor"
	"trivium/core/train"
)

// TrainingOptions sets what a training step does. The zero value is plain gradient descent
// on the cross-entropy, at the usual rate.
type TrainingOptions struct {
	Rate      float64         // 0 means the optimiser's usual rate
	Optimizer optim.Optimizer // nil means optim.SGD{}; what it remembers becomes part of the vector
	Loss      nn.Loss         // cross-entropy is the zero value
	Clip      float64         // scale the gradient down to this 2-norm; 0 means never
	Schedule  optim.Schedule  // of the rate; nil means that it stays
	Epochs    float64         // of the whole training, which a Schedule asks for; 0 means 1
	Product   nn.Product      // how layers multiply, in training steps and coarse ones; nil means as the network has it
	Seed      uint64          // of dropout and of sampled products
}

// Batches are minibatches, numbered on and on from epoch to epoch: training step i takes
// minibatch i. *datasets.Batches is one. Several goroutines ask for them at once and in any
// order.
type Batches interface {
	// Minibatch returns minibatch k, a sample a row. It may use the memory of x and labels,
	// which come from an earlier call or are empty.
	Minibatch(k int, x tensor.Matrix[float32], labels []int) (tensor.Matrix[float32], []int)
	Len() int // minibatches in an epoch
}

// Training is the training of a network as a [Problem]: its vector holds the weights, what
// the optimiser remembers, and what the network keeps but does not learn, such as the
// averages of batch norms. The network is copied, not trained; [Problem.Net] makes one of a
// result. With one level, the weights are bit for bit those of package train.
//
// Numbers between steps are float64, but each step of a float32 network rounds to float32.
// So a residual cannot get smaller than rounding: where no tolerance is given, it is 1e-7 of
// the first weights' norm times √Steps, which leaves weights equal to serial training's to
// five or six digits. Use [Training64] for the same weights to 1e-9.
//
// A coarse step computes one gradient and lets the optimiser take with it all steps that the
// coarse step stands for, at a rate that Scale sets: momentum and averages change as they
// would in so many steps. For plain gradient descent that is a step of the larger rate. An
// optimiser that is not of package optim is called for each of them.
func Training(net *nn.Net, b Batches, o TrainingOptions) Problem { return training(net, b, o) }

// Training64 is Training in float64.
func Training64(net *nn.Net64, b Batches, o TrainingOptions) Problem { return training(net, b, o) }

// TrainingOf is the training that train.Start does with the same network, data and options, as a
// [Problem]. It heeds Batch, InOrder, DropLast, Seed, Loss, Optimizer, Rate, Schedule,
// Epochs, Clip and Product; how many steps there are, Options.Steps says.
func TrainingOf(net *nn.Net, data train.Data, o train.Options) Problem {
	return trainingOf(net, data, o)
}

// TrainingOf64 is TrainingOf in float64.
func TrainingOf64(net *nn.Net64, data train.Data, o train.Options) Problem {
	return trainingOf(net, data, o)
}

func trainingOf[T tensor.Float](net *nn.Network[T], data train.Data, o train.Options) Problem {
	b, err := newOrder(data, o)
	if err != nil {
		return Problem{err: err}
	}
	return training(net, b, TrainingOptions{Rate: o.Rate, Optimizer: o.Optimizer, Loss: o.Loss, Clip: o.Clip,
		Schedule: o.Schedule, Epochs: float64(o.Epochs), Product: o.Product, Seed: o.Seed})
}

func training[T tensor.Float](net *nn.Network[T], b Batches, o TrainingOptions) Problem {
	t, err := newTrained(net, b, o)
	if err != nil {
		return Problem{err: err}
	}
	p := Problem{
		Name: net.Name, Init: t.first(), Step: t.step, Loss: t.loss,
		scratch: t.scratch(), net: t.network, network: true,
	}
	if t.numbers() > t.weights {
		p.weights = t.weights
	}
	if eps := math.Abs(float64(T(1)/3) - 1.0/3); eps > 0 { // of float32
		p.tol = 1e-7 * (1 + math.Sqrt(dot(p.Init[:t.weights], p.Init[:t.weights])))
	}
	return p
}

func (o TrainingOptions) filled() (TrainingOptions, error) {
	if o.Optimizer == nil {
		o.Optimizer = optim.SGD{}
	}
	if o.Rate == 0 {
		o.Rate = o.Optimizer.UsualRate()
	}
	if o.Epochs == 0 {
		o.Epochs = 1
	}
	switch {
	case !(o.Rate > 0) || math.IsInf(o.Rate, 0):
		return o, fmt.Errorf("mgrit: TrainingOptions.Rate is %v: it must be a positive number (0 means %g)", o.Rate, o.Optimizer.UsualRate())
	case !(o.Clip >= 0):
		return o, fmt.Errorf("mgrit: TrainingOptions.Clip is %v: it must be at least 0", o.Clip)
	case !(o.Epochs > 0):
		return o, fmt.Errorf("mgrit: TrainingOptions.Epochs is %v: it must be a positive number", o.Epochs)
	}
	if err := o.Optimizer.Check(); err != nil {
		return o, fmt.Errorf("mgrit: TrainingOptions.Optimizer: %w", err)
	}
	return o, nil
}

// Net is a copy of the network of a problem made by Training, with the weights in w, such as
// a Result's Final; nil if the problem is not one, or w is of another length. For a network
// in float64 it rounds.
func (p Problem) Net(w []float64) *nn.Net {
	switch n := p.netOf(w).(type) {
	case *nn.Net:
		return n
	case *nn.Net64:
		return n.Float32()
	}
	return nil
}

// Net64 is Net in float64.
func (p Problem) Net64(w []float64) *nn.Net64 {
	switch n := p.netOf(w).(type) {
	case *nn.Net:
		return n.Float64()
	case *nn.Net64:
		return n
	}
	return nil
}

func (p Problem) netOf(w []float64) any {
	if p.net == nil || len(w) != len(p.Init) {
		return nil
	}
	return p.net(w)
}
