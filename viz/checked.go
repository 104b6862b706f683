package viz

import (
	"image"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// checked is a canvas that leaves out what lies nowhere. Axes without room give places
// that are NaN or infinite, and gonum's rasteriser never returns from a path to one.
type checked struct{ vg.Canvas }

func somewhere(points ...vg.Point) bool {
	for _, p := range points {
		if !(math.Abs(float64(p.X)) < 1e5 && math.Abs(float64(p.Y)) < 1e5) { // false for NaN
			return false
		}
	}
	return true
}

func drawable(path vg.Path) bool {
	for _, e := range path {
		if !somewhere(e.Pos) || !somewhere(e.Control...) || !somewhere(vg.Point{X: e.Radius}) {
			return false
		}
	}
	return true
}

func (c checked) Stroke(path vg.Path) {
	if drawable(path) {
		c.Canvas.Stroke(path)
	}
}

func (c checked) Fill(path vg.Path) {
	if drawable(path) {
		c.Canvas.Fill(path)
	}
}

func (c checked) FillString(f font.Face, at vg.Point, s string) {
	if somewhere(at) {
		c.Canvas.FillString(f, at, s)
	}
}

func (c checked) DrawImage(r vg.Rectangle, img image.Image) {
	if somewhere(r.Min, r.Max) {
		c.Canvas.DrawImage(r, img)
	}
}
