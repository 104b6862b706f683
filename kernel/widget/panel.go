package widget

import (
	"context"
	"fmt"
	"maps"
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
	waiting bool              // for a turn: newer values replace those that wait
	watch   map[string]uint64 // comms of pages that have used the panel, with their latest request

	show *picture
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
	p := &Panel{h: h, id: newID(), cell: m.Cell(), controls: controls, f: fn, watch: map[string]uint64{}}
	p.cell.Ctx, p.cell.Catch = nil, nil
	p.show = &picture{tell: p.tell}
	for _, c := range controls {
		p.values = append(p.values, c.start)
	}
	if err := p.call(p.values); err != nil {
		return err
	}
	h.add(p)
	return m.ShowBundle(p.bundle(), "")
}

// add opens the panel's models, and closes the oldest panel if there are many.
func (h *Hub) add(p *Panel) {
	var all []*Model
	for i, c := range p.controls {
		all = append(all, c.model(h, p.cell.ID, func(v any) { p.set(i, v) }))
	}
	page, _ := p.show.now()
	p.mu.Lock()
	p.models = append(all, h.html(p.cell.ID, page))
	p.models = append(p.models, h.column(p.cell.ID, p.models))
	p.mu.Unlock()
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
		old.show.end()
		for _, m := range old.models {
			m.close()
		}
	}
}

// bundle is what stands for the controls: widgets where there is a widget manager, and else a
// page that makes its own.
func (p *Panel) bundle() display.Bundle {
	_, text := p.show.now()
	page := p.show.still()
	if len(p.controls) == 0 {
		return display.Bundle{Data: map[string]any{display.HTML: page, display.Text: text}}
	}
	var values []string
	for i, v := range p.newest() {
		values = append(values, fmt.Sprintf("%s: %v", p.controls[i].name, v))
	}
	return display.Bundle{Data: map[string]any{
		ViewType: p.models[len(p.models)-1].View(), display.HTML: p.h.panelPage(p, page),
		display.Text: strings.Join(values, ", ") + "\n" + text,
	}}
}

// newest are the values that the controls have now. They are not changed later.
func (p *Panel) newest() []any {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.values
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
	if p.take(i, value) {
		p.h.opt.Turn(p.cell, p.turn, p.failed)
	}
}

// take notes a value, and reports whether a turn has to be asked for: one that waits already
// takes the value too.
func (p *Panel) take(i int, value any) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.controls[i].kind != button && p.values[i] == value {
		return false
	}
	p.values = slices.Clone(p.values)
	p.values[i] = value
	was := p.waiting
	p.waiting = true
	return !was
}

// follow sets the widget of a control to the value that the page's script has set.
func (p *Panel) follow(i int) {
	if i < 0 || i >= len(p.controls) || p.controls[i].kind == button {
		return
	}
	v := p.newest()[i]
	if s, ok := v.(string); ok {
		p.models[i].Set(map[string]any{"index": slices.Index(p.controls[i].choices, s)})
		return
	}
	p.models[i].Set(map[string]any{"value": v})
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
	if err := p.call(values); err != nil {
		p.failed([]string{errText(err)})
	}
}

// call calls the function and shows what comes of it. What it prints and shows itself comes
// first.
func (p *Panel) call(values []any) error {
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
		all = append([]any{display.Bundle{Data: map[string]any{display.Text: strings.TrimSuffix(printed, "\n")}}}, all...)
	}
	p.show.set(append(all, results...))
	return nil
}

// failed shows why a call did not come to its end.
func (p *Panel) failed(lines []string) {
	p.show.set([]any{display.Bundle{Data: map[string]any{display.HTML: ansiPage(strings.Join(lines, "\n"))}}})
}

// tell brings a new picture to the pages: to widgets by the model, to others by their channel.
func (p *Panel) tell(page string) {
	p.mu.Lock()
	var model *Model
	if len(p.models) > 1 {
		model = p.models[len(p.models)-2]
	}
	watch := maps.Clone(p.watch)
	p.mu.Unlock()
	if model == nil {
		return // the first one, which comes with the controls
	}
	if err := display.Current().Spend(len(page) * (1 + len(watch))); err != nil {
		return // the notebook ends
	}
	model.Set(map[string]any{"value": page})
	for comm, cell := range watch {
		if !p.h.isOpen(comm) {
			p.mu.Lock()
			delete(p.watch, comm)
			p.mu.Unlock()
			continue
		}
		p.h.reply(Message{Comm: comm, Cell: cell}, map[string]any{"panel": p.id, "picture": page}, nil)
	}
}

// watched notes that a page shows the panel.
func (p *Panel) watched(comm string, cell uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch[comm] = cell
}

// capture calls f and returns what it printed, where that can be told.
func (h *Hub) capture(f func()) string {
	if h.opt.Capture == nil {
		f()
		return ""
	}
	return h.opt.Capture(f)
}
