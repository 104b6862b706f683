package viz

import (
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labelWidth is the room that the labels at the ends of the lines need on the right; no
// more than a third of the figure.
func (s *scene) labelWidth() float64 {
	w := 0.0
	for _, k := range s.keys {
		w = max(w, widthOf(k.name, labelSize, false))
	}
	return min(w, s.w/3) + 10
}

// endLabels writes the names of the lines beside their ends, pushed apart where they
// would overlap, with a faint line to an end that is far away.
type endLabels struct{ s *scene }

func (e endLabels) Plot(c draw.Canvas, p *plot.Plot) {
	type label struct {
		key  key
		end  vg.Point
		y    float64 // of the text, in pixels
		name string
	}
	room := e.s.labelWidth() - 10
	var labels []label
	for _, k := range e.s.keys {
		end := vg.Point{X: c.X(p.X.Norm(k.end.x)), Y: c.Y(p.Y.Norm(k.end.y))}
		labels = append(labels, label{k, end, inPx(end.Y), cut(k.name, room, labelSize, false)})
	}
	sort.SliceStable(labels, func(i, j int) bool { return labels[i].y < labels[j].y })
	const apart = labelSize * 1.25
	ys := make([]float64, len(labels))
	for i := range labels {
		ys[i] = labels[i].y
	}
	spread(ys, apart, inPx(c.Min.Y), inPx(c.Max.Y))
	for i, l := range labels {
		at := vg.Point{X: c.Max.X + px(9), Y: px(ys[i])}
		if inPx(c.Max.X-l.end.X) > 14 {
			c.StrokeLine2(draw.LineStyle{Color: l.key.look.color.fade(0.45), Width: px(1), Dashes: []vg.Length{px(1), px(3)}},
				l.end.X+px(5), l.end.Y, c.Max.X+px(5), at.Y)
		}
		c.FillText(style(l.key.look.color, labelSize, false, 0, -0.5), at.Add(vg.Point{Y: px(1.5)}), l.name)
	}
}

// spread moves sorted places so that neighbours are at least apart, as little as a pass
// up and one down can, within lo and hi where that is possible.
func spread(ys []float64, apart, lo, hi float64) {
	n := len(ys)
	for again := 0; again < 8; again++ {
		moved := false
		for i := 0; i+1 < n; i++ {
			if over := apart - (ys[i+1] - ys[i]); over > 0.01 {
				ys[i] -= over / 2
				ys[i+1] += over / 2
				moved = true
			}
		}
		if n > 0 && ys[0] < lo {
			ys[0] = lo
		}
		if n > 0 && ys[n-1] > hi {
			ys[n-1] = hi
		}
		if !moved {
			return
		}
	}
	for i := 1; i < n; i++ { // whatever is left: upwards
		ys[i] = max(ys[i], ys[i-1]+apart)
	}
}

// drawLegend writes the keys in rows above the axes, where they cover nothing, and
// returns what is left. What does not fit into three rows, or fewer where there is little room, is counted.
func (s *scene) drawLegend(c draw.Canvas) draw.Canvas {
	const swatch, gap, row = 20.0, 16.0, 17.0
	width := inPx(inCanvas(c))
	x, rows := 0.0, 1
	most := min(3, int(inPx(c.Max.Y-c.Min.Y)/60)) // the data come first
	if most < 1 {
		return c
	}
	c.Max.Y -= px(3)
	for i, k := range s.keys {
		name := cut(k.name, min(width/2, 260), labelSize, false)
		w := swatch + 5 + widthOf(name, labelSize, false)
		if x > 0 && x+w > width {
			if rows == most {
				more := "and " + short(float64(len(s.keys)-i)) + " more"
				c.FillText(style(s.inks.muted, labelSize, false, 0, -1), vg.Point{X: c.Min.X, Y: c.Max.Y - px(row)}, more)
				c.Max.Y -= px(row)
				break
			}
			x, rows = 0, rows+1
			c.Max.Y -= px(row)
		}
		at := vg.Point{X: c.Min.X + px(x), Y: c.Max.Y - px(row/2-1)}
		if k.dot {
			dot(c, k.look.color, at.Add(vg.Point{X: px(swatch / 2)}), 4)
		} else {
			c.StrokeLine2(draw.LineStyle{Color: k.look.color, Width: px(2.2), Dashes: inPoints(k.look.dash)}, at.X, at.Y, at.X+px(swatch), at.Y)
		}
		c.FillText(style(s.inks.text, labelSize, false, 0, -0.5), at.Add(vg.Point{X: px(swatch + 5), Y: px(1)}), name)
		x += w + gap
	}
	c.Max.Y -= px(row)
	return c
}

func inPoints(dash []float64) []vg.Length {
	var out []vg.Length
	for _, d := range dash {
		out = append(out, px(d))
	}
	return out
}

// dot fills a circle of a radius in pixels.
func dot(c draw.Canvas, k ink, at vg.Point, radius float64) {
	c.SetColor(k)
	var path vg.Path
	path.Move(at.Add(vg.Point{X: px(radius)}))
	path.Arc(at, px(radius), 0, 2*3.141592653589793)
	path.Close()
	c.Fill(path)
}
