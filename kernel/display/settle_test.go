package display

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSettle: when it returns, figures that are done have had their last frames, and those
// that go on were not waited for.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r := manager(Options{})
		slow, growing := newFigure(), newFigure()
		slow.slow = 100 * time.Millisecond
		for _, f := range []*figure{slow, growing} {
			if err := m.Show(f); err != nil {
				t.Fatal(err)
			}
		}
		go func() {
			time.Sleep(10 * time.Millisecond) // as a figure notices the end of its runs a little later
			slow.version.Add(1)
			close(slow.done)
		}()
		frames := len(r.list())
		began := time.Now()
		m.Settle(5 * time.Second)
		took := time.Since(began)
		if n := len(r.list()); n != frames+1 || took > 2*time.Second {
			t.Errorf("%d frames more after %v, want the last one of the figure that is done", n-frames, took)
		}
		m.Settle(5 * time.Second) // nothing that is done is open
		began = time.Now()
		growing.slow = time.Hour
		close(growing.done)
		m.Settle(time.Second)
		if took := time.Since(began); took != time.Second {
			t.Errorf("waited %v for a figure that takes an hour, want the limit of a second", took)
		}
		m.Close()
	})
}
