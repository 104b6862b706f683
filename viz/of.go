package viz

import (
	"bytes"
	"fmt"
	"sync"

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

// Of chooses a picture for a value: residuals or the first series of a run, a line for a
// slice, cells for a matrix, a plot of gonum's as it is. It gives nil and false for what
// it has no picture of.
func Of(v any) (View, bool) {
	switch v := v.(type) {
	case View:
		return v, true
	case Source:
		if len(present([]Source{v})) == 0 {
			return nil, false
		}
		return ofRuns([]Source{v}), true
	case []Source:
		return ofRuns(present(v)), true
	case []*run.Run:
		var s []Source
		for _, r := range v {
			s = append(s, r)
		}
		return ofRuns(present(s)), true
	case []float64:
		return Lines("value", nil, v), true
	case []float32:
		return Lines("value", nil, widen(v)), true
	case []int:
		return Lines("value", nil, widen(v)), true
	case [][]float64:
		return Heat("value", Rows(v)), true
	case Grid:
		return Heat("value", v), true
	case *plot.Plot:
		if v == nil {
			return nil, false
		}
		return &gonum{plot: v}, true
	}
	return nil, false
}

func widen[T float32 | int](v []T) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = float64(v[i])
	}
	return out
}

// ofRuns draws residuals where a run has them, else the first series of the first run
// that has one.
func ofRuns(sources []Source) View {
	for _, s := range sources {
		names := s.Trace().Series()
		for _, n := range names {
			if n == "residual" {
				return Residuals(sources...)
			}
		}
		if len(names) > 0 {
			return Curves(names[0], sources...)
		}
	}
	return Table(sources...)
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
