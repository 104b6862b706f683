package mgrit

import (
	"errors"
	"fmt"
	"math"
)

// A Problem is something that evolves step by step: the weights of a network under a
// training algorithm, or the solution of a differential equation. Give it a first vector
// and one of Step and Update.
type Problem struct {
	Name string    // shown in figures; may be empty
	Init []float64 // the vector before the first step; never written to

	// Step writes to dst what one step makes of src. It must give the same result each
	// time it is called with the same arguments, leave src as it is, and stand being
	// called by several workers at once (s.Worker tells them apart, to pick scratch memory).
	Step func(dst, src []float64, s Step)

	// Update is Step for a training step that already exists and changes weights in place:
	// it gets a copy of its own, and returns the new vector, which may be the same slice.
	Update func(w []float64, s Step) []float64

	// Loss, where given, is recorded for the last vector after every cycle. It is called
	// by one goroutine at a time.
	Loss func(w []float64) float64

	// Flops, where known, is the arithmetic of one call of Step or Update, by which figures compare
	// runs at equal work. Problems that [Training] makes count for themselves.
	Flops float64

	CallsCells bool // Step, Update or Loss is a function written in a notebook cell

	// Of problems that [Training] makes.
	err     error                 // why there is none
	weights int                   // leading numbers of the vector that gradients are by; 0 means all
	tol     float64               // the smallest residual to ask for, over √Steps; 0 means whatever is asked for
	network bool                  // Step heeds what Step.Coarse says
	scratch float64               // bytes of memory that Step takes for each worker
	net     func(v []float64) any // makes a network of a vector
}

// A Step says which step to take. A step of a coarse level stands for To-From training
// steps; how it does so is the coarse rule's choice, handed over as Scale and Index.
type Step struct {
	From, To int     // the vector before training step From becomes the one before step To
	Scale    float64 // multiplies the learning rate, or the time step; 1 on the finest level
	Index    int     // the training step whose example or minibatch to use; From on the finest level
	Span     int     // training steps that this call stands for: To-From, but for parts of a coarse step
	Level    int     // 0 is the finest
	Cycle    int     // from 0
	Worker   int     // from 0; two calls of a run at once never have the same

	// Coarse is how the rule wants the level's steps taken; nil on the finest. Scale, Index
	// and Span say all of it that concerns a step function, but for Batches and Product, which
	// those of Training heed.
	Coarse *Propagator

	flops *float64 // where steps of Training count; may be nil
}

func (p *Problem) check() error {
	switch {
	case p.err != nil:
		return p.err
	case len(p.Init) == 0:
		return errors.New("mgrit: the problem's Init is empty: give the vector before the first step")
	case p.Step == nil && p.Update == nil:
		return errors.New("mgrit: the problem has neither Step nor Update: give one of them")
	case p.Step != nil && p.Update != nil:
		return errors.New("mgrit: the problem has both Step and Update: give one of them")
	case !(p.Flops >= 0) || math.IsInf(p.Flops, 0):
		return fmt.Errorf("mgrit: the problem's Flops is %v: it must be at least 0 (0 means not known)", p.Flops)
	}
	for i, x := range p.Init {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("mgrit: the problem's Init[%d] is %v: every number must be finite", i, x)
		}
	}
	return nil
}

// Serial takes all steps one after the other, with no hierarchy and no other goroutine,
// and returns the last vector: the reference that everything here is compared with.
func Serial(p Problem, steps int) ([]float64, error) {
	var last []float64
	err := serialPath(p, steps, func(_ int, u []float64) { last = u })
	return append([]float64(nil), last...), err
}

// SerialPath is Serial that returns the vectors after 0, 1, ..., steps steps.
func SerialPath(p Problem, steps int) ([][]float64, error) {
	path := make([][]float64, 0, max(steps, 0)+1)
	err := serialPath(p, steps, func(_ int, u []float64) {
		path = append(path, append([]float64(nil), u...))
	})
	return path, err
}

// serialPath shows each vector to see; it overwrites them two steps later.
func serialPath(p Problem, steps int, see func(i int, u []float64)) (err error) {
	if err := p.check(); err != nil {
		return err
	}
	if steps < 0 {
		return fmt.Errorf("mgrit: cannot take %d steps", steps)
	}
	s := Step{Scale: 1, Span: 1}
	defer func() {
		if r := recover(); r != nil {
			err = panicked(s, r)
		}
	}()
	u, next := append([]float64(nil), p.Init...), make([]float64, len(p.Init))
	see(0, u)
	for i := range steps {
		s.From, s.To, s.Index = i, i+1, i
		if err := p.call(next, u, s); err != nil {
			return err
		}
		u, next = next, u
		see(i+1, u)
	}
	return nil
}

// call takes one step in whichever way the problem is written.
func (p *Problem) call(dst, src []float64, s Step) error {
	if p.Step != nil {
		p.Step(dst, src, s)
		return nil
	}
	copy(dst, src)
	w := p.Update(dst, s)
	if len(w) != len(dst) {
		return &StepError{Step: s, Problem: fmt.Sprintf("returned %d numbers for a vector of %d: it must keep the length", len(w), len(dst))}
	}
	if &w[0] != &dst[0] {
		copy(dst, w)
	}
	return nil
}
