package viz

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"slices"
)

// paletted gives a picture with one byte a pixel, which makes its PNG three to five times
// smaller. Drawings have few colours, except for the blends at the edges of lines: the
// colours that cover most pixels stay as they are, the others become one that is near. A
// picture of too many colours, such as a photograph, is returned as it is.
func paletted(img *image.RGBA) image.Image {
	const most = 20_000
	b := img.Bounds()
	count := map[color.RGBA]int{}
	last := color.RGBA{}
	n := 0 // pixels of the last colour that are not counted yet
	for y := range b.Dy() {
		row := img.Pix[y*img.Stride:]
		for x := range b.Dx() {
			if c := (color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]}); c != last {
				count[last] += n
				last, n = c, 0
			}
			n++
		}
		if len(count) > most {
			return img
		}
	}
	count[last] += n

	colours := slices.SortedFunc(maps.Keys(count), func(p, q color.RGBA) int {
		return cmp.Or(cmp.Compare(count[q], count[p]), cmp.Compare(packed(p), packed(q)))
	})
	frequent := 0
	for _, c := range colours[:min(len(colours), 128)] {
		frequent += count[c]
	}
	steps := []uint8{4, 8} // larger ones would show as bands
	if frequent*100 >= b.Dx()*b.Dy()*97 {
		steps = []uint8{4, 8, 16, 32, 48} // the others are edges
	}
	kept := mainColours(colours, steps)
	if kept == nil {
		return img
	}
	index := make(map[color.RGBA]uint8, len(colours))
	out := image.NewPaletted(b, nil)
	for i, c := range kept {
		index[c] = uint8(i)
		out.Palette = append(out.Palette, color.NRGBAModel.Convert(c))
	}
	for _, c := range colours {
		if _, ok := index[c]; !ok {
			index[c] = nearestColour(kept, c)
		}
	}
	last, at := colours[0], uint8(0)
	for y := range b.Dy() {
		row, to := img.Pix[y*img.Stride:], out.Pix[y*out.Stride:]
		for x := range b.Dx() {
			if c := (color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]}); c != last {
				last, at = c, index[c]
			}
			to[x] = at
		}
	}
	return out
}

// mainColours chooses at most 256 of the colours, which come with the most frequent first: half
// of them as they come, then one for each part of what is left, as wide as the first of steps that
// makes few enough; nil where none does.
func mainColours(colours []color.RGBA, steps []uint8) []color.RGBA {
	if len(colours) <= 256 {
		return colours
	}
	for _, step := range steps {
		kept := slices.Clone(colours[:128])
		seen := map[color.RGBA]bool{}
		for _, c := range colours[128:] {
			part := color.RGBA{c.R / step, c.G / step, c.B / step, c.A / step}
			if !seen[part] {
				seen[part] = true
				kept = append(kept, c)
			}
		}
		if len(kept) <= 256 {
			return kept
		}
	}
	return nil
}

// packed orders colours, so that the same picture gives the same bytes.
func packed(c color.RGBA) uint32 {
	return uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(c.A)<<24
}

// nearestColour compares colours as they are on the page, their opacity multiplied in.
func nearestColour(of []color.RGBA, c color.RGBA) uint8 {
	best, at := int(^uint(0)>>1), 0
	for i, k := range of {
		r, g, b, a := int(k.R)-int(c.R), int(k.G)-int(c.G), int(k.B)-int(c.B), int(k.A)-int(c.A)
		if d := r*r + g*g + b*b + a*a; d < best {
			best, at = d, i
		}
	}
	return uint8(at)
}
