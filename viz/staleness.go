package viz

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A StaleSource is a run that knows how many updates late the gradients of its nodes came back:
// counts[i][k] is how many of node i's were k updates old. An asynchronous run (core/amp) is one.
type StaleSource interface {
	Source
	Staleness() (nodes []string, counts [][]int64)
}

// Staleness draws a histogram for each node with parameters: how many updates the node had made
// between a message's way forward and the return of its gradient. Bars are shares of the node's gradients; the
// tick marks the mean. The figure grows while the run goes on.
//
//	viz.Staleness(g) // g := amp.Start(…)
func Staleness(source StaleSource) *Figure {
	s := &staleness{}
	if source != nil {
		if s.src = present([]Source{source}); len(s.src) > 0 {
			s.read = source.Staleness
		}
	}
	return newFigure(s)
}

type staleness struct {
	src  []Source
	read func() ([]string, [][]int64)
}

func (s *staleness) sources() []Source { return s.src }

// mostBins is the longest axis; what is older is in its last bar.
const mostBins = 64

func (s *staleness) scene(set settings) *scene {
	sc := &scene{yLabel: "share of the gradients of each node", xLabel: "updates behind", x: emptyAxis(false), y: emptyAxis(false)}
	if len(s.src) == 0 {
		sc.empty = "No run was given, so there is nothing to draw."
		return sc
	}
	name := s.src[0].Name()
	nodes, counts := s.read()
	sc.notes = failures(s.src)
	sc.summary = fmt.Sprintf("Staleness of %s, %s", name, plural(len(nodes), "node"))
	if len(nodes) == 0 {
		sc.empty = fmt.Sprintf("%s: no gradient has come back yet.", name)
		if len(sc.notes) > 0 {
			sc.empty = sc.notes[0]
		}
		return sc
	}
	last := 1
	var rows []ridge
	for i, c := range counts {
		r := newRidge(c)
		rows = append(rows, r)
		last = max(last, len(r.share)-1)
		sc.details = append(sc.details, fmt.Sprintf("%s: mean %s, most %s%d updates behind, %.0f %% fresh", nodes[i], short(r.mean),
			map[bool]string{true: "at least "}[len(c) > mostBins], len(r.share)-1, 100*r.share[0]))
	}
	sc.x = axis{min: -0.5, max: float64(last) + 0.5, whole: true}
	sc.y = axis{min: -0.5, max: float64(len(nodes)) - 0.5, flip: true, names: nodes}
	sc.square = true
	sc.marks = []plot.Plotter{ridges{rows, lookOf(0).color, lookOf(1).color}}
	return sc
}

// A ridge is one node's histogram.
type ridge struct {
	share []float64
	mean  float64
}

func newRidge(counts []int64) ridge {
	n := 0.0
	for _, c := range counts {
		n += float64(c)
	}
	r := ridge{share: make([]float64, min(max(len(counts), 1), mostBins))}
	if n == 0 {
		return r
	}
	for k, c := range counts {
		r.share[min(k, len(r.share)-1)] += float64(c) / n
		r.mean += float64(k) * float64(c) / n
	}
	return r
}

type ridges struct {
	rows       []ridge
	bar, tickC ink
}

func (r ridges) Plot(c draw.Canvas, p *plot.Plot) {
	height := (c.Max.Y - c.Min.Y) / vg.Length(len(r.rows))
	for i, row := range r.rows {
		base := c.Y(p.Y.Norm(float64(i))) - height*0.42
		most := 0.0
		for _, s := range row.share {
			most = max(most, s)
		}
		for k, s := range row.share {
			if s == 0 {
				continue
			}
			x0, x1 := c.X(p.X.Norm(float64(k)-0.42)), c.X(p.X.Norm(float64(k)+0.42))
			box(c, r.bar, x0, base, x1, base+max(height*0.8*vg.Length(s/most), px(1.5)))
		}
		x := c.X(p.X.Norm(row.mean))
		c.StrokeLine2(draw.LineStyle{Color: r.tickC, Width: px(2)}, x, base-px(2), x, base+height*0.84)
	}
}
