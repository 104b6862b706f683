package eval

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestTraceLines sees that each line of a trace is the one that a frame was at, innermost first, and
// that texts are Go's own inside loops and function literals too.
func TestTraceLines(t *testing.T) {
	s := newSession(t)
	text(t, s, 1, `func inner(x []int, k int) int {
	s := 0
	for j := 0; j < 3; j++ {
		s += x[k+j]
	}
	return s
}

func outer(k int) int {
	x := []int{1, 2, 3}
	y := len(x)
	f := func(z int) int {
		return inner(x, z) + y
	}
	return f(k) + 2
}

func deferring() {
	defer func() { _ = len("deferred") }()
	println()
	outer(1)
}

func each(yield func(int) bool) {
	for i := range 3 {
		if !yield(i) {
			return
		}
	}
}

type T struct {
	p *T
	v int
}

func (t *T) val() int { return t.p.v }
var line = 7`)
	const index = "runtime error: index out of range [3] with length 3"
	for cell, want := range map[string]string{
		"_ = 1\nouter(1)":                 index + " Cell [1], line 4 in inner Cell [1], line 13 in outer Cell [1], line 15 in outer Cell [2], line 2",
		"for range 2 {\n\tdeferring()\n}": index + " Cell [1], line 4 in inner Cell [1], line 13 in outer Cell [1], line 15 in outer Cell [1], line 21 in deferring Cell [2], line 2",
		"a := []int{1}\nprintln()\nfor i := range each {\n\tprintln()\n\tprintln(a[i])\n}":                      "runtime error: index out of range [1] with length 1 Cell [2], line 5 Cell [1], line 26 in each Cell [2], line 3",
		"xs := []int{5, 2, 1}\nsort.Slice(xs, func(i, j int) bool {\n\tprintln()\n\treturn xs[i+2] < xs[j]\n})": index + " Cell [2], line 4 in func literal Cell [2], line 2",
		"t := &T{}\nfunc() {\n\tprintln(t.val())\n}()":                                                          "runtime error: invalid memory address or nil pointer dereference Cell [1], line 37 in (*T).val Cell [2], line 3 in func literal Cell [2], line 2",
		"b := make([]int, 3, 5)\nfor i := range 9 {\n\tb = b[:i]\n}":                                            "runtime error: slice bounds out of range [:6] with capacity 5 Cell [2], line 3",
		"var m map[string]int\nfor i := range 3 {\n\tif i == 2 {\n\t\tm[\"a\"] = line\n\t}\n}":                  "assignment to entry in nil map Cell [2], line 4",
	} {
		got := strings.Join(strings.Fields(text(t, s, 2, cell)), " ")
		if want = "error: panic: " + want; got != want {
			t.Errorf("%s\n got  %s\n want %s", cell, got, want)
		}
	}
	got := text(t, s, 3, "func get(xs []int) (err error) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\terr = fmt.Errorf(\"got %v\", r)\n\t\t}\n\t}()\n\tfor i := range 10 {\n\t\tprintln(xs[i])\n\t}\n\treturn nil\n}\nget([]int{1})")
	if want := "error: got runtime error: index out of range [1] with length 1"; got != want {
		t.Errorf("recovered\n got  %s\n want %s", got, want)
	}
}

// TestTraceOfGoroutine sees that a panic in a goroutine names the cell that declared the function,
// while another cell runs.
func TestTraceOfGoroutine(t *testing.T) {
	s := newSession(t)
	panics := make(chan *PanicError, 1)
	s.opt.GoPanic = func(e *PanicError) { panics <- e }
	text(t, s, 1, "func work(xs []int) {\n\tfor i := 0; ; i++ {\n\t\txs[i] = i\n\t}\n}")
	if out := s.Run(context.Background(), Cell{2, "start := make(chan int)\ngo func() {\n\t<-start\n\twork(make([]int, 2))\n}()"}); out.Err != nil {
		t.Fatal(out.Err)
	}
	if out := s.Run(context.Background(), Cell{3, "close(start)\nfor i := range 100000 {\n\t_ = i * i\n}"}); out.Err != nil {
		t.Fatal(out.Err)
	}
	select {
	case e := <-panics:
		want := "panic in a goroutine: runtime error: index out of range [2] with length 2\n    Cell [1], line 3 in work\n    Cell [2], line 4 in func literal"
		if e.Error() != want {
			t.Errorf("got  %s\nwant %s", e, want)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("no panic")
	}
}

// TestExplain sees what compiled code, such as a run of the engine, says of a panic in a function of a
// cell that it calls.
func TestExplain(t *testing.T) {
	s := newSession(t)
	out := s.Run(context.Background(), Cell{4, "at := func(n int) int {\n\txs := []int{1, 2}\n\tfor {\n\t\tn += xs[n]\n\t}\n}\nat"})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	f := out.Values[0].V.(func(int) int)
	done := make(chan string)
	go func() {
		defer func() {
			v, at := s.Explain(recover())
			done <- fmt.Sprint(v, "; ", at)
		}()
		f(0)
	}()
	if got, want := <-done, "runtime error: index out of range [3] with length 2; Cell [4], line 4 in func literal"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if v, at := s.Explain("compiled"); v != "compiled" || at != "" {
		t.Errorf("of a panic elsewhere: %v, %q", v, at)
	}
}
