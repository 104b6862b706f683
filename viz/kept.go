package viz

import (
	"fmt"
	"image"
	"math"
	"strings"

	"gonum.org/v1/plot"
)

// Draws is what a training keeps of the pairs that it drew, such as a crs.Record: for each
// series a matrix of how often each group of pairs was drawn (rows) in each group of steps
// (columns), from 0 to 1.
type Draws interface {
	Series() []string
	Drawn(name string) (often [][]float64, pairs int, first, last float64)
	Share(name string) (steps, share []float64)
}

const mostPanels = 4

// Kept draws which pairs of each layer's forward product were computed over the steps of a
// training: bright where always, dark where never. Products that were not sampled are left out. Of
// more than four layers, the first four are shown; [KeptOf] shows one of them. With the run
// that draws given too, the figure grows while it goes on.
//
//	viz.Kept(record, r)
func Kept(d Draws, sources ...Source) *Figure {
	return newFigure(&kept{d: d, src: present(sources)}).Size(900, 340)
}

// KeptOf draws the same for one product, such as "dense1 forward" or "conv2 weight gradient".
//
//	viz.KeptOf(record, "dense1 forward", r)
func KeptOf(d Draws, name string, sources ...Source) *Figure {
	return newFigure(&kept{d: d, name: name, src: present(sources)})
}

type kept struct {
	d    Draws
	name string // empty: forward products
	src  []Source
}

func (k *kept) sources() []Source { return k.src }

func (k *kept) scene(settings) *scene {
	s := &scene{yLabel: "how often each pair was computed", summary: "Pairs that were computed, over the steps of a training"}
	if isNil(k.d) {
		s.empty = "No record was given, so there is nothing to draw."
		return s
	}
	names, left := k.names()
	for _, name := range names {
		if p := k.panel(name, s); p != nil {
			s.panels = append(s.panels, p)
		}
	}
	if left > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s more not shown.", plural(left, "product")))
	}
	if len(s.panels) == 0 {
		s.empty = "Nothing has been drawn yet."
		if all := k.d.Series(); len(all) > 0 && k.name != "" {
			s.empty = fmt.Sprintf("There is no product %q; there are %s.", k.name, list(all))
		} else if len(all) > 0 {
			s.empty = "All pairs were computed in every product so far."
		}
		s.empty = strings.Join(append([]string{s.empty}, failures(k.src)...), " ")
		return s
	}
	s.notes = append(s.notes, failures(k.src)...)
	s.scale = newColorScale(0, 1, false)
	return s
}

// names chooses what is shown: what was asked for, else sampled forward products, else all
// that are sampled.
func (k *kept) names() (names []string, left int) {
	if k.name != "" {
		return []string{k.name}, 0
	}
	var forward, all []string
	for _, name := range k.d.Series() {
		_, share := k.d.Share(name)
		sampled := false
		for _, v := range share {
			sampled = sampled || v < 1
		}
		if !sampled {
			continue
		}
		all = append(all, name)
		if strings.HasSuffix(name, " forward") {
			forward = append(forward, name)
		}
	}
	if len(forward) > 0 {
		all = forward
	}
	n := min(len(all), mostPanels)
	return all[:n], len(all) - n
}

// panel is the cells of one product.
func (k *kept) panel(name string, of *scene) *scene {
	often, pairs, first, last := k.d.Drawn(name)
	if len(often) == 0 || len(often[0]) == 0 {
		return nil
	}
	rows, cols := len(often), len(often[0])
	img := image.NewNRGBA(image.Rect(0, 0, cols, rows))
	scale, sum, n := newColorScale(0, 1, false), 0.0, 0
	for i, row := range often {
		for j, v := range row {
			img.SetNRGBA(j, i, scale.at(v))
			if !math.IsNaN(v) {
				sum, n = sum+v, n+1
			}
		}
	}
	of.details = append(of.details, fmt.Sprintf("%s: %s, %s%% of them computed, steps %s to %s", name, plural(pairs, "pair"), short(100*sum/float64(max(n, 1))), short(first+1), short(last+1)))
	return &scene{
		xLabel: "step · " + strings.TrimSuffix(name, " forward"),
		x:      axis{min: first + 1, max: max(last+1, first+2), whole: true},
		y:      axis{min: -0.5, max: float64(pairs) - 0.5, whole: true, flip: true},
		square: true,
		marks:  []plot.Plotter{cells{img}},
	}
}
