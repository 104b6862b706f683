package crs

import (
	"fmt"
	"math"
	"slices"
)

// Custom is a sampler of one's own: it says with which probability each pair is kept, and pairs
// are then kept each by a coin of its own. It may be written in a notebook's cell.
type Custom struct {
	Name string
	Keep float64 // share of the pairs, above 0 and at most 1

	// Probabilities returns one for each norm, from 0 to 1; k pairs are asked for. A pair with a
	// norm above 0 must have a chance, or no scale makes the estimate unbiased.
	Probabilities func(norms []float64, k int) []float64

	Biased bool // keep what is drawn as it is; probabilities 0 and 1 then choose exactly
}

func (s Custom) String() string {
	name := s.Name
	if name == "" {
		name = "custom"
	}
	return name + ", keep " + percent(s.Keep)
}

func (s Custom) check() error {
	if s.Probabilities == nil {
		return &OptionError{"Custom.Probabilities", "nil", "give the function that says with which probability each pair is kept"}
	}
	return checkKeep("Custom.Keep", s.Keep)
}

func (s Custom) keep() float64  { return s.Keep }
func (s Custom) looksAt() sight { return seesPairs }
func (s Custom) with(k float64) Sampler {
	s.Keep = k
	return s
}

// probabilities asks for them and looks whether they can be.
func (s Custom) probabilities(c []float64, k int) ([]float64, error) {
	p := s.Probabilities(slices.Clone(c), k) // the hook may change its norms
	if len(p) != len(c) {
		return nil, fmt.Errorf("crs: %s: %d probabilities for %d pairs", s, len(p), len(c))
	}
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("crs: %s: the probability of pair %d is %g: it must be from 0 to 1", s, i, v)
		}
		if v == 0 && c[i] > 0 && !s.Biased {
			return nil, fmt.Errorf("crs: %s: pair %d has norm %g and probability 0: no scale makes that unbiased; give it a chance, or set Biased", s, i, c[i])
		}
	}
	return p, nil
}

func (s Custom) draw(d *draw) error {
	p, err := s.probabilities(d.c, d.k)
	if err != nil {
		return err
	}
	r := d.random()
	for i, v := range p {
		if v == 1 || v > 0 && r.Float64() < v {
			d.pick(i, 1/v)
		}
	}
	if s.Biased {
		d.scale = d.scale[:0]
	}
	return nil
}

func (s Custom) variance(t *theory) float64 {
	p, err := s.probabilities(t.c, t.k)
	if err != nil {
		return math.NaN()
	}
	v, missing := 0.0, make([]float64, t.n)
	for i, q := range p {
		switch {
		case s.Biased:
			missing[i] = 1 - q
			v += q * (1 - q) * t.c[i] * t.c[i]
		case q > 0:
			v += (1 - q) / q * t.c[i] * t.c[i]
		}
	}
	return v + t.norm(missing)
}
