package viz

import (
	"fmt"
	"math"
	"strings"

	"trivium/core/run"
)

// Curves draws one series of each run, such as "loss", over steps; [Figure.X] changes
// that to seconds or work. Values that are NaN or infinite leave a gap and are counted in
// the caption. The figure grows while the runs go on.
//
//	viz.Curves("loss", exact, half).X(viz.Seconds).LogY().Smooth(0.9)
func Curves(series string, sources ...Source) *Figure {
	return newFigure(runCurves(series, present(sources)))
}

func runCurves(series string, src []Source) *curveSet {
	c := &curveSet{src: src, yLabel: series, step: "step", what: series}
	c.list = func() []spec {
		var specs []spec
		for _, s := range src {
			specs = append(specs, spec{source: s, id: s.ID(), series: series, name: s.Name(), look: lookOf(slotOf(s.ID()))})
		}
		return specs
	}
	return c
}

// Residuals draws the norm of the residual after every cycle of each run, on a log axis:
// the series "residual" of the finest grid. A run that is drawn alone also shows
// "residual/L1", "residual/L2" and so on of its coarser grids, where it has them; beside
// others they would hide what is compared. Zeros and NaNs leave a gap and are counted in
// the caption. The figure grows while a run goes on.
//
//	viz.Residuals(v, f).Title("V-cycles and F-cycles")
func Residuals(sources ...Source) *Figure {
	return newFigure(residualCurves(present(sources))).LogY()
}

func residualCurves(src []Source) *curveSet {
	c := &curveSet{src: src, yLabel: "residual norm", step: "cycle", what: "residual norm", dots: true}
	c.list = func() []spec {
		var specs []spec
		for _, s := range src {
			specs = append(specs, levels(s, len(src) > 1)...)
		}
		return specs
	}
	return c
}

// levels lists the residual series of a run from the fine grid to the coarse ones.
func levels(s Source, several bool) []spec {
	base := lookOf(slotOf(s.ID()))
	fine := spec{source: s, id: s.ID(), series: "residual", name: s.Name(), look: base}
	out := []spec{fine}
	if several {
		return out
	}
	for _, name := range s.Trace().Series() {
		level, ok := strings.CutPrefix(name, "residual/")
		if !ok {
			continue
		}
		n := len(out)
		l := spec{source: s, id: s.ID(), series: name, name: levelName(level), width: 1.5,
			look: look{base.color.fade(max(0.65, 1-0.12*float64(n))), dashes[1+(n-1)%(len(dashes)-1)]}}
		out = append(out, l)
	}
	if len(out) > 1 {
		out[0].name = "fine grid"
	}
	return out
}

// Gradients draws the 2-norm of the gradient of each layer of a run over steps, on a log
// axis: the series whose names begin with "gradient/", in the order of the layers. Layers
// whose gradients vanish or explode part from the others.
//
//	viz.Gradients(r).Smooth(0.6)
func Gradients(source Source) *Figure {
	src := present([]Source{source})
	c := &curveSet{src: src, yLabel: "2-norm of the gradient by layer", step: "step", what: "gradient norm"}
	c.list = func() []spec {
		var specs []spec
		for _, s := range src {
			for _, name := range s.Trace().Series() {
				if layer, ok := strings.CutPrefix(name, "gradient/"); ok {
					i := len(specs)
					specs = append(specs, spec{source: s, id: int64(i), series: name, name: layer, look: lookOf(i), width: 1.6})
				}
			}
			if len(specs) == 0 { // says that there are none
				specs = append(specs, spec{source: s, id: s.ID(), series: "gradient/…", name: s.Name(), look: lookOf(0)})
			}
		}
		return specs
	}
	return newFigure(c).LogY()
}

func levelName(s string) string {
	if n, ok := strings.CutPrefix(s, "L"); ok {
		return "level " + n
	}
	return s
}

// Lines draws y over x as a line. With x nil, y is drawn over 0, 1, 2, …; slices of
// different lengths are drawn as far as the shorter goes. The slices must not change
// afterwards. [Figure.And] adds more lines.
//
//	viz.Lines("sin", x, sin).And("cos", x, cos)
func Lines(name string, x, y []float64) *Figure {
	c := &curveSet{yLabel: name, what: name}
	c.addLine(name, x, y)
	return newFigure(c)
}

// And adds another line to a figure made by [Lines], and leaves other figures as they
// are.
func (f *Figure) And(name string, x, y []float64) *Figure {
	return f.change(func(*settings) {
		if c, ok := f.content.(*curveSet); ok && c.list == nil {
			c.yLabel = "value"
			c.addLine(name, x, y)
		}
	})
}

func (c *curveSet) addLine(name string, x, y []float64) {
	n := len(y)
	if x != nil && len(x) != n {
		n = min(n, len(x))
		c.remarks = append(c.remarks, fmt.Sprintf("%s: %d values of x and %d of y; drawn as far as both go", name, len(x), len(y)))
		x = x[:n]
	}
	i := len(c.lines)
	c.lines = append(c.lines, spec{id: int64(-i - 1), series: name, name: name, look: lookOf(i), feed: listFeed{x, y[:n]}})
}

// A curveSet is curves over a common axis.
type curveSet struct {
	src          []Source
	list         func() []spec // the curves there are now; nil: those in lines
	lines        []spec
	what         string
	yLabel, step string
	dots         bool
	remarks      []string
	states       map[stateKey]*curveState
}

// A spec says what a curve shows and how.
type spec struct {
	source Source // nil for plain data
	id     int64
	series string
	name   string
	look   look
	width  float64 // 0 means 2
	feed   feed    // nil: the series of the source
}

type stateKey struct {
	id     int64
	series string
}

// A curveState is a curve thinned for one choice of axes. It is brought up to date, not
// made anew, for each frame.
type curveState struct {
	key        axesKey
	raw, mean  *thinner // mean is nil without smoothing
	average, w float64  // running sum of the mean, and its weight so far
}

type axesKey struct {
	x          X
	logX, logY bool
	smooth     float64
	width      float64
}

func (c *curveSet) sources() []Source { return c.src }

func (c *curveSet) state(s spec, set settings) *curveState {
	key := axesKey{set.x, set.logX, set.logY, set.smooth, set.w}
	at := stateKey{s.id, s.series}
	st := c.states[at]
	if st == nil || st.key != key {
		st = &curveState{key: key, raw: newThinner(2*int(set.w), set.logX, set.logY)}
		if set.smooth > 0 {
			st.mean = newThinner(2*int(set.w), set.logX, set.logY)
		}
		if c.states == nil {
			c.states = map[stateKey]*curveState{}
		}
		c.states[at] = st
	}
	f := s.feed
	if f == nil {
		f = traceFeed{s.source.Trace(), s.series}
	}
	f.visit(st.raw.seen, set.x, func(x, y float64) {
		st.raw.add(x, y)
		if st.mean != nil {
			st.smooth(x, y)
		}
	})
	return st
}

// smooth adds to the moving average. Its weight starts at 0, so dividing by it takes the
// bias of the start away; a value that is no number leaves a gap and the average alone.
func (st *curveState) smooth(x, y float64) {
	if finite(y) {
		st.average = st.key.smooth*st.average + (1-st.key.smooth)*y
		st.w = st.key.smooth*st.w + (1 - st.key.smooth)
		y = st.average / st.w
	}
	st.mean.add(x, y)
}

func (c *curveSet) scene(set settings) *scene {
	s := &scene{x: emptyAxis(set.logX), y: emptyAxis(set.logY), yLabel: c.yLabel, notes: append([]string(nil), c.remarks...)}
	specs := c.lines
	if c.list != nil {
		specs = c.list()
	}
	specs = append([]spec(nil), specs...)
	apart(specs)
	var problems []string
	var drawn []spec
	var states []*curveState
	for _, p := range specs {
		st := c.state(p, set)
		if n := gapNote(p, st.raw); n != "" {
			problems = append(problems, n)
		}
		if n := missingNote(p, st.raw); n != "" {
			problems = append(problems, n)
		}
		if set.x == Work && p.source != nil && st.raw.shown > 1 && st.raw.right == 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s has recorded no work, so that all its values stand at 0.", p.name))
		}
		s.details = append(s.details, detail(p, st, set))
		if st.raw.shown == 0 {
			continue
		}
		drawn, states = append(drawn, p), append(states, st)
		s.x.widen(st.raw.left)
		s.x.widen(st.raw.right)
		s.y.widen(st.raw.low.y)
		s.y.widen(st.raw.top.y)
	}
	problems = append(problems, failures(c.src)...)
	s.notes = append(s.notes, problems...)
	s.xLabel = set.x.scaled(&s.x, c.step)
	if c.list == nil {
		s.xLabel, s.x.whole, s.x.unit = "", false, 0
	}
	s.summary = c.summary(specs, s.xLabel)
	if len(drawn) == 0 {
		s.empty = "Nothing to draw yet."
		switch {
		case len(specs) == 0:
			s.empty = "No runs were given, so there is nothing to draw."
		case len(problems) > 0:
			s.empty = strings.Join(problems, " ")
		case c.list == nil:
			s.empty = "There are no values to draw."
		}
		s.notes, s.details = nil, nil
		return s
	}
	s.x.settle(0.012)
	if !s.y.log && s.y.min > 0 && s.y.min < s.y.max/4 {
		s.y.min = 0 // near enough to show how near
	}
	s.y.settle(0.05)
	if s.y.min < 0 && s.y.min > -s.y.max*0.06 && !anyNegative(states) {
		s.y.min = 0 // no margin below a zero that nothing crosses
	}
	for i, p := range drawn {
		c.addCurve(s, p, states[i], int(set.w*0.85))
	}
	return s
}

func anyNegative(states []*curveState) bool {
	for _, st := range states {
		if st.raw.low.y < 0 {
			return true
		}
	}
	return false
}

// addCurve adds the marks and the key of one curve, of two points for each of n parts of
// the x axis: about the pixels that it will have.
func (c *curveSet) addCurve(s *scene, p spec, st *curveState, n int) {
	lo, hi := s.x.min, s.x.max
	if s.x.log {
		lo, hi = math.Log10(lo), math.Log10(hi)
	}
	width := p.width
	if width == 0 {
		width = 2
	}
	if st.raw.shown > 2*n && st.mean == nil { // a band more than a line: thick strokes would fill it
		width = 1.2
	}
	end := st.raw.last
	raw := curve{lines: st.raw.lines(n, lo, hi), look: p.look, width: width}
	if st.mean != nil && st.mean.shown > 0 {
		raw.look.color, raw.look.dash, raw.width = p.look.color.fade(0.28), nil, 1
		s.marks = append(s.marks, raw)
		raw = curve{lines: st.mean.lines(n, lo, hi), look: p.look, width: width}
		end = st.mean.last
	}
	raw.dots = c.dots && st.raw.shown <= 40 || st.raw.shown <= 12 && st.mean == nil
	s.marks = append(s.marks, raw)
	live := p.source != nil && !ended(p.source)
	if live {
		s.marks = append(s.marks, head{end, p.look})
	}
	s.keys = append(s.keys, key{name: p.name, look: p.look, end: end, live: live})
}

func (c *curveSet) summary(specs []spec, over string) string {
	if over != "" {
		over = " over " + over
	}
	if len(specs) == 1 && c.list == nil { // plain data: the name says what is drawn
		return upper(specs[0].name) + over
	}
	if len(specs) == 1 {
		return fmt.Sprintf("%s of %s%s", upper(c.what), specs[0].name, over)
	}
	what := c.what
	if c.list == nil { // plain data has no common name
		var names []string
		for _, p := range specs {
			names = append(names, p.name)
		}
		what = list(names)
	}
	return fmt.Sprintf("%s%s, %s", upper(what), over, plural(len(specs), "curve"))
}

func upper(s string) string {
	r := []rune(s)
	if len(r) == 0 {
		return s
	}
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// gapNote counts what could not be shown of a curve.
func gapNote(p spec, t *thinner) string {
	var parts []string
	if t.notFin > 0 {
		parts = append(parts, fmt.Sprintf("%s NaN or infinite", areOf(t.notFin)))
	}
	if t.notPos > 0 {
		parts = append(parts, fmt.Sprintf("%s not positive, which a log axis cannot show", areOf(t.notPos)))
	}
	if len(parts) == 0 {
		return ""
	}
	of := plural(t.seen, "value")
	if t.shown == 0 && len(parts) == 1 {
		what := "NaN or infinite"
		if t.notPos > 0 {
			what = "not positive, which a log axis cannot show"
		}
		if t.seen == 1 {
			return fmt.Sprintf("%s: its one value is %s.", p.name, what)
		}
		return fmt.Sprintf("%s: all %s are %s.", p.name, of, what)
	}
	if t.shown == 0 {
		of = "all " + of
	}
	return fmt.Sprintf("%s: of %s, %s.", p.name, of, strings.Join(parts, " and "))
}

func areOf(n int) string {
	if n == 1 {
		return "1 is"
	}
	return commas(fmt.Sprint(n)) + " are"
}

// missingNote says that a run lacks the series, and which it has.
func missingNote(p spec, t *thinner) string {
	if t.seen > 0 || p.source == nil || p.source.State() == run.StateFailed {
		return ""
	}
	if !ended(p.source) {
		return fmt.Sprintf("%s has no %q yet.", p.source.Name(), p.series)
	}
	others := p.source.Trace().Series()
	if len(others) == 0 {
		return fmt.Sprintf("%s has no series %q, nor any other.", p.source.Name(), p.series)
	}
	return fmt.Sprintf("%s has no series %q; it has %s.", p.source.Name(), p.series, list(others))
}

// failures says which runs failed or were stopped, and why.
func failures(sources []Source) []string {
	var out []string
	for _, s := range sources {
		if err := s.Err(); err != nil && s.State() >= run.StateStopped {
			verb := "failed"
			if s.State() == run.StateStopped {
				verb = "was stopped"
			}
			line, _, _ := strings.Cut(err.Error(), "\n")
			if s.State() == run.StateStopped && err == run.ErrStopped {
				out = append(out, fmt.Sprintf("%s was stopped.", s.Name()))
				continue
			}
			out = append(out, fmt.Sprintf("%s %s: %s", s.Name(), verb, line))
		}
	}
	return out
}

// detail is the line of text/plain for a curve.
func detail(p spec, st *curveState, set settings) string {
	t := st.raw
	if t.shown == 0 {
		return fmt.Sprintf("%s: %s, none that can be shown", p.name, plural(t.seen, "value"))
	}
	s := fmt.Sprintf("%s: %s, %s", p.name, plural(t.seen, "value"), short(t.first.y))
	if t.shown > 1 {
		s += " → " + short(t.last.y)
	}
	if t.low.y < min(t.first.y, t.last.y) {
		s += fmt.Sprintf(", lowest %s at %s", short(t.low.y), short(t.low.x))
	}
	if t.top.y > max(t.first.y, t.last.y) {
		s += fmt.Sprintf(", highest %s at %s", short(t.top.y), short(t.top.x))
	}
	if p.source != nil {
		s += ", " + p.source.State().String()
	}
	if line := sparkline(t.lines(48, t.cols[0].at, t.cols[len(t.cols)-1].at), set.logY, 24); line != "" {
		s += "  " + line
	}
	return s
}
