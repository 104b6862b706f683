package viz

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A colorScale gives values colours: from dark blue to yellow, evenly in lightness (the
// anchors are those of viridis, which is in the public domain), or, for values of both
// signs, from blue by grey to vermilion with zero in the middle.
type colorScale struct {
	min, max float64
	signed   bool
	log      bool // each power of ten has the same share; values are positive
	thin     bool // for bars on the page itself, which must be seen on white and on black
}

const scaleWidth = 66.0 // pixels at the right of the cells

var (
	evenStops   = []color.NRGBA{{0x44, 0x01, 0x54, 255}, {0x3b, 0x52, 0x8b, 255}, {0x21, 0x91, 0x8c, 255}, {0x5e, 0xc9, 0x62, 255}, {0xfd, 0xe7, 0x25, 255}}
	thinStops   = []color.NRGBA{{0x2f, 0x78, 0xd8, 255}, {0x8a, 0x70, 0x9c, 255}, {0xd5, 0x5e, 0x00, 255}}
	signedStops = []color.NRGBA{{0x1b, 0x5f, 0xc4, 255}, {0x8f, 0xb4, 0xe8, 255}, {0xe4, 0xe4, 0xe4, 255}, {0xf0, 0xae, 0x7c, 255}, {0xc8, 0x4e, 0x00, 255}}
)

func newColorScale(lo, hi float64, log bool) *colorScale {
	s := &colorScale{min: lo, max: hi, log: log}
	if log {
		if s.max/s.min < 1.1 {
			s.min, s.max = s.min/1.5, s.max*1.5
		}
		return s
	}
	if lo < 0 && hi > 0 {
		m := max(-lo, hi)
		s.min, s.max, s.signed = -m, m, true
	}
	if s.min == s.max {
		s.max = s.min + 1
	}
	return s
}

// at returns the colour of a value; a NaN has none.
func (s *colorScale) at(v float64) color.NRGBA {
	stops := evenStops
	switch {
	case s.signed:
		stops = signedStops
	case s.thin:
		stops = thinStops
	}
	f := v/(s.max-s.min) - s.min/(s.max-s.min) // divided first: the range may be huge
	if s.log {
		f = math.Log(v/s.min) / math.Log(s.max/s.min)
		if !(v > 0) {
			return color.NRGBA{}
		}
	}
	if math.IsNaN(f) {
		return color.NRGBA{}
	}
	f = min(max(f, 0), 1) * float64(len(stops)-1)
	i := min(int(f), len(stops)-2)
	f -= float64(i)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a)*(1-f) + float64(b)*f)) }
	a, b := stops[i], stops[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// draw draws the bar with its numbers at the right of c, from bottom to top, which are those of the axes
// beside it.
func (s *colorScale) draw(c draw.Canvas, bottom, top vg.Length, of *scene) {
	const steps = 64
	img := image.NewNRGBA(image.Rect(0, 0, 1, steps))
	for i := range steps {
		f := float64(i) / (steps - 1)
		v := s.min*(1-f) + s.max*f
		if s.log {
			v = s.min * math.Pow(s.max/s.min, f)
		}
		img.SetNRGBA(0, steps-1-i, s.at(v))
	}
	bar := vg.Rectangle{Min: vg.Point{X: c.Min.X + px(14), Y: bottom}, Max: vg.Point{X: c.Min.X + px(26), Y: top}}
	c.DrawImage(bar, img)
	a := axis{min: s.min, max: s.max, log: s.log, room: max(2, int(inPx(bar.Max.Y-bar.Min.Y)/60))}
	for _, t := range a.Ticks(s.min, s.max) {
		if t.IsMinor() {
			continue
		}
		y := bar.Min.Y + (bar.Max.Y-bar.Min.Y)*vg.Length(a.Normalize(s.min, s.max, t.Value))
		c.FillText(style(of.inks.muted, tickSize, false, 0, -0.5), vg.Point{X: bar.Max.X + px(4), Y: y + px(1.5)}, t.Label)
	}
}
