package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
)

// The logo shows what the name means: three roads that meet. It is described once, on a square of
// 64 units, and drawn twice: as SVG, and as pixels by the distance to each shape.

// A shape is a line with round ends, or a circle where both ends are the same, or the plate.
type shape struct {
	x1, y1, x2, y2 float64
	r              float64 // half the width of the line
	plate          bool    // a square with round corners from (x1, y1) to (x2, y2)
	fill           color.NRGBA
}

const logoSize = 64

var logo = func() []shape {
	navy := color.NRGBA{0x1b, 0x37, 0x58, 0xff}
	white := color.NRGBA{0xff, 0xff, 0xff, 0xff}
	roads := []struct {
		x, y float64
		fill color.NRGBA
	}{
		{15, 17, color.NRGBA{0x2f, 0xc4, 0xe8, 0xff}},
		{49, 17, color.NRGBA{0xff, 0xb8, 0x4d, 0xff}},
		{32, 53, color.NRGBA{0xff, 0x6f, 0x7d, 0xff}},
	}
	const cx, cy = 32, 31
	shapes := []shape{{x1: 2, y1: 2, x2: 62, y2: 62, r: 14, plate: true, fill: navy}}
	for _, p := range roads {
		shapes = append(shapes, shape{x1: cx, y1: cy, x2: p.x, y2: p.y, r: 3.4, fill: p.fill})
		shapes = append(shapes, shape{x1: p.x, y1: p.y, x2: p.x, y2: p.y, r: 6.2, fill: p.fill})
	}
	return append(shapes,
		shape{x1: cx, y1: cy, x2: cx, y2: cy, r: 9, fill: navy},
		shape{x1: cx, y1: cy, x2: cx, y2: cy, r: 6.4, fill: white})
}()

// logoFiles are the files of a kernel spec that front ends show.
func logoFiles() (map[string][]byte, error) {
	files := map[string][]byte{"logo-svg.svg": []byte(logoSVG())}
	for _, size := range []int{32, 64} {
		var b bytes.Buffer
		if err := png.Encode(&b, logoImage(size)); err != nil {
			return nil, err
		}
		files[fmt.Sprintf("logo-%dx%[1]d.png", size)] = b.Bytes()
	}
	return files, nil
}

func logoSVG() string {
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %[1]d\" role=\"img\">\n<title>Trivium: three roads meet</title>\n", logoSize)
	for _, s := range logo {
		fill := fmt.Sprintf("#%02x%02x%02x", s.fill.R, s.fill.G, s.fill.B)
		switch {
		case s.plate:
			fmt.Fprintf(&b, `<rect x="%g" y="%g" width="%g" height="%g" rx="%g" fill="%s"/>`, s.x1, s.y1, s.x2-s.x1, s.y2-s.y1, s.r, fill)
		case s.x1 == s.x2 && s.y1 == s.y2:
			fmt.Fprintf(&b, `<circle cx="%g" cy="%g" r="%g" fill="%s"/>`, s.x1, s.y1, s.r, fill)
		default:
			fmt.Fprintf(&b, `<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="%s" stroke-width="%g" stroke-linecap="round"/>`, s.x1, s.y1, s.x2, s.y2, fill, 2*s.r)
		}
		b.WriteByte('\n')
	}
	return b.String() + "</svg>\n"
}

// distance is negative inside the shape and positive outside.
func (s shape) distance(x, y float64) float64 {
	if s.plate {
		dx := math.Abs(x-(s.x1+s.x2)/2) - (s.x2-s.x1)/2 + s.r
		dy := math.Abs(y-(s.y1+s.y2)/2) - (s.y2-s.y1)/2 + s.r
		return math.Hypot(max(dx, 0), max(dy, 0)) + min(max(dx, dy), 0) - s.r
	}
	dx, dy := s.x2-s.x1, s.y2-s.y1
	along := 0.0
	if l := dx*dx + dy*dy; l > 0 {
		along = min(max(((x-s.x1)*dx+(y-s.y1)*dy)/l, 0), 1)
	}
	return math.Hypot(x-s.x1-along*dx, y-s.y1-along*dy) - s.r
}

// logoImage draws the shapes one over the other. A pixel that an edge crosses is covered in part,
// by half a pixel minus the distance, which for straight edges is nearly exact.
func logoImage(size int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	scale := float64(size) / logoSize
	for py := range size {
		for px := range size {
			var r, g, b, a float64 // premultiplied
			for _, s := range logo {
				d := s.distance((float64(px)+.5)/scale, (float64(py)+.5)/scale) * scale
				cover := min(max(.5-d, 0), 1)
				r = r*(1-cover) + cover*float64(s.fill.R)
				g = g*(1-cover) + cover*float64(s.fill.G)
				b = b*(1-cover) + cover*float64(s.fill.B)
				a = a*(1-cover) + cover
			}
			if a > 0 {
				img.SetNRGBA(px, py, color.NRGBA{uint8(math.Round(r / a)), uint8(math.Round(g / a)), uint8(math.Round(b / a)), uint8(math.Round(255 * a))})
			}
		}
	}
	return img
}
