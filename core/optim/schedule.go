package optim

import (
	"fmt"
	"math"
)

// A Schedule says how the rate changes: what it is multiplied by after some epochs, whole or
// not, of so many in all.
type Schedule interface {
	Factor(epoch, epochs float64) float64
	String() string
}

// Drop multiplies the rate by By each time one of the epochs At is reached.
type Drop struct {
	By float64 // 0 means 0.1
	At []float64
}

// Every multiplies the rate by By after each Epochs epochs.
type Every struct {
	By     float64 // 0 means 0.1
	Epochs float64 // 0 means 30
}

// Cosine lets the rate fall to To along half a cosine (Loshchilov, Hutter, ICLR 2017).
type Cosine struct{ To float64 }

// WarmUp lets the rate grow in a straight line over the first Epochs epochs, and then leaves
// the rest of the training to Then.
type WarmUp struct {
	Epochs float64 // 0 means 1
	From   float64 // the first factor
	Then   Schedule
}

// Factor returns By to the power of the number of drops.
func (d Drop) Factor(epoch, _ float64) float64 {
	f := 1.0
	for _, at := range d.At {
		if epoch >= at {
			f *= or(d.By, 0.1)
		}
	}
	return f
}

// Factor returns By to the power of the number of drops.
func (d Every) Factor(epoch, _ float64) float64 {
	return math.Pow(or(d.By, 0.1), math.Floor(epoch/or(d.Epochs, 30)))
}

// Factor returns 1 at first and To at the end.
func (c Cosine) Factor(epoch, epochs float64) float64 {
	if epoch >= epochs {
		return c.To
	}
	return c.To + (1-c.To)*(1+math.Cos(math.Pi*epoch/epochs))/2
}

// Factor returns From at first and what Then says from Epochs on.
func (w WarmUp) Factor(epoch, epochs float64) float64 {
	n := or(w.Epochs, 1)
	if epoch < n {
		return w.From + (1-w.From)*epoch/n
	}
	if w.Then == nil {
		return 1
	}
	return w.Then.Factor(epoch-n, epochs-n)
}

func (d Drop) String() string { return fmt.Sprintf("times %g at %v", or(d.By, 0.1), d.At) }
func (d Every) String() string {
	return fmt.Sprintf("times %g every %g", or(d.By, 0.1), or(d.Epochs, 30))
}
func (c Cosine) String() string { return fmt.Sprintf("cosine to %g", c.To) }

func (w WarmUp) String() string {
	s := fmt.Sprintf("warm-up over %g", or(w.Epochs, 1))
	if w.Then != nil {
		s += ", " + w.Then.String()
	}
	return s
}
