package viz

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"trivium/core/run"
)

// Compare draws the same series of several runs three times side by side, over steps,
// seconds and work, because a method that wins by one of them may lose by another, and says
// below each by when the runs had reached a target, the first one first. Below all it says
// what accuracy the runs had in their last test, if they have been tested.
//
// The series is "residual" or "loss" where a run has it, else the first of the first run;
// [Figure.Series] names another. The target is the best value that all runs have reached;
// [Figure.Target] sets another. Of series of more than 200 values the moving average is
// compared (see [Figure.Smooth], which changes that): single batches reach anything.
// [Figure.X] has no effect. Where no run has recorded its work, that panel is left out. The figure grows while the runs go on.
//
//	viz.Compare(exact, half).Target(0.2)
func Compare(sources ...Source) *Figure {
	return newFigure(&comparison{src: present(sources)}).Size(900, 400)
}

// Series makes a figure made by [Compare] show another series of its runs.
func (f *Figure) Series(name string) *Figure {
	return f.change(func(s *settings) { s.series = name })
}

// Target sets the value whose reaching a figure made by [Compare] tells.
func (f *Figure) Target(value float64) *Figure {
	return f.change(func(s *settings) { s.target, s.hasTarget = value, finite(value) })
}

type comparison struct {
	src     []Source
	series  string
	parts   [3]*curveSet
	reaches map[int64]*reach
}

const (
	usualSmooth  = 0.9 // of long series
	longSeries   = 200
	mostReaching = 6 // runs below each panel
)

func (c *comparison) sources() []Source { return c.src }

// choose decides on the series once there is one.
func (c *comparison) choose(name string) {
	if name == "" {
		name = mainSeries(c.src)
	}
	if name == c.series || name == "" {
		return
	}
	c.series, c.reaches = name, nil
	for i := range c.parts {
		c.parts[i] = runCurves(c.series, c.src)
	}
}

// mainSeries is the series that says most of some runs: one that most of them have, and
// among those the residual, the loss, or the first.
func mainSeries(sources []Source) string {
	best, most := "", 0
	weigh := map[string]int{"residual": 2, "loss": 1}
	for _, n := range shared(sources) {
		users := 0
		for _, s := range sources {
			if s.Trace().Len(n) > 0 {
				users++
			}
		}
		if v := 3*users + weigh[n]; v > most {
			best, most = n, v
		}
	}
	return best
}

func (c *comparison) scene(set settings) *scene {
	if c.series == "" || set.series != "" {
		c.choose(set.series)
	}
	if c.series == "" {
		s := &scene{summary: fmt.Sprintf("Comparison of %s", plural(len(c.src), "run")), empty: "Nothing to draw yet."}
		if len(c.src) == 0 {
			s.empty = "No runs were given, so there is nothing to draw."
		} else if f := failures(c.src); len(f) > 0 {
			s.empty = list(f)
		}
		return s
	}
	part := set
	part.w /= 3
	if c.series == "residual" && !set.linY {
		part.logY = true
	}
	if !set.hasSmooth && c.long() {
		part.smooth = usualSmooth
	}
	target, known := c.target(set, part.smooth)
	var whole *scene
	for i, x := range []X{Steps, Seconds, Work} {
		part.x = x
		if x == Work && whole.empty == "" && !c.worked() {
			whole.notes = append(whole.notes, "No work was recorded.")
			whole.summary = strings.Replace(whole.summary, "steps, seconds and work", "steps and seconds", 1)
			continue
		}
		s := c.parts[i].scene(part)
		if whole == nil {
			whole = &scene{yLabel: s.yLabel, keys: s.keys, notes: s.notes, empty: s.empty, details: s.details, legend: true}
			whole.summary = fmt.Sprintf("%s over steps, seconds and work, %s", upper(c.series), plural(len(c.src), "run"))
			if part.smooth > 0 {
				whole.yLabel += fmt.Sprintf(" (moving average, weight %s)", short(part.smooth))
			}
		}
		if whole.empty != "" {
			break
		}
		s.keys = nil
		if known {
			c.reached(s, x, target)
			whole.details = append(whole.details, s.footText()...)
		}
		whole.panels = append(whole.panels, s)
	}
	if note := accuracies(c.src); note != "" && whole.empty == "" && c.series != "accuracy" {
		whole.notes = append(whole.notes, note)
	}
	return whole
}

// worked reports whether a run has recorded its work.
func (c *comparison) worked() bool {
	worked := false
	for _, s := range c.src {
		if n := s.Trace().Len(c.series); n > 0 {
			s.Trace().Visit(c.series, n-1, func(part []run.Point) { worked = worked || part[0].Work > 0 })
		}
	}
	return worked
}

// long reports whether a run has so many values that their average is compared.
func (c *comparison) long() bool {
	for _, s := range c.src {
		if s.Trace().Len(c.series) > longSeries {
			return true
		}
	}
	return false
}

// target brings the reaches up to date and returns the value to tell of.
func (c *comparison) target(set settings, smooth float64) (target float64, known bool) {
	up := goesUp(c.series)
	if c.reaches == nil {
		c.reaches = map[int64]*reach{}
	}
	worst := math.NaN()
	for _, s := range c.src {
		r := c.reaches[s.ID()]
		if r == nil || r.w != smooth {
			r = &reach{up: up, w: smooth}
			c.reaches[s.ID()] = r
		}
		r.update(s.Trace(), c.series)
		if b := r.best(); math.IsNaN(worst) || r.better(worst, b) {
			worst = b
		}
	}
	if set.hasTarget {
		return set.target, true
	}
	return worst, !math.IsNaN(worst) && len(c.src) > 1
}

// reached adds to a panel when each run came to the target: dots on a line, and a list below.
func (c *comparison) reached(s *scene, x X, target float64) {
	type entry struct {
		name string
		look look
		p    run.Point
	}
	var there, not []entry
	for _, src := range c.src {
		e := entry{name: src.Name(), look: lookOf(slotOf(src.ID()))}
		if p, ok := c.reaches[src.ID()].at(target); ok {
			e.p = p
			there = append(there, e)
		} else {
			not = append(not, e)
		}
	}
	if len(there) == 0 {
		s.foot = []footLine{{text: fmt.Sprintf("no run has reached %s yet", short(target))}}
		return
	}
	sort.SliceStable(there, func(i, j int) bool { return x.of(&there[i].p) < x.of(&there[j].p) })
	unit := 1.0
	if s.x.unit > 0 {
		unit = s.x.unit
	}
	first := x.of(&there[0].p)
	verb := "down to"
	if goesUp(c.series) {
		verb = "up to"
	}
	s.foot = []footLine{{text: fmt.Sprintf("%s %s %s after", c.series, verb, short(target))}}
	line := goal{value: target}
	for _, e := range there {
		v := x.of(&e.p)
		text := short(v/unit) + " " + x.unitName(s.xLabel, v/unit)
		if v > first && first > 0 {
			text += fmt.Sprintf(" (×%s)", short(roundTo(v/first, 3)))
		}
		s.foot = append(s.foot, footLine{text: text, name: e.name, look: e.look, bold: v == first})
		line.at = append(line.at, goalDot{xy{v, target}, e.look.color})
	}
	for _, e := range not {
		s.foot = append(s.foot, footLine{text: "not reached", name: e.name, look: e.look})
	}
	if len(s.foot) > mostReaching+1 {
		more := len(s.foot) - mostReaching
		s.foot = append(s.foot[:mostReaching], footLine{text: fmt.Sprintf("and %d more", more)})
	}
	s.marks = append(s.marks, line)
}

func roundTo(v float64, digits int) float64 {
	f := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*f) / f
}

// A goal is a level with the places where curves come to it.
type goal struct {
	value float64
	at    []goalDot
}

type goalDot struct {
	at    xy
	color ink
}

func (g goal) Plot(c draw.Canvas, p *plot.Plot) {
	y := c.Y(p.Y.Norm(g.value))
	if !c.ContainsY(y) {
		return
	}
	c.StrokeLine2(draw.LineStyle{Color: grey(0x80, 200), Width: px(1), Dashes: []vg.Length{px(3), px(3)}}, c.Min.X, y, c.Max.X, y)
	for _, d := range g.at {
		x := c.X(p.X.Norm(d.at.x))
		if !c.ContainsX(x) {
			continue
		}
		c.StrokeLine2(draw.LineStyle{Color: d.color.fade(0.6), Width: px(1)}, x, c.Min.Y, x, y)
		dot(c, d.color, vg.Point{X: x, Y: y}, 4)
	}
}
