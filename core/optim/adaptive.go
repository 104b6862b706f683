package optim

import (
	"errors"
	"fmt"

	"trivium/core/tensor"
)

// Adam divides an average of gradients by the root of an average of their squares (Kingma,
// Ba, ICLR 2015).
type Adam struct {
	Beta1 float64 // weight of the past in the average; 0 means 0.9
	Beta2 float64 // and in that of squares; 0 means 0.999
	Eps   float64 // added to the root; 0 means 1e-8
	Decay float64 // times the weights is added to the gradient
}

// AdamW is Adam with a decay of the weights that the averages do not see: each step
// multiplies them by 1 - rate·Decay (Loshchilov, Hutter, ICLR 2019).
type AdamW struct {
	Beta1 float64 // 0 means 0.9
	Beta2 float64 // 0 means 0.999
	Eps   float64 // 0 means 1e-8
	Decay float64 // 0 means 0.01
}

// Adagrad divides by the root of the sum of all squared gradients (Duchi, Hazan, Singer, JMLR
// 12 (2011), 2121).
type Adagrad struct {
	Eps   float64 // 0 means 1e-10
	Decay float64 // times the weights is added to the gradient
}

// RMSProp divides by the root of an average of squared gradients (Tieleman, Hinton, 2012).
type RMSProp struct {
	Rho   float64 // weight of the past in the average; 0 means 0.99
	Eps   float64 // 0 means 1e-8
	Decay float64 // times the weights is added to the gradient
}

// Memory returns 2: both averages.
func (Adam) Memory() int { return 2 }

// Memory returns 2: both averages.
func (AdamW) Memory() int { return 2 }

// Memory returns 1: the sum of squares.
func (Adagrad) Memory() int { return 1 }

// Memory returns 1: the average of squares.
func (RMSProp) Memory() int { return 1 }

// UsualRate returns 0.001.
func (Adam) UsualRate() float64 { return 1e-3 }

// UsualRate returns 0.001.
func (AdamW) UsualRate() float64 { return 1e-3 }

// UsualRate returns 0.01.
func (Adagrad) UsualRate() float64 { return 1e-2 }

// UsualRate returns 0.001.
func (RMSProp) UsualRate() float64 { return 1e-3 }

// Check says which setting is out of range.
func (o Adam) Check() error {
	return errors.Join(below1("Adam", "Beta1", o.Beta1), below1("Adam", "Beta2", o.Beta2), atLeast0("Adam", "Eps", o.Eps), atLeast0("Adam", "Decay", o.Decay))
}

// Check says which setting is out of range.
func (o AdamW) Check() error {
	return errors.Join(below1("AdamW", "Beta1", o.Beta1), below1("AdamW", "Beta2", o.Beta2), atLeast0("AdamW", "Eps", o.Eps), atLeast0("AdamW", "Decay", o.Decay))
}

// Check says which setting is out of range.
func (o Adagrad) Check() error {
	return errors.Join(atLeast0("Adagrad", "Eps", o.Eps), atLeast0("Adagrad", "Decay", o.Decay))
}

// Check says which setting is out of range.
func (o RMSProp) Check() error {
	return errors.Join(below1("RMSProp", "Rho", o.Rho), atLeast0("RMSProp", "Eps", o.Eps), atLeast0("RMSProp", "Decay", o.Decay))
}

func (o Adam) String() string    { return "Adam" + decayed(o.Decay) }
func (o AdamW) String() string   { return fmt.Sprintf("AdamW decay %g", or(o.Decay, 0.01)) }
func (o Adagrad) String() string { return "Adagrad" + decayed(o.Decay) }
func (o RMSProp) String() string { return "RMSProp" + decayed(o.Decay) }

func (o Adam) settings() tensor.AdamStep {
	return tensor.AdamStep{Beta1: or(o.Beta1, 0.9), Beta2: or(o.Beta2, 0.999), Eps: or(o.Eps, 1e-8), Decay: o.Decay}
}

func (o AdamW) settings() tensor.AdamStep {
	s := Adam{o.Beta1, o.Beta2, o.Eps, or(o.Decay, 0.01)}.settings()
	s.Decoupled = true
	return s
}

func adam[T tensor.Float](s tensor.AdamStep, w, g, memory []T, rate float64, step int) {
	s.LR, s.Step = rate, step
	tensor.Adam(w, part(memory, 0, len(w)), part(memory, 1, len(w)), g, s)
}

// Step32 takes a step in float32.
func (o Adam) Step32(w, g, memory []float32, rate float64, step int) {
	adam(o.settings(), w, g, memory, rate, step)
}

// Step64 takes a step in float64.
func (o Adam) Step64(w, g, memory []float64, rate float64, step int) {
	adam(o.settings(), w, g, memory, rate, step)
}

// Step32 takes a step in float32.
func (o AdamW) Step32(w, g, memory []float32, rate float64, step int) {
	adam(o.settings(), w, g, memory, rate, step)
}

// Step64 takes a step in float64.
func (o AdamW) Step64(w, g, memory []float64, rate float64, step int) {
	adam(o.settings(), w, g, memory, rate, step)
}

// Step32 takes a step in float32.
func (o Adagrad) Step32(w, g, memory []float32, rate float64, _ int) {
	tensor.Adagrad(w, memory, g, float32(rate), float32(or(o.Eps, 1e-10)), float32(o.Decay))
}

// Step64 takes a step in float64.
func (o Adagrad) Step64(w, g, memory []float64, rate float64, _ int) {
	tensor.Adagrad(w, memory, g, rate, or(o.Eps, 1e-10), o.Decay)
}

// Step32 takes a step in float32.
func (o RMSProp) Step32(w, g, memory []float32, rate float64, _ int) {
	tensor.RMSProp(w, memory, g, float32(rate), float32(or(o.Rho, 0.99)), float32(or(o.Eps, 1e-8)), float32(o.Decay))
}

// Step64 takes a step in float64.
func (o RMSProp) Step64(w, g, memory []float64, rate float64, _ int) {
	tensor.RMSProp(w, memory, g, rate, or(o.Rho, 0.99), or(o.Eps, 1e-8), o.Decay)
}
