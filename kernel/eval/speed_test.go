package eval

import (
	"context"
	"testing"
)

const twelveLines = `type Point struct{ X, Y float64 }
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }
func mean(xs []float64) float64 {
	t := 0.0
	for _, x := range xs {
		t += x
	}
	return t / float64(len(xs))
}
pts := []Point{{3, 4}, {6, 8}}
m := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
fmt.Sprint(mean([]float64{pts[0].Norm(), pts[1].Norm()}), mat.Sum(m))`

// BenchmarkFrontEnd measures parsing, checking and lowering of a cell of twelve lines.
func BenchmarkFrontEnd(b *testing.B) {
	s := newSession(b)
	if out := s.Run(context.Background(), Cell{1, twelveLines}); out.Err != nil {
		b.Fatal(out.Err)
	}
	for b.Loop() {
		c, cerr := s.check(Cell{2, twelveLines})
		if cerr != nil {
			b.Fatal(cerr)
		}
		if _, cerr := s.lower(c); cerr != nil {
			b.Fatal(cerr)
		}
	}
}

// BenchmarkReady measures how long it takes until a new session has run its first cell. With -benchtime 1x it
// is what a user waits for in a new process, but for the start of that.
func BenchmarkReady(b *testing.B) {
	for b.Loop() {
		s := newSession(b)
		if out := s.Run(context.Background(), Cell{1, "fmt.Sprint(1 + 1)"}); out.Err != nil {
			b.Fatal(out.Err)
		}
	}
}

// BenchmarkCell measures whole cells in a session that grows.
func BenchmarkCell(b *testing.B) {
	for name, src := range map[string]string{"1+1": "1+1", "twelve lines": twelveLines} {
		b.Run(name, func(b *testing.B) {
			s := newSession(b)
			s.Run(context.Background(), Cell{1, src})
			n := 2
			for b.Loop() {
				if out := s.Run(context.Background(), Cell{n, src}); out.Err != nil {
					b.Fatal(out.Err)
				}
				n++
			}
		})
	}
}

// BenchmarkInterpreted measures what interpreted code costs once it runs.
func BenchmarkInterpreted(b *testing.B) {
	for name, c := range map[string][2]string{
		"fib(20)":        {"func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }", "fib(20);"},
		"sum of 1e6":     {"func sum(n int) int { s := 0; for i := 0; i < n; i++ { s += i }; return s }", "sum(1000000);"},
		"1e4 methods":    {"type Q struct{ s float64 }\nfunc (q Q) A() float64 { return q.s }\nfunc f(n int) float64 { q, t := Q{2}, 0.0; for i := 0; i < n; i++ { t += q.A() }; return t }", "f(10000);"},
		"1e4 interfaces": {"type Q struct{ s float64 }\nfunc (q Q) A() float64 { return q.s }\ntype I interface{ A() float64 }\nfunc f(n int) float64 { var q I = Q{2}; t := 0.0; for i := 0; i < n; i++ { t += q.A() }; return t }", "f(10000);"},
	} {
		b.Run(name, func(b *testing.B) {
			s := newSession(b)
			if out := s.Run(context.Background(), Cell{1, c[0]}); out.Err != nil {
				b.Fatal(out.Err)
			}
			for b.Loop() {
				if out := s.Run(context.Background(), Cell{2, c[1]}); out.Err != nil {
					b.Fatal(out.Err)
				}
			}
		})
	}
}
