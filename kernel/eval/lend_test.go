package eval

import (
	"context"
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
		if took := time.Since(began); took > 5*time.Second || out.Err == nil {
			t.Errorf("%s: %v after %v", src, out.Err, took)
		}
	}
	if got := text(t, s, 9, `before := ticks.Load(); time.Sleep(50*time.Millisecond); ticks.Load() > before`); got != "true" {
		t.Errorf("the goroutine of an earlier cell has ended: %s", got)
	}
	if got := text(t, s, 10, `elsewhere(func() int { return 7 })`); got != "7" {
		t.Errorf("got %q", got)
	}
}
