package viz

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
)

// SpeedUp draws the speed-up over serial work that a number of processors brings, on log
// axes, and keeps apart what is of three kinds: a model, which counts work and ignores
// communication (dotted); a simulation (dashed); and what was measured on this machine (line with
// dots). At 1, where the grey line is, all processors together are as fast as one alone.
//
// It reads the series "speedup/model", "speedup/simulated" and "speedup/measured", whose Step is a
// number of processors.
//
//	viz.SpeedUp(scale).Title("By processors")
func SpeedUp(sources ...Source) *Figure {
	return newFigure(&speedUp{present(sources)}).LogX().LogY()
}

type speedUp struct{ src []Source }

func (u *speedUp) sources() []Source { return u.src }

// speedKinds are in the order of trust, the last the most.
var speedKinds = []struct {
	name string
	dash []float64
	dots bool
}{
	{"model", []float64{2, 2.5}, false},
	{"simulated", []float64{6, 3}, false},
	{"measured", nil, true},
}

func (u *speedUp) scene(set settings) *scene {
	s := &scene{yLabel: "speed-up over serial", xLabel: "processors", x: emptyAxis(set.logX), y: emptyAxis(set.logY), legend: true}
	s.summary = fmt.Sprintf("Speed-up over processors, %s", plural(len(u.src), "run"))
	s.notes = failures(u.src)
	s.x.whole = true
	for i, src := range u.src {
		for k, kind := range speedKinds {
			l := lookOf(slotOf(src.ID()))
			if len(u.src) == 1 {
				l = lookOf(k)
			}
			l.dash = kind.dash
			u.add(s, src, kind.name, l, kind.dots, i == 0)
		}
	}
	if len(s.marks) == 0 {
		s.empty = "Nothing to draw yet."
		switch {
		case len(u.src) == 0:
			s.empty = "No runs were given, so there is nothing to draw."
		case len(s.notes) > 0:
			s.empty = strings.Join(s.notes, " ")
		case allEnded(u.src):
			s.empty = "No run has recorded a speed-up."
		}
		return s
	}
	s.y.widen(1)
	if s.x.max/s.x.min < 2 {
		s.x.min, s.x.max = s.x.min/1.5, s.x.max*1.5
	}
	s.x.settle(0.02)
	s.y.settle(0.06)
	even := curve{lines: [][]xy{{{s.x.min, 1}, {s.x.max, 1}}}, look: look{color: ink{NRGBA: color.NRGBA{0x80, 0x80, 0x80, 200}}}, width: 1}
	s.marks = append([]plot.Plotter{even}, s.marks...)
	return s
}

// add adds one series of a run, where it has it.
func (u *speedUp) add(s *scene, src Source, kind string, l look, dots, first bool) {
	var line []xy
	bad := 0
	for _, p := range src.Trace().Points("speedup/" + kind) {
		if !finite(p.Value) || p.Value <= 0 || p.Step < 1 {
			bad++
			continue
		}
		line = append(line, xy{p.Step, p.Value})
		s.x.widen(p.Step)
		s.y.widen(p.Value)
	}
	name := kind
	if len(u.src) > 1 {
		name = src.Name() + ", " + kind
	}
	if bad > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: %s no positive number.", name, areOf(bad)))
	}
	if len(line) == 0 {
		return
	}
	c := curve{lines: [][]xy{line}, look: l, width: 2, dots: dots}
	if dots {
		c.width = 3 // a handful of points that count most
	}
	s.marks = append(s.marks, c)
	s.keys = append(s.keys, key{name: name, look: l, end: line[len(line)-1]})
	s.details = append(s.details, speedText(name, line))
}

// speedText says what a curve reaches, and from where on it is faster than serial work.
func speedText(name string, line []xy) string {
	top, even := line[0], math.NaN()
	for _, p := range line {
		if p.y > top.y {
			top = p
		}
		if p.y >= 1 && math.IsNaN(even) {
			even = p.x
		}
	}
	text := fmt.Sprintf("%s: up to %s with %s", name, short(top.y), plural(int(top.x), "processor"))
	if math.IsNaN(even) {
		return text + ", never as fast as serial work"
	}
	return text + fmt.Sprintf(", as fast as serial work with %s", short(even))
}
