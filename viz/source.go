package viz

import (
	"reflect"
	"strings"

	"trivium/core/run"
)

// A Source is what figures of runs are drawn from. [*run.Run] is one, and so is every
// method's own run type, which embeds it.
type Source interface {
	Name() string
	ID() int64
	Trace() *run.Trace
	Done() <-chan struct{}
	State() run.State
	Err() error
}

// present leaves out sources that are nil, of which a cell can easily have one.
func present(sources []Source) []Source {
	var out []Source
	for _, s := range sources {
		if s == nil {
			continue
		}
		if v := reflect.ValueOf(s); v.Kind() == reflect.Pointer && v.IsNil() {
			continue
		}
		out = append(out, s)
	}
	return out
}

func ended(s Source) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// A feed gives the points of one curve, again and again as there are more.
type feed interface {
	// visit calls f with each point from number from on and returns how many there were.
	visit(from int, x X, f func(x, y float64)) int
}

type traceFeed struct {
	trace  *run.Trace
	series string
}

func (t traceFeed) visit(from int, x X, f func(x, y float64)) int {
	return t.trace.Visit(t.series, from, func(part []run.Point) {
		for i := range part {
			p := &part[i]
			f(x.of(p), p.Value)
		}
	})
}

// listFeed is plain data, which is whole from the start.
type listFeed struct{ x, y []float64 }

func (l listFeed) visit(from int, _ X, f func(x, y float64)) int {
	n := 0
	for i := from; i < len(l.y); i++ {
		x := float64(i)
		if l.x != nil {
			x = l.x[i]
		}
		f(x, l.y[i])
		n++
	}
	return n
}

// X is what a curve of a run is drawn over.
type X int

// The axes. Seconds count the time a run was running, from its own start; Work counts
// the flops that the engine reports.
const (
	Steps X = iota
	Seconds
	Work
)

func (x X) of(p *run.Point) float64 {
	switch x {
	case Seconds:
		return p.Seconds
	case Work:
		return p.Work
	}
	return p.Step
}

// units are what an axis counts in, from the range on where each suits.
var units = map[X][]struct {
	from, unit float64
	name       string
}{
	Seconds: {{0, 1e-3, "time (ms)"}, {0.1, 1, "time (s)"}, {300, 60, "time (min)"}, {3 * 3600, 3600, "time (h)"}},
	Work: {{0, 1, "work (flop)"}, {1e4, 1e3, "work (kflop)"}, {1e6, 1e6, "work (Mflop)"}, {1e9, 1e9, "work (Gflop)"},
		{1e12, 1e12, "work (Tflop)"}, {1e15, 1e15, "work (Pflop)"}},
}

// scaled gives the axis a unit that suits its range, and returns what to write under it;
// step is the name of a step.
func (x X) scaled(a *axis, step string) string {
	if x == Steps {
		a.whole = true
		return step
	}
	name := ""
	for _, u := range units[x] {
		if a.max >= u.from {
			a.unit, name = u.unit, u.name
		}
	}
	return name
}

// unitName is the unit alone of a scaled axis, for a number of them: "s" of "time (s)",
// "steps" of "step".
func (x X) unitName(label string, n float64) string {
	if i := strings.Index(label, "("); i >= 0 {
		return strings.Trim(label[i:], "()")
	}
	if n == 1 {
		return label
	}
	return label + "s"
}
