package display

import (
	"context"
	"fmt"
	"sync"
	"time"

	"trivium/kernel/symbols/box"
	"trivium/kernel/wire"
)

// changing returns the channel that is closed when v stops changing; nil if v is not a
// figure, or does not change.
func changing(v any) <-chan struct{} {
	if o, ok := box.Of(v); ok {
		f, shows := live(o)
		if !shows {
			return nil
		}
		v = f
	}
	f, ok := v.(interface {
		Figure
		Done() <-chan struct{}
	})
	if !ok {
		return nil
	}
	done := f.Done()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	default:
		return done
	}
}

// changes returns what is shown of v again and again as it changes, and when it is done.
func changes(v any) (shown any, done <-chan struct{}) {
	if done := changing(v); done != nil {
		return v, done
	}
	if f, ok := drawn(v); ok {
		return f, changing(f)
	}
	return nil, nil
}

// Changing returns the channel that is closed when a value stops changing; nil if it is no
// live figure, or does not change any more.
func Changing(v any) <-chan struct{} { return changing(v) }

// load is how long the live outputs' latest drawings took together.
type load struct {
	mu   sync.Mutex
	sum  time.Duration
	busy chan struct{} // holds a token while an output is drawn
}

// patience is how long a drawing waits for another one: a figure that never returns must not
// keep all others from being drawn.
const patience = 200 * time.Millisecond

// turn waits until no other output is being drawn, so that together they take one processor at
// most and each one's time is its own. The function it returns gives the turn back.
func (l *load) turn() (done func()) {
	select {
	case l.busy <- struct{}{}:
		return func() { <-l.busy }
	case <-time.After(patience):
		return func() {}
	}
}

func (l *load) add(d time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum += d
	return l.sum
}

// showLive shows v now and whenever it has changed, until it is done.
func (m *Manager) showLive(c Cell, v any, done <-chan struct{}) error {
	v = unboxed(v)
	o := &liveOutput{m: m, cell: c, v: v, done: done, id: m.newID(), poke: make(chan struct{}, 1)}
	if f, ok := v.(Switched); ok && m.opt.Switches != nil && !c.Silent {
		m.opt.Switches(c, f, o.redraw)
	}
	return o.start(m.ctx, wire.TypeDisplayData)
}

// unboxed is a value of a cell's type as the figure that it is.
func unboxed(v any) any {
	if o, ok := box.Of(v); ok {
		if f, ok := live(o); ok {
			return f
		}
	}
	return v
}

// newID is a display id that nothing else has.
func (m *Manager) newID() string { return fmt.Sprintf("trivium-%s-%d", m.opt.ID, m.next.Add(1)) }

// liveOutput is one value that is drawn again and again.
type liveOutput struct {
	m    *Manager
	cell Cell // that shows it, for as long as it lives
	v    any
	done <-chan struct{}
	id   string
	ctx  context.Context // of its frames
	poke chan struct{}   // asks for a frame at once

	mu      sync.Mutex    // held while a frame is drawn and sent; guards the rest
	since   time.Time     // of the first drawing
	took    time.Duration // by the latest drawing
	spent   time.Duration // by all of them
	version uint64        // that it drew
	over    bool          // the last frame is out
	retired bool          // no more frames come by themselves
}

// start sends the first frame as the given message, and the others from a goroutine of its own
// that ends with ctx.
func (o *liveOutput) start(ctx context.Context, msgType string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ctx, o.since = ctx, time.Now()
	content, err := o.draw(msgType, false)
	if err != nil {
		return err
	}
	if err := o.send(msgType, content); err != nil {
		return err
	}
	ended := o.m.settling.add(o)
	o.m.live.Go(func() {
		defer ended()
		o.run()
	})
	return nil
}

func (o *liveOutput) run() {
	defer o.retire()
	timer := time.NewTimer(o.pause())
	defer timer.Stop()
	for last := false; !last; {
		select {
		case <-o.done:
			last = true
		case <-o.ctx.Done():
			return
		case <-o.poke:
		case <-timer.C:
		}
		if err := o.frame(last); err != nil {
			return // the kernel is gone, or drawing failed and has said so
		}
		timer.Reset(o.pause())
	}
}

// retire takes the output out of the load.
func (o *liveOutput) retire() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.m.load.add(-o.took)
	o.took, o.retired = 0, true
}

// redraw draws a frame soon, also when the last one is out: the figure was changed by a switch.
func (o *liveOutput) redraw() {
	select {
	case o.poke <- struct{}{}:
	default:
	}
	o.mu.Lock()
	over := o.over
	o.mu.Unlock()
	if over {
		go o.frame(true)
	}
}

// frame draws and sends, unless nothing has changed. The last frame is always sent: drawing
// may have overlapped with the end.
func (o *liveOutput) frame(last bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.ctx.Err(); err != nil {
		return err
	}
	o.over = o.over || last
	if v, ok := o.v.(interface{ Version() uint64 }); ok && !last && v.Version() == o.version {
		return nil
	}
	content, err := o.draw(wire.TypeUpdateDisplayData, last)
	if err != nil {
		return err
	}
	if err := o.m.budget.take(o.ctx, len(content)); err != nil {
		return err
	}
	return o.send(wire.TypeUpdateDisplayData, content)
}

// draw makes the content of a message and measures how long that takes. Its transient part
// says whether more frames follow, for programs that wait for the last one (`trivium run`);
// front ends pass over what they do not know there, and it is not saved.
func (o *liveOutput) draw(msgType string, last bool) ([]byte, error) {
	defer o.m.load.turn()()
	start := time.Now()
	if v, ok := o.v.(interface{ Version() uint64 }); ok {
		o.version = v.Version() // before drawing: what comes during it is for the next frame
	}
	b, _ := Render(o.v)
	switch {
	case last:
		b = kept(b)
	case !o.cell.Attended: // whoever executes a notebook may stop listening, and keep this frame
		b = asHTML(b)
	}
	content, err := encode(msgType, wire.DisplayData{Data: b.Data, Metadata: b.Metadata,
		Transient: wire.Bundle{"display_id": o.id, "live": !last}})
	took := time.Since(start)
	if !o.retired {
		o.m.load.add(took - o.took)
		o.took = took
	}
	o.spent += took
	return content, err
}

func (o *liveOutput) send(msgType string, content []byte) error {
	if o.cell.Silent {
		return nil
	}
	return o.m.sink(o.cell.ID, msgType, content)
}

// A live output may draw for drawingAtOnce at once, so that it is lively at first, and for
// drawingShare of the time that has gone by: a figure is not to slow what it shows.
const (
	drawingAtOnce = 10 * time.Millisecond
	drawingShare  = 0.005
	othersShare   = 1.0 / 30
)

// pause is how long to wait for the next frame: at least Every, and so long that drawing
// stays within what it may take, or within a sixth of a processor where that would mean less
// than a frame a second; and that many outputs together take a thirtieth.
func (o *liveOutput) pause() time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	others := o.m.load.add(0) - o.took
	earned := time.Duration(float64(o.spent+o.took-drawingAtOnce)/drawingShare) - time.Since(o.since)
	return max(o.m.opt.Every, min(earned, time.Second), 5*o.took, time.Duration(float64(others)/othersShare))
}
