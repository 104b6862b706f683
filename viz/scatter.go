package viz

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter draws a dot at each (x, y). Slices of different lengths are drawn as far as the
// shorter goes; they must not change afterwards. Where many dots would fall on one pixel,
// one is drawn.
//
//	viz.Scatter("estimate against truth", truth, estimate).LogX().LogY()
func Scatter(name string, x, y []float64) *Figure { return newFigure(&scatter{name, x, y}) }

type scatter struct {
	name string
	x, y []float64
}

func (*scatter) sources() []Source { return nil }

func (d *scatter) scene(set settings) *scene {
	s := &scene{yLabel: d.name, x: emptyAxis(set.logX), y: emptyAxis(set.logY)}
	n := min(len(d.x), len(d.y))
	s.summary = fmt.Sprintf("%s, %s", upper(d.name), plural(n, "point"))
	if len(d.x) != len(d.y) {
		s.notes = append(s.notes, fmt.Sprintf("%s: %d values of x and %d of y; drawn as far as both go", d.name, len(d.x), len(d.y)))
	}
	var points []xy
	seen := map[[2]float32]bool{}
	bad, shown := 0, 0
	for i := range n {
		p := xy{d.x[i], d.y[i]}
		if !finite(p.x) || !finite(p.y) || (set.logX && p.x <= 0) || (set.logY && p.y <= 0) {
			bad++
			continue
		}
		shown++
		s.x.widen(p.x)
		s.y.widen(p.y)
		points = append(points, p)
	}
	if shown == 0 {
		s.empty = fmt.Sprintf("%s has no points to draw: of %d, %d are off the axes.", d.name, n, bad)
		return s
	}
	if bad > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s: of %s, %d cannot be shown (NaN, infinite, or not positive on a log axis).", d.name, plural(n, "point"), bad))
	}
	s.details = []string{fmt.Sprintf("x from %s to %s, y from %s to %s", short(s.x.min), short(s.x.max), short(s.y.min), short(s.y.max))}
	s.x.settle(0.04)
	s.y.settle(0.05)
	kept := points[:0]
	for _, p := range points { // one for each pixel
		at := [2]float32{
			float32(math.Round(s.x.Normalize(s.x.min, s.x.max, p.x) * set.w)),
			float32(math.Round(s.y.Normalize(s.y.min, s.y.max, p.y) * set.h)),
		}
		if !seen[at] {
			seen[at] = true
			kept = append(kept, p)
		}
	}
	radius := 3.0
	if len(kept) > 300 {
		radius = 1.8
	}
	s.marks = []plot.Plotter{dots{kept, lookOf(0).color.fade(0.75), radius}}
	return s
}

type dots struct {
	points []xy
	ink    ink
	radius float64
}

func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	for _, q := range d.points {
		dot(c, d.ink, vg.Point{X: c.X(p.X.Norm(q.x)), Y: c.Y(p.Y.Norm(q.y))}, d.radius)
	}
}
