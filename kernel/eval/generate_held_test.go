package eval

import (
	"fmt"
	"strings"
)

// Variables that pointers, functions, slices and methods hold on to, changed in each way there is and read through
// everything that holds on to them.

// held changes a variable, a field or an element.
func (g *gen) held(d int) []string {
	ts, name := g.two(), g.fresh()
	if t := g.structType(); t != nil && g.r.IntN(2) == 0 {
		ts["T"] = t
	} else if ts["T"].kind == kIface {
		ts["T"] = g.array(2, g.anyBasic())
	}
	lines := []string{
		"$, $o := <:T>, <:T>", "_, _ = $, $o",
		"$w := struct { F $T; A [2]$T; S []$T; M map[string]$T; I any; G func() $T }{F: <T>, S: []$T{<T>, <T>}, M: map[string]$T{\"k\": <T>}, I: <:T>, G: func() $T { return $ }}",
		"$p, $q, $c, $f := &$, &$w, make(chan $T, 3), func() ($T, error) { return <T>, nil }",
		"$e, $a, $b := &$w.A[1], $w.A[:], &$w.F",
		"$r := func() string { return fmt.Sprint($, $w.F, $w.A, $w.S, $w.M) }",
		"$k, $l := $, $w", "_, _, _ = $c, $f, $q",
	}
	places := []string{"$", "$", "$", "(*$p)", "$w.F", "$q.F", "(*$b)", "$w.A[<i2>]", "(*$e)", "$a[<i2>]", "$w.S[<i2>]", "$q.A[<i2>]", "$o"}
	for range 3 + g.r.IntN(4) {
		change := g.change(pick(g, places), pick(g, places), ts["T"])
		lines = append(lines, g.around(change), "fmt.Println($, *$p, $w.F, $w.A, $w.S, *$e, $a, *$b, $r(), $k, $l.F, $l.A, $o)")
		switch g.r.IntN(8) {
		case 0:
			lines = append(lines, "$k, $l = $, $w")
		case 1:
			lines = append(lines, g.around("$w = $l"), "fmt.Println($w.F, $q.A, *$e, *$b, $a)")
		case 2:
			lines = append(lines, g.around("$w.A = [2]$T{<T>, <T>}"), "fmt.Println(*$e, $a, $q.A)")
		}
	}
	return g.write(name, ts, lines...)
}

// change writes a statement that gives a place another value. It may use another place.
func (g *gen) change(x, y string, t *genType) string {
	ways := []string{
		"@ = <T>", "@ = <T2>", "@, _ = <T>, 1", "@, ^ = ^, @", "@, ^ = <T>, <T>", "@, ^ = ^, <T>", "@, _ = $f()", "@ = func() $T { x, _ := $f(); return x }()", "@ = $w.M[\"k\"]", "@, _ = $w.M[\"k\"]", "$w.M[\"k\"], @ = @, <T>",
		"$c <- <T>; @ = <-$c", "$c <- <T>; @, _ = <-$c", "$c <- <T>; select { case @ = <-$c: }", "$c <- @; @ = <T>; ^ = <-$c", "for _, @ = range []$T{<T>, ^} { }", "for @ = range slices.Values([]$T{^, <T>}) { }",
		"for _, @ = range [...]$T{^, <T>} { break }", "@ = $w.I.($T)", "@, _ = $w.I.($T)", "$w.I = @; @ = <T>; ^ = $w.I.($T)", "@ = []$T{<T>, ^}[<i2>]", "@ = *new($T)", "@ = func() $T { return <T> }()", "@ = $w.G()",
		"if @ = (<T>); true { ^ = @ }", "switch @ = (<T>); { default: ^ = @ }", "@ = id(^)", "func(p *$T) { *p = <T> }(&@)", "func(p *$T) { *p = ^; p = &^ }(&@)", "{ x := @; @ = ^; ^ = x }", "*&@ = <T>",
		"func() (r $T) { defer func() { @ = r; r = <T> }(); return ^ }()", "{ x, y := @, ^; @, ^ = y, x }", "@, ^ = func() ($T, $T) { return ^, @ }()", "@ = struct{ X, Y $T }{<T>, ^}.Y", "@ = map[int]$T{1: ^}[<i2>]",
	}
	if t.kind == kStruct && len(t.fields) > 0 {
		f := pick(g, t.fields)
		g.nvar++
		for _, s := range []string{"@.F = <F>", "(@).F, ^ = <F>, <T>", "(&@).F = ^.F", "@.F, ^.F = ^.F, @.F", "{ x := @; x.F = <F>; ^ = x }", "{ p := &@.F; @ = <T>; *p = <F> }", "for _, x := range []$T{@, ^} { x.F = <F>; @ = x }"} {
			s = strings.ReplaceAll(s, ".F", "."+f.name)
			ways = append(ways, strings.ReplaceAll(s, "<F>", g.expr(f.t, 1)))
		}
	}
	switch {
	case t.isInteger():
		ways = append(ways, "@++", "@--", "@ += <T>", "@ ^= ^", "@ |= <T>", "@ <<= 1", "@ -= ^")
	case t.kind == kString:
		ways = append(ways, "@ += <T>", "@ += ^", "@ = @ + ^")
	case t.kind == kArray:
		ways = append(ways, "for i := range @ { (@)[i] = (^)[0] }", "for i, x := range @ { (^)[i] = x }", "(@)[0] = (^)["+fmt.Sprint(t.n-1)+"]")
	case t.kind == kSlice:
		ways = append(ways, "@ = append(@, ^...)", "@ = slices.Clone(^)", "if len(^) > 0 { @ = (^)[:1:1] }")
	}
	return strings.NewReplacer("@", x, "^", y).Replace(pick(g, ways))
}

// around puts a statement where it is carried out once.
func (g *gen) around(s string) string {
	return strings.Replace(pick(g, []string{
		"@", "@", "@", "func() { @ }()", "func() { @ }()", "func() { func() { @ }() }()", "for range 1 { @ }", "for range func(y func() bool) { y() } { @ }", "func() { defer func() { @ }() }()",
		"func() { defer func() { recover(); @ }(); panic(1) }()", "func() { d := make(chan bool); go func() { defer close(d); defer func() { recover() }(); @ }(); <-d }()", "for _, f := range []func(){func() { @ }} { f() }",
		"func() { var wg sync.WaitGroup; wg.Go(func() { defer func() { recover() }(); @ }); wg.Wait() }()", "{ f := func() { @ }; f() }", "func(f func()) { f() }(func() { @ })", "switch { case true: @ }", "if true { @ }", "func() { for i := 0; i < 1; i++ { func() { _ = i; @ }() } }()",
		"sync.OnceFunc(func() { @ })()", "func() { var f func(int); f = func(n int) { if n > 0 { f(n - 1); return }; @ }; f(2) }()",
	}), "@", s, 1)
}

// structType gives a struct with fields whose values print the same every time, nil if the program has none.
func (g *gen) structType() *genType {
	var list []*genType
	for _, t := range g.types {
		if t.kind == kStruct && t.prints && t != g.making && len(t.fields) > 0 {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(g, list)
}

// givers are functions as values, of which something is taken of what they give.
func (g *gen) givers(d int) []string {
	t := g.structType()
	if t == nil {
		return g.held(d)
	}
	f, name := pick(g, t.fields), g.fresh()
	lines := []string{"$, $n := <:T>, 0", "$p := &$", "$g := func() $T { $n++; return $ }", "$h := func() *$T { $n++; return $p }", "_, _ = $g, $h"}
	for range 3 + g.r.IntN(3) {
		give := pick(g, []string{"any($g).(func() $T)", "sync.OnceValue($g)", "$g", "func() func() $T { return $g }()", "map[string]func() $T{\"k\": $g}[\"k\"]", "[]func() $T{nil, $g}[1]", "struct{ F func() $T }{$g}.F",
			"id($g)", "func() $T { return <T> }", "any([]func() $T{$g}).([]func() $T)[0]", "any(map[string]any{\"k\": $g}).(map[string]any)[\"k\"].(func() $T)"})
		point := pick(g, []string{"any($h).(func() *$T)", "$h", "sync.OnceValue($h)", "map[int]func() *$T{1: $h}[1]", "id($h)"})
		use := pick(g, []string{
			"{ f := ^; fmt.Println(f().F, f()); x := f(); x.F = <F>; fmt.Println(x, f().F) }", "fmt.Println((^)().F)", "{ f := #; f().F = <F>; fmt.Println(f().F, (*f()).F, $) }", "{ f := #; q := &*f(); q.F = <F>; fmt.Println($, *q) }",
			"{ f := #; q := &f().F; *q = <F>; fmt.Println($.F) }", "{ f := #; q := &(*f()).F; *f() = <T>; q = &(*f()).F; *q = <F>; fmt.Println($) }", "{ f, k := ^, #; *k() = f(); k().F = <F>; fmt.Println($, f().F) }",
			"{ f := func() ($T, *$T) { return (^)(), (#)() }; x, q := f(); x.F = <F>; fmt.Println(x, *q) }", "{ f, ok := any(^).(func() $T); fmt.Println(f().F, ok) }", "switch f := any(^).(type) { case func() $T: fmt.Println(f().F) }",
			"{ c := make(chan func() $T, 1); c <- ^; fmt.Println((<-c)().F) }",
		})
		lines = append(lines, strings.NewReplacer(".F", "."+f.name, "^", give, "#", point, "<F>", g.expr(f.t, 1)).Replace(use))
	}
	return g.write(name, map[string]*genType{"T": t}, append(lines, "fmt.Println($, *$p, $n > 0)")...)
}

// ordered has statements that read variables beside calls that change them.
func (g *gen) ordered(d int) []string {
	ts, name := g.two(), g.fresh()
	for ts["T"].kind == kIface || ts["T"].kind == kMap {
		ts["T"] = g.anyBasic()
	}
	lines := []string{
		"$, $n := id[$T](<T>), 1", "_ = $",
		"$w, $l, $p, $m := struct { F $T; A [2]$T; N int }{F: <T>}, []$T{<T>, <T>}, &$, map[string]$T{\"k\": <T>}",
		"$s, $i, $q := \"s\", any(1), &$w", "_ = $p",
		"$f := func() int { $n++; $ = <T>; $w.F, $w.A[0] = <T>, <T>; $w.N += 10; $l[0] = <T>; $m[\"k\"] = <T>; $s += \"x\"; $i = any($n); if $n%3 == 0 { $l = append($l, <T>); $p = &$w.F }; return $n }",
		"$g := func() $T { $f(); return $ }",
		"_, _, _ = $i, $q, $g", "$c := func(xs ...any) { for _, x := range xs { fmt.Printf(\"%v;\", x) }; fmt.Println() }",
	}
	whole := []string{"$", "$w.F", "$w.A[<i2>]", "$l[0]", "*$p", "$m[\"k\"]", "$g()", "$q.F", "id($)"}
	number := []string{"$n", "$n", "$f()", "$f()", "$w.N", "len($l)", "len($s)", "$q.N", "-$n", "$n * 10", "id($n)", "(&$w).N"}
	other := []string{"$s", "$s + \"y\"", "$w", "$w.A", "$l[:1]", "$n == 3", "$n > 2 && $f() > 3", "$i", "any($n)", "[]int{$n, $f()}", "[2]int{$n, $f()}", "[]any{$n, $}", "*$q", "struct{ X int; Y $T }{$n, $}", "fmt.Sprint($n)", "$i.(int)", "$s[:1]", "map[string]int{\"a\": $n, \"b\": $f()}", "float64($n)", "func() int { return $n }()"}
	one := func() string { return pick(g, pick(g, [][]string{whole, number, number, other})) }
	num := func() string { return pick(g, number) }
	val := func() string { return pick(g, whole) }
	for range 3 + g.r.IntN(4) {
		lines = append(lines, pick(g, []string{
			"fmt.Println(" + one() + ", " + one() + ", " + one() + ", " + one() + ")", "$c(" + one() + ", " + one() + ", " + one() + ")",
			"{ x, y := " + one() + ", " + one() + "; $c(x, y) }", "{ x, y, z := " + val() + ", " + num() + ", " + val() + "; $c(x, y, z) }", "{ var x, y any = " + one() + ", " + one() + "; $c(x, y) }",
			"{ x, y := 0, 0; x, y = " + num() + ", " + num() + "; $c(x, y) }", "{ x := " + num() + " + " + num() + "; $c(x) }", "{ x := " + num() + " - " + num() + " * " + num() + "; $c(x) }",
			"{ x := []int{" + num() + ", " + num() + ", " + num() + "}; $c(x) }", "{ x := struct{ A $T; N int; B $T }{" + val() + ", " + num() + ", " + val() + "}; $c(x) }", "$c(func() (any, any) { return " + one() + ", " + one() + " }())",
			"$c(func() ($T, int) { return " + val() + ", " + num() + " }())", "func(x $T, y int, z $T) { $c(x, y, z) }(" + val() + ", " + num() + ", " + val() + ")", "{ x := append([]int{" + num() + "}, " + num() + ", " + num() + "); $c(x) }",
			"$w.N, $n = " + num() + ", " + num(), "$l[0], $n = " + val() + ", " + num(), "$w.N += " + num(), "$n += " + num(), "$n = " + num() + " + " + num(), "if " + num() + " < " + num() + " { $c(\"lt\") }", "$w.A[" + "$n%2] = " + val(),
			"func() { defer $c(" + one() + ", " + one() + "); $n++ }()", "{ c := make(chan int, 1); c <- " + num() + " + " + num() + "; $c(" + num() + ", <-c, " + num() + ") }",
			"{ x := map[string]$T{\"a\": " + val() + ", \"b\": " + val() + "}; $c(x) }", "$c(min(" + num() + ", " + num() + "), max(" + num() + ", " + num() + "))",
		}), "$c($, $n, $w, $l, $m, $s)")
	}
	return g.write(name, ts, lines...)
}

// afresh has variables that are declared again and again, with a value and without one, in loops of all kinds.
func (g *gen) afresh(d int) []string {
	ts, name := g.two(), g.fresh()
	if ts["T"].kind == kIface {
		ts["T"] = g.slice(g.anyBasic())
	}
	lines := []string{
		"$m, $x, $c := map[int]$T{0: <T>, 3: <T>}, []any{id[$T](<T>), nil, id[$U](<U>), id[$T](<T>)}, make(chan $T, 1)",
		"$f := func(i int) (r $T, err error) { if i%3 == 0 { r = <T> } else { err = errors.New(\"e\") }; return }", "_, _, _, _ = $m, $x, $c, $f",
		"$k := []func() any{}",
	}
	for range 2 + g.r.IntN(3) {
		body := pick(g, []string{
			"v, ok := $m[i]; if i == 0 { fmt.Println(ok) }", "v, ok := $m[i]; _ = ok", "v, ok := $x[i].($T); _ = ok", "v, ok := <-$c; _ = ok", "var v $T; if i == 0 { v = <T> }", "var v, w = $m[i], i; _ = w", "v := $m[i]",
			"v, err := $f(i); _ = err", "v := [...]$T{1: $m[i], 2: $m[i+1]}[i%3]", "v := struct { A $T; B []$T }{B: []$T{<T>}}.A", "v := *new($T)", "v := make([]$T, 2)[1]", "var w [2]$T; w[i%2] = <T>; v := w[0]", "w := map[int]$T{i: <T>}; v, ok := w[0]; _ = ok",
			"var v $T; switch w := $x[i].(type) { case $T: v = w }", "v, _ := $x[i].($T)", "v, _ := $m[i]", "var v $T; v, _ = $m[i]", "var v $T; if w, ok := $m[i]; ok || i == 1 { v = w }", "var v $T; select { case w, ok := <-$c: v = w; _ = ok }", "v := func() (r $T) { if i == 0 { r = <T> }; return }()",
			"var w struct { A $T; B map[string]int; C []int }; if i == 0 { w.A, w.C = <T>, []int{1} }; v := w.A; fmt.Println(w.C == nil, w.B == nil); w.B = map[string]int{}",
		})
		change := pick(g, []string{"", "v = <T>; ", "p := &v; *p = <T>; ", "func() { v = <T> }(); ", "$k = append($k, func() any { return v }); ", "$k = append($k, func() any { w := v; v = <T>; return w }); "})
		loop := pick(g, []string{"for i := range 4 { @ }", "for i := 0; i < 4; i++ { @ }", "for i := range count(4) { @ }", "for i := range 4 { func() { @ }() }", "{ i := 0; for i < 4 { @; i++ } }", "for _, i := range []int{0, 1, 3, 2} { @ }", "for i := range 4 { if i >= 0 { @ } }",
			"{ var f func(int); f = func(i int) { if i < 0 { return }; f(i - 1); @ }; f(3) }", "for i := range 4 { switch { default: @ } }"})
		lines = append(lines, "$c = make(chan $T, 1); $c <- <T>; close($c)", strings.Replace(loop, "@", body+"; fmt.Println(i, v); "+change, 1))
	}
	return g.write(name, ts, append(lines, "for _, f := range $k { fmt.Println(f(), f()) }")...)
}
