package viz

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in pixels of the parts around the axes.
const (
	margin     = 12.0
	titleSize  = 15.0
	labelSize  = 12.0
	tickSize   = 11.0
	noteSize   = 11.0
	lineHeight = 1.35
)

// draw draws the scene on a canvas of its size. It makes a plot for each drawing because
// drawing changes a plot.
func (s *scene) draw(to vg.Canvas) {
	c := draw.NewCanvas(checked{to}, px(s.w), px(s.h))
	if s.inks.page.A > 0 {
		c.SetColor(s.inks.page)
		c.Fill(c.Rectangle.Path())
	}
	c = draw.Crop(c, px(margin), -px(margin), px(margin*0.6), -px(margin*0.8))
	c = s.drawHead(c)
	c = s.drawNotes(c)
	if s.empty != "" {
		s.drawEmpty(c)
		return
	}
	if s.direct() {
		c = draw.Crop(c, 0, -px(s.labelWidth()), 0, 0)
	}
	right := draw.Crop(c, inCanvas(c)-px(scaleWidth), 0, 0, 0)
	if s.scale != nil {
		c = draw.Crop(c, 0, -px(scaleWidth), 0, 0)
	}
	if inPx(inCanvas(c)) < 60 || inPx(c.Max.Y-c.Min.Y) < 45 {
		return // no room for axes: what is above and below is all that can be read
	}
	if s.panels == nil {
		p := s.plot(c)
		p.Draw(c)
		s.drawScale(right, p.DataCanvas(c))
		return
	}
	const gap = 22
	n := vg.Length(len(s.panels))
	w := (inCanvas(c) - (n-1)*px(gap)) / n
	foot := 0
	for _, p := range s.panels {
		foot = max(foot, len(p.foot))
	}
	if room := inPx(c.Max.Y - c.Min.Y); float64(foot)*footHeight > room-120 {
		foot = max(0, int((room-120)/footHeight)) // the curves come first
	}
	for i, p := range s.panels {
		panel := *p
		panel.inks = s.inks
		left := vg.Length(i) * (w + px(gap))
		part := draw.Crop(c, left, left+w-inCanvas(c), 0, 0)
		if foot > 0 {
			panel.drawFoot(part, foot)
			part = draw.Crop(part, 0, 0, px(float64(foot)*footHeight+6), 0)
		}
		plot := panel.plot(part)
		plot.Draw(part)
		if i == len(s.panels)-1 {
			s.drawScale(right, plot.DataCanvas(part))
		}
	}
}

// drawScale draws the scale of the colours, as high as the axes.
func (s *scene) drawScale(c, axes draw.Canvas) {
	if s.scale != nil {
		s.scale.draw(c, axes.Min.Y, axes.Max.Y, s)
	}
}

func inCanvas(c draw.Canvas) vg.Length { return c.Max.X - c.Min.X }

// drawHead draws title, the name of the y axis and the legend, and returns what is left.
func (s *scene) drawHead(c draw.Canvas) draw.Canvas {
	width := inPx(inCanvas(c))
	line := func(text string, size float64, bold bool, k ink) {
		if text == "" {
			return
		}
		c.FillText(style(k, size, bold, 0, -1), vg.Point{X: c.Min.X, Y: c.Max.Y}, cut(text, width, size, bold))
		c.Max.Y -= px(size * lineHeight)
	}
	line(s.title, titleSize, true, s.inks.text)
	if s.title != "" {
		c.Max.Y -= px(3)
	}
	if s.empty != "" {
		return c
	}
	line(s.yLabel, labelSize, s.title == "", s.inks.text)
	if len(s.keys) > 0 && !s.direct() {
		c = s.drawLegend(c)
	}
	c.Max.Y -= px(7)
	return c
}

// drawNotes draws the caption below and returns what is left.
func (s *scene) drawNotes(c draw.Canvas) draw.Canvas {
	var lines []string
	for _, n := range s.notes {
		if len(lines) < 3 {
			lines = append(lines, wrap(n, inPx(inCanvas(c)), noteSize, 3-len(lines))...)
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		c.FillText(style(s.inks.muted, noteSize, false, 0, 0), vg.Point{X: c.Min.X, Y: c.Min.Y + px(3)}, lines[i])
		c.Min.Y += px(noteSize * lineHeight)
	}
	if len(lines) > 0 {
		c.Min.Y += px(4)
	}
	return c
}

const footHeight = 15.0

// drawFoot writes the lines below a panel, from the top of the room for n of them.
func (s *scene) drawFoot(c draw.Canvas, n int) {
	width := inPx(inCanvas(c))
	for i, l := range s.foot[:min(n, len(s.foot))] {
		at := vg.Point{X: c.Min.X, Y: c.Min.Y + px(float64(n-i)*footHeight)}
		if l.name == "" {
			c.FillText(style(s.inks.muted, noteSize, false, 0, -1), at, cut(l.text, width, noteSize, false))
			continue
		}
		name := cut(l.name, width*0.55, noteSize, l.bold)
		c.FillText(style(l.look.color, noteSize, l.bold, 0, -1), at, name)
		at.X += px(widthOf(name, noteSize, l.bold) + 6)
		c.FillText(style(s.inks.text, noteSize, l.bold, 0, -1), at, cut(l.text, inPx(c.Max.X-at.X), noteSize, l.bold))
	}
}

// drawEmpty says in the middle why there is nothing to see.
func (s *scene) drawEmpty(c draw.Canvas) {
	lines := wrap(s.empty, inPx(inCanvas(c))*0.85, 13, 6)
	y := c.Center().Y + px(13*lineHeight*float64(len(lines))/2)
	for _, l := range lines {
		c.FillText(style(s.inks.muted, 13, false, -0.5, -1), vg.Point{X: c.Center().X, Y: y}, l)
		y -= px(13 * lineHeight)
	}
}

// plot returns a new plot of the scene for a canvas of c's size.
func (s *scene) plot(c draw.Canvas) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	x, y := s.x, s.y
	x.room = max(2, int(inPx(c.Max.X-c.Min.X)/60))
	y.room = max(2, int(inPx(c.Max.Y-c.Min.Y)/55))
	if inPx(c.Max.Y-c.Min.Y) < 75 { // with what the x axis takes off
		y.room = 1
	}
	if x.names != nil {
		x.names, x.room = fitNames(x.names, inPx(c.Max.X-c.Min.X)*0.92)
	}
	if y.names != nil {
		y.room = max(2, int(inPx(c.Max.Y-c.Min.Y)/16))
	}
	for _, a := range []struct {
		of   *plot.Axis
		from axis
	}{{&p.X, x}, {&p.Y, y}} {
		a.of.Min, a.of.Max = a.from.min, a.from.max
		a.of.Scale, a.of.Tick.Marker = a.from, a.from
		a.of.Padding = 0
		a.of.LineStyle = draw.LineStyle{Color: s.inks.axis, Width: px(1)}
		a.of.Tick.LineStyle = a.of.LineStyle
		a.of.Tick.Length = px(5)
		a.of.Label.TextStyle.Handler = powers{}
	}
	p.X.Tick.Label = style(s.inks.muted, tickSize, false, -0.5, -1)
	p.Y.Tick.Label = style(s.inks.muted, tickSize, false, -1, -0.5)
	p.X.Label.TextStyle = style(s.inks.muted, labelSize, false, -0.5, 0)
	p.Y.Label.TextStyle = p.X.Label.TextStyle
	p.X.Label.Text = s.xLabel
	p.X.Label.Padding = px(5)
	if !s.y.log || s.square {
		p.Y.Tick.Length = 0 // the grid says it
	}
	p.Y.LineStyle.Width = 0
	p.X.Padding = px(1)
	if s.x.hide {
		p.X.LineStyle.Width, p.X.Tick.Length = 0, 0
	}
	if !s.square {
		p.Add(grid{s.inks.grid})
	}
	p.Add(s.marks...)
	if s.direct() {
		p.Add(endLabels{s})
	}
	return p
}

// fitNames cuts names to their share of a width in pixels, and says how many there is room for.
func fitNames(names []string, width float64) (cuts []string, room int) {
	each := width/float64(max(len(names), 1)) - 4
	if each < 14 { // not even two letters
		return names, max(2, int(width/60))
	}
	for _, n := range names {
		cuts = append(cuts, cut(n, each, tickSize, false))
	}
	return cuts, len(names)
}

// grid draws a thin line across at each labelled tick of the y axis.
type grid struct{ ink ink }

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	line := draw.LineStyle{Color: g.ink, Width: px(1)}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if y := c.Y(p.Y.Norm(t.Value)); !t.IsMinor() && c.ContainsY(y) {
			y = px(math.Round(inPx(y)*2) / 2)
			c.StrokeLine2(line, c.Min.X, y, c.Max.X, y)
		}
	}
}
