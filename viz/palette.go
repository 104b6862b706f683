package viz

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"math"
	"slices"
)

// Limits of a palette.
const (
	mostColours = 256     // of a PNG with one byte a pixel
	exact       = 64      // of these, the most frequent ones stay as they are
	tooMany     = 200_000 // colours of which no palette is tried
	enough      = 0.4     // of 255: root mean square error of a channel, over all pixels, that is good enough
	visible     = 2.5     // and that is not
)

// paletted gives a picture with one byte a pixel, which makes its PNG three to five times
// smaller. Drawings have few colours, except for the blends at the edges of lines: the
// colours that cover most pixels stay as they are, the others become one that is near, by
// halving the colours that differ most until no difference is seen or there are 256 groups (after
// Heckbert's median cut, Computer Graphics 16 (1982), 297). A picture that would look different, such as a photograph,
// is returned as it is.
func paletted(img *image.RGBA) image.Image {
	count := countColours(img)
	if count == nil {
		return img
	}
	colours := slices.SortedFunc(maps.Keys(count), func(p, q color.RGBA) int {
		return cmp.Or(cmp.Compare(count[q], count[p]), cmp.Compare(packed(p), packed(q)))
	})
	groups := make([]colourGroup, 0, mostColours)
	for _, c := range colours[:min(len(colours), exact)] {
		groups = append(groups, groupOf([]color.RGBA{c}, count))
	}
	b := img.Bounds()
	if len(colours) > exact {
		cut, left := cutColours(colours[exact:], count, mostColours-exact, float64(4*b.Dx()*b.Dy()))
		if left > visible {
			return img
		}
		groups = append(groups, cut...)
	}
	index := make(map[color.RGBA]uint8, len(colours))
	out := image.NewPaletted(b, nil)
	for i, g := range groups {
		out.Palette = append(out.Palette, color.NRGBAModel.Convert(g.mean()))
		for _, c := range g.colours {
			index[c] = uint8(i)
		}
	}
	last, at := colours[0], index[colours[0]]
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

// countColours counts the pixels of each colour, their opacity multiplied in; nil if there are
// too many.
func countColours(img *image.RGBA) map[color.RGBA]int {
	b := img.Bounds()
	count := map[color.RGBA]int{}
	last := color.RGBA{}
	n := 0 // pixels of the last colour that are not counted yet
	for y := range b.Dy() {
		row := img.Pix[y*img.Stride:]
		for x := range b.Dx() {
			if c := (color.RGBA{row[4*x], row[4*x+1], row[4*x+2], row[4*x+3]}); c != last {
				if n > 0 {
					count[last] += n
				}
				last, n = c, 0
			}
			n++
		}
		if len(count) > tooMany {
			return nil
		}
	}
	if n > 0 {
		count[last] += n
	}
	return count
}

// cutColours puts colours into at most so many groups of neighbours, and returns the root mean
// square of the error that is left, over so many samples.
func cutColours(colours []color.RGBA, count map[color.RGBA]int, most int, samples float64) (groups []colourGroup, left float64) {
	groups = []colourGroup{groupOf(colours, count)}
	for {
		worst, sum := 0, 0.0
		for i, g := range groups {
			sum += max(g.error(), 0) // below 0 by rounding
			if g.error() > groups[worst].error() {
				worst = i
			}
		}
		left = math.Sqrt(sum / samples)
		if len(groups) == most || left <= enough {
			return groups, left
		}
		below, above := groups[worst].cut()
		if len(below) == 0 || len(above) == 0 {
			return groups, left // all groups are of one colour
		}
		groups[worst] = groupOf(below, count)
		groups = append(groups, groupOf(above, count))
	}
}

// A colourGroup is colours that become one, with sums over their pixels.
type colourGroup struct {
	colours     []color.RGBA
	n           float64    // pixels
	sum, square [4]float64 // of the channels
}

func groupOf(colours []color.RGBA, count map[color.RGBA]int) colourGroup {
	g := colourGroup{colours: colours}
	for _, c := range colours {
		n := float64(count[c])
		g.n += n
		for k, v := range channels(c) {
			g.sum[k] += n * v
			g.square[k] += n * v * v
		}
	}
	return g
}

func channels(c color.RGBA) [4]float64 {
	return [4]float64{float64(c.R), float64(c.G), float64(c.B), float64(c.A)}
}

// spread is the sum over the pixels of the squared differences of a channel from the mean.
func (g *colourGroup) spread(k int) float64 { return g.square[k] - g.sum[k]*g.sum[k]/g.n }

func (g *colourGroup) error() float64 {
	return g.spread(0) + g.spread(1) + g.spread(2) + g.spread(3)
}

func (g *colourGroup) mean() color.RGBA {
	of := func(k int) uint8 { return uint8(math.Round(g.sum[k] / g.n)) }
	return color.RGBA{of(0), of(1), of(2), of(3)}
}

// cut parts a group at the mean of the channel in which it differs most.
func (g *colourGroup) cut() (below, above []color.RGBA) {
	wide := 0
	for k := range 4 {
		if g.spread(k) > g.spread(wide) {
			wide = k
		}
	}
	for _, c := range g.colours {
		if channels(c)[wide] <= g.sum[wide]/g.n {
			below = append(below, c)
		} else {
			above = append(above, c)
		}
	}
	return below, above
}

// packed orders colours, so that the same picture gives the same bytes.
func packed(c color.RGBA) uint32 {
	return uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | uint32(c.A)<<24
}
