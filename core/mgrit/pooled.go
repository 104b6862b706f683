package mgrit

import (
	"errors"
	"fmt"

	"trivium/core/nn"
)

// InTurn takes one of the training steps that a coarse step stands for: its first in the
// first coarse step, its second in the second, and so on in turn. Where training takes its
// examples in turn, coarse steps so see all of them, each as often.
type InTurn struct {
	Rule Rule // nil means Same{}
}

// Pooled computes the gradient of a coarse step from a larger minibatch: the minibatches of
// several of the training steps that it stands for, put together. It is [Averaged] in one call,
// which costs as much, and counts as much in forecasts.
// For problems made by [Training].
type Pooled struct {
	Most int  // minibatches, evenly spread; 0 means 4
	Rule Rule // nil means Same{}
}

// Sampled makes the layers of a network multiply in another way in coarse steps: from a
// sample of column-row pairs, say, which is cheaper and in the mean right. What Product
// draws must follow from seed and step alone, so that a coarse step gives the same each time
// it is taken. Forecasts count it as a step like others, so they are a bound from below. For
// problems made by [Training].
type Sampled struct {
	Product nn.Product // such as crs.TopK{Keep: 0.25}
	Rule    Rule       // nil means Same{}
}

func (t InTurn) inside() Rule  { return orSame(t.Rule) }
func (p Pooled) inside() Rule  { return orSame(p.Rule) }
func (s Sampled) inside() Rule { return orSame(s.Rule) }

// Propagator implements Rule.
func (t InTurn) Propagator(level, stride int) Propagator {
	p := t.inside().Propagator(level, stride)
	p.Turn = true
	return p
}

// Propagator implements Rule.
func (p Pooled) Propagator(level, stride int) Propagator {
	setInt(&p.Most, 4)
	q := p.inside().Propagator(level, stride)
	q.Batches = min(p.Most, stride)
	return q
}

// Propagator implements Rule.
func (s Sampled) Propagator(level, stride int) Propagator {
	p := s.inside().Propagator(level, stride)
	p.Product = s.Product
	return p
}

func (t InTurn) String() string { return fmt.Sprintf("%v, examples in turn", t.inside()) }

func (p Pooled) String() string {
	setInt(&p.Most, 4)
	return fmt.Sprintf("%v, %d minibatches at once", p.inside(), p.Most)
}

func (s Sampled) String() string { return fmt.Sprintf("%v, products by %v", s.inside(), s.Product) }

func (p Pooled) check() error {
	if p.Most < 0 {
		return fmt.Errorf("mgrit: Pooled.Most is %d: it must be at least 1 (0 means 4)", p.Most)
	}
	return nil
}

func (s Sampled) check() error {
	if s.Product == nil {
		return errors.New("mgrit: Sampled.Product is nil: say how to multiply, such as crs.TopK{Keep: 0.25}")
	}
	return nil
}

// fits says why a rule cannot be used for a problem.
func fits(r Rule, p *Problem) error {
	for _, r := range layers(r) {
		what, bad := "", ""
		switch r.(type) {
		case Pooled, Sampled:
			if !p.network {
				what, bad = fmt.Sprintf("%T", r), "is for networks, and this problem was not made by Training: its step function may look at Step.Level and do the like itself"
			}
		case Chebyshev:
			if p.weights > 0 {
				what, bad = "mgrit.Chebyshev", "is for plain gradient descent, and this training's vector also holds averages, of an optimiser or of batch norms: use Adaptive"
			}
		}
		if bad != "" {
			return fmt.Errorf("mgrit: Options.Coarse: %s %s", what, bad)
		}
	}
	return nil
}
