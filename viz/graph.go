package viz

import (
	"fmt"
	"math"
	"reflect"
	"sort"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Pictured is a network as nodes and edges: of each node its name, kind, number of parameters, worker (-1: none) and bytes of
// messages; and edges as pairs of numbers of nodes. A graph of core/amp is one.
type Pictured interface {
	Picture() (names, kinds []string, parameters, workers []int, bytes []int64, edges [][2]int)
}

// Graph draws a network as boxes, from left to right in the way of the messages; edges that close a loop
// bend back below. The colour of a box is its worker; parameters and the traffic of the last run stand in it.
//
//	viz.Graph(g) // a graph of core/amp
func Graph(g Pictured) *Figure {
	return newFigure(&netGraph{g}).Size(960, 420)
}

type netGraph struct{ g Pictured }

func (*netGraph) sources() []Source { return nil }

func (n *netGraph) scene(set settings) *scene {
	s := &scene{x: axis{min: 0, max: 1, hide: true, names: []string{}}, y: axis{min: 0, max: 1, names: []string{}}, square: true}
	if n.g == nil || reflect.ValueOf(n.g).Kind() == reflect.Pointer && reflect.ValueOf(n.g).IsNil() {
		s.empty = "No graph was given, so there is nothing to draw."
		return s
	}
	l := layOut(n.g)
	s.summary = fmt.Sprintf("Graph of %s and %s", plural(l.nodes, "node"), plural(len(l.edges), "edge"))
	if len(l.boxes) == 0 {
		s.empty = "The graph has no nodes."
		return s
	}
	workers := map[int]bool{}
	for _, b := range l.boxes[:l.nodes] {
		workers[b.worker] = true
		s.details = append(s.details, b.text())
	}
	var list []int
	for w := range workers {
		if w >= 0 {
			list = append(list, w)
		}
	}
	sort.Ints(list)
	for _, w := range list {
		s.keys = append(s.keys, key{name: fmt.Sprintf("worker %d", w), look: lookOf(w), dot: true})
	}
	s.marks = []plot.Plotter{l.in(set.theme.inks())}
	return s
}

// A netBox is a node with its place: a column, and a row within it.
type netBox struct {
	name, kind string
	parameters int
	worker     int
	bytes      int64
	column     int
	row        float64
}

func (b *netBox) text() string {
	t := fmt.Sprintf("%s: %s", b.name, b.kind)
	if b.parameters > 0 {
		t += fmt.Sprintf(", %s parameters", strings.TrimSpace(count1(float64(b.parameters))))
	}
	if b.worker >= 0 {
		t += fmt.Sprintf(", worker %d, %sB", b.worker, count1(float64(b.bytes)))
	}
	return t
}

// count1 writes a number with a prefix for thousands: 226k.
func count1(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= u.size {
			return fmt.Sprintf("%.3g %s", v/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.0f ", v)
}

type netLayout struct {
	boxes   []netBox
	edges   [][2]int
	back    []bool   // of each edge: it closes a loop
	via     [][]int  // of each edge: the places in boxes where it passes columns
	links   [][2]int // edges from column to column
	nodes   int      // boxes that are nodes; the others only keep a place free
	columns int
	rows    int
	inks    inks
}

func (l *netLayout) in(k inks) *netLayout { l.inks = k; return l }

// layOut gives each node the column after the last of those that feed it, loops left out, and orders columns so that
// edges cross little: by the mean place of the neighbours, a few times.
func layOut(g Pictured) *netLayout {
	names, kinds, params, workers, bytes, edges := g.Picture()
	l := &netLayout{edges: edges, back: make([]bool, len(edges))}
	for i, n := range names {
		l.boxes = append(l.boxes, netBox{name: n, kind: kinds[i], parameters: params[i], worker: workers[i], bytes: bytes[i]})
	}
	l.findLoops()
	for range l.boxes {
		for i, e := range edges {
			if !l.back[i] {
				l.boxes[e[1]].column = max(l.boxes[e[1]].column, l.boxes[e[0]].column+1)
			}
		}
	}
	for i := len(l.boxes) - 1; i >= 0; i-- { // what has no predecessor stands right before its successor
		first := math.MaxInt
		fed := false
		for k, e := range edges {
			if e[1] == i && !l.back[k] {
				fed = true
			}
			if e[0] == i && !l.back[k] {
				first = min(first, l.boxes[e[1]].column)
			}
		}
		if !fed && first < math.MaxInt {
			l.boxes[i].column = max(0, first-1)
		}
	}
	l.nodes = len(l.boxes)
	l.via = make([][]int, len(edges))
	for i, e := range edges {
		if l.back[i] {
			continue
		}
		last := e[0]
		for col := l.boxes[e[0]].column + 1; col < l.boxes[e[1]].column; col++ {
			l.boxes = append(l.boxes, netBox{column: col})
			l.via[i] = append(l.via[i], len(l.boxes)-1)
			l.links = append(l.links, [2]int{last, len(l.boxes) - 1})
			last = len(l.boxes) - 1
		}
		l.links = append(l.links, [2]int{last, e[1]})
	}
	byColumn := map[int][]int{}
	for i, b := range l.boxes {
		byColumn[b.column] = append(byColumn[b.column], i)
		l.columns = max(l.columns, b.column+1)
	}
	for _, c := range byColumn {
		l.rows = max(l.rows, len(c))
	}
	l.order(byColumn)
	return l
}

// findLoops marks the edges that close a loop: those by which something comes back to a Phi, and where a loop
// has none, those that lead back to a node on the way.
func (l *netLayout) findLoops() {
	out := map[int][]int{}
	for i, e := range l.edges {
		out[e[0]] = append(out[e[0]], i)
	}
	for i, e := range l.edges {
		l.back[i] = l.boxes[e[1]].kind == "phi" && reaches(e[1], e[0], l.edges, out)
	}
	state := make([]int, len(l.boxes)) // 1: on the way, 2: done
	var visit func(n int)
	visit = func(n int) {
		state[n] = 1
		for _, i := range out[n] {
			if l.back[i] {
				continue
			}
			switch to := l.edges[i][1]; state[to] {
			case 0:
				visit(to)
			case 1:
				l.back[i] = true
			}
		}
		state[n] = 2
	}
	for n := range l.boxes {
		if state[n] == 0 {
			visit(n)
		}
	}
}

// reaches reports whether a way leads from one node to another.
func reaches(from, to int, edges [][2]int, out map[int][]int) bool {
	seen := map[int]bool{from: true}
	for todo := []int{from}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n == to {
			return true
		}
		for _, i := range out[n] {
			if next := edges[i][1]; !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

func (l *netLayout) order(byColumn map[int][]int) {
	place := func(c []int) {
		for k, i := range c {
			l.boxes[i].row = float64(k) - float64(len(c)-1)/2
		}
	}
	for _, c := range byColumn {
		place(c)
	}
	for range 8 {
		for col := range l.columns {
			c := byColumn[col]
			mean := map[int]float64{}
			for _, i := range c {
				sum, n := l.boxes[i].row*0.1, 0.1
				for _, e := range l.links {
					if e[1] == i {
						sum, n = sum+l.boxes[e[0]].row, n+1
					} else if e[0] == i {
						sum, n = sum+l.boxes[e[1]].row, n+1
					}
				}
				mean[i] = sum / n
			}
			sort.SliceStable(c, func(a, b int) bool { return mean[c[a]] < mean[c[b]] })
			place(c)
		}
	}
}

func (l *netLayout) Plot(c draw.Canvas, _ *plot.Plot) {
	width, height := c.Max.X-c.Min.X, c.Max.Y-c.Min.Y
	foot := vg.Length(0)
	for _, b := range l.back {
		if b {
			foot = px(46) // for the loops
		}
	}
	dx, dy := width/vg.Length(l.columns), (height-foot)/vg.Length(max(l.rows, 1))
	w, h := min(dx*0.8, px(104)), min(dy*0.8, px(60))
	at := func(i int) vg.Point {
		b := l.boxes[i]
		return vg.Point{X: c.Min.X + dx*(vg.Length(b.column)+0.5), Y: c.Min.Y + foot + (height-foot)/2 - dy*vg.Length(b.row)}
	}
	loops := 0
	for i, e := range l.edges {
		a, b := at(e[0]), at(e[1])
		if l.back[i] {
			l.loop(c, a, b, w, dx, c.Min.Y+px(6+14*float64(loops%3)))
			loops++
			continue
		}
		l.edge(c, a, b, w, l.via[i], at)
	}
	for i := range l.nodes {
		l.box(c, &l.boxes[i], at(i), w, h)
	}
}

func (l *netLayout) line() draw.LineStyle {
	return draw.LineStyle{Color: l.inks.muted.fade(0.8), Width: px(1.3)}
}

// edge is a curve that leaves and arrives level, by way of the places kept free for it.
func (l *netLayout) edge(c draw.Canvas, a, b vg.Point, w vg.Length, via []int, at func(int) vg.Point) {
	var p vg.Path
	from := vg.Point{X: a.X + w/2, Y: a.Y}
	p.Move(from)
	to := func(q vg.Point) {
		bend := (q.X - from.X) / 2
		p.CubeTo(vg.Point{X: from.X + bend, Y: from.Y}, vg.Point{X: q.X - bend, Y: q.Y}, q)
		from = q
	}
	for _, v := range via {
		q := at(v)
		to(vg.Point{X: q.X - w/2, Y: q.Y})
		p.Line(vg.Point{X: q.X + w/2, Y: q.Y})
		from = vg.Point{X: q.X + w/2, Y: q.Y}
	}
	to(vg.Point{X: b.X - w/2, Y: b.Y})
	c.SetLineStyle(l.line())
	c.Stroke(p)
	l.head(c, from, l.inks.muted)
}

// loop leaves to the right, goes down between the columns, back below all boxes, and up to the left of where it arrives.
func (l *netLayout) loop(c draw.Canvas, a, b vg.Point, w, dx, low vg.Length) {
	const r = 7
	right, left := a.X+dx/2, b.X-dx/2
	end := vg.Point{X: b.X - w/2, Y: b.Y}
	var p vg.Path
	p.Move(vg.Point{X: a.X + w/2, Y: a.Y})
	p.QuadTo(vg.Point{X: right, Y: a.Y}, vg.Point{X: right, Y: a.Y - px(r)})
	p.Line(vg.Point{X: right, Y: low + px(r)})
	p.QuadTo(vg.Point{X: right, Y: low}, vg.Point{X: right - px(r), Y: low})
	p.Line(vg.Point{X: left + px(r), Y: low})
	p.QuadTo(vg.Point{X: left, Y: low}, vg.Point{X: left, Y: low + px(r)})
	p.Line(vg.Point{X: left, Y: b.Y - px(r)})
	p.QuadTo(vg.Point{X: left, Y: b.Y}, end)
	c.SetLineStyle(draw.LineStyle{Color: lookOf(1).color, Width: px(1.6)})
	c.Stroke(p)
	l.head(c, end, lookOf(1).color)
}

func (l *netLayout) head(c draw.Canvas, b vg.Point, k ink) {
	c.SetColor(k)
	var tip vg.Path
	tip.Move(b)
	tip.Line(b.Add(vg.Point{X: -px(7), Y: px(3.5)}))
	tip.Line(b.Add(vg.Point{X: -px(7), Y: -px(3.5)}))
	tip.Close()
	c.Fill(tip)
}

func (l *netLayout) box(c draw.Canvas, b *netBox, at vg.Point, w, h vg.Length) {
	k := l.inks.muted
	if b.worker >= 0 {
		k = lookOf(b.worker).color
	}
	fill := 0.10
	if b.parameters > 0 {
		fill = 0.30
	}
	r := vg.Rectangle{Min: vg.Point{X: at.X - w/2, Y: at.Y - h/2}, Max: vg.Point{X: at.X + w/2, Y: at.Y + h/2}}
	c.SetColor(k.fade(fill))
	c.Fill(r.Path())
	c.SetLineStyle(draw.LineStyle{Color: k, Width: px(1.2)})
	c.Stroke(r.Path())
	const size = 10.0
	lines := wrap(b.name, inPx(w)-6, size, 2)
	bold := len(lines)
	if inPx(h) > 14*float64(bold+1) {
		second := b.kind
		if b.parameters > 0 {
			second = strings.ReplaceAll(count1(float64(b.parameters)), " ", "") + " par."
		}
		lines = append(lines, second)
	}
	if inPx(h) > 14*float64(bold+2) && b.bytes > 0 {
		lines = append(lines, count1(float64(b.bytes))+"B")
	}
	y := at.Y + px(size*1.2*float64(len(lines))/2)
	for i, t := range lines {
		ink := l.inks.muted
		if i < bold {
			ink = l.inks.text
		}
		c.FillText(style(ink, size, i < bold, -0.5, -1), vg.Point{X: at.X, Y: y}, cut(t, inPx(w)-4, size, i < bold))
		y -= px(size * 1.2)
	}
}
