package viz

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"trivium/core/run"
)

// A View is something that a notebook shows: a [*Figure], a [*Sheet], or gonum's plot.
type View interface {
	MIMEBundle() (data map[string]any, metadata map[string]any)
}

// Of chooses a picture for a value: residuals, or the series that says most, of a run or of
// several; lines for numbers, cells for a matrix, a plot of gonum's as it is, what draws
// itself. Runs may be in a slice of any type. It gives nil and false for what it has no
// picture of.
func Of(v any) (View, bool) {
	switch v := v.(type) {
	case nil:
		return nil, false
	case View:
		if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, false
		}
		return v, true
	case Source:
		if len(present([]Source{v})) == 0 {
			return nil, false
		}
		return ofRuns([]Source{v}), true
	case *plot.Plot:
		if v == nil {
			return nil, false
		}
		return &gonum{plot: v}, true
	}
	if y, ok := numbers(v); ok {
		return Lines("value", nil, y), true
	}
	if g, ok := gridOf(v); ok && g != nil {
		return Heat("value", g), true
	}
	if s := runsOf(v); len(s) > 0 {
		return ofRuns(s), true
	}
	return nil, false
}

// numbers copies a slice of numbers of any kind.
func numbers(v any) ([]float64, bool) {
	if y, ok := v.([]float64); ok {
		return y, true
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array || r.Type().Elem().Kind() == reflect.Uint8 {
		return nil, false
	}
	var of func(reflect.Value) float64
	switch e := r.Type().Elem(); {
	case e == reflect.TypeFor[time.Duration]():
		of = func(x reflect.Value) float64 { return time.Duration(x.Int()).Seconds() }
	case reflect.Zero(e).CanInt():
		of = func(x reflect.Value) float64 { return float64(x.Int()) }
	case reflect.Zero(e).CanUint():
		of = func(x reflect.Value) float64 { return float64(x.Uint()) }
	case reflect.Zero(e).CanFloat():
		of = reflect.Value.Float
	default:
		return nil, false
	}
	y := make([]float64, r.Len())
	for i := range y {
		y[i] = of(r.Index(i))
	}
	return y, true
}

// runsOf lists the runs in a slice of any type; none if anything else is in it.
func runsOf(v any) []Source {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return nil
	}
	var out []Source
	for i := range r.Len() {
		e := r.Index(i)
		if !e.CanInterface() {
			return nil
		}
		s, ok := e.Interface().(Source)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return present(out)
}

func widen[T float32 | int](v []T) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = float64(v[i])
	}
	return out
}

// ofRuns draws residuals where a run has them, else the loss or the first series of the
// first run that has one. Runs of which nothing is known yet may get their series later.
func ofRuns(sources []Source) View {
	switch name := mainSeries(sources); name {
	case "residual":
		return Residuals(sources...)
	case "":
		if len(failures(sources)) > 0 || !allEnded(sources) { // says why
			return newFigure(&undecided{src: sources})
		}
		return Table(sources...)
	default:
		return Curves(name, sources...)
	}
}

// undecided is a figure of runs that have no series yet.
type undecided struct {
	src     []Source
	decided content
}

func (u *undecided) sources() []Source { return u.src }

func (u *undecided) scene(set settings) *scene {
	if u.decided == nil {
		switch name := mainSeries(u.src); name {
		case "":
			return runCurves("loss", u.src).scene(set)
		case "residual":
			u.decided = residualCurves(u.src)
		default:
			u.decided = runCurves(name, u.src)
		}
	}
	if c, ok := u.decided.(*curveSet); ok && c.what == "residual norm" && !set.linY {
		set.logY = true
	}
	return u.decided.scene(set)
}

// gonum shows a plot of gonum's, one drawing at a time because drawing changes the plot.
type gonum struct {
	mu   sync.Mutex
	plot *plot.Plot
}

func (g *gonum) MIMEBundle() (data map[string]any, metadata map[string]any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	data = map[string]any{"text/plain": "Plot " + g.plot.Title.Text}
	metadata = map[string]any{}
	svg, err := g.svg()
	if err != nil {
		data["text/plain"] = fmt.Sprintf("This plot could not be drawn: %v", err)
		return data, metadata
	}
	data["image/svg+xml"] = string(svg)
	metadata["image/svg+xml"] = map[string]any{"width": usualWidth, "height": usualHeight}
	return data, metadata
}

func (g *gonum) svg() (data []byte, err error) {
	defer run.Catch(&err) // a log axis with a zero, among others
	c := vgsvg.New(px(usualWidth), px(usualHeight))
	g.plot.Draw(draw.NewCanvas(c, vg.Length(px(usualWidth)), px(usualHeight)))
	var b bytes.Buffer
	_, err = c.WriteTo(&b)
	return b.Bytes(), err
}
