package viz

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A curve is lines between gaps, on their way to the page.
type curve struct {
	lines [][]xy
	look  look
	width float64 // pixels
	dots  bool    // mark each point
}

func (l curve) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: l.look.color, Width: px(l.width), Dashes: inPoints(l.look.dash)}
	c.SetLineStyle(line)
	n := 0
	for _, points := range l.lines {
		n += len(points)
	}
	path := make(vg.Path, 0, n)
	var alone []vg.Point
	for _, points := range l.lines {
		for i, q := range points {
			at := vg.Point{X: c.X(p.X.Norm(q.x)), Y: c.Y(p.Y.Norm(q.y))}
			if i == 0 {
				path.Move(at)
			} else {
				path.Line(at)
			}
			if l.dots || len(points) == 1 {
				alone = append(alone, at)
			}
		}
	}
	if len(path) > 0 {
		c.Stroke(path)
	}
	for _, at := range alone { // a point between gaps has no line that would show it
		dot(c, l.look.color, at, l.width/2+1.2)
	}
}

// heads marks where lines that still grow have come to.
type head struct {
	at   xy
	look look
}

func (h head) Plot(c draw.Canvas, p *plot.Plot) {
	at := vg.Point{X: c.X(p.X.Norm(h.at.x)), Y: c.Y(p.Y.Norm(h.at.y))}
	dot(c, h.look.color.fade(0.25), at, 7)
	dot(c, h.look.color, at, 3.5)
}
