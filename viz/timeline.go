package viz

import (
	"fmt"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"trivium/core/run"
)

// Timeline draws what each worker of a run did when: a row per worker, a bar per span of
// the trace, coloured by name, or by how many updates the parameters were behind where a
// span says that they were. Beside each worker stands the share of the time that it was idle. Spans
// that are too short to be seen alone are drawn as one bar of the share of the time that was worked. The figure grows
// while the run goes on.
//
//	viz.Timeline(g).Size(900, 0)
func Timeline(source Source) *Figure {
	t := &timeline{src: present([]Source{source})}
	if len(t.src) > 0 {
		t.spans = t.src[0].Trace().Spans
	}
	return newFigure(t)
}

type timeline struct {
	src   []Source
	spans func() []run.Span
}

func (t *timeline) sources() []Source { return t.src }

func (t *timeline) scene(set settings) *scene {
	s := &scene{yLabel: "worker", xLabel: "time (s)", x: emptyAxis(false), y: emptyAxis(false)}
	if len(t.src) == 0 {
		s.empty = "No run was given, so there is nothing to draw."
		return s
	}
	spans := t.spans()
	s.summary = fmt.Sprintf("Timeline of %s, %s", t.src[0].Name(), plural(len(spans), "span"))
	s.notes = failures(t.src)
	if len(spans) == 0 {
		s.empty = fmt.Sprintf("%s has recorded no spans of work.", t.src[0].Name())
		if len(s.notes) > 0 {
			s.empty = s.notes[0]
		}
		return s
	}
	row, names, busy := t.rows(spans, s)
	colour := map[string]ink{}
	stale, sum := 0, 0
	for _, p := range spans {
		stale, sum = max(stale, p.Stale), sum+p.Stale
	}
	var behind *colorScale
	if stale > 0 {
		behind = newColorScale(0, float64(stale), false)
		behind.thin = true
		s.scale = behind
		s.yLabel = "worker; colours: updates behind"
		s.details = append(s.details, fmt.Sprintf("at most %s behind, %s on average", plural(stale, "update"), short(float64(sum)/float64(len(spans)))))
	}
	for i, n := range names {
		colour[n] = lookOf(i).color
		if behind == nil {
			s.keys = append(s.keys, key{name: n, look: lookOf(i), dot: true})
		}
	}
	head := len(s.details)
	s.y = axis{min: -0.5, max: float64(len(row)) - 0.5, flip: true, names: make([]string, len(row))}
	for w, i := range row {
		s.y.names[i] = fmt.Sprintf("%d, idle %.0f %%", w, 100*t.idle(w, busy[w], s.x.max-s.x.min))
		s.details = append(s.details, fmt.Sprintf("worker %d: busy for %s of %s s", w, short(busy[w]), short(s.x.max)))
	}
	sort.Strings(s.details[head:])
	s.xLabel = Seconds.scaled(&s.x, "")
	s.x.settle(0)
	s.square = true
	s.marks = []plot.Plotter{gantt{merge(spans, (s.x.max-s.x.min)/(2*set.w)), row, colour, behind}}
	return s
}

// idle is the share of the time in which a worker did nothing. A run that records how busy its workers are knows
// better than the spans, which in long runs have short gaps in them.
func (t *timeline) idle(worker int, busy, all float64) float64 {
	if points := t.src[0].Trace().Points(fmt.Sprintf("worker %d", worker)); len(points) > 1 {
		worked, since := 0.0, points[0].Seconds
		for _, p := range points[1:] {
			worked += p.Value * (p.Seconds - since)
			since = p.Seconds
		}
		busy, all = worked, since-points[0].Seconds
	}
	if all <= 0 {
		return 0
	}
	return max(0, 1-busy/all)
}

// rows gives workers their rows in order of number, and names in order of appearance.
func (t *timeline) rows(spans []run.Span, s *scene) (row map[int]int, names []string, busy map[int]float64) {
	row, busy = map[int]int{}, map[int]float64{}
	known := map[string]bool{}
	var workers []int
	for _, p := range spans {
		if _, ok := busy[p.Worker]; !ok {
			workers = append(workers, p.Worker)
		}
		busy[p.Worker] += (p.End - p.Start).Seconds()
		if !known[p.Name] {
			known[p.Name] = true
			names = append(names, p.Name)
		}
		s.x.widen(p.Start.Seconds())
		s.x.widen(p.End.Seconds())
	}
	s.x.widen(0)
	sort.Ints(workers)
	for i, w := range workers {
		row[w] = i
	}
	return row, names, busy
}

// A bar is a stretch of one worker's time; share of it was worked.
type bar struct {
	worker     int
	name       string
	start, end float64
	share      float64
	stale      int // at most
}

// merge joins neighbours of one worker that are shorter than a part of the axis.
func merge(spans []run.Span, part float64) []bar {
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].Start < spans[j].Start })
	last := map[int]int{} // worker to its latest bar
	var out []bar
	for _, p := range spans {
		b := bar{p.Worker, p.Name, p.Start.Seconds(), p.End.Seconds(), 1, p.Stale}
		if i, ok := last[p.Worker]; ok {
			if l := &out[i]; b.end-l.start < part {
				worked := (l.end-l.start)*l.share + (b.end - b.start)
				l.end = max(l.end, b.end)
				l.stale = max(l.stale, b.stale)
				if d := l.end - l.start; d > 0 {
					l.share = min(worked/d, 1)
				}
				continue
			}
		}
		last[p.Worker] = len(out)
		out = append(out, b)
	}
	return out
}

type gantt struct {
	bars   []bar
	row    map[int]int
	colour map[string]ink
	behind *colorScale // nil: colours are by name
}

func (g gantt) Plot(c draw.Canvas, p *plot.Plot) {
	height := (c.Max.Y - c.Min.Y) / vg.Length(max(len(g.row), 1))
	half := min(height*0.36, px(16))
	for _, b := range g.bars {
		y := c.Y(p.Y.Norm(float64(g.row[b.worker])))
		x0, x1 := c.X(p.X.Norm(b.start)), c.X(p.X.Norm(b.end))
		k := g.colour[b.name]
		if g.behind != nil {
			k = ink{NRGBA: g.behind.at(float64(b.stale))}
		}
		box(c, k.fade(max(b.share, 0.15)), x0, y-half, max(x1, x0+px(0.5)), y+half)
	}
}
