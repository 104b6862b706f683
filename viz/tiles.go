package viz

import (
	"image"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A tile is a small picture with a line below it.
type tile struct {
	img     *image.NRGBA
	caption string
	wrong   bool // the caption tells of a mistake
}

// A mosaic is tiles in rows, as large as the room allows.
type mosaic struct {
	tiles       []tile
	right, bad  ink
	captionSize float64
}

const tileGap = 6.0 // pixels

// tiled returns a scene of nothing but tiles, no higher than they need; right is how much of
// the width something else takes.
func tiled(tiles []tile, set settings, right float64) *scene {
	m := mosaic{tiles: tiles, right: set.theme.inks().muted, bad: lookOf(1).color, captionSize: tickSize}
	s := &scene{
		x: axis{min: 0, max: 1, hide: true}, y: axis{min: 0, max: 1, hide: true}, square: true,
		marks: []plot.Plotter{m},
	}
	const around = 60 // pixels above and below: the line on top, a note, margins
	width, height, below := m.sizes()
	if cols, scale := layout(len(tiles), set.w-2*margin-right, set.h-around, width, height, below); cols > 0 {
		rows := float64((len(tiles) + cols - 1) / cols)
		s.h = min(set.h, around+rows*(height*scale+below+tileGap))
	}
	return s
}

// sizes returns the size of the largest picture, and the room below it for captions.
func (m mosaic) sizes() (width, height, below float64) {
	width, height = 1, 1
	for _, t := range m.tiles {
		b := t.img.Bounds()
		width, height = max(width, float64(b.Dx())), max(height, float64(b.Dy()))
		if t.caption != "" {
			below = m.captionSize * lineHeight
		}
	}
	return width, height, below
}

// layout finds the number of columns with which n tiles of width by height are largest.
func layout(n int, w, h, width, height, below float64) (cols int, scale float64) {
	for c := 1; c <= n; c++ {
		rows := float64((n + c - 1) / c)
		s := min((w-float64(c-1)*tileGap)/float64(c)/width, (h-(rows-1)*tileGap-rows*below)/rows/height)
		if s > scale {
			cols, scale = c, s
		}
	}
	return cols, scale
}

func (m mosaic) Plot(c draw.Canvas, _ *plot.Plot) {
	width, height, below := m.sizes()
	w, h := inPx(c.Max.X-c.Min.X), inPx(c.Max.Y-c.Min.Y)
	cols, scale := layout(len(m.tiles), w, h, width, height, below)
	if cols == 0 {
		return // no room
	}
	dx, dy := width*scale, height*scale
	across := dx + tileGap
	if n := float64(cols); n > 1 { // rows fill the width, if the tiles are many
		across = min((w-dx)/(n-1), dx*1.5+tileGap)
	}
	for i, t := range m.tiles {
		x := c.Min.X + px(float64(i%cols)*across)
		y := c.Max.Y - px(float64(i/cols)*(dy+tileGap+below))
		b := t.img.Bounds()
		at := vg.Rectangle{Min: vg.Point{X: x, Y: y - px(float64(b.Dy())*scale)}, Max: vg.Point{X: x + px(float64(b.Dx())*scale), Y: y}}
		c.DrawImage(at, larger(t.img, 160))
		if t.caption == "" {
			continue
		}
		k := m.right
		if t.wrong {
			k = m.bad
		}
		c.FillText(style(k, m.captionSize, t.wrong, 0, -1), vg.Point{X: x, Y: at.Min.Y - px(1)}, cut(t.caption, across-2, m.captionSize, t.wrong))
	}
}
