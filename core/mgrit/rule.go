package mgrit

import (
	"errors"
	"fmt"
	"math"

	"trivium/core/nn"
)

// A Rule says how a coarse level takes one step that stands for several training steps:
// the closer to taking them all, the fewer cycles; the cheaper, the faster each cycle.
// A rule does not change what the iteration converges to, only whether and how fast.
//
// Rules for the learning rate are [Same], [Growing], [Multiplied], [Custom], [Adaptive]
// and [Chebyshev]. [Repeated], [Averaged], [Drawn], [InTurn], [Pooled] and [Sampled] are put
// around one of them.
type Rule interface {
	// Propagator is the coarse step of a level, counted from 1, for stride training steps.
	Propagator(level, stride int) Propagator
	String() string
}

// A Propagator is one way to take a coarse step with calls of the problem's step function.
type Propagator struct {
	Scale  float64 // learning rate of each call, as a multiple of the training step's; 0 means 1
	Repeat int     // times it is taken, one after the other; 0 means 1

	// Stages above 1 makes it that many calls, combined so that Scale can be about Stages²
	// times as large before the step becomes unstable; see [Chebyshev].
	Stages int

	// Average above 1 takes that many of the training steps that the coarse step stands
	// for, evenly spread, all from the same vector, and averages what they do; see [Averaged].
	Average int

	Draw bool // draw which training step to take, rather than the first; see [Drawn]
	Turn bool // take the next one from coarse step to coarse step; see [InTurn]

	// Batches above 1 puts together the minibatches of that many of the training steps; see [Pooled].
	Batches int
	Product nn.Product // how layers multiply; nil means as in training steps; see [Sampled]
}

// calls is how many calls of the step function it takes.
func (p Propagator) calls() int { return p.Repeat * p.Stages * p.Average }

// each is how many training steps' work each stage takes.
func (p Propagator) each() int { return p.Repeat * p.Average * p.Batches }

func (p Propagator) filled() Propagator {
	if p.Scale == 0 {
		p.Scale = 1
	}
	p.Repeat, p.Stages, p.Average, p.Batches = max(p.Repeat, 1), max(p.Stages, 1), max(p.Average, 1), max(p.Batches, 1)
	return p
}

// Same takes a coarse step with the learning rate of a training step: the plainest
// choice, always stable, and the worse the longer the training.
type Same struct{}

// Propagator implements Rule.
func (Same) Propagator(level, stride int) Propagator { return Propagator{Scale: 1} }

func (Same) String() string { return "same rate" }

// Growing multiplies the learning rate by By from each level to the next, up to Cap.
// By equal to the coarsening factor is the analogue of a longer time step.
type Growing struct {
	By  float64 // 0 means 2
	Cap float64 // largest multiple of the training step's rate; 0 means none
}

// Propagator implements Rule.
func (g Growing) Propagator(level, stride int) Propagator {
	by := g.By
	if by == 0 {
		by = 2
	}
	return Propagator{Scale: capped(math.Pow(by, float64(level)), g.Cap)}
}

func (g Growing) String() string {
	by := g.By
	if by == 0 {
		by = 2
	}
	return fmt.Sprintf("rate × %.4g^level", by) + capText(g.Cap)
}

func (g Growing) check() error { return checkGrowth("Growing", g.By, g.Cap) }

// Multiplied multiplies the learning rate by the number of training steps that the
// coarse step stands for, up to Cap: Growing with the coarsening factor, whatever it is.
type Multiplied struct {
	Cap float64 // largest multiple of the training step's rate; 0 means none
}

// Propagator implements Rule.
func (m Multiplied) Propagator(level, stride int) Propagator {
	return Propagator{Scale: capped(float64(stride), m.Cap)}
}

func (m Multiplied) String() string { return "rate × steps skipped" + capText(m.Cap) }

func (m Multiplied) check() error { return checkGrowth("Multiplied", 1, m.Cap) }

// Custom is a rule written by the caller, in a cell for example.
type Custom struct {
	Name  string
	Scale func(level, stride int) float64 // multiple of the training step's rate
}

// Propagator implements Rule.
func (c Custom) Propagator(level, stride int) Propagator {
	return Propagator{Scale: c.Scale(level, stride)}
}

func (c Custom) String() string {
	if c.Name == "" {
		return "custom"
	}
	return c.Name
}

func (c Custom) check() error {
	if c.Scale == nil {
		return errors.New("mgrit: Custom.Scale is nil: give a function of level and stride")
	}
	return nil
}

func capped(scale, limit float64) float64 {
	if limit > 0 {
		return math.Min(scale, limit)
	}
	return scale
}

func capText(limit float64) string {
	if limit > 0 {
		return fmt.Sprintf(", at most %.4g", limit)
	}
	return ""
}

func checkGrowth(rule string, by, limit float64) error {
	if !(by >= 0) || math.IsInf(by, 0) {
		return fmt.Errorf("mgrit: %s.By is %v: it must be a positive number (0 means 2)", rule, by)
	}
	if !(limit >= 0) {
		return fmt.Errorf("mgrit: %s.Cap is %v: it must be a positive number (0 means no cap)", rule, limit)
	}
	return nil
}
