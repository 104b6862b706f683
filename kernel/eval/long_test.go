package eval

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A longModel knows what a long session is to show: numbers that cells assign, functions that call each
// other and are declared again, types with a method that are declared again.
type longModel struct {
	vars  [8]int
	add   [6]int // func fK(n int) int { return n + add + f(K-1)(n) }
	scale [4]int // type TK struct{ N int }, func (t TK) Scaled() int { return t.N * scale }
}

func (m *longModel) f(k, n int) int {
	if k == 0 {
		return n + m.add[0]
	}
	return n + m.add[k] + m.f(k-1, n)
}

// step gives a random cell and what it shows.
func (m *longModel) step(r *rand.Rand) (cell, want string) {
	i, j, k, n := r.IntN(len(m.vars)), r.IntN(len(m.vars)), r.IntN(len(m.add)), r.IntN(100)
	t := k % len(m.scale)
	switch r.IntN(9) {
	case 0:
		m.vars[i] = n
		return fmt.Sprintf("v%d := %d\nv%[1]d", i, n), fmt.Sprint(n)
	case 1:
		m.vars[i] = (m.vars[i] + m.vars[j]*n) % 1000
		return fmt.Sprintf("v%d = (v%[1]d + v%d*%d) %% 1000\nv%[1]d", i, j, n), fmt.Sprint(m.vars[i])
	case 2:
		m.add[k] = n
		return m.declare(k), ""
	case 3:
		return fmt.Sprintf("f%d(v%d)", k, j), fmt.Sprint(m.f(k, m.vars[j]))
	case 4:
		m.scale[t] = n
		return m.declareType(t), ""
	case 7: // declared again and used, through others too
		m.add[k] = n
		return m.declare(k) + fmt.Sprintf("\nf%d(v%d)", len(m.add)-1, j), fmt.Sprint(m.f(len(m.add)-1, m.vars[j]))
	case 8:
		m.scale[t] = n
		return m.declareType(t) + fmt.Sprintf("\nT%d{v%d}.Scaled()", t, j), fmt.Sprint(m.vars[j] * m.scale[t])
	case 5:
		return fmt.Sprintf("T%d{v%d}.Scaled()", t, j), fmt.Sprint(m.vars[j] * m.scale[t])
	}
	s := 0
	for x := range n {
		s += m.f(k, x)
	}
	return fmt.Sprintf("s := 0\nfor x := range %d {\n\ts += f%d(x)\n}\ns", n, k), fmt.Sprint(s)
}

func (m *longModel) declare(k int) string {
	if k == 0 {
		return fmt.Sprintf("func f0(n int) int { return n + %d }", m.add[0])
	}
	return fmt.Sprintf("func f%d(n int) int { return n + %d + f%d(n) }", k, m.add[k], k-1)
}

func (m *longModel) declareType(t int) string {
	return fmt.Sprintf("type T%d struct{ N int }\nfunc (t T%[1]d) Scaled() int { return t.N * %d }", t, m.scale[t])
}

// TestLongSession runs cells in random order, most of them over again and changed.
func TestLongSession(t *testing.T) {
	cells := 1000
	if testing.Short() {
		cells = 200
	}
	s, m, r := newSession(t), &longModel{}, rand.New(rand.NewPCG(3, 1000))
	var first []string
	for i := range m.vars {
		first = append(first, fmt.Sprintf("v%d := 0", i))
	}
	for k := range m.add {
		first = append(first, m.declare(k))
	}
	for k := range m.scale {
		first = append(first, m.declareType(k))
	}
	for i, c := range first {
		if got := text(t, s, i+1, c); strings.HasPrefix(got, "error") {
			t.Fatalf("%s\n%s", c, got)
		}
	}
	for i := range cells {
		c, want := m.step(r)
		if got := text(t, s, len(first)+i+1, c); got != want {
			t.Fatalf("cell %d\n%s\n got  %s\n want %s", i, c, got, want)
		}
	}
}

// BenchmarkFrontEndLate measures parsing, checking and lowering of a cell after a thousand others.
func BenchmarkFrontEndLate(b *testing.B) {
	s := newSession(b)
	for i := range 1000 {
		if out := s.Run(context.Background(), Cell{i + 1, ordinary(i)}); out.Err != nil {
			b.Fatal(out.Err)
		}
	}
	if out := s.Run(context.Background(), Cell{1001, twelveLines}); out.Err != nil {
		b.Fatal(out.Err)
	}
	for b.Loop() {
		c, cerr := s.check(Cell{1002, twelveLines})
		if cerr != nil {
			b.Fatal(cerr)
		}
		if _, cerr := s.lower(c); cerr != nil {
			b.Fatal(cerr)
		}
	}
}
