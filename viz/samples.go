package viz

import (
	"fmt"
	"image"
	"math"
	"reflect"
)

// A SampleSet is samples with their classes. *datasets.Set is one.
type SampleSet interface {
	Len() int
	Row(i int) []float32 // the features
	Label(i int) int     // the number of its class
	Classes() []string
}

// shownSamples is how many samples a figure shows.
const shownSamples = 40

// Samples draws the first samples of a set with their classes. With predicted, the classes
// that a model gave to them, each caption says which was right and which was given where
// they differ. Samples are drawn as the pictures they are, if the set has a method
// Picture(i int) image.Image that gives one, and as squares of grey otherwise.
//
//	viz.Samples(split.Test, nil)
func Samples(set SampleSet, predicted []int) *Figure {
	return newFigure(&samples{set: set, predicted: predicted})
}

// Mistakes draws the first samples to which a model gave a wrong class, with both classes.
//
//	viz.Mistakes(split.Test, predicted)
func Mistakes(set SampleSet, predicted []int) *Figure {
	return newFigure(&samples{set: set, predicted: predicted, wrong: true})
}

type samples struct {
	set       SampleSet
	predicted []int
	wrong     bool
}

func (*samples) sources() []Source { return nil }

func (d *samples) scene(set settings) *scene {
	if d.set == nil || reflect.ValueOf(d.set).Kind() == reflect.Pointer && reflect.ValueOf(d.set).IsNil() {
		return &scene{empty: "No samples were given, so there is nothing to draw."}
	}
	total := d.set.Len()
	n := total
	if d.predicted != nil {
		n = min(n, len(d.predicted))
	}
	classes := d.set.Classes()
	name := func(c int) string {
		if c >= 0 && c < len(classes) {
			return classes[c]
		}
		return fmt.Sprint(c)
	}
	var tiles []tile
	mistakes := 0
	for i := range n {
		label := d.set.Label(i)
		t := tile{caption: name(label)}
		if d.predicted != nil && d.predicted[i] != label {
			t.caption, t.wrong = name(label)+" → "+name(d.predicted[i]), true
			mistakes++
		}
		if len(tiles) < shownSamples && (t.wrong || !d.wrong) {
			t.img = pictureOf(d.set, i)
			tiles = append(tiles, t)
		} else if d.predicted == nil {
			break
		}
	}
	s := tiled(tiles, set, 0)
	s.summary = "Samples of " + nameOf(d.set) + fmt.Sprintf(", %d of %s", len(tiles), commas(fmt.Sprint(total)))
	s.yLabel = "samples"
	if d.predicted != nil {
		share := fmt.Sprintf("%s of %s wrong (%s %%)", commas(fmt.Sprint(mistakes)), plural(n, "prediction"), short(100*float64(mistakes)/math.Max(float64(n), 1)))
		s.yLabel = "right class → class given where it is wrong: " + share
		s.details = append(s.details, share)
		if n < total || n < len(d.predicted) {
			s.notes = append(s.notes, fmt.Sprintf("There are %d samples and %d predictions; compared as far as both go.", total, len(d.predicted)))
		}
	}
	if d.wrong {
		s.summary = "Mistakes on " + nameOf(d.set) + fmt.Sprintf(", %d of %s", len(tiles), commas(fmt.Sprint(mistakes)))
	}
	if len(tiles) == 0 {
		s.marks = nil
		switch {
		case total == 0:
			s.empty = "The set has no samples."
		case d.wrong && d.predicted == nil:
			s.empty = "No predictions were given, so there are no mistakes to show."
		case d.wrong && n > 0:
			s.empty = fmt.Sprintf("No mistakes: all %s are right.", plural(n, "prediction"))
		default:
			s.empty = "There are no predictions."
		}
		return s
	}
	line := ""
	for i, t := range tiles[:min(len(tiles), 10)] {
		if i > 0 {
			line += ", "
		}
		line += t.caption
	}
	s.details = append(s.details, line)
	return s
}

func nameOf(v any) string {
	if n, ok := v.(interface{ Name() string }); ok && n.Name() != "" {
		return n.Name()
	}
	return "the set"
}

// pictureOf is sample i as a picture.
func pictureOf(set SampleSet, i int) *image.NRGBA {
	if p, ok := set.(interface{ Picture(i int) image.Image }); ok {
		if img := p.Picture(i); img != nil {
			b := img.Bounds()
			out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
			for y := range b.Dy() {
				for x := range b.Dx() {
					out.Set(x, y, img.At(b.Min.X+x, b.Min.Y+y))
				}
			}
			return out
		}
	}
	row := set.Row(i)
	values := make([]float64, len(row))
	for k, v := range row {
		values[k] = float64(v)
	}
	h, w := tileSize(len(values))
	return painted(values, h, w, scaleOf(values))
}

// tileSize makes n values a square, or as nearly one as whole rows allow.
func tileSize(n int) (height, width int) {
	width = max(int(math.Ceil(math.Sqrt(float64(n)))), 1)
	return max((n+width-1)/width, 1), width
}

// scaleOf is the colours for some values.
func scaleOf(values []float64) *colorScale {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if finite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		lo, hi = 0, 1
	}
	return newColorScale(lo, hi, false)
}

// painted colours values row by row; those that are no numbers stay clear.
func painted(values []float64, height, width int, scale *colorScale) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, v := range values[:min(len(values), height*width)] {
		img.SetNRGBA(i%width, i/width, scale.at(v))
	}
	return img
}
