package eval

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"trivium/kernel/symbols"
)

// versus are programs whose cost lies in what interpreted code does: declarations, and the expression
// that is measured, of package main with the packages fmt, math and sort.
var versus = []struct{ name, decls, run string }{
	{"1+1", "", "1+1"},
	{"fib(27)", "func fib(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn fib(n-1) + fib(n-2)\n}", "fib(27)"},
	{"sum of 1e7", "func sum(n int) int {\n\ts := 0\n\tfor i := 0; i < n; i++ {\n\t\ts += i\n\t}\n\treturn s\n}", "sum(10000000)"},
	{"matmul 100³", `func matmul(n int) float64 {
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = float64(i), float64(n-i)
	}
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s := 0.0
			for k := 0; k < n; k++ {
				s += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] = s
		}
	}
	return c[n+1]
}`, "matmul(100)"},
	{"compiled calls", "func calls(n int) float64 {\n\ts := 0.0\n\tfor i := 0; i < n; i++ {\n\t\ts += math.Sqrt(float64(i))\n\t}\n\treturn s\n}", "calls(50000)"},
	{"callbacks", "func callbacks(n int) int {\n\tx := make([]int, n)\n\tfor i := range x {\n\t\tx[i] = i * 7919 % n\n\t}\n\tsort.Slice(x, func(i, j int) bool { return x[i] < x[j] })\n\treturn x[n/2]\n}", "callbacks(500)"},
}

// BenchmarkVersusYaegi runs each program in a cell and with nothing but yaegi, in turn, and
// reports how many times the cell's speed is yaegi's. Yaegi's variables of loops, interface
// values, panics and interrupts are not Go's: what the cell's take more is for that.
func BenchmarkVersusYaegi(b *testing.B) {
	for _, p := range versus {
		b.Run(p.name, func(b *testing.B) {
			s := newSession(b)
			raw := interp.New(interp.Options{Stdout: os.Stdout, Stderr: os.Stderr})
			for _, path := range []string{"fmt", "math", "sort"} {
				if err := raw.Use(interp.Exports{path + "/" + path: symbols.All.Exports(path)}); err != nil {
					b.Fatal(err)
				}
			}
			if out := s.Run(context.Background(), Cell{1, p.decls}); out.Err != nil {
				b.Fatal(out.Err)
			}
			if _, err := raw.Eval("import (\"fmt\"; \"math\"; \"sort\")\n" + p.decls); err != nil {
				b.Fatal(err)
			}
			var ours, theirs string
			cell := func() {
				out := s.Run(context.Background(), Cell{2, p.run})
				if out.Err != nil {
					b.Fatal(out.Err)
				}
				ours = out.Values[0].Text
			}
			plain := func() {
				v, err := raw.Eval(p.run)
				if err != nil {
					b.Fatal(err)
				}
				theirs = fmt.Sprint(v)
			}
			cell()
			plain()
			var cells, plains []time.Duration
			for b.Loop() {
				plains, cells = append(plains, timed(plain)), append(cells, timed(cell))
			}
			if ours != theirs {
				b.Errorf("%s is %s in a cell, %s in yaegi", p.run, ours, theirs)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(plains))/float64(median(cells)), "x_raw")
			b.ReportMetric(median(cells).Seconds()*1e6, "µs/cell")
		})
	}
}

func timed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
