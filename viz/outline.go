package viz

import (
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// outlined is a PDF canvas that draws letters as shapes: gonum's own way knows neither
// bold fonts nor letters beyond Windows' code page, and a whole font makes 200 kB.
type outlined struct{ *vgpdf.Canvas }

func (c outlined) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Size > 0 {
		c.Fill(outline(f, at, s))
	}
}

// outline returns the shapes of the letters of s, with the pen at a point.
func outline(f font.Face, at vg.Point, s string) vg.Path {
	var buf sfnt.Buffer
	em := f.Face.UnitsPerEm()
	ppem := fixed.Int26_6(em) // so that lengths below are in the font's units
	unit := f.Font.Size / vg.Length(em)
	var path vg.Path
	var before sfnt.GlyphIndex
	for i, r := range s {
		g, err := f.Face.GlyphIndex(&buf, r)
		if err != nil {
			continue
		}
		if i > 0 {
			if k, err := f.Face.Kern(&buf, before, g, ppem, 0); err == nil {
				at.X += vg.Length(k) * unit
			}
		}
		before = g
		place := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: at.X + vg.Length(p.X)*unit, Y: at.Y - vg.Length(p.Y)*unit}
		}
		segments, err := f.Face.LoadGlyph(&buf, g, ppem, nil)
		if err != nil {
			continue
		}
		for j, seg := range segments {
			switch seg.Op {
			case sfnt.SegmentOpMoveTo:
				if j > 0 {
					path.Close()
				}
				path.Move(place(seg.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(place(seg.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(place(seg.Args[0]), place(seg.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(place(seg.Args[0]), place(seg.Args[1]), place(seg.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		if w, err := f.Face.GlyphAdvance(&buf, g, ppem, 0); err == nil {
			at.X += vg.Length(w) * unit
		}
	}
	return path
}
