package eval

import (
	"strings"
	"testing"
)

// TestDeclaredAgain sees what calls a function that has been declared again, and what has kept it as a value.
func TestDeclaredAgain(t *testing.T) {
	s := newSession(t)
	text(t, s, 1, `func g() int { return 1 }
func f() int { return g() + 10 }
type T struct{}
func (T) M() int { return g() + 100 }
func make1() func() int { return func() int { return g() + f()*1000 } }
func rec(n int) int { if n == 0 { return g() }; return rec(n-1) }
func gen[X any](x X) string { return fmt.Sprint(x, g()) }
func apply(f func() int) int { return f() }
func taking() int { return apply(g) }`)
	text(t, s, 2, `literal := func() int { return g() }
takes := func() int { x := g; return x() }
kept := f
var iface interface{ M() int } = T{}
method := T{}.M
made := make1()
keptRec := rec
keptGen := gen[string]
keptTaking := taking
ask, answer := make(chan bool), make(chan int)
func answers() { for range ask { answer <- f() } }
go answers()
func all() string {
	ask <- true
	return fmt.Sprint(literal(), takes(), kept(), f(), iface.M(), method(), T{}.M(), made(), make1()(), rec(3), keptRec(3), " ", gen("a"), " ", keptGen("b"), " ", taking(), keptTaking(), <-answer)
}`)
	for i, c := range []struct{ src, want string }{
		{"", "1 1 11 11 101 101 101 11001 11001 1 1 a1 b1 1 1 11"},
		{"func g() int { return 2 }", "2 2 12 12 102 102 102 12002 12002 2 2 a2 b2 2 2 12"},
		{"func f() int { return g() + 20 }", "2 2 12 22 102 102 102 22002 22002 2 2 a2 b2 2 2 22"}, // kept stays the earlier f
		{"func g() int { return 3 }\nfunc rec(n int) int { return -g() }\nfunc gen[X any](x X) string { return fmt.Sprint(\"new\", x, g()) }", "3 3 13 23 103 103 103 23003 23003 -3 -3 newa3 b3 3 3 23"},
		{"func (T) M() int { return g() + 200 }", "3 3 13 23 203 203 203 23003 23003 -3 -3 newa3 b3 3 3 23"},
		{"func g() string { return \"of another type\" }", "3 3 13 23 203 203 203 23003 23003 -3 -3 newa3 b3 3 3 23"},
	} {
		text(t, s, 3+2*i, c.src)
		if got := text(t, s, 4+2*i, "all()"); got != c.want {
			t.Errorf("after %q\ngot  %s\nwant %s", c.src, got, c.want)
		}
	}
}

// TestStaleUses: functions that go on with what is declared otherwise now are told of, those that are declared again and methods
// of the type itself are not.
func TestStaleUses(t *testing.T) {
	s := newSession(t)
	for i, c := range []struct{ src, want string }{
		{`const N = 10
type T struct{ A int }
func (t T) M() int { return T{1}.A }
func (t *T) P() { *t = T{} }
func mk() T { return T{1} }
func sum() int { var x [N]int; return len(x) + T{}.A }
func f(x int) int { return x }
func g(x int) int { return f(x) }
func h(x int) int { return f(x) + N }
func gen[X any](x X) int { return N }
one := gen("a")
type Stack[T any] struct{ xs []T }
func (s *Stack[T]) Push(x T) { *s = Stack[T]{append(s.xs, x)} }
(&Stack[int]{}).Push(1)
type Outer struct{ T }
func call(o Outer) int { return o.M() }
func direct(o Outer) int { return o.T.M() }`, ""},
		{"type Stack[T any] struct{ xs []T }\nfunc (s *Stack[T]) Push(x T) {}", ""},
		{"func (o Outer) M() int { return 7 }", "call still uses the M that Outer had from what it embeds"},
		{"const N = 10\ntype T struct{ A int }\nfunc (t T) M() int { return 2 }\nfunc (t *T) P() { *t = T{} }", ""},
		{"const N = 5 + 5", ""},
		{"func f(x float64) float64 { return x }\nfunc g(x float64) float64 { return f(x) }", "h still uses the earlier f, which had another type"},
		{"type T struct{ A, B int }\nfunc (t T) M() int { return T{1, 2}.A }", "mk still uses the earlier type T; sum still uses the earlier type T"},
		{"const N = 11", "gen still uses the earlier N, 10; h still uses the earlier N, 10; sum still uses the earlier N, 10"},
		{"const N = 12", ""}, // they were told of
	} {
		out := run(t, s, 1+i, c.src)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		var l []string
		for _, w := range out.Warnings {
			l = append(l, w.Text)
		}
		if got := strings.Join(l, "; "); got != c.want {
			t.Errorf("%s\n got  %s\n want %s", c.src, got, c.want)
		}
	}
}

// TestFunctionAsVariable: mean := mean(x) takes the function's name once; run again, the cell is told why it has none.
func TestFunctionAsVariable(t *testing.T) {
	s := newSession(t)
	run(t, s, 1, "func mean(x int) int { return x }")
	if got := text(t, s, 2, "mean := mean(3)\nmean"); got != "3" {
		t.Error(got)
	}
	if got := text(t, s, 3, "mean := mean(3)"); !strings.Contains(got, "mean is a variable since cell [2]: run the cell of the function mean again") {
		t.Error(got)
	}
}
