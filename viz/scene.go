package viz

import (
	"strings"

	"gonum.org/v1/plot"
)

// A scene is everything a picture needs, taken from runs and settings at one moment. It
// shares nothing that changes, so scenes can be drawn at any time and all at once.
type scene struct {
	w, h           float64 // pixels; a content sets h where it needs less than the usual
	inks           inks
	title          string
	yLabel, xLabel string // y's stands above the axis, level, where it is read first
	x, y           axis
	marks          []plot.Plotter // in the order of drawing
	keys           []key          // what the colours mean
	notes          []string       // under the picture: gaps, failures
	empty          string         // said instead of a picture
	summary        string         // first line of the text: what is shown
	details        []string       // one line for each thing shown
	panels         []*scene       // side by side, instead of marks of its own
	legend         bool           // keys are in a legend even if they are few
	square         bool           // no grid: cells cover it
	scale          *colorScale    // of cells
	foot           []footLine     // below a panel
}

// A footLine is a line below a panel: a name in its colour with what is said of it, or text alone.
type footLine struct {
	name, text string
	look       look
	bold       bool
}

// footText is the lines below a panel as one.
func (s *scene) footText() []string {
	if len(s.foot) == 0 {
		return nil
	}
	var parts []string
	for _, l := range s.foot[1:] {
		parts = append(parts, strings.TrimSpace(l.name+" "+l.text))
	}
	return []string{strings.TrimSpace(s.foot[0].text + ": " + strings.Join(parts, ", "))}
}

// A key says what a look stands for. With a place, the label stands at the end of its
// line; otherwise in a legend.
type key struct {
	name string
	look look
	dot  bool
	end  xy
	live bool
}

// direct reports whether keys are written at the ends of the lines.
func (s *scene) direct() bool {
	return len(s.keys) > 0 && len(s.keys) <= 3 && !s.legend && !s.keys[0].dot
}
