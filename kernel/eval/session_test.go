package eval

import (
	"context"
	"strings"
	"testing"
)

// TestSequences runs sequences of cells as people do in a notebook: declaring again, failing
// in between, running again. Each cell has what it shows, or the beginning of its error.
func TestSequences(t *testing.T) {
	for name, cells := range map[string][][2]string{
		"variable of another type": {{"x := 1", ""}, {"func get() int { return x }", ""}, {"x = 5; get()", "5"}, {"x := 7", ""}, {"get()", "7"}, {`x := "s"`, ""}, {"x", "s"}, {"get()", "7"}},
		"x := x + 1":               {{"x := 1", ""}, {"x := x + 1", ""}, {"x", "2"}, {"x := fmt.Sprint(x)", ""}, {"x + x", "22"}},
		"names above their declaration": {{"func mean(xs ...float64) float64 { return xs[0] }\nfunc uses() float64 { return mean(7) }\nfunc list[T any](x T) []T { return []T{x} }\nconst big = 1 << 40\ntype Pt struct{ X int }\nfunc (p Pt) Twice() int { return 2 * p.X }", ""},
			{"mean := mean(3, 4)\nlist := list(\"a\")\nbig := big / 1024.0\nPt := Pt{1}\nfmt.Sprint(mean, list, big, Pt, Pt.Twice(), uses())", "3 [a] 1.073741824e+09 {1} 2 7"}, {"mean := mean + 1\nmean", "4"},
			{"f := func() []string { return strings.Fields(\"a b\") }\nstrings := strings.Fields(\"c d\")\nfmt.Sprint(f(), strings)", "[a b] [c d]"}, {"url, err := url.Parse(\"http://a.b/c\")\nurl.Host", "a.b"}, {"func g(n int) int { return n }", ""}, {"h := g\nvar g string", ""}, {"fmt.Sprint(h(3), g)", "3"}},
		"instance after what it calls is something else": {{"func f(n int) int { return n }\nfunc g[T any](x T) int { return f(1) }\ng(1)", "1"}, {"func f(n int) int { return 2 }", ""}, {"f := func(n int) int { return 100 }", ""}, {"fmt.Sprint(g(1), g(\"a\"))", "2 2"},
			{"func f(n int) int { return 3 }", ""}, {"fmt.Sprint(g(1), g(2.5))", "2 2"}},
		"var again is zero":           {{"var n int", ""}, {"n = 4; inc := func() { n++ }", ""}, {"var n int", ""}, {"inc(); n", "1"}},
		"function":                    {{"func f() int { return 1 }", ""}, {"func g() int { return f() * 10 }\nh := func() int { return f() }", ""}, {"func f() int { return 2 }", ""}, {"[]int{g(), h()}", "[20 2]"}, {"func f(s string) string { return s }", ""}, {"f(\"a\")", "a"}, {"g()", "20"}},
		"function and its use":        {{"func f() int { return 1 }", ""}, {"func g() int { return f() * 10 }", ""}, {"func f() int { return 2 }\nfunc k() int { return g() + 1 }\nh := func() int { return g() + f() }\n[]int{g(), h(), k()}", "[20 22 21]"}, {"func f() int { return 3 }\n[]int{g(), h(), k()}", "[30 33 31]"}, {"func g() int { return f() }\n[]int{g(), h(), k()}", "[3 6 4]"}},
		"method and its use":          {{"type T struct{ A int }\nfunc (t T) M() int { return 1 }\nfunc call(t T) int { return t.M() }", ""}, {"func (t T) M() int { return 2 }\ncall(T{})", "2"}, {"func (t T) String() string { return fmt.Sprint(call(t)) }\nvar x any = T{}\nfmt.Sprint(x)", "2"}, {"func (t T) M() int { return 3 }\nfmt.Sprint(x, call(T{}))", "3 3"}},
		"generic and its use":         {{"func f[T any](x T) string { return \"one\" }\nfunc g() string { return f(1) }\ng()", "one"}, {"func f[T any](x T) string { return \"two\" }\ng() + f(2)", "twotwo"}, {"func h[T any](x T) string { return f(x) + g() }\nh(1)", "twotwo"}, {"func f[T any](x T) string { return \"three\" }\nh(1) + h(\"s\") + g()", "threethreethreethreethree"}, {"h(2.5)", "threethree"}},
		"package in an earlier body":  {{"func a() int { return 1 }\nfunc b() int { var w sync.WaitGroup; w.Wait(); var m map[string]*strings.Builder; return a() + len(m) }\nfunc k[T any](x T) int { var w sync.Mutex; w.Lock(); return a() }", ""}, {"func a() int { return 2 }", ""}, {"[]int{b(), k(1)}", "[2 2]"}, {"func a() int { return 3 }\n[]int{b(), k(1), k(\"s\")}", "[3 3 3]"}},
		"method":                      {{"type T struct{ A int }\nfunc (t T) M() int { return t.A }\nfunc call(t T) int { return t.M() }", ""}, {"call(T{3})", "3"}, {"func (t T) M() int { return t.A * 2 }", ""}, {"call(T{3})", "6"}, {"func (t T) N() string { return \"n\" }", ""}, {"T{1}.N()", "n"}},
		"method of a boxed type":      {{"type T struct{ A int }", ""}, {"var x any = T{1}\nfmt.Sprint(x)", "{1}"}, {"func (t T) String() string { return \"T!\" }", ""}, {"fmt.Sprint(T{1}, x)", "T! T!"}, {"func (t T) String() string { return \"U\" }", ""}, {"fmt.Sprint(T{1}, x)", "U U"}},
		"type":                        {{"type T struct{ A int }\nt := T{1}", ""}, {"type T struct{ A int; B string }", ""}, {"T{1, \"b\"}", "{A:1 B:b}"}, {"t", "{A:1}"}, {"var u T = t", "error: Cell [5], line 1: cannot use t"}},
		"type and methods again":      {{"type T struct{ A int }\nfunc (t T) M() int { return 1 }", ""}, {"T{}.M()", "1"}, {"type T struct{ A int }\nfunc (t T) M() int { return 2 }", ""}, {"T{}.M()", "2"}},
		"constant and import":         {{"const c = 3", ""}, {"const c = \"x\"", ""}, {"c", "x"}, {`import "math"`, ""}, {`import math "math/cmplx"`, ""}, {"math.Sqrt(-1)", "(0+1i)"}, {`import "math"`, ""}, {"math.Sqrt(4)", "2"}, {"fmt := 3", ""}, {"fmt", "3"}},
		"failing cells":               {{"var a int = \"s\"", "error"}, {"a", "error: Cell [2], line 1: undefined: a"}, {"func f() { undefinedfn() }", "error"}, {"f()", "error: Cell [4], line 1: undefined: f"}, {"x := 1\nprintln(y)", "error"}, {"x", "error: Cell [6], line 1: undefined: x"}, {"return 5", "error"}, {"break", "error"}, {"1+1", "2"}},
		"failing late method":         {{"type T struct{}", ""}, {"func (t T) M() int { return \"s\" }", "error"}, {"T{}.M()", "error"}, {"func (t T) M() string { return \"s\" }", ""}, {"T{}.M()", "s"}},
		"panic in the middle":         {{"a := 1\nvar m map[string]int\nm[\"x\"] = 1\na = 2", "error: panic: assignment to entry in nil map\n    Cell [1], line 3"}, {"a", "1"}},
		"no leftovers":                {{"n := 0\ndefer func() { n++ }()\nfunc() { n += 10 }()", ""}, {"n", "11"}, {"n", "11"}},
		"main and init":               {{"func main() { println(1) }\nvar n int\nfunc init() { n += 7 }", ""}, {"n", "7"}, {"init()\nn", "14"}, {"main()", ""}, {"func init() int { return 7 }", "error: Cell [5], line 1: func init must have"}},
		"the last value":              {{"1; 2; 3", "error"}, {"3;", ""}, {"x := 5", ""}, {"x++", ""}, {"if x > 3 { 99 }", "error"}, {"func two() (int, string) { return 1, \"a\" }\ntwo()", "1 a"}, {"errors.New(\"bad\")", "error: bad"}, {"strconv.Atoi(\"x\")", "error: strconv.Atoi"}, {"var e error\ne", "<nil>"}, {"fmt.Print()", ""}, {"nil", "error"}, {"[]int(nil)", "[]"}, {"x == 6", "true"}, {"func() int { return 3 }()", "3"}},
		"exit":                        {{"x := 3\nos.Exit(2)", "error: exit status 2"}, {"x", "3"}, {"defer println(1)\nlog.Fatal(\"bye\")", "error: exit status 1"}, {"x", "3"}},
		"ambiguous import":            {{"template.New(\"x\").Name()", "error: Cell [1], line 1: several packages are called template"}, {"import \"text/template\"\ntemplate.New(\"x\").Name()", "x"}},
		"shadowed names":              {{"len := func(x int) int { return x }\nlen(3)", "3"}, {"string := 4\nstring", "4"}, {"func f(fmt int) int { any := fmt; return any }\nf(2)", "2"}, {"var s []int\nfor range 3 { append := 1; _ = append }\ns == nil", "true"}},
		"dot import":                  {{"import . \"strings\"", ""}, {"ToUpper(\"abc\")", "ABC"}},
		"type parameters do not leak": {{"type R struct{ W int }", ""}, {"func Apply[T, R any](x T, f func(T) R) R { return f(x) }", ""}, {"Apply(3, func(x int) string { return fmt.Sprint(x) })", "3"}, {"R{1}", "{W:1}"}},
		"instances in the engine":     {{"net := nn.MLP(4, 3, 2)", ""}, {"twin := net.Clone()\ntwin.Err() == nil", "true"}, {"func same(a, b *nn.Net) bool { return a == b }\nsame(net, twin)", "false"}},
		"generic in a later cell":     {{"type S[T any] struct{ xs []T }\nfunc (s *S[T]) Add(x T) { s.xs = append(s.xs, x) }", ""}, {"s := S[int]{}", ""}, {"s.Add(3); s.xs", "[3]"}, {"t := &S[any]{}\nt.Add(s); t.xs", "[{xs:[3]}]"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			for i, c := range cells {
				got := text(t, s, i+1, c[0])
				if want, isErr := c[1], strings.HasPrefix(c[1], "error"); got != want && !(isErr && strings.HasPrefix(got, want)) {
					t.Errorf("cell %d: %s\n got  %s\n want %s", i+1, c[0], got, want)
				}
			}
		})
	}
}

func TestDiagnostics(t *testing.T) {
	s := newSession(t)
	out := run(t, s, 4, "x := 1\ny := undefinedname + 2\nstrings.ToUper(\"a\")\nx = \"s\"")
	e, ok := out.Err.(*CompileError)
	if !ok || len(e.Diagnostics) != 3 {
		t.Fatalf("%v", out.Err)
	}
	if d := e.Diagnostics[0]; d.Line != 2 || d.Col != 6 || d.Source != "y := undefinedname + 2" || d.Cell != 4 {
		t.Errorf("%+v", d)
	}
	found := false
	for _, d := range e.Diagnostics {
		found = found || d.Hint == "did you mean ToUpper?"
	}
	if !found {
		t.Errorf("no hint in %v", e)
	}
	out = run(t, s, 5, "func f() int { a := 1; return 2 }\nf()")
	if len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0].Text, "declared and not used: a") || out.Err != nil {
		t.Errorf("%+v", out)
	}
}

func TestTrace(t *testing.T) {
	s := newSession(t)
	run(t, s, 2, "func inner(xs []int, i int) int {\n\ta := 1\n\t_ = a\n\treturn xs[i]\n}\nfunc outer(i int) int {\n\treturn inner([]int{1, 2}, i) + 1\n}")
	out := run(t, s, 3, "x := 1\n\nx = outer(7)\nx = 4")
	e, ok := out.Err.(*PanicError)
	if !ok || !strings.HasPrefix(e.Text, "runtime error: index out of range") {
		t.Fatal(out.Err)
	}
	if len(e.Trace) != 3 || e.Trace[0] != (Frame{"inner", 2, 4}) || e.Trace[1].Func != "outer" || e.Trace[2].Cell != 3 {
		t.Errorf("%+v", e.Trace)
	}
}

func TestVarsAndPredeclared(t *testing.T) {
	s, err := New(Options{Symbols: newSession(t).opt.Symbols, Predeclared: []Predeclared{{"ctx", "context.Context", context.Background()}}, Stdin: strings.NewReader("7 words\nline\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, s, 1, "ctx.Err() == nil"); got != "true" {
		t.Error(got)
	}
	if got := text(t, s, 2, "type P struct{ X int }\nvar n int\nvar w string\nfmt.Scan(&n, &w)\np := []P{{n}}\nw"); got != "words" {
		t.Error(got)
	}
	var names []string
	for _, v := range s.Vars() {
		names = append(names, v.Name+" "+v.Type)
		if v.Name == "p" && (v.Text != "[{X:7}]" || v.Size < 32) {
			t.Errorf("%+v", v)
		}
	}
	if got := strings.Join(names, ", "); got != "ctx context.Context, n int, p []P, w string" {
		t.Error(got)
	}
}

// TestStrips runs loops that are cut into strips at the limits of what they count.
func TestStrips(t *testing.T) {
	s := newSession(t)
	for cell, want := range map[string]string{
		"s := 0\nfor i := 0; i < 1000; i++ {\n\tif i%3 == 0 {\n\t\tcontinue\n\t}\n\ts += i\n}\ns":                                "332667",
		"s := 0\nn := 600\nfor i := range n {\n\tn--\n\ts += i\n}\n[]int{s, n}":                                                  "[179700 0]",
		"s := 0\nn := 600\nfor i := 0; i < n; i++ {\n\tn--\n\ts++\n}\n[]int{s, n}":                                               "[300 300]",
		"s := 0\nfor i := math.MaxInt - 5; i < math.MaxInt; i++ {\n\ts++\n}\nfor i := 3; i < -3; i++ {\n\ts++\n}\ns":             "5",
		"s := 0\nx := []int{1, 2, 3}\nfor i := 0; i < len(x); i++ {\n\ts += x[i]\n\tif s < 9 {\n\t\tx = append(x, 4)\n\t}\n}\ns": "18",
		"func f() int {\n\tfor i := 0; i < 1000; i++ {\n\t\tif i*i > 5000 {\n\t\t\treturn i\n\t\t}\n\t}\n\treturn -1\n}\nf()":    "71",
	} {
		if got := text(t, s, 1, cell); got != want {
			t.Errorf("%s\n got  %s\n want %s", cell, got, want)
		}
	}
}
