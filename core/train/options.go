package train

import (
	"errors"
	"fmt"
	"math"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/run"
)

// Options sets how a network is trained. The zero value is one epoch of plain gradient descent.
type Options struct {
	Name string // shown in legends; empty means "train" and the number of the run

	Epochs   int    // times through the samples; 0 means 1
	Steps    int    // end after so many steps even so; 0 means no limit
	Batch    int    // samples of a step; 0 means 64. The last of an epoch has what is left
	DropLast bool   // leave out what is left
	InOrder  bool   // take the samples as they lie, not in a new order each epoch
	Seed     uint64 // of order, dropout and sampling; first weights are nn.Network.Init's

	Loss      nn.Loss         // cross-entropy is the zero value
	Optimizer optim.Optimizer // nil means optim.SGD{}
	Rate      float64         // 0 means the optimiser's usual rate
	Schedule  optim.Schedule  // of the rate; nil means that it stays
	Augment   Augment         // of pictures, in training
	Clip      float64         // scale the gradient down to this 2-norm; 0 means never
	Product   nn.Product      // how layers multiply in training, such as nn.SkipZeros or one of crs; nil means as the network has it
	Workers   int             // that share each product; 0 means one for each core. Results do not depend on it

	Patience int // end after so many epochs in a row without a better test; 0 means never

	// Checkpoint is a file, written after each epoch and when the run is stopped. With Best
	// set, the weights of the best test so far are in a second one, named Checkpoint + ".best".
	Checkpoint string
	Best       bool

	// Resume is a file that Checkpoint wrote in a training of the same network, data and
	// options; Epochs, Steps, Workers and Patience may differ. The end is bit for bit that of
	// a training without interruption.
	Resume string

	// GradientNorms records the 2-norm of each layer's gradient, before Clip, every so many
	// steps, as the series "gradient/dense1" and so on; 0 means never.
	GradientNorms int

	OnStep  func(s StepInfo)  // called after each step; may be a cell's function
	OnEpoch func(e EpochInfo) // called after each epoch; may be a cell's function
}

// StepInfo tells OnStep how far the training is.
type StepInfo struct {
	Step, Epoch int // from 1
	Loss, Rate  float64
}

// EpochInfo tells OnEpoch how far the training is.
type EpochInfo struct {
	Epoch, Step  int     // from 1
	Loss         float64 // mean over the epoch's samples, each measured when it was its turn
	TestLoss     float64 // NaN without samples to test with
	Accuracy     float64 // of the test samples, from 0 to 1; NaN without labels
	Better, Ends bool    // better than every test before; Patience is at its end
}

// Usual checks the options and fills in what is usual for those that are not set, as every training begins. It is
// for packages that train in a way of their own.
func (o Options) Usual() (Options, error) {
	if err := o.check(); err != nil {
		return o, err
	}
	return o.defaults(), nil
}

func (o Options) defaults() Options {
	if o.Epochs == 0 {
		o.Epochs = 1
	}
	if o.Batch == 0 {
		o.Batch = 64
	}
	if o.Optimizer == nil {
		o.Optimizer = optim.SGD{}
	}
	if o.Rate == 0 {
		o.Rate = o.Optimizer.UsualRate()
	}
	return o
}

func (o Options) check() error {
	for name, n := range map[string]int{"Epochs": o.Epochs, "Steps": o.Steps, "Batch": o.Batch, "Workers": o.Workers, "Patience": o.Patience} {
		if n < 0 {
			return fmt.Errorf("train: Options.%s is %d: it must be at least 0", name, n)
		}
	}
	if !(o.Rate >= 0) || math.IsInf(o.Rate, 0) {
		return fmt.Errorf("train: Options.Rate is %g: it must be a number of at least 0", o.Rate)
	}
	if !(o.Clip >= 0) {
		return fmt.Errorf("train: Options.Clip is %g: it must be at least 0", o.Clip)
	}
	if o.Best && o.Checkpoint == "" {
		return errors.New("train: Options.Best is set and Checkpoint is empty: say where to write")
	}
	if o.Optimizer != nil {
		return o.Optimizer.Check()
	}
	return nil
}

func (o Options) run(net string) run.Options {
	set := []run.Setting{
		{Name: "network", Value: net},
		{Name: "epochs", Value: fmt.Sprint(o.Epochs)},
		{Name: "batch", Value: fmt.Sprint(o.Batch)},
		{Name: "loss", Value: o.Loss.String()},
		{Name: "optimizer", Value: o.Optimizer.String()},
		{Name: "rate", Value: fmt.Sprint(o.Rate)},
		{Name: "seed", Value: fmt.Sprint(o.Seed)},
	}
	if o.Schedule != nil {
		set = append(set, run.Setting{Name: "schedule", Value: o.Schedule.String()})
	}
	if a := o.Augment.String(); a != "" {
		set = append(set, run.Setting{Name: "augment", Value: a})
	}
	if o.Product != nil {
		set = append(set, run.Setting{Name: "product", Value: o.Product.String()})
	}
	return run.Options{Name: o.Name, Kind: "train", Settings: set, CallsCells: o.OnStep != nil || o.OnEpoch != nil}
}
