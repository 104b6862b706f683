package viz

import (
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Surface is a function of two variables on a grid, with a path over it: such as the loss
// of a network along two directions, and the way a training took. *train.Plane is one.
type Surface interface {
	// Grid returns the values: value[i][j] is that at x[j], y[i]. x and y ascend evenly.
	Grid() (x, y []float64, value [][]float64)
	// Path returns the points of the path in order; none if there is no path.
	Path() (x, y []float64)
}

// Landscape draws a surface in colours and level lines, with its path from a ring to a
// dot. Colours and levels are by powers of ten where the values ask for it.
//
//	viz.Landscape("loss", plane)
func Landscape(name string, of Surface) *Figure { return newFigure(landscape{name, of}) }

// Function draws f over the rectangle from (x0, y0) to (x1, y1), as [Landscape] does. It is
// called at 61×61 places, once.
//
//	viz.Function("x·y", 0, 3, 0, 2, func(x, y float64) float64 { return x * y })
func Function(name string, x0, x1, y0, y1 float64, f func(x, y float64) float64) *Figure {
	const n = 61
	s := &sampledSurface{}
	if f == nil || !finite(x0) || !finite(x1) || !finite(y0) || !finite(y1) {
		return newFigure(sentence(name + ": a function and four finite ends of the axes are needed."))
	}
	for i := range n {
		t := float64(i) / (n - 1)
		s.x, s.y = append(s.x, x0+(x1-x0)*t), append(s.y, y0+(y1-y0)*t)
	}
	for _, y := range s.y {
		row := make([]float64, n)
		for j, x := range s.x {
			row[j] = f(x, y)
		}
		s.value = append(s.value, row)
	}
	return Landscape(name, s)
}

type sampledSurface struct {
	x, y  []float64
	value [][]float64
}

func (s *sampledSurface) Grid() (x, y []float64, value [][]float64) { return s.x, s.y, s.value }
func (s *sampledSurface) Path() (x, y []float64)                    { return nil, nil }

type landscape struct {
	name string
	of   Surface
}

func (landscape) sources() []Source { return nil }

func (l landscape) scene(set settings) *scene {
	s := &scene{summary: upper(l.name), yLabel: l.name}
	if l.of == nil {
		s.empty = l.name + ": no surface was given, so there is nothing to draw."
		return s
	}
	x, y, value := l.of.Grid()
	if problem := unfit(x, y, value); problem != "" {
		s.empty = l.name + ": " + problem
		return s
	}
	lo, hi, bad, at := math.Inf(1), math.Inf(-1), 0, xy{}
	for i, row := range value {
		for j, v := range row {
			if !finite(v) {
				bad++
				continue
			}
			if v < lo {
				lo, at = v, xy{x[j], y[i]}
			}
			hi = max(hi, v)
		}
	}
	cells := len(x) * len(y)
	if note := cellNote(l.name, cells, bad, 0); note != "" {
		s.notes = append(s.notes, note)
		if bad == cells {
			s.empty = note
			return s
		}
	}
	log := lo > 0 && (set.logC || hi/lo > 20)
	s.scale = newColorScale(lo, hi, log)
	s.scale.signed = false
	s.scale.min, s.scale.max = min(s.scale.min, lo), max(s.scale.max, hi)
	if !log {
		s.scale.min, s.scale.max = lo, hi
		if lo == hi {
			s.scale.max = lo + 1
		}
	}
	halfX, halfY := (x[1]-x[0])/2, (y[1]-y[0])/2
	s.x = axis{min: x[0] - halfX, max: x[len(x)-1] + halfX}
	s.y = axis{min: y[0] - halfY, max: y[len(y)-1] + halfY}
	px, py := l.of.Path()
	n := min(len(px), len(py))
	var path []xy
	for i := range n {
		if p := (xy{px[i], py[i]}); finite(p.x) && finite(p.y) {
			path = append(path, p)
			s.x.widen(p.x)
			s.y.widen(p.y)
		}
	}
	s.xLabel = "first direction"
	if named, ok := l.of.(interface{ Directions() (x, y string) }); ok {
		first, second := named.Directions()
		s.xLabel = first
		s.yLabel = l.name + " over " + first + " and, upwards, " + second
	} else if _, plain := l.of.(*sampledSurface); plain {
		s.xLabel = ""
	}
	s.square = true
	s.marks = []plot.Plotter{surface{x, y, value, s.scale}}
	levels := levelsOf(lo, hi, log)
	s.marks = append(s.marks, contours{x, y, value, levels})
	if len(path) > 0 {
		s.marks = append(s.marks, trail{path})
		s.details = append(s.details, fmt.Sprintf("path of %s from (%s, %s) to (%s, %s)", plural(len(path), "point"),
			short(path[0].x), short(path[0].y), short(path[len(path)-1].x), short(path[len(path)-1].y)))
		s.notes = append(s.notes, "The path goes from the ring to the dot.")
	}
	s.details = append([]string{fmt.Sprintf("%d×%d values from %s, at (%s, %s), to %s", len(y), len(x), short(lo), short(at.x), short(at.y), short(hi))}, s.details...)
	return s
}

// unfit says why a grid cannot be drawn; empty if it can.
func unfit(x, y []float64, value [][]float64) string {
	if len(x) < 2 || len(y) < 2 {
		return fmt.Sprintf("a grid of %d×%d values is no surface; two of each direction are the least.", len(y), len(x))
	}
	if len(value) != len(y) {
		return fmt.Sprintf("%d rows of values for %d places of y.", len(value), len(y))
	}
	for i, row := range value {
		if len(row) != len(x) {
			return fmt.Sprintf("row %d has %d values for %d places of x.", i, len(row), len(x))
		}
	}
	for _, a := range [][]float64{x, y} {
		for i := range a {
			if !finite(a[i]) || i > 0 && !(a[i] > a[i-1]) {
				return "places of x and y must ascend."
			}
		}
	}
	return ""
}

// levelsOf chooses about ten levels between the lowest value and the highest.
func levelsOf(lo, hi float64, log bool) []float64 {
	const n = 11
	var out []float64
	for i := 1; i < n; i++ {
		t := float64(i) / n
		if log {
			out = append(out, lo*math.Pow(hi/lo, t))
		} else {
			out = append(out, lo+(hi-lo)*t)
		}
	}
	return out
}

// surface fills the axes with colours between the values.
type surface struct {
	x, y  []float64
	value [][]float64
	scale *colorScale
}

func (f surface) Plot(c draw.Canvas, p *plot.Plot) {
	const side = 160
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	nx, ny := len(f.x), len(f.y)
	for i := range side {
		v := (float64(i)+0.5)/side*float64(ny) - 0.5
		for j := range side {
			u := (float64(j)+0.5)/side*float64(nx) - 0.5
			img.SetNRGBA(j, side-1-i, f.scale.at(f.between(u, v)))
		}
	}
	at := func(v []float64, norm func(float64) float64) (lo, hi float64) {
		half := (v[1] - v[0]) / 2
		return norm(v[0] - half), norm(v[len(v)-1] + half)
	}
	x0, x1 := at(f.x, p.X.Norm)
	y0, y1 := at(f.y, p.Y.Norm)
	c.DrawImage(vg.Rectangle{Min: vg.Point{X: c.X(x0), Y: c.Y(y0)}, Max: vg.Point{X: c.X(x1), Y: c.Y(y1)}}, larger(img, 640))
}

// between interpolates linearly at column u and row v.
func (f surface) between(u, v float64) float64 {
	u, v = min(max(u, 0), float64(len(f.x)-1)), min(max(v, 0), float64(len(f.y)-1))
	j, i := min(int(u), len(f.x)-2), min(int(v), len(f.y)-2)
	u, v = u-float64(j), v-float64(i)
	low := f.value[i][j]*(1-u) + f.value[i][j+1]*u
	high := f.value[i+1][j]*(1-u) + f.value[i+1][j+1]*u
	return low*(1-v) + high*v
}

// contours draws level lines.
type contours struct {
	x, y   []float64
	value  [][]float64
	levels []float64
}

func (l contours) Plot(c draw.Canvas, p *plot.Plot) {
	c.SetLineStyle(draw.LineStyle{Color: grey(255, 110), Width: px(0.8)})
	var path vg.Path
	for _, level := range l.levels {
		for _, s := range segments(l.x, l.y, l.value, level) {
			path.Move(vg.Point{X: c.X(p.X.Norm(s[0].x)), Y: c.Y(p.Y.Norm(s[0].y))})
			path.Line(vg.Point{X: c.X(p.X.Norm(s[1].x)), Y: c.Y(p.Y.Norm(s[1].y))})
		}
	}
	if len(path) > 0 {
		c.Stroke(path)
	}
}

// segments returns the level line cell by cell (marching squares): in each cell of four
// values, where the level crosses its sides by linear interpolation. A cell with a value
// that is no number has none; a saddle is joined by the mean of its corners.
func segments(x, y []float64, value [][]float64, level float64) [][2]xy {
	var out [][2]xy
	for i := 0; i+1 < len(y); i++ {
		for j := 0; j+1 < len(x); j++ {
			// corners and sides counted around: 0 lower left, 1 lower right, 2 upper right, 3 upper left
			v := [4]float64{value[i][j], value[i][j+1], value[i+1][j+1], value[i+1][j]}
			at := [4]xy{{x[j], y[i]}, {x[j+1], y[i]}, {x[j+1], y[i+1]}, {x[j], y[i+1]}}
			var cross []xy
			ok := true
			for k := range v {
				a, b := v[k], v[(k+1)%4]
				ok = ok && finite(a)
				if (a < level) != (b < level) {
					t := (level - a) / (b - a)
					p, q := at[k], at[(k+1)%4]
					cross = append(cross, xy{p.x + (q.x-p.x)*t, p.y + (q.y-p.y)*t})
				}
			}
			switch {
			case !ok:
			case len(cross) == 2:
				out = append(out, [2]xy{cross[0], cross[1]})
			case len(cross) == 4:
				if ((v[0]+v[1]+v[2]+v[3])/4 < level) == (v[0] < level) { // corner 0 is joined with 2
					out = append(out, [2]xy{cross[0], cross[1]}, [2]xy{cross[2], cross[3]})
				} else {
					out = append(out, [2]xy{cross[3], cross[0]}, [2]xy{cross[1], cross[2]})
				}
			}
		}
	}
	return out
}

// trail is the path, white with a dark seam so that it is seen on every colour.
type trail struct{ points []xy }

func (t trail) Plot(c draw.Canvas, p *plot.Plot) {
	var path vg.Path
	var at []vg.Point
	for i, q := range t.points {
		v := vg.Point{X: c.X(p.X.Norm(q.x)), Y: c.Y(p.Y.Norm(q.y))}
		at = append(at, v)
		if i == 0 {
			path.Move(v)
		} else {
			path.Line(v)
		}
	}
	dark, white := grey(0, 200), grey(255, 255)
	if len(at) > 1 {
		for _, s := range []draw.LineStyle{{Color: dark, Width: px(4)}, {Color: white, Width: px(2)}} {
			c.SetLineStyle(s)
			c.Stroke(path)
		}
	}
	first, last := at[0], at[len(at)-1]
	dot(c, dark, first, 6)
	dot(c, white, first, 5)
	dot(c, dark, first, 3)
	dot(c, dark, last, 6)
	dot(c, white, last, 5)
}
