package display

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sent is a message that reached the sink.
type sent struct {
	at      time.Duration // since the start of the test
	cell    uint64
	msgType string
	content map[string]any
	size    int
}

// recorder is a sink that keeps what it gets.
type recorder struct {
	mu    sync.Mutex
	start time.Time
	all   []sent
}

func (r *recorder) sink(cell uint64, msgType string, content []byte) error {
	var c map[string]any
	if err := json.Unmarshal(content, &c); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, sent{time.Since(r.start), cell, msgType, c, len(content)})
	return nil
}

func (r *recorder) list() []sent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]sent(nil), r.all...)
}

// figure is a live figure of which the test says all.
type figure struct {
	done    chan struct{}
	version atomic.Uint64
	drawn   atomic.Int64
	slow    time.Duration // that drawing takes
	size    int           // bytes of the picture
	boom    atomic.Bool   // panics when drawn
}

func newFigure() *figure                { return &figure{done: make(chan struct{})} }
func (f *figure) Done() <-chan struct{} { return f.done }
func (f *figure) Version() uint64       { return f.version.Load() }
func (f *figure) MIMEBundle() (data, metadata map[string]any) {
	if f.boom.Load() {
		panic("no ink")
	}
	time.Sleep(f.slow)
	n := f.drawn.Add(1)
	return map[string]any{SVG: strings.Repeat("x", f.size), Text: fmt.Sprintf("drawing %d of version %d", n, f.version.Load())}, nil
}

func manager(o Options) (*Manager, *recorder) {
	r := &recorder{start: time.Now()}
	m := New(r.sink, o)
	m.Begin(Cell{ID: 7, N: 3})
	return m, r
}

// grow adds to a figure every so often, until the test's end of time.
func grow(f *figure, every, until time.Duration) {
	for range int(until / every) {
		time.Sleep(every)
		f.version.Add(1)
	}
}

func TestLiveOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r := manager(Options{})
		f := newFigure()
		if err := m.Result([]Value{{V: f, Text: "ignored"}}); err != nil {
			t.Fatal(err)
		}
		m.Begin(Cell{ID: 8, N: 4}) // another cell runs meanwhile
		grow(f, 10*time.Millisecond, 2*time.Second)
		close(f.done)
		time.Sleep(10 * time.Millisecond) // the last frame is paid for like any other
		got := r.list()
		// At 0, then every 250 ms: 8 in 2 s, the last at the end.
		if len(got) < 8 || len(got) > 10 {
			t.Fatalf("%d frames in 2 s, want one at once and one every 250 ms", len(got))
		}
		id := got[0].content["transient"].(map[string]any)["display_id"]
		if got[0].msgType != "display_data" || got[0].at != 0 || id == "" {
			t.Errorf("first %+v", got[0])
		}
		for i, s := range got[1:] {
			if s.msgType != "update_display_data" || s.cell != 7 || s.content["transient"].(map[string]any)["display_id"] != id {
				t.Errorf("frame %d is %s of cell %d, want an update of the first in cell 7", i+1, s.msgType, s.cell)
			}
			if gap := s.at - got[i].at; gap < 250*time.Millisecond && i+2 < len(got) {
				t.Errorf("frame %d came %v after the one before", i+1, gap)
			}
		}
		last := got[len(got)-1].content
		if text := last["data"].(map[string]any)[Text].(string); !strings.HasSuffix(text, "version 200") {
			t.Errorf("the last frame is %q, want all 200 versions in it", text)
		}
		if last["transient"].(map[string]any)["live"] != false || got[0].content["transient"].(map[string]any)["live"] != true {
			t.Error("only the last frame says that no other follows")
		}
		m.Close()
	})
}

func TestUnchangedVersionIsNotDrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r := manager(Options{})
		f := newFigure()
		m.Show(f)
		time.Sleep(time.Minute)
		if n := len(r.list()); n != 1 || f.drawn.Load() != 1 {
			t.Errorf("%d frames of a figure that does not change, want 1", n)
		}
		f.version.Add(1)
		time.Sleep(time.Second)
		if n := len(r.list()); n != 2 {
			t.Errorf("%d frames after one change, want 2", n)
		}
		close(f.done)
		time.Sleep(10 * time.Millisecond)
		if n := len(r.list()); n != 3 {
			t.Errorf("%d frames, want a last one at the end", n)
		}
		m.Close()
	})
}

func TestSlowDrawingIsRareDrawing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r := manager(Options{})
		f := newFigure()
		f.slow = 200 * time.Millisecond
		m.Show(f)
		go grow(f, 10*time.Millisecond, 12*time.Second)
		time.Sleep(12 * time.Second)
		// A frame takes 200 ms and is followed by a pause of five times that: 10 in 12 s.
		if n := len(r.list()); n < 9 || n > 11 {
			t.Errorf("%d frames in 12 s, want 10", n)
		}
		close(f.done)
		time.Sleep(time.Second)
		m.Close()
	})
}

func TestManyFiguresStayUnderTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, figures, size = 400_000, 20, 60_000
		m, r := manager(Options{Rate: rate})
		var fs []*figure
		for range figures {
			f := newFigure()
			f.size = size
			fs = append(fs, f)
			m.Show(f)
			go grow(f, 10*time.Millisecond, 30*time.Second)
		}
		time.Sleep(30 * time.Second)
		// First frames are shown by cells, and not held back; count what was sent after them.
		total, each := 0, map[any]int{}
		for _, s := range r.list() {
			if s.msgType == "update_display_data" {
				total += s.size
				each[s.content["transient"].(map[string]any)["display_id"]]++
			}
		}
		if total > rate*30+size || total < rate*30*8/10 {
			t.Errorf("%d bytes in 30 s, want close to and no more than %d", total, rate*30)
		}
		for id, n := range each {
			if n < 3 {
				t.Errorf("%v got %d of about %d frames", id, n, total/size/figures)
			}
		}
		if len(each) != figures {
			t.Errorf("%d figures were redrawn, want %d", len(each), figures)
		}
		for _, f := range fs {
			close(f.done)
		}
		m.Close()
	})
}

func TestDrawingCostIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := manager(Options{Rate: 1 << 30})
		var fs []*figure
		for range 20 {
			f := newFigure()
			f.slow = 5 * time.Millisecond
			fs = append(fs, f)
			m.Show(f)
			go grow(f, 10*time.Millisecond, time.Minute)
		}
		began := int64(0)
		for _, f := range fs {
			began += f.drawn.Load()
		}
		time.Sleep(time.Minute)
		drawn := -began
		for _, f := range fs {
			drawn += f.drawn.Load()
			close(f.done)
		}
		if share := float64(drawn) * 0.005 / 60; share > 0.04 || share < 0.02 {
			t.Errorf("20 figures took %.1f %% of a processor, want a thirtieth", 100*share)
		}
		time.Sleep(time.Second)
		m.Close()
	})
}

// TestOneIsDrawnAtATime: figures take turns, and one that is stuck does not keep the others.
func TestOneIsDrawnAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := manager(Options{})
		var now, most atomic.Int64
		var fs []*slowFigure
		for range 4 {
			f := &slowFigure{figure: newFigure(), now: &now, most: &most, takes: 30 * time.Millisecond}
			fs = append(fs, f)
			go m.Show(f)
			go grow(f.figure, 10*time.Millisecond, 10*time.Second)
		}
		time.Sleep(10 * time.Second)
		if n := most.Load(); n != 1 {
			t.Errorf("%d figures were drawn at once, want 1", n)
		}
		fs[0].stuck.Store(true)
		fs[0].version.Add(1)
		time.Sleep(time.Minute)
		before := fs[1].drawn.Load()
		fs[1].version.Add(1)
		time.Sleep(10 * time.Second)
		if fs[1].drawn.Load() == before {
			t.Error("a figure that is stuck keeps another one from being drawn")
		}
		fs[0].stuck.Store(false)
		for _, f := range fs {
			close(f.done)
		}
		time.Sleep(time.Hour)
		m.Close()
	})
}

// slowFigure counts how many are drawn at once.
type slowFigure struct {
	*figure
	now, most *atomic.Int64
	takes     time.Duration
	stuck     atomic.Bool
}

func (f *slowFigure) MIMEBundle() (data, metadata map[string]any) {
	if n := f.now.Add(1); n > f.most.Load() {
		f.most.Store(n)
	}
	defer f.now.Add(-1)
	time.Sleep(f.takes)
	for f.stuck.Load() {
		time.Sleep(time.Second)
	}
	return f.figure.MIMEBundle()
}

func TestFigureThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r := manager(Options{})
		f := newFigure()
		m.Show(f)
		f.boom.Store(true)
		f.version.Add(1)
		time.Sleep(time.Second)
		got := r.list()
		if text := fmt.Sprint(got[len(got)-1].content["data"]); len(got) != 2 || !strings.Contains(text, "no ink") {
			t.Errorf("%d frames, the last %s; want one that tells of the panic", len(got), text)
		}
		close(f.done)
		m.Close()
	})
}

func TestCloseEndsLiveOutputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := manager(Options{})
		m.Show(newFigure()) // never done
		m.Close()
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := manager(Options{})
		ctx, stop := withCause(t)
		m.Begin(Cell{ID: 1, Ctx: ctx})
		done := make(chan struct{})
		close(done)
		if err := m.Wait(done); err != nil {
			t.Errorf("waiting for what is done: %v", err)
		}
		cause := errors.New("stop button")
		go func() {
			time.Sleep(time.Second)
			if m.Waits() != 1 {
				t.Errorf("%d waits, want 1", m.Waits())
			}
			stop(cause)
		}()
		if err := m.Wait(make(chan struct{})); err != cause {
			t.Errorf("interrupted: %v, want the cause", err)
		}
		if m.Waits() != 0 {
			t.Errorf("%d waits afterwards", m.Waits())
		}
		m.Close()
	})
}

// TestUnattendedFrames: a program that executes a notebook may keep any frame, so each is one that
// converters show.
func TestUnattendedFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r := manager(Options{})
		for _, attended := range []bool{false, true} {
			m.Begin(Cell{ID: 7, N: 3, Attended: attended})
			f := newFigure()
			if err := m.Result([]Value{{V: f}}); err != nil {
				t.Fatal(err)
			}
			f.version.Add(1)
			time.Sleep(time.Second)
			close(f.done)
			time.Sleep(time.Second)
			for i, s := range r.list()[:2] { // the first, and one more; the last has no PNG and is left as it is
				data := s.content["data"].(map[string]any)
				if html, _ := data[HTML].(string); strings.HasPrefix(html, "<img src=\"data:image/svg+xml,") == attended {
					t.Errorf("attended %v, frame %d: %v", attended, i, data)
				}
				if (data[SVG] != nil) != attended || data[Text] == nil {
					t.Errorf("attended %v, frame %d: %v", attended, i, data)
				}
			}
			r.mu.Lock()
			r.all = nil
			r.mu.Unlock()
		}
		m.Close()
	})
}
