package viz

import (
	"fmt"
	"math"
)

// Spectrum draws what waves over the steps the error of an iteration is made of, a curve for
// each cycle, from the first guess, pale, to the latest: relaxation takes off the short waves,
// on the right, coarse grids the long ones. Both axes are logarithmic. The figure grows while the run
// goes on.
//
// It reads the series "mgrit/spectrum", a row for each cycle, which a run has that knows the right solution.
//
//	viz.Spectrum(m)
func Spectrum(source Source) *Figure { return newFigure(&spectrum{present([]Source{source})}) }

type spectrum struct{ src []Source }

func (w *spectrum) sources() []Source { return w.src }

func (w *spectrum) scene(set settings) *scene {
	s := &scene{yLabel: "error", xLabel: "half waves over all steps", x: emptyAxis(true), y: emptyAxis(true), legend: true}
	if len(w.src) == 0 {
		s.empty = "No run was given, so there is nothing to draw."
		return s
	}
	src := w.src[0]
	rows := rowsOf(src.Trace().Points("mgrit/spectrum"))
	s.summary = fmt.Sprintf("Spectrum of the error of %s, %s", src.Name(), plural(len(rows), "curve"))
	s.notes = failures(w.src)
	top := 0.0
	for _, r := range rows {
		for _, p := range r {
			if finite(p.Value) {
				top = max(top, p.Value)
			}
		}
	}
	left := 0
	for k, r := range rows {
		var lines [][]xy
		var line []xy
		for _, p := range r {
			if !finite(p.Value) || p.Value <= top*1e-18 || p.Step <= 0 {
				left++
				if line != nil {
					lines, line = append(lines, line), nil
				}
				continue
			}
			line = append(line, xy{p.Step, p.Value})
			s.x.widen(p.Step)
			s.y.widen(p.Value)
		}
		if line != nil {
			lines = append(lines, line)
		}
		if len(lines) == 0 {
			continue
		}
		share := 1.0
		if len(rows) > 1 {
			share = float64(k) / float64(len(rows)-1)
		}
		l := look{color: lookOf(slotOf(src.ID())).color.fade(0.4 + 0.6*share)}
		s.marks = append(s.marks, curve{lines: lines, look: l, width: 1.2 + share})
		name := fmt.Sprintf("after %s", plural(k, "cycle"))
		if k == 0 {
			name = "first guess"
		}
		if k == 0 || k == len(rows)-1 {
			s.keys = append(s.keys, key{name: name, look: l})
			first, last := r[0], r[len(r)-1]
			s.details = append(s.details, fmt.Sprintf("%s: %s in the longest wave, %s in the shortest", name, short(first.Value), short(last.Value)))
		}
	}
	if left > 0 && len(s.marks) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s left out: no positive number, or rounding.", areOf(left)))
	}
	if len(s.marks) == 0 {
		s.empty = fmt.Sprintf("%s has no %q: it was not told the right solution.", src.Name(), "mgrit/spectrum")
		switch {
		case len(s.notes) > 0:
			s.empty = s.notes[0]
		case len(rows) > 0:
			s.empty = fmt.Sprintf("Every error of %s is exactly 0, or no number.", src.Name())
		case !ended(src):
			s.empty = fmt.Sprintf("%s has no cycle yet.", src.Name())
		}
		return s
	}
	if math.Log10(s.y.max/s.y.min) < 1 {
		s.y.min = s.y.max / 10
	}
	s.x.settle(0.02)
	s.y.settle(0.04)
	return s
}
