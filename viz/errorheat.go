package viz

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot"

	"trivium/core/run"
)

// ErrorHeat draws where in its steps an iteration over all of them is wrong: steps across,
// cycles down, the error as a colour on a log scale. Errors that are exactly 0 are left
// empty: what is exact grows from the left. The figure grows while the run goes on.
//
// It reads the series "mgrit/error", a row for each cycle, or where the run has none, because the
// right solution is not known to it, "mgrit/profile": the residual, which says how far neighbouring steps disagree.
//
//	viz.ErrorHeat(m) // m := mgrit.Start(…)
func ErrorHeat(source Source) *Figure { return newFigure(&errorHeat{present([]Source{source})}) }

type errorHeat struct{ src []Source }

func (e *errorHeat) sources() []Source { return e.src }

// rowsOf cuts a series into its rows: one ends where the step does not grow.
func rowsOf(points []run.Point) (rows [][]run.Point) {
	from := 0
	for i := range points {
		if i > from && !(points[i].Step > points[i-1].Step) {
			rows, from = append(rows, points[from:i]), i
		}
	}
	if from < len(points) {
		rows = append(rows, points[from:])
	}
	return rows
}

func (e *errorHeat) scene(set settings) *scene {
	s := &scene{square: true, xLabel: "step"}
	if len(e.src) == 0 {
		s.empty = "No run was given, so there is nothing to draw."
		return s
	}
	src := e.src[0]
	rows, what, row := rowsOf(src.Trace().Points("mgrit/error")), "error", "after cycle"
	if len(rows) == 0 {
		rows, what, row = rowsOf(src.Trace().Points("mgrit/profile")), "residual", "cycle"
	}
	s.summary = fmt.Sprintf("%s of %s over steps and cycles, %s", upper(what), src.Name(), plural(len(rows), "row"))
	s.yLabel = what + ", a row for each cycle"
	s.notes = failures(e.src)
	cols := 0
	for _, r := range rows {
		cols = max(cols, len(r))
	}
	if cols == 0 {
		s.empty = fmt.Sprintf("%s has no %q and no %q.", src.Name(), "mgrit/error", "mgrit/profile")
		if len(s.notes) > 0 {
			s.empty = s.notes[0]
		} else if !ended(src) {
			s.empty = fmt.Sprintf("%s has no cycle yet.", src.Name())
		}
		return s
	}
	rows = rows[max(0, len(rows)-mostCells):]
	lo, hi, zeros, bad, seen := math.Inf(1), 0.0, 0, 0, 0
	for k, r := range rows {
		seen += len(r)
		most, at := 0.0, 0.0
		for _, p := range r {
			switch {
			case !finite(p.Value) || p.Value < 0:
				bad++
			case p.Value == 0:
				zeros++
			default:
				lo, hi = min(lo, p.Value), max(hi, p.Value)
			}
			if p.Value > most {
				most, at = p.Value, p.Step
			}
		}
		if k == 0 || k == len(rows)-1 {
			s.details = append(s.details, fmt.Sprintf("%s %d: largest %s, at step %s", row, k, short(most), short(at)))
		}
	}
	if zeros > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Of %s, %s exactly 0 and left empty.", plural(seen, what), areOf(zeros)))
	}
	if bad > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Of %s, %s NaN, infinite or below 0.", plural(seen, what), areOf(bad)))
	}
	if hi == 0 {
		s.empty = fmt.Sprintf("Every %s of %s is exactly 0.", what, src.Name())
		if bad > 0 {
			s.empty = fmt.Sprintf("No %s of %s can be shown.", what, src.Name())
		}
		return s
	}
	lo = max(lo, hi*1e-18) // rounding has no colours of its own
	s.scale = newColorScale(lo, hi, true)
	high := max(1, mostCells/len(rows)) // pixels of a row, so that none is blurred into the next
	img := image.NewNRGBA(image.Rect(0, 0, min(cols, mostCells), high*len(rows)))
	end := 0.0
	for k, r := range rows {
		for i, p := range r {
			end = max(end, p.Step)
			if p.Value > 0 && finite(p.Value) {
				for y := range high {
					img.SetNRGBA(i*img.Rect.Dx()/cols, k*high+y, s.scale.at(max(p.Value, lo)))
				}
			}
		}
	}
	s.x = axis{min: 0, max: end, whole: true}
	s.x.settle(0)
	s.y = axis{min: -0.5, max: float64(len(rows)) - 0.5, whole: true, flip: true}
	s.marks = []plot.Plotter{cells{img}}
	return s
}
