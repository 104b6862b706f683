package viz

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Hierarchy draws the grids of a multigrid run over its steps, finest on top: the C-points of
// each, which are the points of the next coarser one, and the F-points between them. Beside
// it is the way that the latest cycle takes through the levels; while the run goes on, a
// dot shows where it is. Grids that are too fine to have their points drawn apart are bars.
//
// It reads the series "mgrit/grid" (a point for each level: how many steps one of its steps stands for,
// and how many it has) and "mgrit/visit" (the levels visited, by cycle).
//
//	viz.Hierarchy(m).Size(640, 280)
func Hierarchy(source Source) *Figure {
	return newFigure(&hierarchy{present([]Source{source})}).Size(760, 0)
}

type hierarchy struct{ src []Source }

func (h *hierarchy) sources() []Source { return h.src }

// A gridLevel is one grid: n steps that stand for stride steps of the finest each.
type gridLevel struct{ n, stride int }

func (h *hierarchy) scene(set settings) *scene {
	s := &scene{yLabel: "grids, finest on top", legend: true}
	if len(h.src) == 0 {
		s.empty = "No run was given, so there is nothing to draw."
		return s
	}
	src := h.src[0]
	var levels []gridLevel
	for _, p := range src.Trace().Points("mgrit/grid") {
		levels = append(levels, gridLevel{int(p.Value), int(p.Step)})
	}
	s.summary = fmt.Sprintf("Grids of %s, %s", src.Name(), plural(len(levels), "level"))
	s.notes = failures(h.src)
	if len(levels) == 0 || levels[0].n < 1 || levels[0].stride < 1 {
		s.empty = fmt.Sprintf("%s has no %q: it is no multigrid run of two levels or more.", src.Name(), "mgrit/grid")
		if len(s.notes) > 0 {
			s.empty = s.notes[0]
		} else if !ended(src) {
			s.empty = fmt.Sprintf("%s has no %q yet.", src.Name(), "mgrit/grid")
		}
		return s
	}
	names := make([]string, len(levels))
	for k, l := range levels {
		names[k] = commas(fmt.Sprint(l.n)) + " steps"
		about := fmt.Sprintf("level %d: %s", k, plural(l.n, "step"))
		if l.stride > 1 {
			about += fmt.Sprintf(", each for %s", commas(fmt.Sprint(l.stride)))
		}
		s.details = append(s.details, about)
	}
	y := axis{min: -0.5, max: float64(len(levels)) - 0.5, flip: true}
	grids := &scene{x: axis{min: 0, max: float64(levels[0].n * levels[0].stride), whole: true}, y: y, xLabel: "step", square: true}
	grids.x.settle(0.02)
	grids.y.names = names
	grids.marks = []plot.Plotter{gridRows{levels: levels}}
	s.panels = []*scene{grids, h.cycle(s, src, y, len(levels))}
	c, f, last := gridLooks()
	s.keys = []key{{name: "C-point, also on the next grid", look: c, dot: true}, {name: "F-point", look: f, dot: true}}
	if len(levels) > 1 {
		s.keys = append(s.keys, key{name: "coarsest grid, step after step", look: last, dot: true})
	} else {
		s.keys = []key{{name: "step after step", look: last, dot: true}}
	}
	return s
}

func gridLooks() (c, f, last look) {
	return lookOf(0), look{color: ink{NRGBA: color.NRGBA{0x80, 0x80, 0x80, 255}}}, lookOf(1)
}

// cycle is the panel with the way through the levels.
func (h *hierarchy) cycle(s *scene, src Source, y axis, levels int) *scene {
	var now, before []float64 // levels of the latest cycle, and of the one before it
	latest := -1.0
	for _, p := range src.Trace().Points("mgrit/visit") {
		if p.Step != latest {
			before, now, latest = now, nil, p.Step
		}
		if n := len(now); n == 0 || now[n-1] != p.Value {
			now = append(now, p.Value)
		}
	}
	panel := &scene{y: y, square: true, xLabel: "visit"}
	panel.y.names = make([]string, levels)
	for k := range panel.y.names {
		panel.y.names[k] = fmt.Sprint(k)
	}
	panel.x = axis{min: -0.5, max: float64(max(len(now), len(before), 2)) - 0.5, whole: true}
	live := !ended(src)
	if latest < 0 {
		panel.xLabel = "no cycle yet"
		return panel
	}
	panel.xLabel = fmt.Sprintf("visits of cycle %s", short(latest))
	s.details = append(s.details, fmt.Sprintf("cycle %s: %s of levels", short(latest), plural(len(now), "visit")))
	if live && len(before) > len(now) {
		panel.marks = append(panel.marks, way(before, look{color: lookOf(0).color.fade(0.25)}, 1.5))
	}
	panel.marks = append(panel.marks, way(now, lookOf(0), 2))
	if live {
		panel.marks = append(panel.marks, head{xy{float64(len(now) - 1), now[len(now)-1]}, lookOf(0)})
	}
	return panel
}

func way(levels []float64, l look, width float64) curve {
	var points []xy
	for i, k := range levels {
		points = append(points, xy{float64(i), k})
	}
	return curve{lines: [][]xy{points}, look: l, width: width, dots: len(levels) <= 60}
}

// gridRows draws each level's points in its row.
type gridRows struct{ levels []gridLevel }

func (g gridRows) Plot(c draw.Canvas, p *plot.Plot) {
	row := (c.Max.Y - c.Min.Y) / vg.Length(len(g.levels))
	cLook, fLook, lastLook := gridLooks()
	for k, l := range g.levels {
		y := c.Y(p.Y.Norm(float64(k)))
		at := func(i int) vg.Length { return c.X(p.X.Norm(float64(i * l.stride))) }
		apart := inPx(at(1) - at(0))
		every := 0 // points from C-point to C-point
		if k+1 < len(g.levels) && l.stride > 0 {
			every = max(1, g.levels[k+1].stride/l.stride)
		}
		c.StrokeLine2(draw.LineStyle{Color: fLook.color.fade(0.5), Width: px(1)}, at(0), y, at(l.n), y)
		if apart < 2.5 {
			half := min(row*0.16, px(4))
			look := cLook
			if every == 0 {
				look = lastLook
			}
			box(c, look.color.fade(0.45), at(0), y-half, at(l.n), y+half)
			continue
		}
		for i := range l.n + 1 {
			look, radius := fLook, min(2.2, apart/3)
			switch {
			case every == 0:
				look, radius = lastLook, min(4, apart/2.5)
			case i%every == 0:
				look, radius = cLook, min(4, apart/2.5)
			}
			dot(c, look.color, vg.Point{X: at(i), Y: y}, min(radius, inPx(row)*0.4))
		}
	}
}
