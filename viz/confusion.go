package viz

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Confusion draws how often samples of each class (a row) were taken for each class (a
// column), darker for a larger share of the row: the diagonal is what was right. Classes
// are named, or numbered where names is nil; lists of different lengths are compared as far
// as both go. Labels that are no number of a class are left out and counted.
//
//	viz.Confusion([]string{"cat", "dog"}, labels, predicted)
func Confusion(names []string, labels, predicted []int) *Figure {
	return newFigure(&confusion{names, labels, predicted})
}

type confusion struct {
	names             []string
	labels, predicted []int
}

func (*confusion) sources() []Source { return nil }

const mostClasses = 200

func (d *confusion) scene(set settings) *scene {
	n := min(len(d.labels), len(d.predicted))
	names := d.names
	if names == nil {
		most := -1
		for i := range n {
			most = max(most, d.labels[i], d.predicted[i])
		}
		for k := range min(most+1, mostClasses) {
			names = append(names, fmt.Sprint(k))
		}
	}
	k := min(len(names), mostClasses)
	counts := make([][]int, k)
	for i := range counts {
		counts[i] = make([]int, k)
	}
	right, out := 0, 0
	for i := range n {
		a, b := d.labels[i], d.predicted[i]
		if a < 0 || b < 0 || a >= k || b >= k {
			out++
			continue
		}
		counts[a][b]++
		if a == b {
			right++
		}
	}
	counted := n - out
	s := &scene{summary: fmt.Sprintf("Confusion of %s, %s", plural(k, "class"), plural(n, "sample"))}
	if k > 1 {
		s.summary = fmt.Sprintf("Confusion of %d classes, %s", k, plural(n, "sample"))
	}
	if len(d.labels) != len(d.predicted) {
		s.notes = append(s.notes, fmt.Sprintf("There are %d labels and %d predictions; compared as far as both go.", len(d.labels), len(d.predicted)))
	}
	if out > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Of %s, %s of no known class.", plural(n, "sample"), areOf(out)))
	}
	if counted == 0 {
		s.empty = "There are no samples to compare."
		if len(s.notes) > 0 {
			s.empty = s.notes[0]
		}
		return s
	}
	share := fmt.Sprintf("%s %% right", short(100*float64(right)/float64(counted)))
	s.details = append([]string{share}, confused(names, counts)...)
	s.yLabel = "true class, by row: " + share
	s.xLabel = "class given"
	s.x = axis{min: -0.5, max: float64(k) - 0.5, names: names[:k]}
	s.y = axis{min: -0.5, max: float64(k) - 0.5, names: names[:k], flip: true}
	s.square = true
	s.marks = []plot.Plotter{shares{counts, set.theme.inks()}}
	return s
}

// confused lists the pairs that are taken for each other most often.
func confused(names []string, counts [][]int) []string {
	type pair struct{ a, b, n int }
	var pairs []pair
	for a, row := range counts {
		for b, n := range row {
			if a != b && n > 0 {
				pairs = append(pairs, pair{a, b, n})
			}
		}
	}
	sort.SliceStable(pairs, func(i, j int) bool { return pairs[i].n > pairs[j].n })
	var out []string
	for _, p := range pairs[:min(len(pairs), 5)] {
		out = append(out, fmt.Sprintf("%s taken for %s: %d", names[p.a], names[p.b], p.n))
	}
	return out
}

// shares draws counts as squares whose strength is the share of their row, a tenth at least
// so that a mistake in a hundred is seen.
type shares struct {
	counts [][]int
	inks   inks
}

func (h shares) Plot(c draw.Canvas, p *plot.Plot) {
	k := len(h.counts)
	w, height := (c.Max.X-c.Min.X)/vg.Length(k), (c.Max.Y-c.Min.Y)/vg.Length(k)
	gap := min(px(1), w/8)
	right, wrong := lookOf(0).color, lookOf(1).color
	for a, row := range h.counts {
		sum := 0
		for _, n := range row {
			sum += n
		}
		for b, n := range row {
			ink := wrong
			if a == b {
				ink = right
			}
			strength := 0.0
			if n > 0 {
				strength = 0.1 + 0.9*math.Pow(float64(n)/float64(sum), 0.8)
			}
			x, y := c.Min.X+vg.Length(b)*w, c.Max.Y-vg.Length(a+1)*height
			if n == 0 {
				box(c, h.inks.grid.fade(0.5), x+gap/2, y+gap/2, x+w-gap/2, y+height-gap/2)
				continue
			}
			box(c, ink.fade(strength), x+gap/2, y+gap/2, x+w-gap/2, y+height-gap/2)
			text := commas(fmt.Sprint(n))
			size := min(12, inPx(height)*0.7)
			if widthOf(text, size, false) > inPx(w)-3 || size < 7 {
				continue
			}
			k := h.inks.text
			if strength > 0.6 {
				k = grey(0xff, 255)
			}
			c.FillText(style(k, size, a == b, -0.5, -0.5), vg.Point{X: x + w/2, Y: y + height/2}, text)
		}
	}
}
