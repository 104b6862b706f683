package eval

import (
	"context"
	"errors"
	"testing"
	"time"

	"trivium/kernel/symbols"
)

// TestLend interrupts cells that wait for compiled code, which has a goroutine of its own call their functions: it
// ends with the cell, and those of an earlier cell go on.
func TestLend(t *testing.T) {
	var s *Session
	elsewhere := func(f func() int) (n int) {
		defer s.Lend()()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() {
				if recover() != nil {
					n = -1
				}
			}()
			n = f()
		}()
		<-done
		return n
	}
	s, err := New(Options{Symbols: symbols.All, Predeclared: []Predeclared{{"elsewhere", "func(func() int) int", elsewhere}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, s, 1, `
var ticks atomic.Int64
go func() { for { elsewhere(func() int { ticks.Add(1); time.Sleep(time.Millisecond); return 0 }) } }()
result := 0
elsewhere(func() int { return 6 })`); got != "6" {
		t.Fatalf("got %q", got)
	}
	for n, src := range []string{
		`result = elsewhere(func() int { for {} })`,
		`result = elsewhere(func() int { time.Sleep(time.Hour); return 1 })`,
		`result = elsewhere(func() int { c := make(chan int); go func() { for {} }(); return <-c })`,
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		began := time.Now()
		out := s.Run(ctx, Cell{n + 2, src})
		cancel()
		if took := time.Since(began); took > 2*time.Minute || out.Err == nil {
			t.Errorf("%s: %v after %v", src, out.Err, took)
		}
	}
	if got := text(t, s, 9, `before := ticks.Load(); for i := 0; i < 500 && ticks.Load() == before; i++ { time.Sleep(10*time.Millisecond) }; ticks.Load() > before`); got != "true" {
		t.Errorf("the goroutine of an earlier cell has ended: %s", got)
	}
	if got := text(t, s, 10, `elsewhere(func() int { return 7 })`); got != "7" {
		t.Errorf("got %q", got)
	}
}

// TestWithin has work on a goroutine of its own call functions of cells: when it is told to end they have a while
// to return by themselves, and then end, as do those that it waits for, while other cells go on.
func TestWithin(t *testing.T) {
	t.Parallel()
	var s *Session
	type work struct {
		stop context.CancelFunc
		done chan any // what the function gave or panicked with
	}
	var works []*work
	start := func(f func() int) int {
		ctx, stop := context.WithCancel(context.Background())
		w := &work{stop, make(chan any, 1)}
		works = append(works, w)
		go func() {
			defer s.Within(ctx)()
			defer func() {
				if v := recover(); v != nil {
					v, _ = s.Explain(v)
					w.done <- v
				}
			}()
			w.done <- f()
		}()
		return len(works) - 1
	}
	s, err := New(Options{Symbols: symbols.All, Predeclared: []Predeclared{{"start", "func(func() int) int", start}}})
	if err != nil {
		t.Fatal(err)
	}
	text(t, s, 1, `
var ticks atomic.Int64
go func() { for { ticks.Add(1); time.Sleep(time.Millisecond) } }()
start(func() int { for {} })
start(func() int { time.Sleep(time.Hour); return 1 })
start(func() int { c := make(chan int); go func() { for {} }(); return <-c })
start(func() int { time.Sleep(50*time.Millisecond); return 7 })
start(func() int { defer func() { recover() }(); for {} })`)
	for _, w := range works {
		w.stop()
	}
	for i, w := range works {
		var got any
		select {
		case got = <-w.done:
		case <-time.After(2 * time.Minute):
			t.Fatalf("work %d has not ended", i)
		}
		if want := []any{context.Canceled, context.Canceled, context.Canceled, 7, context.Canceled}[i]; got != want {
			t.Errorf("work %d gave %v, want %v", i, got, want)
		}
	}
	if got := text(t, s, 2, `before := ticks.Load(); for i := 0; i < 500 && ticks.Load() == before; i++ { time.Sleep(10*time.Millisecond) }; ticks.Load() > before`); got != "true" {
		t.Errorf("the goroutine of a cell has ended: %s", got)
	}
	if got := text(t, s, 3, `n := 0; for range 100000 { n++ }; n`); got != "100000" {
		t.Errorf("got %q", got)
	}
}

// TestRunGoesOn interrupts the cell that has started a run of the engine: the run, whose goroutine is one that the cell's
// has made, goes on to call the cell's function.
func TestRunGoesOn(t *testing.T) {
	s := newSession(t)
	run(t, s, 1, "import trun \"trivium/core/run\"\nvar steps atomic.Int64\nvar r *trun.Run")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	time.AfterFunc(50*time.Millisecond, cancel)
	out := s.Run(ctx, Cell{2, `r = trun.Start(context.Background(), trun.Options{}, func(ctx context.Context, t *trun.Trace) (any, error) {
	for ctx.Err() == nil { steps.Add(1); time.Sleep(time.Millisecond) }
	return "told to stop", nil
})
time.Sleep(time.Hour)`})
	if !errors.Is(out.Err, ErrInterrupted) {
		t.Fatalf("the cell ended with %v", out.Err)
	}
	if got := text(t, s, 3, `before := steps.Load()
for i := 0; i < 2000 && steps.Load() < before + 10; i++ { time.Sleep(time.Millisecond) }
after := steps.Load()
r.Stop()
<-r.Done()
v, err := r.Result(), r.Err()
fmt.Sprint(after >= before+10, v, err)`); got != "truetold to stop<nil>" {
		t.Errorf("the run: %s", got)
	}
}
