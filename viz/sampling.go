package viz

import (
	"fmt"
	"reflect"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A SamplingStudy is the measured and the expected error of samplers, such as a
// crs.StudyResult: for each name, columns of equal length over the share of the pairs kept.
type SamplingStudy interface {
	Names() []string
	Curve(name string) (kept, measured, low, high, theory []float64)
	About() string
	Err() error
}

// SamplingError draws the squared error of sampled products over the share of the pairs that
// were computed: a dot for what was measured, with a bar for the band that has the true mean
// with 95%, and a line for what theory says. Dots on their lines are theory that holds. An
// error of zero cannot be shown on the log axis and is counted.
//
//	viz.SamplingError(crs.Study(a, b, crs.StudyOptions{}))
func SamplingError(s SamplingStudy) *Figure { return newFigure(sampling{s}).LogY().Size(680, 440) }

type sampling struct{ s SamplingStudy }

func (sampling) sources() []Source { return nil }

func (d sampling) scene(set settings) *scene {
	s := &scene{yLabel: "relative squared error", xLabel: "share of the pairs computed", x: emptyAxis(set.logX), y: emptyAxis(set.logY), legend: true}
	if isNil(d.s) {
		s.empty = "No study was given, so there is nothing to draw."
		return s
	}
	s.summary = "Error of sampled products, " + d.s.About() + ": measured, and by theory"
	if err := d.s.Err(); err != nil {
		s.empty = err.Error()
		return s
	}
	hidden, total := 0, 0
	visible := func(x, y float64) bool {
		return finite(x) && finite(y) && (!set.logY || y > 0) && (!set.logX || x > 0)
	}
	var whiskers []whisker
	for i, name := range d.s.Names() {
		kept, measured, low, high, theory := d.s.Curve(name)
		n := min(len(kept), len(measured), len(low), len(high), len(theory))
		k := lookOf(i)
		k.dash = dashes[i/4%len(dashes)] // beyond four, colours alone are hard to tell apart where lines lie close
		line := curve{look: k, width: 1.4}
		var points []xy
		detail := name + ":"
		for j := range n {
			total++
			if !visible(kept[j], measured[j]) {
				hidden++
				continue
			}
			detail += fmt.Sprintf(" %s measured, %s by theory at %s;", short(measured[j]), short(theory[j]), short(kept[j]))
			s.x.widen(kept[j])
			s.y.widen(measured[j])
			if visible(kept[j], theory[j]) {
				points = append(points, xy{kept[j], theory[j]})
				s.y.widen(theory[j])
			}
			s.y.widen(high[j])
			if lo := low[j]; visible(kept[j], lo) && lo > measured[j]/10 {
				s.y.widen(lo)
			}
			whiskers = append(whiskers, whisker{kept[j], measured[j], low[j], high[j], k.color})
		}
		line.lines = [][]xy{points}
		s.marks = append(s.marks, line)
		s.keys = append(s.keys, key{name: name, look: k})
		s.details = append(s.details, detail[:len(detail)-1])
	}
	if len(whiskers) == 0 {
		s.empty = "There are no errors to draw."
		return s
	}
	if hidden > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Of %s, %s zero or no number, which a log axis cannot show.", plural(total, "error"), areOf(hidden)))
	}
	s.marks = append(s.marks, intervals(whiskers))
	s.x.settle(0.05)
	s.y.settle(0.05)
	if !set.logX {
		s.x.min = max(s.x.min, 0)
	}
	return s
}

// A whisker is a measured value with its band.
type whisker struct {
	x, y, low, high float64
	ink             ink
}

type intervals []whisker

func (w intervals) Plot(c draw.Canvas, p *plot.Plot) {
	for _, q := range w {
		x, y := c.X(p.X.Norm(q.x)), c.Y(p.Y.Norm(q.y))
		lo, hi := c.Y(min(max(p.Y.Norm(q.low), 0), 1)), c.Y(min(max(p.Y.Norm(q.high), 0), 1))
		if hi > lo {
			line := draw.LineStyle{Color: q.ink, Width: px(1.5)}
			c.StrokeLine2(line, x, lo, x, hi)
			for _, end := range []vg.Length{lo, hi} {
				c.StrokeLine2(line, x-px(3), end, x+px(3), end)
			}
		}
		dot(c, q.ink, vg.Point{X: x, Y: y}, 3.2)
	}
}

// isNil reports a value that is nil, as an interface or in one.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
