// Package optim changes weights by gradients: stochastic gradient descent with momentum, Adam
// and others, and schedules for their rate.
//
// An [Optimizer] is a value that says how, such as SGD{Momentum: 0.9}, and holds nothing. What it
// remembers between steps lies in a vector that the caller keeps, [Optimizer.Memory] numbers
// for each weight, all zero at first. So a step is a function of weights, gradient, memory and
// its number, which makes a training easy to save, to resume, and to solve for many steps at
// once:
//
//	o := optim.Adam{}
//	memory := make([]float32, o.Memory()*len(w))
//	o.Step32(w, g, memory, 1e-3, 1) // the first step
package optim
