package display

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"trivium/kernel/wire"
)

// A Sink hands the content of an output message of a cell to the front ends. It returns when
// the message is in line behind all text that was printed before.
type Sink func(cell uint64, msgType string, content []byte) error

// Options sets how live outputs are paced. The zero value is right for Jupyter.
type Options struct {
	Every time.Duration // least time between two frames of an output; 0 means 250 ms
	Rate  int           // bytes per second of all live outputs together; 0 means 400,000
	ID    string        // distinguishes display ids of this process; "" means by its start

	// Switches shows the switches of a figure that is about to be shown as a live output; after
	// each use it calls redraw. May be nil.
	Switches func(c Cell, f Switched, redraw func())
}

// A Manager shows values as output of cells. Its methods may be called from any goroutine.
type Manager struct {
	sink     Sink
	opt      Options
	budget   budget
	ctx      context.Context // of live outputs
	end      context.CancelCauseFunc
	live     sync.WaitGroup
	settling settling
	next     atomic.Uint64
	waits    atomic.Int64
	load     load

	mu   sync.Mutex
	cell Cell // that runs, or ran last
}

// A Cell is where output goes.
type Cell struct {
	ID     uint64          // on the link
	N      int             // execution count
	Silent bool            // nothing is shown
	Ctx    context.Context // ends when the cell is interrupted

	// Attended tells that somebody sits in front of the notebook, who can use controls; where a
	// notebook is executed by a program they would only be saved with it.
	Attended bool

	// Catch, if not nil, gets what is shown instead of the front end: values, or a Bundle.
	Catch func(v any)
}

// Switched is a figure that can be changed while it is shown, by switches in the page.
type Switched interface {
	// Switches lists the switches that make sense now. Each is a list: its name, the choice
	// that is on, and all choices.
	Switches() [][]string
	// Switch makes a choice. One that does not exist is passed over. It does not wait.
	Switch(name, choice string)
}

// ErrClosed is the cause with which live outputs end when the evaluator does.
var ErrClosed = errors.New("display: closed")

// New makes a manager. Close it to end its live outputs.
func New(sink Sink, o Options) *Manager {
	if o.Every == 0 {
		o.Every = 250 * time.Millisecond
	}
	if o.Rate == 0 {
		o.Rate = 400_000
	}
	if o.ID == "" {
		o.ID = strconv.FormatInt(time.Now().UnixNano(), 36)
	}
	m := &Manager{sink: sink, opt: o, budget: budget{rate: float64(o.Rate)}, load: load{busy: make(chan struct{}, 1)}}
	m.ctx, m.end = context.WithCancelCause(context.Background())
	return m
}

var current atomic.Pointer[Manager]

// Use makes m the manager that cells show values with.
func Use(m *Manager) { current.Store(m) }

// Current is the manager given to Use. Without one, as in a program that is not an
// evaluator, it is one that drops everything.
func Current() *Manager {
	if m := current.Load(); m != nil {
		return m
	}
	m := New(func(uint64, string, []byte) error { return nil }, Options{})
	current.CompareAndSwap(nil, m)
	return current.Load()
}

// Begin makes c the cell that output goes to.
func (m *Manager) Begin(c Cell) {
	m.mu.Lock()
	m.cell = c
	m.mu.Unlock()
}

// Cell is the cell that runs, or ran last.
func (m *Manager) Cell() Cell {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cell
}

// Context ends when the running cell is interrupted.
func (m *Manager) Context() context.Context {
	if c := m.Cell(); c.Ctx != nil {
		return c.Ctx
	}
	return context.Background()
}

// Wait waits until done is closed. It returns the cause if the running cell is interrupted
// first.
func (m *Manager) Wait(done <-chan struct{}) error {
	m.waits.Add(1)
	defer m.waits.Add(-1)
	ctx := m.Context()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Waits is how many calls of Wait go on. An interrupted cell that is in one of them comes
// back by itself.
func (m *Manager) Waits() int { return int(m.waits.Load()) }

// Spend waits until n bytes of something that changes may go out, within the budget of all
// live outputs. It returns an error when the manager is closed.
func (m *Manager) Spend(n int) error { return m.budget.take(m.ctx, n) }

// Close ends all live outputs, each with a last frame if it is done by now.
func (m *Manager) Close() {
	m.end(ErrClosed)
	m.live.Wait()
}

// Show shows a value in the output of the running cell. A value that is still changing goes
// on being shown as it changes.
func (m *Manager) Show(v any) error {
	c := m.Cell()
	if c.Catch != nil {
		c.Catch(v)
		return nil
	}
	if done := changing(v); done != nil {
		return m.showLive(c, v, done)
	}
	b, _ := Render(v)
	return m.show(c, wire.TypeDisplayData, b, "")
}

// ShowBundle shows a bundle; with an id it can be changed by Update.
func (m *Manager) ShowBundle(b Bundle, id string) error {
	c := m.Cell()
	if c.Catch != nil && id == "" {
		c.Catch(b)
		return nil
	}
	return m.show(c, wire.TypeDisplayData, complete(b, nil), id)
}

// Update replaces what was shown with an id, wherever it stands.
func (m *Manager) Update(id string, b Bundle) error {
	return m.show(m.Cell(), wire.TypeUpdateDisplayData, complete(b, nil), id)
}

// Clear removes the output of the running cell, now or, with wait, when there is new output.
func (m *Manager) Clear(wait bool) error {
	c := m.Cell()
	if c.Silent {
		return nil
	}
	content, err := json.Marshal(wire.ClearOutput{Wait: wait})
	if err != nil {
		return err
	}
	return m.sink(c.ID, wire.TypeClearOutput, content)
}

// A Value is a result of a cell with the text that its static type gives it.
type Value struct {
	V    any
	Text string
}

// Result shows the values of a cell's last expression. A single value other than nil is
// shown as richly as it can be.
func (m *Manager) Result(values []Value) error {
	c := m.Cell()
	var only *Value
	text := ""
	for i := range values {
		if values[i].V != nil {
			if only == nil {
				only = &values[i]
			} else {
				only = &Value{}
			}
		}
		if i > 0 {
			text += " "
		}
		text += values[i].Text
	}
	if len(values) == 0 {
		return nil
	}
	b := Bundle{Data: map[string]any{Text: shorten(text)}}
	if only != nil && only.V != nil {
		if f, done := changes(only.V); done != nil {
			return m.showLive(c, f, done)
		}
		if rich, ok := Render(only.V); ok {
			b = rich
		}
		if c.Ctx != nil && c.Ctx.Err() != nil {
			return context.Cause(c.Ctx) // a method of the cell was interrupted in the middle
		}
	}
	return m.result(c, b)
}

func (m *Manager) result(c Cell, b Bundle) error {
	if c.Silent {
		return nil
	}
	b = kept(b)
	content, err := encode(wire.TypeExecuteResult, wire.ExecuteResult{ExecutionCount: c.N, Data: b.Data, Metadata: b.Metadata})
	if err != nil {
		return err
	}
	return m.sink(c.ID, wire.TypeExecuteResult, content)
}

func (m *Manager) show(c Cell, msgType string, b Bundle, id string) error {
	if c.Silent {
		return nil
	}
	content, err := frame(msgType, b, id)
	if err != nil {
		return err
	}
	return m.sink(c.ID, msgType, content)
}

// frame is the content of display_data or update_display_data.
func frame(msgType string, b Bundle, id string) ([]byte, error) {
	b = kept(b)
	d := wire.DisplayData{Data: b.Data, Metadata: b.Metadata}
	if id != "" {
		d.Transient = wire.Bundle{"display_id": id}
	}
	return encode(msgType, d)
}

func encode(msgType string, content any) ([]byte, error) {
	m, err := wire.NewMessage(msgType, nil, content)
	if err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	return m.Content, nil
}
