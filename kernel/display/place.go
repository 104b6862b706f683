package display

import (
	"context"
	"sync"

	"trivium/kernel/wire"
)

// A Place is where a value stands in the output of a cell until another one replaces it.
type Place struct {
	m    *Manager
	cell Cell
	id   string

	mu    sync.Mutex // held while a value is put in place
	shown bool
	end   func() // ends the live output that stands there
}

// NewPlace makes a place in the output of a cell, below what that shows now. The place is
// there when something is shown in it.
func (m *Manager) NewPlace(c Cell) *Place {
	c.Catch = nil
	return &Place{m: m, cell: c, id: m.newID(), end: func() {}}
}

// Show puts a value in the place. One that is still changing goes on being drawn, until
// another takes its place.
func (p *Place) Show(v any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	p.end = func() {}
	msgType := wire.TypeUpdateDisplayData
	if !p.shown {
		msgType = wire.TypeDisplayData
	}
	p.shown = true
	done := changing(v)
	if done == nil {
		b, _ := Render(v)
		return p.m.show(p.cell, msgType, b, p.id)
	}
	ctx, cancel := context.WithCancel(p.m.ctx)
	o := &liveOutput{m: p.m, cell: p.cell, v: unboxed(v), done: done, id: p.id, poke: make(chan struct{}, 1)}
	p.end = func() {
		cancel()
		o.mu.Lock() // a frame that is on its way comes before what replaces it
		o.over = true
		o.mu.Unlock()
	}
	return o.start(ctx, msgType)
}
