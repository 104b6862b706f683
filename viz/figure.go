package viz

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"trivium/core/run"
)

// A Figure is a picture of runs or data. As the last expression of a cell it is shown,
// and goes on growing while its runs do; [Save] writes it to a file. Its methods change
// how it looks and return it, so that they can be chained. All of them may be called
// from any goroutine, also while the figure is being drawn: a drawing shows the figure
// as it was when the drawing began.
type Figure struct {
	id string // of SVG elements

	mu      sync.Mutex // guards the rest; not held while drawing
	set     settings
	changes uint64
	content content

	end ending
}

// content is what a figure shows.
type content interface {
	scene(settings) *scene // what there is now; called with the figure locked
	sources() []Source
}

// settings are what the chained methods change.
type settings struct {
	x          X
	logX, logY bool
	logC       bool // colours
	linY       bool // linear although the figure would be logarithmic by itself
	smooth     float64
	hasSmooth  bool // smooth is the user's word
	series     string
	target     float64
	hasTarget  bool
	title      string
	theme      Theme
	w, h       float64
	hasSize    bool // w and h are the user's word
}

// Sizes in pixels.
const (
	usualWidth, usualHeight = 640, 400
	leastWidth, leastHeight = 160, 100
	mostPixels              = 4000
	sentenceHeight          = 120
)

var (
	figures atomic.Int64
	process = fmt.Sprintf("%06x", rand.Uint32N(1<<24)) // apart from figures of earlier kernels in a notebook
)

func newFigure(c content) *Figure {
	return &Figure{
		id:      fmt.Sprintf("viz-%s-%d", process, figures.Add(1)),
		content: c,
		set:     settings{w: usualWidth, h: usualHeight},
	}
}

func (f *Figure) change(set func(*settings)) *Figure {
	f.mu.Lock()
	defer f.mu.Unlock()
	set(&f.set)
	f.changes++
	return f
}

// X draws curves of runs over [Steps], [Seconds] or [Work]. It has no effect on plain data.
func (f *Figure) X(x X) *Figure { return f.change(func(s *settings) { s.x = x }) }

// LogX makes the x axis logarithmic. Points that are not positive are left out and
// counted in the caption.
func (f *Figure) LogX() *Figure { return f.change(func(s *settings) { s.logX = true }) }

// LogY makes the y axis logarithmic. Values that are not positive leave a gap and are
// counted in the caption.
func (f *Figure) LogY() *Figure {
	return f.change(func(s *settings) { s.logY, s.linY = true, false })
}

// LinearX undoes LogX.
func (f *Figure) LinearX() *Figure { return f.change(func(s *settings) { s.logX = false }) }

// LinearY undoes LogY, also for figures that are logarithmic by themselves.
func (f *Figure) LinearY() *Figure {
	return f.change(func(s *settings) { s.logY, s.linY = false, true })
}

// LogColor gives each power of ten the same share of the colours of cells. Values that are
// not positive are left empty and counted in the caption.
func (f *Figure) LogColor() *Figure { return f.change(func(s *settings) { s.logC = true }) }

// Smooth draws each curve as its exponential moving average, with the curve itself
// behind it, faint. The average s of values v is s ← w·s + (1-w)·v, started without
// bias; w = 0 means no smoothing, 0.9 a lot. Values outside 0 to 0.999 are taken as the
// nearer end.
func (f *Figure) Smooth(w float64) *Figure {
	if math.IsNaN(w) {
		w = 0
	}
	return f.change(func(s *settings) { s.smooth, s.hasSmooth = min(max(w, 0), 0.999), true })
}

// Title writes a line above the picture.
func (f *Figure) Title(title string) *Figure {
	return f.change(func(s *settings) { s.title = title })
}

// Theme says on which background the figure will be read; see [Auto].
func (f *Figure) Theme(t Theme) *Figure { return f.change(func(s *settings) { s.theme = t }) }

// Size sets width and height in pixels. 0 means the usual 640 and 400; a size in which
// nothing could be read, or that no screen has, is taken as the nearest that works.
func (f *Figure) Size(w, h int) *Figure {
	fit := func(v, usual, least int) float64 {
		if v == 0 {
			return float64(usual)
		}
		return float64(min(max(v, least), mostPixels))
	}
	return f.change(func(s *settings) {
		s.w, s.h = fit(w, usualWidth, leastWidth), fit(h, usualHeight, leastHeight)
		s.hasSize = w != 0 || h != 0
	})
}

// Version returns a number that is larger whenever the figure would look different.
func (f *Figure) Version() uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changes + versions(f.content.sources())
}

// Done returns a channel that is closed when nothing that the figure shows will change:
// when all its runs have ended. Until then a front end goes on asking for frames.
func (f *Figure) Done() <-chan struct{} {
	return f.end.of(f.content.sources())
}

// snapshot takes the scene as it is now, and whether it is the last one.
func (f *Figure) snapshot() (s *scene, last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last = allEnded(f.content.sources()) // before the scene: a last frame lacks nothing
	s = func() (s *scene) {
		var err error
		defer func() {
			if err != nil {
				s = &scene{empty: "This figure could not be made: " + err.Error()}
			}
		}()
		defer run.Catch(&err)
		return f.content.scene(f.set)
	}()
	if s.h == 0 || f.set.hasSize || s.empty != "" {
		s.h = f.set.h
	}
	if s.empty != "" && last && !f.set.hasSize { // a sentence that stays needs no more
		s.h = sentenceHeight
	}
	s.w, s.inks, s.title = f.set.w, f.set.theme.inks(), f.set.title
	if s.empty != "" && s.summary == "" {
		s.summary = s.empty
	}
	return s, last
}
