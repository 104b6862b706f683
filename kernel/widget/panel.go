package widget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"trivium/kernel/display"
)

// mostPanels is how many panels are kept. A page does not say when an output with controls
// is gone, so the oldest panel is closed when there are more.
const mostPanels = 64

// A Panel calls a function of a cell with the values of controls and shows what it returns,
// again and again, in places that stay the same.
type Panel struct {
	h        *Hub
	id       string
	cell     display.Cell
	controls []*Control
	f        *function
	models   []*Model

	mu      sync.Mutex
	values  []any
	waiting bool // for a turn: newer values replace those that wait

	places []*display.Place // used by the goroutine that runs cells only
}

// Interact shows the controls in the running cell, calls f with their first values at once,
// as part of the cell, and from then on whenever a control is moved.
//
// Later calls take their turn with cells: one begins when no cell runs, and a cell that is
// run meanwhile waits for its end. What controls say while a call waits or runs is kept as
// one set of newest values, for one more call. The stop button ends a call as it ends a cell;
// what it had shown stays.
func (h *Hub) Interact(f any, controls []*Control) error {
	for i, c := range controls {
		if c == nil {
			return fmt.Errorf("control %d is nil", i+1)
		}
	}
	fn, err := newFunction(f, controls)
	if err != nil {
		return err
	}
	m := display.Current()
	p := &Panel{h: h, id: newID(), cell: m.Cell(), controls: controls, f: fn}
	p.cell.Ctx = nil
	for _, c := range controls {
		p.values = append(p.values, c.start)
	}
	if len(controls) > 0 {
		h.add(p)
		if err := m.ShowBundle(p.bundle(), ""); err != nil {
			return err
		}
	}
	return p.show(p.values)
}

// add opens the panel's models, and closes the oldest panel if there are many.
func (h *Hub) add(p *Panel) {
	for i, c := range p.controls {
		p.models = append(p.models, c.model(h, p.cell.ID, func(v any) { p.set(i, v) }))
	}
	p.models = append(p.models, h.column(p.cell.ID, p.models))
	h.mu.Lock()
	h.panels[p.id] = p
	h.order = append(h.order, p.id)
	var old *Panel
	if len(h.order) > mostPanels {
		old = h.panels[h.order[0]]
		delete(h.panels, h.order[0])
		h.order = h.order[1:]
	}
	h.mu.Unlock()
	if old != nil {
		for _, m := range old.models {
			h.close(m.id, old.cell.ID)
		}
	}
}

// bundle is what stands for the controls: widgets where there is a widget manager, and else a
// page that makes its own.
func (p *Panel) bundle() display.Bundle {
	column := p.models[len(p.models)-1]
	var text []string
	for i, c := range p.controls {
		text = append(text, fmt.Sprintf("%s: %v", c.name, p.values[i]))
	}
	return display.Bundle{Data: map[string]any{
		ViewType: column.View(), display.HTML: p.h.panelPage(p), display.Text: strings.Join(text, ", "),
	}}
}

// set takes a value from a page. It does not wait.
func (p *Panel) set(i int, v any) {
	if i < 0 || i >= len(p.controls) {
		return
	}
	value, err := p.controls[i].value(v)
	if err != nil {
		p.h.opt.Logf("widget: %v: %v", p.controls[i], err)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.controls[i].kind != button && p.values[i] == value {
		return
	}
	p.values = slices.Clone(p.values)
	p.values[i] = value
	if p.waiting {
		return
	}
	p.waiting = true
	p.h.opt.Turn(p.cell, p.turn, p.failed)
}

// turn calls the function with the newest values.
func (p *Panel) turn(context.Context) {
	p.mu.Lock()
	values := p.values
	p.waiting = false
	p.values = slices.Clone(values)
	for i, c := range p.controls {
		if c.kind == button {
			p.values[i] = false // a click is one call's
		}
	}
	p.mu.Unlock()
	if err := p.show(values); err != nil {
		p.failed([]string{errText(err)})
	}
}

// show calls the function and replaces what it showed before. What it prints and shows
// itself comes first.
func (p *Panel) show(values []any) error {
	m := display.Current()
	before := m.Cell()
	caught := before
	var all []any
	caught.Catch = func(v any) { all = append(all, v) }
	m.Begin(caught)
	defer m.Begin(before)
	var results []any
	var err error
	printed := p.h.capture(func() { results, err = p.f.call(values) })
	if err != nil {
		return err
	}
	m.Begin(before)
	if printed != "" {
		all = append(all, display.Bundle{Data: map[string]any{display.Text: strings.TrimSuffix(printed, "\n")}})
	}
	return p.replace(append(all, results...))
}

// replace puts values in the panel's places, and makes more places or empties some.
func (p *Panel) replace(values []any) error {
	m := display.Current()
	var errs []error
	for i, v := range values {
		if i == len(p.places) {
			p.places = append(p.places, m.NewPlace(p.cell))
		}
		errs = append(errs, p.places[i].Show(v))
	}
	for _, place := range p.places[len(values):] {
		errs = append(errs, place.Show(display.Bundle{Data: map[string]any{display.Text: ""}}))
	}
	return errors.Join(errs...)
}

// failed shows why a call did not come to its end. What stood there before goes on standing
// when the call was interrupted.
func (p *Panel) failed(lines []string) {
	text := display.Bundle{Data: map[string]any{display.Text: strings.Join(lines, "\n")}}
	if err := p.replace([]any{text}); err != nil {
		p.h.opt.Logf("widget: %v", err)
	}
}

// capture calls f and returns what it printed, where that can be told.
func (h *Hub) capture(f func()) string {
	if h.opt.Capture == nil {
		f()
		return ""
	}
	return h.opt.Capture(f)
}
