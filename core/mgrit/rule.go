package mgrit

import (
	"errors"
	"fmt"
	"math"
)

// A Rule says how a coarse level takes one step that stands for several training steps:
// the closer to taking them all, the fewer cycles; the cheaper, the faster each cycle.
// A rule does not change what the iteration converges to, only whether and how fast.
type Rule interface {
	// Propagator is the coarse step of a level, counted from 1, for stride training steps.
	Propagator(level, stride int) Propagator
	String() string
}

// A Propagator is one way to take a coarse step with calls of the problem's step function.
type Propagator struct {
	Scale  float64 // learning rate of each call, as a multiple of the training step's; 0 means 1
	Repeat int     // calls, one after the other; 0 means 1
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

// Repeated takes the step of another rule Times times: twice is the "double Φ".
type Repeated struct {
	Times int  // 0 means 2
	Rule  Rule // nil means Same{}
}

// Propagator implements Rule.
func (r Repeated) Propagator(level, stride int) Propagator {
	r = r.filled()
	p := r.Rule.Propagator(level, stride)
	p.Repeat = max(p.Repeat, 1) * r.Times
	return p
}

func (r Repeated) filled() Repeated {
	setInt(&r.Times, 2)
	if r.Rule == nil {
		r.Rule = Same{}
	}
	return r
}

func (r Repeated) String() string {
	r = r.filled()
	return fmt.Sprintf("%d × (%v)", r.Times, r.Rule)
}

func (r Repeated) check() error {
	r = r.filled()
	if r.Times < 1 {
		return fmt.Errorf("mgrit: Repeated.Times is %d: it must be at least 1 (0 means 2)", r.Times)
	}
	if c, ok := r.Rule.(interface{ check() error }); ok {
		return c.check()
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
