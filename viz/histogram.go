package viz

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Histogram draws how often values fall into equal bins, whose width is by the rule of
// Freedman and Diaconis (2·IQR/∛n), 5 to 80 of them. Values that are NaN or infinite are
// left out and counted. The slice must not change afterwards.
//
//	viz.Histogram("weight", weights).LogY()
func Histogram(name string, values []float64) *Figure {
	return newFigure(&histogram{name: name, values: values})
}

type histogram struct {
	name   string
	values []float64
}

func (*histogram) sources() []Source { return nil }

func (h *histogram) scene(set settings) *scene {
	s := &scene{yLabel: "count", xLabel: h.name, x: emptyAxis(false), y: emptyAxis(set.logY)}
	s.summary = fmt.Sprintf("Histogram of %s, %s", h.name, plural(len(h.values), "value"))
	good := make([]float64, 0, len(h.values))
	for _, v := range h.values {
		if finite(v) {
			good = append(good, v)
		}
	}
	n, bad := len(good), len(h.values)-len(good)
	if n == 0 {
		s.empty = fmt.Sprintf("%s has no values to count.", h.name)
		if bad > 0 {
			s.empty = fmt.Sprintf("%s: all %s are NaN or infinite.", h.name, plural(bad, "value"))
		}
		return s
	}
	if bad > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: of %s, %s NaN or infinite.", h.name, plural(len(h.values), "value"), areOf(bad)))
	}
	sort.Float64s(good)
	s.x.widen(good[0])
	s.x.widen(good[n-1])
	s.x.settle(0)
	counts := count(good, s.x.min, s.x.max)
	top := 0
	for _, k := range counts {
		top = max(top, k)
	}
	s.y.min, s.y.max = 0, float64(top)*1.05
	if set.logY {
		s.y.min, s.y.max = 0.5, float64(top)*1.3
	}
	mean := 0.0
	for _, v := range good {
		mean += v / float64(n)
	}
	s.details = []string{fmt.Sprintf("from %s to %s, median %s, mean %s, in %d bins", short(good[0]), short(good[n-1]), short(good[n/2]), short(mean), len(counts))}
	s.marks = []plot.Plotter{bars{counts, lookOf(0).color}}
	return s
}

// count sorts ordered values into bins from lo to hi.
func count(sorted []float64, lo, hi float64) []int {
	n := len(sorted)
	bins := math.Ceil(math.Sqrt(float64(n)))
	if iqr := sorted[3*n/4] - sorted[n/4]; iqr > 0 {
		bins = math.Ceil((hi - lo) / (2 * iqr / math.Cbrt(float64(n))))
	}
	counts := make([]int, int(min(max(bins, 5), 80)))
	for _, v := range sorted {
		i := int((v - lo) / (hi - lo) * float64(len(counts)))
		counts[min(max(i, 0), len(counts)-1)]++
	}
	return counts
}

// bars draws counts over the whole width of the axes.
type bars struct {
	counts []int
	ink    ink
}

func (b bars) Plot(c draw.Canvas, p *plot.Plot) {
	w := (c.Max.X - c.Min.X) / vg.Length(len(b.counts))
	gap := min(px(1), w/4)
	for i, k := range b.counts {
		if k == 0 {
			continue
		}
		x := c.Min.X + vg.Length(i)*w
		box(c, b.ink, x+gap/2, c.Min.Y, x+w-gap/2, c.Y(p.Y.Norm(float64(k))))
	}
}

func box(c draw.Canvas, k ink, x0, y0, x1, y1 vg.Length) {
	c.SetColor(k)
	c.Fill(vg.Rectangle{Min: vg.Point{X: x0, Y: y0}, Max: vg.Point{X: x1, Y: y1}}.Path())
}
