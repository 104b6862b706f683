package eval

import (
	"strings"
	"testing"
	"time"
)

// TestStackOverflow lets cells call functions without end, in ways that compiled code or deferred
// functions take part in.
func TestStackOverflow(t *testing.T) {
	s := newSession(t)
	text(t, s, 1, `
n := 0
var ticks atomic.Int64
go func() { for { ticks.Add(1); time.Sleep(time.Millisecond) } }()
`)
	for name, src := range map[string]string{
		"function":             "func rec(n int) int { return rec(n+1) + 1 }\nrec(0)",
		"deferred calls":       "func rec() { defer func() { n++ }(); rec() }\nrec()",
		"recover":              "func rec() { defer func() { recover() }(); rec() }\nrec()\nn = 1000000",
		"String prints itself": "type T struct{ a int }\nfunc (t T) String() string { return fmt.Sprint(t) }\nfmt.Println(T{1})",
		"closure":              "var f func(int) int\nf = func(i int) int { return f(i+1) + 1 }\nf(0)",
		"sorting in sorting":   "var less func(i, j int) bool\nless = func(i, j int) bool { sort.Slice([]int{1, 2}, less); return i < j }\nless(0, 1)",
	} {
		if testing.Short() && name != "String prints itself" { // the race detector makes deep stacks ten times slower
			continue
		}
		if got := text(t, s, 2, src); !strings.Contains(got, stackOverflowText) {
			t.Errorf("%s: %s", name, got)
		}
		if got := text(t, s, 3, "t0 := ticks.Load(); for i := 0; i < 500 && ticks.Load() == t0; i++ { time.Sleep(2 * time.Millisecond) }; fmt.Sprint(ticks.Load() > t0, n < 100000)"); got != "true true" {
			t.Errorf("after %s: %s", name, got)
		}
		if unwinding.Load() != nil {
			t.Errorf("after %s a goroutine still unwinds", name)
		}
	}
	if testing.Short() {
		return
	}
	if got := text(t, s, 4, "func deep(n int) int { if n == 0 { return 0 }; return deep(n-1) + 1 }\ndeep(200000)"); got != "200000" {
		t.Error(got)
	}
	if got := text(t, s, 5, "var down func(int) int\ndown = func(n int) int { if n == 0 { return 0 }; return down(n-1) + 1 }\ndown(100000)"); got != "100000" {
		t.Error(got)
	}
}

// TestStackOverflowOfGoroutine sees that a goroutine which outgrows its stack is told of, lets go who waits
// for it, and takes nothing else with it.
func TestStackOverflowOfGoroutine(t *testing.T) {
	s := newSession(t)
	heard := make(chan *PanicError, 10)
	s.opt.GoPanic = func(e *PanicError) { heard <- e }
	text(t, s, 1, "func rec(n int) int {\n\treturn rec(n+1) + 1\n}")
	for cell, src := range map[int]string{
		2: "var wg sync.WaitGroup\nwg.Add(1)\ngo func() {\n\tdefer wg.Done()\n\trec(0)\n}()\nwg.Wait()\n\"waited\"",
		3: "go rec(0)\n\"waited\"",
	} {
		if got := text(t, s, cell, src); got != "waited" {
			t.Errorf("In[%d] gave %s", cell, got)
		}
		if e := hear(t, heard, 60*time.Second, src); e.Text != stackOverflowText || e.Cell != cell || !e.Go || len(e.Trace) == 0 || e.Trace[0].Func != "rec" || e.Trace[0].Line != 2 {
			t.Errorf("In[%d]: %+v", cell, e)
		}
	}
	if got := text(t, s, 4, "1+1"); got != "2" {
		t.Error(got)
	}
}

// TestManyStacks sees that many small stacks are not taken for one that is too large.
func TestManyStacks(t *testing.T) {
	n := "30000"
	if testing.Short() {
		n = "1000"
	}
	s := newSession(t)
	if got := text(t, s, 1, "var wg sync.WaitGroup\nvar sum atomic.Int64\nopen := make(chan bool)\nfor i := range "+n+" { wg.Go(func() { <-open; sum.Add(int64(i % 2)) }) }\ntime.Sleep(20 * time.Millisecond)\nclose(open)\nwg.Wait()\nsum.Load() * 2"); got != n {
		t.Error(got)
	}
}

// TestDeepPanic sees that a panic goes through many functions that defer in a time in proportion.
func TestDeepPanic(t *testing.T) {
	s := newSession(t)
	if got := text(t, s, 1, "n := 0\nfunc down(i int) {\n\tdefer func() { n++ }()\n\tif i == 0 { panic(\"bottom\") }\n\tdown(i - 1)\n}\ndown(5000)"); !strings.Contains(got, "bottom") {
		t.Error(got)
	}
	if got := text(t, s, 2, "n"); got != "5001" {
		t.Error(got)
	}
}
