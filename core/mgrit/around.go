package mgrit

import "fmt"

// Repeated splits a coarse step into Times steps, each as the rule inside takes a step of
// that part of the length. Twice is known as double Φ; with Same inside, both have the
// learning rate of a training step.
type Repeated struct {
	Times int  // 0 means 2
	Rule  Rule // nil means Same{}
}

// Averaged takes several of the training steps that a coarse step stands for, all from the
// same weights, and averages what they do. Where each training step sees another example or
// minibatch, the coarse step so sees (nearly) all of those it skips.
type Averaged struct {
	Most int  // training steps to take, drawn one from each of Most equal parts; 0 means 8
	Rule Rule // nil means Same{}
}

// Drawn takes one of the training steps that a coarse step stands for, drawn once for
// each coarse step, instead of always the first: the cheap alternative to Averaged.
type Drawn struct {
	Rule Rule // nil means Same{}
}

// A wrapper is a rule around another.
type wrapper interface{ inside() Rule }

func (r Repeated) inside() Rule { return orSame(r.Rule) }
func (a Averaged) inside() Rule { return orSame(a.Rule) }
func (d Drawn) inside() Rule    { return orSame(d.Rule) }

func orSame(r Rule) Rule {
	if r == nil {
		return Same{}
	}
	return r
}

// Propagator implements Rule.
func (r Repeated) Propagator(level, stride int) Propagator {
	setInt(&r.Times, 2)
	p := r.inside().Propagator(level, max(1, stride/r.Times))
	p.Repeat = max(p.Repeat, 1) * r.Times
	return p
}

// Propagator implements Rule.
func (a Averaged) Propagator(level, stride int) Propagator {
	setInt(&a.Most, 8)
	p := a.inside().Propagator(level, stride)
	p.Average = min(a.Most, stride)
	return p
}

// Propagator implements Rule.
func (d Drawn) Propagator(level, stride int) Propagator {
	p := d.inside().Propagator(level, stride)
	p.Draw = true
	return p
}

func (r Repeated) String() string {
	setInt(&r.Times, 2)
	return fmt.Sprintf("%d × (%v)", r.Times, r.inside())
}

func (a Averaged) String() string {
	setInt(&a.Most, 8)
	return fmt.Sprintf("%v, mean of %d examples", a.inside(), a.Most)
}

func (d Drawn) String() string { return fmt.Sprintf("%v, drawn example", d.inside()) }

func (r Repeated) check() error {
	if r.Times < 0 {
		return fmt.Errorf("mgrit: Repeated.Times is %d: it must be at least 1 (0 means 2)", r.Times)
	}
	return nil
}

func (a Averaged) check() error {
	if a.Most < 0 {
		return fmt.Errorf("mgrit: Averaged.Most is %d: it must be at least 1 (0 means 8)", a.Most)
	}
	return nil
}

// layers are a rule and those inside it, from the outside.
func layers(r Rule) []Rule {
	all := []Rule{r}
	for {
		w, ok := r.(wrapper)
		if !ok {
			return all
		}
		r = w.inside()
		all = append(all, r)
	}
}

// checkRule says what is wrong with the fields of a rule and of those inside it.
func checkRule(r Rule) error {
	for _, r := range layers(r) {
		if c, ok := r.(interface{ check() error }); ok {
			if err := c.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// adapts is the rule that adapts, in whatever is around it; nil if there is none.
func adapts(r Rule) adapting {
	all := layers(r)
	r = all[len(all)-1]
	if c, ok := r.(Chebyshev); ok && c.Sharpness > 0 {
		return nil
	}
	a, _ := r.(adapting)
	return a
}
