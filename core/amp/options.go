package amp

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	"trivium/core/optim"
	"trivium/core/run"
)

// Options sets how a graph is trained. The zero value is one epoch of plain gradient descent with
// a worker for each core.
type Options struct {
	Name string // shown in legends; empty means "amp" and the number of the run

	Workers       int // goroutines that host nodes; 0 means one for each core
	MaxActiveKeys int // instances on their way at once; 0 means 16. 1 is training one after the other
	Batch         int // messages of one node computed as one product, at most; 0 means 256, 1 means that each is its own

	// MinUpdateFrequency is how many gradients a node gathers, by adding them up, before it takes a step;
	// 0 means 1. A node that is used u times by an instance has u gradients of it.
	MinUpdateFrequency int
	Still              bool // never take a step: gradients are added up and stay in Node.Gradients

	Epochs    int             // times through the instances; 0 means 1
	Instances int             // end after so many even so; 0 means no limit
	Optimizer optim.Optimizer // of every node without its own; nil means optim.SGD{}
	Rate      float64         // 0 means the optimiser's usual rate
	Schedule  optim.Schedule  // of the rate; nil means that it stays
	Clip      float64         // scale each node's gradient down to this 2-norm; 0 means never, 1 is often right where gradients are stale
	Correct   Correction      // of stale gradients; nil means not at all, as in the paper

	// Affinity is the worker, from 0, of each node by name. Nodes that are not in it are placed so
	// that measured work is even, anew after each epoch.
	Affinity map[string]int

	// Deterministic does everything on one worker in a fixed order, so that a training can be
	// repeated bit by bit.
	Deterministic bool

	Validate   any     // data to test with after each epoch, of the kind that the graph takes; nil means the data's own TestData, if it has some
	Interleave bool    // and test while training goes on, instead of after each epoch
	Target     float64 // end when the accuracy of a test, or 1 - its mean error for numbers, has come to this; 0 means never

	Seed    uint64 // of the order of instances
	InOrder bool   // take the instances as they lie, not in a new order each epoch

	Spans      int    // how many bars the timeline has at most, roughly; 0 means 20,000, negative none
	Checkpoint string // a file, written after each epoch and when the run is stopped
	Resume     string // a file that Checkpoint wrote for the same graph; Epochs are counted from the first

	OnEpoch func(e EpochInfo) // called after each epoch; may be a cell's function
}

// EpochInfo tells OnEpoch how far the training is.
type EpochInfo struct {
	Epoch, Instances int     // from 1; in all
	Loss             float64 // mean of the epoch
	Accuracy         float64 // of the test, from 0 to 1; NaN for numbers, or without a test
	TestLoss         float64 // NaN without a test
	Seconds          float64 // of training
}

const (
	mostWorkers  = 256
	usualActive  = 16
	usualBatch   = 256
	usualSpans   = 20_000
	mostInFlight = 1 << 20
)

func (o Options) check(g *Graph) error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("amp: "+format, args...)) }
	for _, c := range []struct {
		name string
		v    int
	}{{"Workers", o.Workers}, {"MaxActiveKeys", o.MaxActiveKeys}, {"MinUpdateFrequency", o.MinUpdateFrequency},
		{"Batch", o.Batch}, {"Epochs", o.Epochs}, {"Instances", o.Instances}} {
		if c.v < 0 {
			bad("Options.%s is %d: it must be at least 1, or 0 for the usual", c.name, c.v)
		}
	}
	if o.Workers > mostWorkers {
		bad("Options.Workers is %d: at most %d", o.Workers, mostWorkers)
	}
	if o.MaxActiveKeys > mostInFlight {
		bad("Options.MaxActiveKeys is %d: at most %d", o.MaxActiveKeys, mostInFlight)
	}
	if o.Rate < 0 || math.IsNaN(o.Rate) || math.IsInf(o.Rate, 0) || o.Clip < 0 || math.IsNaN(o.Clip) {
		bad("Options.Rate %v and Clip %v must not be negative", o.Rate, o.Clip)
	}
	if o.Optimizer != nil {
		if err := o.Optimizer.Check(); err != nil {
			errs = append(errs, err)
		}
	}
	if o.Correct != nil {
		if err := o.Correct.check(); err != nil {
			errs = append(errs, err)
		}
	}
	r := o.filled()
	for name, w := range o.Affinity {
		if g.byName[name] == nil {
			bad("Options.Affinity names %q, which is no node of %s", name, g.Name)
		}
		if w < 0 || w >= r.Workers {
			bad("Options.Affinity puts %s on worker %d: there are workers 0 to %d", name, w, r.Workers-1)
		}
	}
	for _, set := range g.replicas {
		if len(set) > r.Workers && !o.Deterministic {
			bad("%s has %d replicas for %d workers: replicas are there to work at once; ask for more workers, or fewer replicas, or Deterministic", strings.TrimSuffix(set[0].Name, "/0"), len(set), r.Workers)
		}
	}
	return errors.Join(errs...)
}

func (o Options) filled() Options {
	def := func(v *int, usual int) {
		if *v == 0 {
			*v = usual
		}
	}
	def(&o.Workers, min(runtime.GOMAXPROCS(0), mostWorkers))
	if o.Deterministic {
		o.Workers = 1
		o.Affinity = nil
	}
	def(&o.MaxActiveKeys, usualActive)
	def(&o.Batch, usualBatch)
	def(&o.MinUpdateFrequency, 1)
	if o.Still {
		o.MinUpdateFrequency = math.MaxInt
	}
	def(&o.Epochs, 1)
	def(&o.Spans, usualSpans)
	if o.Optimizer == nil {
		o.Optimizer = optim.SGD{}
	}
	if o.Rate == 0 {
		o.Rate = o.Optimizer.UsualRate()
	}
	return o
}

// run describes the run for lists and tables.
func (o Options) run(g *Graph) run.Options {
	correct := "none"
	if o.Correct != nil {
		correct = o.Correct.String()
	}
	return run.Options{Name: o.Name, Kind: "amp", Unit: "instances", CallsCells: g.read == nil || o.OnEpoch != nil, Settings: []run.Setting{
		{Name: "network", Value: g.Name},
		{Name: "workers", Value: strconv.Itoa(o.Workers)},
		{Name: "max active keys", Value: strconv.Itoa(o.MaxActiveKeys)},
		{Name: "min update frequency", Value: strconv.Itoa(o.MinUpdateFrequency)},
		{Name: "batch", Value: strconv.Itoa(o.Batch)},
		{Name: "optimizer", Value: o.Optimizer.String()},
		{Name: "rate", Value: strconv.FormatFloat(o.Rate, 'g', 4, 64)},
		{Name: "correction", Value: correct},
	}}
}
