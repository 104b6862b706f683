package viz

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Grid is a matrix of numbers, such as gonum's mat.Matrix.
type Grid interface {
	Dims() (rows, cols int)
	At(row, col int) float64
}

// Rows is a Grid made of slices; short rows end in NaN.
type Rows [][]float64

// Dims returns the number of rows and the length of the longest.
func (r Rows) Dims() (rows, cols int) {
	for _, row := range r {
		cols = max(cols, len(row))
	}
	return len(r), cols
}

// At returns a value, NaN beyond the end of a row.
func (r Rows) At(i, j int) float64 {
	if j >= len(r[i]) {
		return math.NaN()
	}
	return r[i][j]
}

// Heat draws a matrix as coloured cells, row 0 on top, with values of both signs around a
// grey zero. Values that are NaN or infinite are left empty and counted. Of a matrix with
// more cells than pixels, each pixel shows the value of largest magnitude, so that no
// outlier is lost. The matrix is read at each drawing.
func Heat(name string, m Grid) *Figure { return newFigure(heat{name, m}) }

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
	lo, hi, sum, bad := math.Inf(1), math.Inf(-1), 0.0, 0
	for i := range rows {
		for j := range cols {
			v := h.m.At(i, j)
			if !finite(v) {
				bad++
				continue
			}
			lo, hi, sum = min(lo, v), max(hi, v), sum+v
			if to := &values[i*r/rows*c+j*c/cols]; math.IsNaN(*to) || math.Abs(v) > math.Abs(*to) {
				*to = v
			}
		}
	}
	if bad == rows*cols {
		s.empty = fmt.Sprintf("%s: all %s are NaN or infinite.", h.name, plural(bad, "value"))
		return s
	}
	if bad > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: of %s, %s NaN or infinite.", h.name, plural(rows*cols, "value"), areOf(bad)))
	}
	s.details = []string{fmt.Sprintf("from %s to %s, mean %s", short(lo), short(hi), short(sum/float64(rows*cols-bad)))}
	s.scale = newColorScale(lo, hi)
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

// cells draws an image over the whole of the axes. Small ones are made larger first,
// because front ends differ in how they blow up pixels.
type cells struct{ img *image.NRGBA }

func (m cells) Plot(c draw.Canvas, _ *plot.Plot) {
	b := m.img.Bounds()
	grow := max(1, min(2*mostCells/b.Dx(), 2*mostCells/b.Dy()))
	large := image.NewNRGBA(image.Rect(0, 0, b.Dx()*grow, b.Dy()*grow))
	for y := range large.Rect.Dy() {
		for x := range large.Rect.Dx() {
			large.SetNRGBA(x, y, m.img.NRGBAAt(x/grow, y/grow))
		}
	}
	c.DrawImage(vg.Rectangle{Min: c.Min, Max: c.Max}, large)
}
