package viz

import "math"

// A thinner keeps what of a series can be seen: for each of some columns along x the
// smallest and the largest value, each where it was. It takes points as they come and
// never looks at one again, so a frame costs the points that are new, however long the
// series. No peak is lost.
//
// Up to limit points each has a column of its own. After that columns have equal widths
// on the axis as it is drawn, a grid that doubles its width when the data outgrow it: it
// always has between limit/2 and limit columns over the range of the data.
type thinner struct {
	logX, logY bool
	limit      int

	cols   []column // by x
	width  float64  // of a column, on the axis; 0 while each point has its own
	origin float64  // left end of column number 0

	seen     int // points taken
	shown    int // of these, finite and on the axes
	notFin   int // NaN or infinite
	notPos   int // not positive, on a log axis
	first    xy
	last     xy
	low, top xy // of the smallest and largest value

	left, right float64 // smallest and largest x of what is shown
}

type xy struct{ x, y float64 }

type column struct {
	at       float64 // on the axis; of the first point, or of the left end on the grid
	min, max xy
	any      bool // has a finite point
	minFirst bool // the smallest value came before the largest
	gapFirst bool // begins with a value that cannot be shown
	gapLast  bool // ends with one
}

func newThinner(limit int, logX, logY bool) *thinner {
	return &thinner{limit: max(limit, 16), logX: logX, logY: logY}
}

// add takes one point.
func (t *thinner) add(x, y float64) {
	t.seen++
	at := x
	if t.logX {
		at = math.Log10(x)
	}
	if !finite(at) { // nowhere on the axis: no place for a gap either
		t.countGap(x, t.logX)
		return
	}
	const most = math.MaxFloat64 / 64 // differences of places must be numbers too
	at = min(max(at, -most), most)
	c := column{at: at, min: xy{x, y}, max: xy{x, y}, any: true, minFirst: true}
	if !finite(y) || (t.logY && y <= 0) {
		t.countGap(y, t.logY)
		c = column{at: at, gapFirst: true, gapLast: true}
	} else {
		t.note(xy{x, y})
	}
	t.put(c)
}

func (t *thinner) countGap(v float64, log bool) {
	if log && v <= 0 && !math.IsInf(v, 0) {
		t.notPos++
	} else {
		t.notFin++
	}
}

func (t *thinner) note(p xy) {
	if t.shown == 0 {
		t.first, t.low, t.top = p, p, p
		t.left, t.right = p.x, p.x
	}
	t.left, t.right = min(t.left, p.x), max(t.right, p.x)
	t.shown++
	t.last = p
	if p.y < t.low.y {
		t.low = p
	}
	if p.y > t.top.y {
		t.top = p
	}
}

func (t *thinner) put(c column) {
	if t.width > 0 {
		t.putOnGrid(c)
		return
	}
	i := len(t.cols) // nearly always: series come in order
	for i > 0 && t.cols[i-1].at > c.at {
		i--
	}
	t.cols = append(t.cols, c)
	if i < len(t.cols)-1 {
		copy(t.cols[i+1:], t.cols[i:])
		t.cols[i] = c
	}
	if len(t.cols) > t.limit {
		t.toGrid()
	}
}

// toGrid begins the grid over the columns that there are.
func (t *thinner) toGrid() {
	points := t.cols
	t.origin = points[0].at
	span := points[len(points)-1].at - t.origin
	if !(span > 0) {
		span = max(1, math.Abs(t.origin)*1e-9) // all at one place
	}
	t.width = max(span/float64(t.limit)*(1+1e-9), math.SmallestNonzeroFloat64)
	t.cols = make([]column, 0, t.limit)
	for _, c := range points {
		t.putOnGrid(c)
	}
}

func (t *thinner) putOnGrid(c column) {
	i := math.Floor((c.at - t.origin) / t.width)
	for i >= float64(t.limit) || i < 0 {
		t.double(i < 0)
		i = math.Floor((c.at - t.origin) / t.width)
	}
	for len(t.cols) <= int(i) {
		t.cols = append(t.cols, column{at: t.origin + float64(len(t.cols))*t.width})
	}
	t.cols[int(i)].join(c)
}

// double makes columns twice as wide, with room on the right, or on the left.
func (t *thinner) double(left bool) {
	shift := 0
	if left {
		shift = t.limit &^ 1
		t.origin -= float64(shift) * t.width
	}
	merged := make([]column, (len(t.cols)+shift+1)/2, t.limit)
	t.width *= 2
	for i := range merged {
		merged[i].at = t.origin + float64(i)*t.width
	}
	for i, c := range t.cols {
		merged[(i+shift)/2].join(c)
	}
	t.cols = merged
}

// join adds a column that comes after this one.
func (c *column) join(d column) {
	if !d.any && !d.gapFirst {
		return
	}
	at := c.at
	switch {
	case !c.any && !c.gapFirst: // nothing yet
		*c = d
	case !d.any:
		c.gapLast = true
	case !c.any:
		*c = d
		c.gapFirst = true
	default:
		minNew, maxNew := d.min.y < c.min.y, d.max.y > c.max.y
		if minNew {
			c.min = d.min
		}
		if maxNew {
			c.max = d.max
		}
		switch {
		case minNew && maxNew:
			c.minFirst = d.minFirst
		case minNew:
			c.minFirst = false
		case maxNew:
			c.minFirst = true
		}
		c.gapLast = d.gapLast
	}
	c.at = at
}

// lines returns the columns as runs of points between gaps, at most two points for each
// of n equal parts of the axis from lo to hi.
func (t *thinner) lines(n int, lo, hi float64) [][]xy {
	var out [][]xy
	line := make([]xy, 0, 2*min(n, len(t.cols))+2)
	flush := func() { // what is left of the room is for the next line
		if len(line) > 0 {
			out = append(out, line[:len(line):len(line)])
			line = line[len(line):]
		}
	}
	emit := func(c column) {
		if c.gapFirst {
			flush()
		}
		if c.any {
			a, b := c.min, c.max
			if !c.minFirst {
				a, b = b, a
			}
			line = append(line, a)
			if a != b {
				line = append(line, b)
			}
		}
		if c.gapLast {
			flush()
		}
	}
	scale := float64(n) / (hi - lo)
	if len(t.cols) <= n || !finite(scale) || scale <= 0 {
		for _, c := range t.cols {
			emit(c)
		}
		flush()
		return out
	}
	var now column
	part := math.Inf(-1)
	for _, c := range t.cols {
		if p := math.Floor((c.at - lo) * scale); p != part {
			emit(now)
			now, part = column{at: c.at}, p
		}
		now.join(c)
	}
	emit(now)
	flush()
	return out
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
