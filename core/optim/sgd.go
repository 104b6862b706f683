package optim

import (
	"fmt"

	"trivium/core/tensor"
)

// SGD goes down the gradient, or with Momentum along an average of gradients: v = μv + g,
// w -= rate·v (Sutskever et al., ICML 2013). The zero value is plain gradient descent.
type SGD struct {
	Momentum float64 // μ, from 0 to below 1
	Nesterov bool    // look ahead: w -= rate·(g + μv)
	Decay    float64 // times the weights is added to the gradient
}

// Memory returns 1 with momentum and 0 without.
func (o SGD) Memory() int {
	if o.Momentum == 0 {
		return 0
	}
	return 1
}

// UsualRate returns 0.1.
func (SGD) UsualRate() float64 { return 0.1 }

// Check says which setting is out of range.
func (o SGD) Check() error {
	if err := below1("SGD", "Momentum", o.Momentum); err != nil {
		return err
	}
	if o.Nesterov && o.Momentum == 0 {
		return fmt.Errorf("optim: SGD with Nesterov needs a Momentum above 0")
	}
	return atLeast0("SGD", "Decay", o.Decay)
}

func (o SGD) String() string {
	s := "SGD"
	if o.Momentum != 0 {
		s += fmt.Sprintf(" momentum %g", o.Momentum)
	}
	if o.Nesterov {
		s += " Nesterov"
	}
	return s + decayed(o.Decay)
}

// Step32 takes a step in float32.
func (o SGD) Step32(w, g, memory []float32, rate float64, _ int) { sgd(o, w, g, memory, rate) }

// Step64 takes a step in float64.
func (o SGD) Step64(w, g, memory []float64, rate float64, _ int) { sgd(o, w, g, memory, rate) }

func sgd[T tensor.Float](o SGD, w, g, memory []T, rate float64) {
	if o.Momentum == 0 {
		tensor.SGD(w, g, T(rate), T(o.Decay))
		return
	}
	tensor.Momentum(w, part(memory, 0, len(w)), g, T(rate), T(o.Momentum), T(o.Decay), o.Nesterov)
}

func below1(name, field string, v float64) error {
	if !(v >= 0 && v < 1) {
		return fmt.Errorf("optim: %s: %s is %g: it must be from 0 to below 1", name, field, v)
	}
	return nil
}

func atLeast0(name, field string, v float64) error {
	if !(v >= 0) {
		return fmt.Errorf("optim: %s: %s is %g: it must be at least 0", name, field, v)
	}
	return nil
}

func decayed(d float64) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf(" decay %g", d)
}
