package viz

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Heat draws a matrix as coloured cells, row 0 on top, with values of both signs around a
// grey zero. Values that are NaN or infinite are left empty and counted. Of a matrix with
// more cells than pixels, each pixel shows the value of largest magnitude, so that no
// outlier is lost. [Figure.LogColor] gives each power of ten the same share of the colours.
//
// A matrix is slices of slices of numbers, a matrix of gonum or of package tensor, or
// anything with the methods of [Grid]. It is read at each drawing.
//
//	viz.Heat("weights", [][]float64{{1, 2, 3}, {4, 5, 6}})
func Heat(name string, m any) *Figure {
	g, ok := gridOf(m)
	if !ok {
		return newFigure(sentence(name + ": " + notGrid(m)))
	}
	return newFigure(heat{name, g})
}

// A sentence is a figure that says why there is no picture.
type sentence string

func (sentence) sources() []Source       { return nil }
func (s sentence) scene(settings) *scene { return &scene{empty: string(s)} }

type heat struct {
	name string
	m    Grid
}

func (heat) sources() []Source { return nil }

const mostCells = 400 // along one side

func (h heat) scene(set settings) *scene {
	s := &scene{yLabel: h.name, square: true}
	rows, cols := 0, 0
	if h.m != nil {
		rows, cols = h.m.Dims()
	}
	s.summary = fmt.Sprintf("%s: %d×%d values", upper(h.name), rows, cols)
	if rows <= 0 || cols <= 0 {
		s.empty = fmt.Sprintf("%s has no cells: %d rows, %d columns.", h.name, rows, cols)
		return s
	}
	r, c := min(rows, mostCells), min(cols, mostCells)
	values := make([]float64, r*c)
	for i := range values {
		values[i] = math.NaN()
	}
	lo, hi, sum, bad, low := math.Inf(1), math.Inf(-1), 0.0, 0, 0
	for i := range rows {
		for j := range cols {
			v := h.m.At(i, j)
			if !finite(v) {
				bad++
				continue
			}
			if set.logC && v <= 0 {
				low++
				continue
			}
			lo, hi, sum = min(lo, v), max(hi, v), sum+v
			if to := &values[i*r/rows*c+j*c/cols]; math.IsNaN(*to) || math.Abs(v) > math.Abs(*to) {
				*to = v
			}
		}
	}
	if note := cellNote(h.name, rows*cols, bad, low); note != "" {
		s.notes = append(s.notes, note)
		if bad+low == rows*cols {
			s.empty = note
			return s
		}
	}
	s.details = []string{fmt.Sprintf("from %s to %s, mean %s", short(lo), short(hi), short(sum/float64(rows*cols-bad-low)))}
	s.scale = newColorScale(lo, hi, set.logC)
	img := image.NewNRGBA(image.Rect(0, 0, c, r))
	for i, v := range values {
		img.SetNRGBA(i%c, i/c, s.scale.at(v))
	}
	s.x = axis{min: -0.5, max: float64(cols) - 0.5, whole: true}
	s.y = axis{min: -0.5, max: float64(rows) - 0.5, whole: true, flip: true}
	s.xLabel = "column"
	s.marks = []plot.Plotter{cells{img}}
	return s
}

// cellNote counts the cells that have no colour; low are those not positive on a log scale.
func cellNote(name string, n, bad, low int) string {
	var parts []string
	if bad > 0 {
		parts = append(parts, areOf(bad)+" NaN or infinite")
	}
	if low > 0 {
		parts = append(parts, areOf(low)+" not positive, which a log scale cannot show")
	}
	switch {
	case len(parts) == 0:
		return ""
	case bad == n:
		return fmt.Sprintf("%s: all %s are NaN or infinite.", name, plural(n, "value"))
	}
	return fmt.Sprintf("%s: of %s, %s.", name, plural(n, "value"), list(parts))
}

// cells draws an image over the whole of the axes. Small ones are made larger first,
// because front ends differ in how they blow up pixels.
type cells struct{ img *image.NRGBA }

func (m cells) Plot(c draw.Canvas, _ *plot.Plot) {
	c.DrawImage(vg.Rectangle{Min: c.Min, Max: c.Max}, larger(m.img, 2*mostCells))
}

// larger repeats the pixels of an image up to about so many along each side.
func larger(img *image.NRGBA, side int) *image.NRGBA {
	b := img.Bounds()
	growX, growY := max(1, side/max(b.Dx(), 1)), max(1, side/max(b.Dy(), 1))
	if growX == 1 && growY == 1 {
		return img
	}
	large := image.NewNRGBA(image.Rect(0, 0, b.Dx()*growX, b.Dy()*growY))
	for y := range large.Rect.Dy() {
		for x := range large.Rect.Dx() {
			large.SetNRGBA(x, y, img.NRGBAAt(b.Min.X+x/growX, b.Min.Y+y/growY))
		}
	}
	return large
}
