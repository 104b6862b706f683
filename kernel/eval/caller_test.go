package eval

import (
	"context"
	"io"
	"log"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"strings"
	"testing"
)

// What says where it is called says the line of the cell.
func TestCaller(t *testing.T) {
	for name, c := range map[string]struct{ cell, want string }{
		"a logger": {`import ("log"; "os")
var l = log.New(os.Stdout, "p: ", log.Lshortfile)
func f() {
	l.Print("f")
	for i := range 2 {
		if i > 0 { l.Printf("%d",
			i) }
	}
}
f()
func() { l.Println("literal") }()
print := l.Print
print("value")
sort.Slice([]int{2, 1}, func(i, j int) bool { l.Print("less"); return i < j })
func d() {
	defer l.Print("deferred")
	defer func() { l.Print("in a deferred one") }()
	fmt.Println("d")
}
d()
fmt.Println(l.Writer() == os.Stdout)`,
			"p: Cell [1]:4: f|p: Cell [1]:6: 1|p: Cell [1]:11: literal|p: Cell [1]:13: value|p: Cell [1]:14: less|d|p: Cell [1]:17: in a deferred one|p: ???:0: deferred|true"},
		"Output": {`import ("log"; "os")
var l = log.New(os.Stdout, "p: ", log.Llongfile|log.Lmsgprefix)
func say(depth int) { l.Output(depth, "x") }
say(1)
say(2)
say(9)
f := func() {
	say(2)
	say(3)
}
f()`,
			"Cell [1]:3: p: x|Cell [1]:5: p: x|???:0: p: x|Cell [1]:8: p: x|Cell [1]:11: p: x"},
		"the standard logger": {`import ("log"; "os"; "log/slog")
log.SetFlags(log.Lshortfile)
log.SetOutput(os.Stdout)
log.Print("a")
log.Output(1, "b")
slog.Info("c")
log.SetOutput(log.Writer())
log.Printf("d")
log.SetFlags(0)
log.Print("e value.go:1: x")
log.SetFlags(log.Lshortfile)
log.SetOutput(os.Stdout)
log.Fatal("f")`,
			"Cell [1]:4: a|Cell [1]:5: b|Cell [1]:6: INFO c|Cell [1]:8: d|e value.go:1: x|Cell [1]:13: f"},
		"all flags": {`import ("log"; "os")
l := log.New(os.Stdout, "12:30: ", 0)
l.SetFlags(log.Lshortfile|log.LUTC|log.LstdFlags|log.Lmicroseconds)
l.Print("a:1: b")`, "Cell [1]:4: a:1: b"},
		"slog": {`import ("log/slog"; "os")
drop := func(groups []string, a slog.Attr) slog.Attr {
	if a.Key == "time" { return slog.Attr{} }
	return a
}
o := &slog.HandlerOptions{AddSource: true, ReplaceAttr: drop}
l := slog.New(slog.NewTextHandler(os.Stdout, o))
l.Info("a")
func f() {
	l.With("k", 1).WithGroup("g").Warn("b", "x", 2)
	slog.New(slog.NewJSONHandler(os.Stdout, o)).Error("c", "source", 7)
}
f()`,
			`level=INFO source="Cell [1]:8" msg=a|level=WARN source="Cell [1]:10" msg=b k=1 g.x=2|` +
				`{"level":"ERROR","source":{"function":"main.f","file":"Cell [1]","line":11},"msg":"c","source":7}`},
		"handlers of slog": {`import ("log/slog"; "os")
type kept struct { slog.Handler; name string }
func (k kept) Handle(ctx context.Context, r slog.Record) error {
	src := r.Source
	fmt.Println(k.name, r.Source().File, r.Source().Line, src().Function)
	return k.Handler.Handle(ctx, r)
}
func (k kept) WithAttrs(as []slog.Attr) slog.Handler { return kept{k.Handler.WithAttrs(as), k.name + "'"} }
drop := func(groups []string, a slog.Attr) slog.Attr {
	if a.Key == "time" { return slog.Attr{} }
	return a
}
l := slog.New(kept{kept{slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{AddSource: true, ReplaceAttr: drop}), "inner"}, "outer"})
l.Info("a")
func f() {
	l.With("k", 1).LogAttrs(context.Background(), slog.LevelWarn, "b")
	func() {
		defer l.Info("deferred")
	}()
}
f()
var r slog.Record
fmt.Println(r.Source() == nil)
slog.NewLogLogger(l.Handler().(kept).Handler, slog.LevelInfo).Print("by log")`,
			`outer Cell [1] 14 main|inner Cell [1] 14 main|level=INFO source="Cell [1]:14" msg=a|outer' Cell [1] 16 main.f|inner' Cell [1] 16 main.f|level=WARN source="Cell [1]:16" msg=b k=1|` +
				`outer  0 |inner  0 |level=INFO msg=deferred|true|inner Cell [1] 24 main|level=INFO source="Cell [1]:24" msg="by log"`},
		"runtime.Caller": {`import "runtime"
func line(up int) string {
	_, file, line, ok := runtime.Caller(up)
	return fmt.Sprint(file, ":", line, " ", ok)
}
fmt.Println(line(0))
fmt.Println(line(1))
func f() string {
	return line(2)
}
fmt.Println(f())
fmt.Println(line(99))
fmt.Println(runtime.FuncForPC(reflect.ValueOf(strings.ToUpper).Pointer()).Name())`,
			"Cell [1]:3 true|Cell [1]:7 true|Cell [1]:11 true|:0 false|strings.ToUpper"},
	} {
		t.Run(name, func(t *testing.T) {
			flags, out := log.Flags(), log.Writer()
			defer func() { log.SetFlags(flags); log.SetOutput(out) }()
			s := newSession(t)
			got := capture(t, func() {
				if err := s.Run(context.Background(), Cell{1, c.cell}).Err; err != nil && name != "the standard logger" {
					t.Error(err)
				}
			})
			if name == "all flags" {
				got = got[strings.Index(got, "Cell"):]
			}
			if want := strings.ReplaceAll(c.want, "|", "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A function that is compiled has its own place in a log that a cell made.
func TestCallerCompiled(t *testing.T) {
	s := newSession(t)
	if err := s.Run(context.Background(), Cell{1, `import ("log"; "io"); l := log.New(io.Discard, "", log.Lshortfile);`}).Err; err != nil {
		t.Fatal(err)
	}
	l := s.vars[s.scope.emitted[s.scope.objs["l"]]].Elem().Interface().(*log.Logger)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.logSetOutput(l, w)
	proxy := &httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, ErrorLog: l}
	proxy.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "nothing://x", nil))
	w.Close()
	got, _ := io.ReadAll(r)
	if !strings.HasPrefix(string(got), "reverseproxy.go:") {
		t.Errorf("got %q", got)
	}
}

// What a function of a cell has no counter for is refused or panics.
func TestCallerRefused(t *testing.T) {
	for _, cell := range []string{
		`import "runtime"; runtime.Callers(0, nil)`,
		`import "runtime"; func f() {}; runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()`,
		`import "runtime"; pc, _, _, _ := runtime.Caller(0); runtime.FuncForPC(pc).Name()`,
	} {
		if err := newSession(t).Run(context.Background(), Cell{1, cell}).Err; err == nil || !strings.Contains(err.Error(), "not available") {
			t.Errorf("%s: %v", cell, err)
		}
	}
}
