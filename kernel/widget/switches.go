package widget

import (
	"slices"
	"sync"

	"trivium/kernel/display"
)

// mostSwitched is how many figures can be switched. A figure is kept in memory as long as it
// can, so the one that was shown first is let go when there are more.
const mostSwitched = 32

// switched is a figure that is shown with its switches.
type switched struct {
	id     string
	place  *display.Place
	figure display.Switched
	redraw func()
	h      *Hub

	mu    sync.Mutex // one use at a time
	shown [][]string
}

// ShowSwitches shows the switches of a figure in a cell, above the figure, and redraws it
// after each use of them. They act while cells run, since no code of cells is called. Where
// there is no Jupyter server that a page could reach, or nobody who looks at one, nothing is
// shown.
func (h *Hub) ShowSwitches(c display.Cell, f display.Switched, redraw func()) {
	if h.opt.Kernel == "" || !c.Attended {
		return
	}
	s := &switched{id: newID(), place: display.Current().NewPlace(c), figure: f, redraw: redraw, h: h}
	h.mu.Lock()
	h.switches[s.id] = s
	h.shown = append(h.shown, s.id)
	if len(h.shown) > mostSwitched {
		delete(h.switches, h.shown[0])
		h.shown = h.shown[1:]
	}
	h.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.show()
	if f, ok := f.(interface{ Done() <-chan struct{} }); ok {
		go func() {
			select {
			case <-f.Done():
			case <-h.closed:
				return
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.show()
		}()
	}
}

// use makes a choice and shows what comes of it. A page that was loaded anew does not get
// what is shown in outputs of before, so the answer on its channel holds it too.
func (s *switched) use(name, choice string, m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			s.h.opt.Logf("widget: switch %s: panic: %v", name, v)
		}
	}()
	s.figure.Switch(name, choice)
	s.redraw()
	if !s.show() {
		return
	}
	picture := pictureOf(render(s.figure))
	if err := display.Current().Spend(len(picture)); err != nil {
		return
	}
	s.h.reply(m, map[string]any{"panel": s.id, "controls": s.spec().Controls, "picture": picture}, nil)
}

// spec is what the script is told of the switches, as they are shown.
func (s *switched) spec() pageSpec {
	spec := pageSpec{Kernel: s.h.opt.Kernel, Panel: s.id}
	for _, l := range s.shown {
		if len(l) > 2 {
			spec.Controls = append(spec.Controls, pageControl{Kind: "switch", Name: l[0], Value: l[1], Choices: l[2:]})
		}
	}
	return spec
}

// show puts the switches, as they are now, in their place, and reports whether they have changed.
func (s *switched) show() bool {
	now := s.figure.Switches()
	if s.shown != nil && slices.EqualFunc(now, s.shown, slices.Equal) {
		return false
	}
	s.shown = now
	spec, page := s.spec(), ""
	if len(spec.Controls) > 0 {
		page = pageHTML(spec, "", "")
	}
	if err := s.place.Show(display.Bundle{Data: map[string]any{display.HTML: page, display.Text: ""}}); err != nil {
		s.h.opt.Logf("widget: switches: %v", err)
	}
	return true
}
