package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ticking is work of n steps of one second each, the shape of every engine here.
func ticking(n int) func(context.Context, *Trace) (any, error) {
	return func(ctx context.Context, t *Trace) (any, error) {
		for k := range n {
			if err := Gate(ctx); err != nil {
				return k, err
			}
			time.Sleep(time.Second)
			t.Sample("loss", float64(k), 1/float64(k+1))
			t.Progress(float64(k+1), float64(n))
		}
		return n, nil
	}
}

func TestLifeOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Start(t.Context(), Options{Kind: "train", Settings: []Setting{{"rate", "0.1"}}, Total: 10}, ticking(10))
		if got := r.State(); got != StateRunning {
			t.Errorf("state after Start: %v", got)
		}
		time.Sleep(4500 * time.Millisecond)
		synctest.Wait()
		p := r.Progress()
		if p.Done != 4 || p.Total != 10 || p.Seconds != 4.5 || p.Series != "loss" || p.Last.Value != 0.25 {
			t.Errorf("progress at 4.5 s: %+v", p)
		}
		if p.Left < 6 || p.Left > 7.5 { // 5.5 s in truth; 6 steps at about a second each
			t.Errorf("left %v s, want about 6", p.Left)
		}
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r.State() != StateDone || r.Result() != 10 || r.Progress().Left != 0 {
			t.Errorf("at the end: %v, result %v, left %v", r.State(), r.Result(), r.Progress().Left)
		}
		time.Sleep(time.Hour)
		if s := r.Progress().Seconds; s != 10 {
			t.Errorf("the clock of a run that took 10 s says %v an hour later", s)
		}
		if r.Name() != fmt.Sprintf("train %d", r.ID()) || r.Kind() != "train" {
			t.Errorf("named %q of kind %q", r.Name(), r.Kind())
		}
	})
}

func TestPauseStopsWorkAndClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Start(t.Context(), Options{}, ticking(4))
		time.Sleep(1500 * time.Millisecond)
		r.Pause()
		r.Pause() // a second one changes nothing
		time.Sleep(time.Hour)
		if n := r.Trace().Len("loss"); n != 2 || r.State() != StatePaused {
			t.Errorf("an hour into the pause: %d samples, %v; the step under way ends, no other begins", n, r.State())
		}
		r.Resume()
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		// Sample 0 at 1 s, 1 during the pause at 1.5 s, 2 and 3 each a second later.
		var got []float64
		for _, p := range r.Trace().Points("loss") {
			got = append(got, p.Seconds)
		}
		if want := []float64{1, 1.5, 2.5, 3.5}; !reflect.DeepEqual(got, want) {
			t.Errorf("seconds %v, want %v", got, want)
		}
		r.Pause()
		if r.State() != StateDone {
			t.Error("a run that has ended was paused")
		}
	})
}

func TestStop(t *testing.T) {
	tired := errors.New("tired of waiting")
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		work  func(context.Context, *Trace) (any, error)
		stop  func(*Run)
		state State
		err   error
	}{
		"at the gate":  {ticking(10), (*Run).Stop, StateStopped, ErrStopped},
		"with a cause": {ticking(10), func(r *Run) { r.StopCause(tired) }, StateStopped, tired},
		"while paused": {ticking(10), func(r *Run) { r.Pause(); time.Sleep(time.Minute); r.Stop() }, StateStopped, ErrStopped},
		"with a wrapped cause": {func(ctx context.Context, _ *Trace) (any, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("cycle 3: %w", context.Cause(ctx))
		}, (*Run).Stop, StateStopped, ErrStopped},
		"by the context's own error": {func(ctx context.Context, _ *Trace) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, func(r *Run) { r.StopCause(tired) }, StateStopped, tired},
		"too late": {func(ctx context.Context, _ *Trace) (any, error) {
			<-ctx.Done()
			return nil, nil
		}, (*Run).Stop, StateDone, nil},
		"an error of its own is not hidden": {func(ctx context.Context, _ *Trace) (any, error) {
			<-ctx.Done()
			return nil, broken
		}, (*Run).Stop, StateFailed, broken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := Start(t.Context(), Options{}, c.work)
				time.Sleep(2500 * time.Millisecond)
				c.stop(r)
				err := r.Wait(context.Background())
				if !errors.Is(err, c.err) || r.State() != c.state || !errors.Is(r.Err(), c.err) {
					t.Errorf("ended as %v with %v, want %v with %v", r.State(), err, c.state, c.err)
				}
				r.Stop() // once more does nothing
			})
		})
	}
}

func TestWaitDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Start(t.Context(), Options{}, ticking(10))
		short, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := r.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait under a context of 2 s: %v", err)
		}
		if err := r.Wait(t.Context()); err != nil || r.Result() != 10 {
			t.Errorf("the run ended with %v, result %v", err, r.Result())
		}
		if err := r.Wait(short); err != nil {
			t.Errorf("an ended run, asked under an ended context: %v", err)
		}
	})
}

func explode(a []int) int { return a[3] }

func TestPanicsBecomeErrors(t *testing.T) {
	for name, c := range map[string]struct {
		work func(context.Context, *Trace) (any, error)
		says []string
	}{
		"index":   {func(context.Context, *Trace) (any, error) { return explode([]int{1}), nil }, []string{"index out of range [3]", "explode"}},
		"value":   {func(context.Context, *Trace) (any, error) { panic("no such layer") }, []string{"no such layer", "run_test.go"}},
		"goexit":  {func(context.Context, *Trace) (any, error) { runtime.Goexit(); return nil, nil }, []string{"Goexit"}},
		"no work": {nil, []string{"the function is nil"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Start(t.Context(), Options{}, c.work)
			err := r.Wait(t.Context())
			if err == nil || r.State() != StateFailed {
				t.Fatalf("ended as %v with %v", r.State(), err)
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
	r := Start(t.Context(), Options{}, func(context.Context, *Trace) (any, error) { return explode(nil), nil })
	var p *PanicError
	var re runtime.Error
	if err := r.Wait(t.Context()); !errors.As(err, &p) || !errors.As(err, &re) || !strings.Contains(string(p.Stack), "explode") {
		t.Errorf("no stack or runtime error in %v", err)
	}
}

func TestFailed(t *testing.T) {
	why := errors.New("coarsen = 0, want at least 2")
	r := Failed(Options{Name: "m"}, why)
	r.Stop()
	r.Pause()
	r.Resume()
	if err := r.Wait(t.Context()); err != why || r.State() != StateFailed {
		t.Errorf("state %v, error %v", r.State(), err)
	}
	if Failed(Options{}, nil).Err() == nil {
		t.Error("failed without an error")
	}
}

func TestGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, g := WithGroup(t.Context())
		plain := Start(ctx, Options{Name: "plain"}, ticking(10))
		calls := Start(ctx, Options{Name: "calls", CallsCells: true}, func(ctx context.Context, tr *Trace) (any, error) {
			Start(ctx, Options{Name: "child"}, ticking(20)) // joins too, and ends with its parent
			return ticking(10)(ctx, tr)
		})
		Start(t.Context(), Options{Name: "elsewhere"}, ticking(1))
		time.Sleep(1500 * time.Millisecond)
		if n := len(g.Runs()); n != 3 {
			t.Fatalf("%d runs, want plain, calls and child", n)
		}
		interrupted := errors.New("a cell it calls was interrupted")
		g.StopCallers(interrupted)
		if err := calls.Wait(t.Context()); !errors.Is(err, interrupted) {
			t.Errorf("the run that calls cells ended with %v", err)
		}
		if plain.State() != StateRunning {
			t.Errorf("the run that calls none is %v", plain.State())
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := g.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait for a second: %v", err)
		}
		g.StopAll(nil)
		if err := g.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		for _, r := range g.Runs() {
			if r.State() != StateStopped {
				t.Errorf("%s is %v", r.Name(), r.State())
			}
		}
		time.Sleep(time.Minute) // lets "elsewhere" end
	})
}

func TestGateWithoutARun(t *testing.T) {
	if err := Gate(context.Background()); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(ErrStopped)
	if err := Gate(ctx); err != ErrStopped {
		t.Error(err)
	}
}

// A notebook that starts run after run must not fill the memory with their results.
func TestGroupKeepsNoResults(t *testing.T) {
	ctx, g := WithGroup(t.Context())
	freed := make(chan struct{})
	start := func(name string) *Run {
		return Start(ctx, Options{Name: name}, func(_ context.Context, tr *Trace) (any, error) {
			tr.Sample("loss", 0, 1)
			large := &[1 << 20]byte{}
			if name == "dropped" {
				runtime.AddCleanup(large, func(ch chan struct{}) { close(ch) }, freed)
			}
			return large, nil
		})
	}
	start("dropped")
	kept := start("kept")
	if err := g.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); ; {
		runtime.GC()
		select {
		case <-freed:
		case <-time.After(5 * time.Millisecond):
			if time.Now().After(end) {
				t.Fatal("the result of a run that nobody refers to is still there")
			}
			continue
		}
		break
	}
	runs := g.Runs()
	if len(runs) != 2 || runs[1] != kept || kept.Result() == nil {
		t.Fatalf("%d runs; the one that is referred to must be there with its result", len(runs))
	}
	r := runs[0]
	if r.Name() != "dropped" || r.State() != StateDone || r.Trace().Len("loss") != 1 || r.Result() != nil {
		t.Errorf("%s is %v with %d samples and result %v", r.Name(), r.State(), r.Trace().Len("loss"), r.Result() != nil)
	}
	r.Stop()
	if err := r.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestRunString(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Start(t.Context(), Options{Name: "XOR", Kind: "mgrit", Total: 3, Unit: "cycles"}, func(ctx context.Context, tr *Trace) (any, error) {
			time.Sleep(1500 * time.Millisecond)
			tr.Progress(2, 3)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		time.Sleep(2 * time.Second)
		running := r.String()
		r.Stop()
		_ = r.Wait(t.Context()) // it was stopped
		for got, want := range map[string]string{
			running:    "XOR (mgrit): running, 2 of 3 cycles, 2s",
			r.String(): "XOR (mgrit): stopped, 2 of 3 cycles, 2s",
			Failed(Options{Name: "bad", Kind: "train"}, errors.New("Epochs is -1")).String(): "bad (train): failed: Epochs is -1",
		} {
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if got := Failed(Options{Kind: "train"}, errors.New("x")).String(); strings.Contains(got, "(") {
			t.Errorf("%q says the kind twice", got)
		}
	})
}
