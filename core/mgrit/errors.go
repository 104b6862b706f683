package mgrit

import (
	"fmt"
	"runtime/debug"
	"strings"

	"trivium/core/run"
)

// A StepError says which step of which level went wrong, and how.
type StepError struct {
	Step    Step
	Problem string // what it did
	Stack   string // where, if it panicked
	Err     error  // the error it panicked with, if it was one
}

func (e *StepError) Error() string {
	return fmt.Sprintf("mgrit: cycle %d, level %d, step %d to %d: the step function %s",
		e.Step.Cycle, e.Step.Level, e.Step.From, e.Step.To, e.Problem)
}

func (e *StepError) Unwrap() error { return e.Err }

// panicked makes an error of what a step function panicked with.
func panicked(s Step, r any) error {
	if e, ok := r.(*StepError); ok {
		return e
	}
	r, at := run.Explained(r)
	if at != "" {
		at = " (" + at + ")"
	}
	err, _ := r.(error)
	return &StepError{Step: s, Problem: fmt.Sprintf("panicked: %v%s", r, at), Stack: string(debug.Stack()), Err: err}
}

// A DivergenceError says where the iteration left the numbers behind, or grew without bound.
type DivergenceError struct {
	Cycle, Level int
	From, To     int     // the training steps that the diverging step stands for
	Residual     float64 // its residual, NaN or infinite if it is no number
	First        float64 // the first residual of the finest level; 0 before there is one
	Rule         string  // the coarse rule in use
}

func (e *DivergenceError) Error() string {
	advice := "the step function itself leads there: lower the learning rate"
	switch {
	case e.Level > 0:
		advice = tooLarge(e.Rule)
	case e.Cycle > 0:
		advice = tooLarge(e.Rule) + "; or the training itself grows so, which mgrit.Serial tells"
	}
	began := ""
	if e.First > 0 {
		began = fmt.Sprintf(", it began at %.3g", e.First)
	}
	return fmt.Sprintf("mgrit: diverged in cycle %d on level %d, step %d to %d: the residual is %.3g%s; %s",
		e.Cycle, e.Level, e.From, e.To, e.Residual, began, advice)
}

// tooLarge is advice for who uses a rule, by its name.
func tooLarge(rule string) string {
	other := "or use mgrit.Adaptive"
	if strings.HasPrefix(rule, Adaptive{}.String()) {
		other = "or take fewer levels (Options.MaxLevels)"
	}
	return fmt.Sprintf("the coarse steps (%s) are too large: put a lower cap on them, %s", rule, other)
}
