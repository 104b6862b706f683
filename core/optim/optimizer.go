package optim

import "trivium/core/tensor"

// An Optimizer changes weights w by a gradient g. Its memory is as long as w times Memory. The
// rate is the step's, whatever schedule it comes from; steps are numbered from 1.
type Optimizer interface {
	Step32(w, g, memory []float32, rate float64, step int)
	Step64(w, g, memory []float64, rate float64, step int)
	Memory() int        // numbers for each weight, 0 at first
	UsualRate() float64 // what a rate of 0 in train.Options stands for
	Check() error       // why the settings make no sense, or nil
	String() string
}

// Step takes a step of o in the type of the weights.
func Step[T tensor.Float](o Optimizer, w, g, memory []T, rate float64, step int) {
	switch w := any(w).(type) {
	case []float32:
		o.Step32(w, any(g).([]float32), any(memory).([]float32), rate, step)
	case []float64:
		o.Step64(w, any(g).([]float64), any(memory).([]float64), rate, step)
	}
}

// part returns the i-th of the vectors of n numbers that memory is made of.
func part[T tensor.Float](memory []T, i, n int) []T { return memory[i*n:][:n] }

func or(v, usual float64) float64 {
	if v == 0 {
		return usual
	}
	return v
}
