package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func run(t testing.TB, s *Session, n int, src string) Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	return s.Run(ctx, Cell{n, src})
}

// text runs a cell and gives what it shows, or its error.
func text(t testing.TB, s *Session, n int, src string) string {
	t.Helper()
	out := run(t, s, n, src)
	if out.Err != nil {
		return "error: " + out.Err.Error()
	}
	var l []string
	for _, v := range out.Values {
		l = append(l, v.Text)
	}
	return strings.Join(l, " ")
}

// blockers holds cells that do, or wait for, all kinds of things, for ever. They use the names of beforeBlockers.
var blockers = map[string]string{
	"empty loop":              `for {}`,
	"loop with work":          `for { x++ }`,
	"loop in a function":      `func spin(n int) int { for { n++; if n < 0 { return 0 } } }; spin(1)`,
	"nested calls":            `func a(n int) int { if n == 0 { return 0 }; return a(n-1) + 1 }; func b() { for { a(3) } }; b()`,
	"sleep":                   `time.Sleep(time.Hour)`,
	"receive":                 `ch := make(chan int); <-ch`,
	"send":                    `ch := make(chan int); ch <- 1`,
	"receive with ok":         `ch := make(chan int); v, ok := <-ch; fmt.Println(v, ok)`,
	"range over channel":      `ch := make(chan int); for v := range ch { fmt.Println(v) }`,
	"empty select":            `select {}`,
	"select":                  `c1, c2 := make(chan int), make(chan int); select { case v := <-c1: fmt.Println(v); case c2 <- 1: }`,
	"callback":                `sort.Slice(many, func(i, j int) bool { return i < j })`,
	"mutex":                   `mu.Lock(); mu.Lock()`,
	"wait group":              `var never sync.WaitGroup; never.Add(1); never.Wait()`,
	"goroutine that spins":    `var wg sync.WaitGroup; wg.Go(func() { y := 0; for { y++ } }); wg.Wait()`,
	"goroutine that waits":    `in, _ := io.Pipe(); go io.ReadAll(in); for {}`,
	"deferred and recovered":  `func f() { defer func() { recover() }(); for {} }; for { f() }`,
	"deferred calls in depth": `func deep(n int) { defer func() { x++ }(); if n == 0 { for {} }; deep(n-1) }; deep(20000)`,
	"range over int":          `for range 1 << 60 { x++ }`,
	"range over func":         `for range func(yield func(int) bool) { for yield(1) {} } {}`,
	"loop with labels":        "outer:\nfor { for { continue outer } }",
	"search for a minimum":    `optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { for { x[0]++ } }}, []float64{1, 2}, nil, nil)`,
	"search that waits":       `optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { time.Sleep(time.Hour); return 0 }}, []float64{1, 2}, nil, nil)`,
	"read lock":               `rw := new(sync.RWMutex); rw.Lock(); rw.RLock()`,
}

const beforeBlockers = `
x := 0
triple := func(i int) int { return 3 * i }
counter := func() func() int { n := 0; return func() int { n++; return n } }()
var ticks atomic.Int64
go func() { for { ticks.Add(1); time.Sleep(time.Millisecond) } }()
var mu sync.Mutex
many := make([]int, 1e7) // here, as nothing interrupts the system while it makes room
`

// interruptCell runs a cell, interrupts it when it has run for a while, and gives how long it took to end.
func interruptCell(t *testing.T, s *Session, name, src string) time.Duration {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	time.AfterFunc(30*time.Millisecond, func() { at = time.Now(); cancel() })
	out := s.Run(ctx, Cell{2, src})
	took := time.Since(at)
	if !errors.Is(out.Err, ErrInterrupted) {
		t.Errorf("%s: ended with %v", name, out.Err)
	}
	run(t, s, 3, `mu.TryLock(); mu.Unlock()`)
	return took
}

// TestInterrupt interrupts each cell of blockers; afterwards closures, counters and background
// goroutines of an earlier cell must work and give right values.
func TestInterrupt(t *testing.T) {
	s := newSession(t)
	if e := text(t, s, 1, beforeBlockers); strings.HasPrefix(e, "error") {
		t.Fatal(e)
	}
	count := 0
	for name, src := range blockers {
		interruptCell(t, s, name, src)
		count++
		if got := text(t, s, 3, `t0 := ticks.Load(); for i := 0; i < 500 && ticks.Load() == t0; i++ { time.Sleep(2 * time.Millisecond) }; fmt.Sprint(triple(4), counter(), ticks.Load() > t0)`); got != fmt.Sprint(12, count, true) {
			t.Errorf("after %s: %s", name, got)
		}
	}
}

// TestReproduceInterrupt measures how long each cell of blockers takes to end. It waits its turn on a
// machine that has other work, so it says something only where there is none.
func TestReproduceInterrupt(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("set TRIVIUM_REPRODUCE=1 to measure how long interrupted cells take to end")
	}
	const times, most = 20, 300 * time.Millisecond
	s := newSession(t)
	run(t, s, 1, beforeBlockers)
	t.Logf("%-24s %10s %10s %10s   of %d, target: each within %v", "cell", "least", "median", "most", times, most)
	for _, name := range slices.Sorted(maps.Keys(blockers)) {
		var took []time.Duration
		for range times {
			took = append(took, interruptCell(t, s, name, blockers[name]))
		}
		slices.Sort(took)
		t.Logf("%-24s %10.1f %10.1f %10.1f ms", name, took[0].Seconds()*1e3, took[times/2].Seconds()*1e3, took[times-1].Seconds()*1e3)
		if took[times-1] > most {
			t.Errorf("%s: took up to %v to end", name, took[times-1])
		}
	}
}

func TestStuck(t *testing.T) {
	s := newSession(t)
	var where string
	s.opt.StuckAfter = 20 * time.Millisecond
	s.opt.Stuck = func(f string) { where = f }
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	out := s.Run(ctx, Cell{1, `exec.Command("sleep", "0.3").Run(); x := 1`})
	if out.Err != ErrInterrupted || !strings.Contains(where, "os/exec") {
		t.Errorf("error %v, stuck in %q", out.Err, where)
	}
	if got := text(t, s, 2, "x"); got != "0" {
		t.Errorf("the cell ran on: x = %s", got)
	}
}

// hear waits for the panic of a goroutine.
func hear(t *testing.T, heard <-chan *PanicError, most time.Duration, src string) *PanicError {
	t.Helper()
	select {
	case e := <-heard:
		return e
	case <-time.After(most):
		t.Fatalf("%s: not heard of", src)
		return nil
	}
}

func TestGoroutinePanic(t *testing.T) {
	s := newSession(t)
	heard := make(chan *PanicError, 10)
	s.opt.GoPanic = func(e *PanicError) { heard <- e }
	for _, src := range []string{
		"func boom() {\n\tpanic(\"in go\")\n}\ngo boom()",
		`var wg sync.WaitGroup; wg.Go(func() { panic("in go") })`,
		`time.AfterFunc(time.Millisecond, func() { panic("in go") })`,
	} {
		run(t, s, 1, src)
		if e := hear(t, heard, 2*time.Minute, src); e.Text != "in go" || e.Cell != 1 || !e.Go {
			t.Errorf("%s: %+v", src, e)
		}
	}
	if got := text(t, s, 2, "1+1"); got != "2" {
		t.Error(got)
	}
}

// TestInterruptedGoroutines sees that goroutines of an interrupted cell end with it.
func TestInterruptedGoroutines(t *testing.T) {
	s := newSession(t)
	text(t, s, 1, "var n atomic.Int64")
	for range 5 {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		out := s.Run(ctx, Cell{2, "for range 8 { go func() { for { n.Add(1) } }() }\nfor { n.Load() }"})
		cancel()
		if out.Err != ErrInterrupted {
			t.Fatal(out.Err)
		}
		counting := "before := n.Load(); time.Sleep(30 * time.Millisecond); n.Load() - before"
		got := text(t, s, 3, counting)
		for end := time.Now().Add(2 * time.Second); got != "0" && time.Now().Before(end); { // on a machine with other work one may run late
			got = text(t, s, 3, counting)
		}
		if got != "0" {
			t.Fatalf("goroutines counted %s further", got)
		}
	}
}

// TestWaitOfNil sees that what panics while it is waited for does so in the cell.
func TestWaitOfNil(t *testing.T) {
	s := newSession(t)
	if got := text(t, s, 1, "var w *sync.WaitGroup\nw.Wait()"); !strings.Contains(got, "nil pointer dereference") {
		t.Error(got)
	}
}
