package eval

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// foreign holds cells whose functions compiled code calls on goroutines of its own, where they panic, with what the
// cell fails with. Go ends the process for each. Nothing of them runs after the panic.
var foreign = []struct{ name, src, want string }{
	{"an objective", "func objective(x []float64) float64 {\n\tcalls++\n\treturn x[9]\n}\noptimize.Minimize(optimize.Problem{Func: objective}, []float64{1, 2}, nil, nil)\nkept = 0",
		"panic: runtime error: index out of range [9] with length 2\n    Cell [2], line 3 in objective"},
	{"a literal", "r, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 {\n\treturn x[9]\n}}, []float64{1, 2}, nil, nil)\nkept = 0\nfmt.Println(r, err)",
		"panic: runtime error: index out of range [9] with length 2\n    Cell [2], line 2 in func literal"},
	{"a method", "type ridge struct{ at int }\nfunc (r ridge) height(x []float64) float64 {\n\treturn x[r.at]\n}\noptimize.Minimize(optimize.Problem{Func: ridge{7}.height}, []float64{1, 2}, nil, nil)\nkept = 0",
		"panic: runtime error: index out of range [7] with length 2\n    Cell [2], line 3 in ridge.height"},
	{"called by another", "func inner(x []float64) float64 {\n\treturn x[9]\n}\nfunc outer(x []float64) float64 {\n\tdefer func() { calls++ }()\n\treturn inner(x)\n}\noptimize.Minimize(optimize.Problem{Func: outer}, []float64{1, 2}, nil, nil)\nkept = 0",
		"panic: runtime error: index out of range [9] with length 2\n    Cell [2], line 2 in inner\n    Cell [2], line 6 in outer"},
	{"through compiled code", "func order(x []float64) float64 {\n\tsort.Slice(x, func(i, j int) bool { panic(\"no order\") })\n\treturn 0\n}\noptimize.Minimize(optimize.Problem{Func: order}, []float64{1, 2}, nil, nil)\nkept = 0",
		"panic: no order\n    Cell [2], line 2 in order\n    Cell [2], line 2 in order"},
	{"goroutines side by side", "fd.Gradient(nil, func(x []float64) float64 {\n\tif x[0] != 1 || x[1] != 2 {\n\t\tpanic(errors.New(\"not there\"))\n\t}\n\treturn 0\n}, []float64{1, 2}, &fd.Settings{Formula: fd.Central, Concurrent: true})\nkept = 0",
		"panic: not there\n    Cell [2], line 3 in func literal"},
	{"after a context", "c, cancel := context.WithCancel(context.Background())\ncontext.AfterFunc(c, func() {\n\tvar m map[string]int\n\tm[\"a\"] = 1\n})\ncancel()\nselect {}",
		"panic: assignment to entry in nil map\n    Cell [2], line 4 in func literal"},
	{"while the cell spins", "c2, cancel2 := context.WithCancel(context.Background())\ncontext.AfterFunc(c2, func() { panic(7) })\ncancel2()\nfor {\n}",
		"panic: 7\n    Cell [2], line 2 in func literal"},
	{"exit", "optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { os.Exit(3); return 0 }}, []float64{1, 2}, nil, nil)\nkept = 0",
		"exit status 3"},
	{"recursion without end", "func deep(x []float64) float64 { return deep(x) + 1 }\noptimize.Minimize(optimize.Problem{Func: deep}, []float64{1, 2}, nil, nil)\nkept = 0",
		"panic: " + stackOverflowText},
}

// TestForeignPanic sees that each of them ends the cell alone, with the place in it, and that what compiled
// code started ends too.
func TestForeignPanic(t *testing.T) {
	s := newSession(t)
	s.opt.GoPanic = func(e *PanicError) { t.Errorf("told of apart from the cell: %v", e) }
	text(t, s, 1, "kept, calls := 42, 0\nsquare := func(x float64) float64 { return x * x }")
	for _, c := range foreign {
		if testing.Short() && c.name == "recursion without end" {
			continue
		}
		before := goleak.IgnoreCurrent()
		out := run(t, s, 2, c.src)
		if out.Err == nil || !strings.HasPrefix(out.Err.Error()+"\n", c.want+"\n") && !strings.Contains(c.want, stackOverflowText) || !strings.HasPrefix(out.Err.Error(), c.want) {
			t.Errorf("%s: got  %v\nwant %s", c.name, out.Err, c.want)
		}
		if err := goleak.Find(before); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := text(t, s, 3, "fmt.Sprint(kept, square(3), optimize.Problem{}.Func == nil)"); got != "42 9 true" {
			t.Errorf("after %s: %s", c.name, got)
		}
		if unwinding.Load() != nil || s.layout.failing.Load() {
			t.Errorf("after %s something still unwinds or fails", c.name)
		}
	}
	if got := text(t, s, 4, "r2, err := optimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return square(x[0] - 1) }}, []float64{5}, nil, nil)\nfmt.Sprintf(\"%.3f %v\", r2.X[0], err)"); got != "1.000 <nil>" {
		t.Errorf("a search afterwards: %s", got)
	}
}

// TestForeignDeferred sees that what a cell has deferred runs when it ends so.
func TestForeignDeferred(t *testing.T) {
	s := newSession(t)
	text(t, s, 1, "closed, went := false, false\nfunc search() {\n\tdefer func() { closed = recover() == nil }()\n\toptimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return x[2] }}, []float64{1}, nil, nil)\n\twent = true\n}")
	if got, want := text(t, s, 2, "search()\nwent = true"), "error: panic: runtime error: index out of range [2] with length 1\n    Cell [1], line 4 in search"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := text(t, s, 3, "fmt.Sprint(closed, went)"); got != "true false" {
		t.Error(got)
	}
}

// TestRecoverable sees that panics which somebody recovers from are left to him: the cell on its own goroutine, or
// compiled code on another.
func TestRecoverable(t *testing.T) {
	s := newSession(t)
	s.opt.GoPanic = func(e *PanicError) { t.Errorf("told of apart from the cell: %v", e) }
	text(t, s, 1, "func try(f func()) (v any) {\n\tdefer func() { v = recover() }()\n\tf()\n\treturn nil\n}\nfunc less(i, j int) bool { panic(\"declared\") }\ntype loud int\nfunc (loud) String() string { panic(\"String\") }")
	for _, c := range []struct{ src, want string }{
		{"fmt.Sprint(try(func() { sort.Slice([]int{1, 2}, less) }))", "declared"},
		{"fmt.Sprint(try(func() { slices.SortFunc([]int{1, 2}, func(a, b int) int { return []int{}[b] }) }))", "runtime error: index out of range [1] with length 0"},
		{"res := make(chan any)\ngo func() { res <- try(func() { sort.Slice([]int{1, 2}, less) }) }()\nfmt.Sprint(<-res)", "declared"},
		{"var inside any\noptimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { inside = try(func() { sort.Slice([]int{1, 2}, less) }); return x[0] * x[0] }}, []float64{3}, nil, nil)\nfmt.Sprint(inside)", "declared"},
		{"next, stop := iter.Pull(func(yield func(int) bool) { panic(\"pulled\") })\np := try(func() { next() })\nstop()\nfmt.Sprint(p)", "pulled"},
		{"srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }))\n_, err := http.Get(srv.URL)\nsrv.Close()\nfmt.Sprint(err != nil)", "true"},
		{"var once any\noptimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { once = fmt.Sprint(loud(1)); return x[0] * x[0] }}, []float64{3}, nil, nil)\nfmt.Sprint(once)", "%!v(PANIC=String method: String)"},
	} {
		if got := text(t, s, 2, c.src); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestForeignPanicLater sees that one which comes while no cell runs is told of as that of a cell's goroutine.
func TestForeignPanicLater(t *testing.T) {
	s := newSession(t)
	heard := make(chan *PanicError, 1)
	var told atomic.Int32
	s.opt.GoPanic = func(e *PanicError) { told.Add(1); heard <- e }
	src := "c, cancel := context.WithCancel(context.Background())\nopen := make(chan bool)\ncontext.AfterFunc(c, func() {\n\t<-open\n\tpanic(\"late\")\n})\ncancel()"
	open := "opened := time.AfterFunc(50*time.Millisecond, func() { close(open) })"
	if got := text(t, s, 1, src) + text(t, s, 2, open); got != "" {
		t.Fatal(got)
	}
	e := hear(t, heard, time.Minute, src)
	if want := "panic in a goroutine: late\n    Cell [1], line 5 in func literal"; e.Error() != want || e.Cell != 1 {
		t.Errorf("got  %v of cell %d\nwant %s", e, e.Cell, want)
	}
	if got := text(t, s, 3, "opened.Stop()"); got != "false" || told.Load() != 1 {
		t.Errorf("%s, told of %d times", got, told.Load())
	}
}

// TestForeignBelowOurs sees that a function of a cell which a goroutine of compiled code calls through functions of ours is told of
// as one that it calls itself.
func TestForeignBelowOurs(t *testing.T) {
	s := newSession(t)
	heard := make(chan *PanicError, 1)
	s.opt.GoPanic = func(e *PanicError) { heard <- e }
	src := "slog.NewTextHandler(io.Discard, &slog.HandlerOptions{AddSource: true, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {\n\tpanic(\"no attribute\")\n}})"
	out := run(t, s, 1, src)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	h := out.Values[0].V.(slog.Handler)
	go h.Handle(t.Context(), slog.NewRecord(time.Time{}, slog.LevelInfo, "hello", 0))
	e := hear(t, heard, time.Minute, src)
	if want := "panic in a goroutine: no attribute\n    Cell [1], line 2 in func literal"; e.Error() != want {
		t.Errorf("got  %v\nwant %s", e, want)
	}
}

// TestForeignDeferredWaits sees that what a cell has deferred waits as after any panic, for its other goroutines too, until it is
// interrupted.
func TestForeignDeferredWaits(t *testing.T) {
	s := newSession(t)
	s.opt.GoPanic = func(e *PanicError) { t.Errorf("told of apart from the cell: %v", e) }
	text(t, s, 1, "var did []string\nfunc fails(cleanup func()) {\n\tdefer cleanup()\n\toptimize.Minimize(optimize.Problem{Func: func(x []float64) float64 { return x[2] }}, []float64{1}, nil, nil)\n}")
	const panics = "panic: runtime error: index out of range [2] with length 1\n    Cell [1], line 4 in fails"
	for _, c := range []struct{ name, body, want string }{
		{"sleep", "time.Sleep(20 * time.Millisecond)", "[before after]"},
		{"timer", "select {\n\tcase <-time.After(20 * time.Millisecond):\n\t}", "[before after]"},
		{"goroutine of its own", "c := make(chan int)\n\tgo func() { time.Sleep(20 * time.Millisecond); c <- 1 }()\n\t<-c", "[before after]"},
		{"group", "var wg sync.WaitGroup\n\tfor range 3 {\n\t\twg.Add(1)\n\t\tgo func() { time.Sleep(10 * time.Millisecond); wg.Done() }()\n\t}\n\twg.Wait()", "[before after]"},
		{"earlier goroutine", "close(begin)\n\t<-ready", "[before after]"},
		{"work", "n := 0\n\tfor i := range 1000000 { n += i }", "[before after]"},
		{"longer than it may take to return", "time.Sleep(400 * time.Millisecond)", "[before after]"},
	} {
		src := "did = nil\nbegin, ready := make(chan int), make(chan int)\ngo func() { <-begin; time.Sleep(20 * time.Millisecond); close(ready) }()\n" +
			"fails(func() {\n\tdid = append(did, \"before\")\n\t" + c.body + "\n\tdid = append(did, \"after\")\n})\ndid = nil"
		out := run(t, s, 2, src)
		if out.Err == nil || !strings.HasPrefix(out.Err.Error(), panics) {
			t.Errorf("%s: got %v", c.name, out.Err)
		}
		if got := text(t, s, 3, "fmt.Sprint(did)"); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if out := s.Run(ctx, Cell{4, "fails(func() { did = nil; select {} })"}); out.Err == nil || !strings.HasPrefix(out.Err.Error(), panics) {
		t.Errorf("interrupted: got %v", out.Err)
	}
	if got := text(t, s, 5, "fmt.Sprint(len(did))"); got != "0" || unwinding.Load() != nil || s.layout.failing.Load() {
		t.Errorf("something still unwinds or fails: %s", got)
	}
}
