package widget

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Control is something in the page that the reader can set: it gives one argument to the
// function of a panel. Make it with [Slider], [IntSlider], [Choice], [Checkbox] or [Button];
// its methods return it, so that they can be chained.
type Control struct {
	name    string
	kind    kind
	lo, hi  float64
	step    float64
	choices []string
	start   any // float64, int, string or bool; by kind
}

type kind int

const (
	slider kind = iota
	intSlider
	choice
	check
	button
)

// String describes the control: Slider("keep", 0.05, 1).
func (c *Control) String() string {
	switch c.kind {
	case slider:
		return fmt.Sprintf("Slider(%q, %v, %v)", c.name, c.lo, c.hi)
	case intSlider:
		return fmt.Sprintf("IntSlider(%q, %v, %v)", c.name, c.lo, c.hi)
	case choice:
		return fmt.Sprintf("Choice(%q, %s)", c.name, strings.Join(quoted(c.choices), ", "))
	case check:
		return fmt.Sprintf("Checkbox(%q)", c.name)
	}
	return fmt.Sprintf("Button(%q)", c.name)
}

func quoted(l []string) []string {
	out := make([]string, len(l))
	for i := range l {
		out[i] = strconv.Quote(l[i])
	}
	return out
}

// Slider gives a float64 from lo to hi. It starts in the middle and moves in a hundred steps;
// see [Control.Start] and [Control.Step].
func Slider(name string, lo, hi float64) *Control {
	if lo > hi {
		lo, hi = hi, lo
	}
	if math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		panic(fmt.Errorf("nb: Slider(%q, %v, %v): the ends must be finite", name, lo, hi))
	}
	c := &Control{name: name, kind: slider, lo: lo, hi: hi, step: niceStep(hi - lo)}
	c.start = c.nearest(lo + (hi-lo)/2)
	return c
}

// niceStep is about a hundredth of a range, 1, 2 or 5 times a power of ten.
func niceStep(span float64) float64 {
	if span <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(span/100)))
	for _, f := range []float64{1, 2, 5} {
		if f*unit >= span/100*0.999 {
			return f * unit
		}
	}
	return 10 * unit
}

// IntSlider gives an int from lo to hi, both included. It starts in the middle.
func IntSlider(name string, lo, hi int) *Control {
	if lo > hi {
		lo, hi = hi, lo
	}
	return &Control{name: name, kind: intSlider, lo: float64(lo), hi: float64(hi), step: 1, start: lo + (hi-lo)/2}
}

// Choice gives one of the strings, the first at the beginning.
func Choice(name string, choices ...string) *Control {
	if len(choices) == 0 {
		panic(fmt.Errorf("nb: Choice(%q) has nothing to choose from: Choice(%[1]q, \"a\", \"b\")", name))
	}
	return &Control{name: name, kind: choice, choices: slices.Clone(choices), start: choices[0]}
}

// Checkbox gives a bool, false at the beginning.
func Checkbox(name string) *Control { return &Control{name: name, kind: check, start: false} }

// Button gives a bool: true in the one call that its click causes, false in all others.
func Button(name string) *Control { return &Control{name: name, kind: button, start: false} }

// Start sets the value at the beginning: a number, one of the choices, or a bool. A number
// outside of a slider's ends becomes the nearest that it can give.
func (c *Control) Start(v any) *Control {
	got, err := c.value(v)
	if err != nil {
		panic(fmt.Errorf("nb: %v.Start: %w", c, err))
	}
	c.start = got
	return c
}

// Step sets how far a slider moves at once.
func (c *Control) Step(s float64) *Control {
	if !(s > 0) || math.IsInf(s, 0) {
		panic(fmt.Errorf("nb: %v.Step(%v): a step is above 0", c, s))
	}
	if c.kind == intSlider {
		s = max(1, math.Round(s))
	}
	c.step = s
	return c
}

// nearest is the value within the ends, as written with the digits that the step has.
func (c *Control) nearest(v float64) float64 {
	v = min(max(v, c.lo), c.hi)
	digits := max(0, -int(math.Floor(math.Log10(c.step)))+1)
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', digits, 64), 64)
	if err != nil || short < c.lo || short > c.hi {
		return v
	}
	return short
}

// value makes of what a page or a cell gives a value of the control, or says what is wrong.
// Pages are not believed: what they send goes to functions of cells.
func (c *Control) value(v any) (any, error) {
	switch c.kind {
	case slider, intSlider:
		x, ok := number(v)
		if !ok || math.IsNaN(x) {
			return nil, fmt.Errorf("%v is not a number", v)
		}
		if c.kind == slider {
			return c.nearest(x), nil
		}
		return int(math.Round(min(max(x, c.lo), c.hi))), nil
	case choice:
		s, ok := v.(string)
		if !ok || !slices.Contains(c.choices, s) {
			return nil, fmt.Errorf("%v is none of %s", v, strings.Join(c.choices, ", "))
		}
		return s, nil
	}
	b, ok := v.(bool)
	if !ok {
		return nil, fmt.Errorf("%v is neither true nor false", v)
	}
	return b, nil
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case float32:
		return float64(v), true
	case int:
		return float64(v), true
	}
	return 0, false
}

// format is how a slider's value is written, in the notation of d3-format: as many digits as
// the step has.
func (c *Control) format() string {
	if c.kind == intSlider {
		return "d"
	}
	digits := 0
	for s := c.step; digits < 12 && math.Abs(s-math.Round(s)) > 1e-9*s; digits++ {
		s *= 10
	}
	return fmt.Sprintf(".%df", digits)
}

// values are what a control gives in turn when it is played: see nb.Play.
func (c *Control) values(most int) []any {
	switch c.kind {
	case choice:
		var out []any
		for _, s := range c.choices {
			out = append(out, s)
		}
		return out
	case check, button:
		return []any{false, true}
	}
	n := most
	if steps := int(math.Floor((c.hi-c.lo)/c.step+1e-9)) + 1; steps < n {
		n = steps
	}
	var out []any
	for i := range n {
		x := c.lo
		if n > 1 {
			x += (c.hi - c.lo) * float64(i) / float64(n-1)
		}
		if c.kind == intSlider {
			if k := int(math.Round(x)); len(out) == 0 || out[len(out)-1] != k {
				out = append(out, k)
			}
			continue
		}
		out = append(out, c.nearest(x))
	}
	return out
}
