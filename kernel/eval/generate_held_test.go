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
	lines := []string{"$, $n := <:T>, 0", "$p := &$", "$g := func() $T { $n++; return $ }", "$h := func() *$T { $n++; return $p }"}
	for range 3 + g.r.IntN(3) {
		give := pick(g, []string{"any($g).(func() $T)", "sync.OnceValue($g)", "$g", "func() func() $T { return $g }()", "map[string]func() $T{\"k\": $g}[\"k\"]", "[]func() $T{nil, $g}[1]", "struct{ F func() $T }{$g}.F",
			"id($g)", "func() $T { return <T> }", "any([]func() $T{$g}).([]func() $T)[0]", "any(map[string]any{\"k\": $g}).(map[string]any)[\"k\"].(func() $T)"})
		point := pick(g, []string{"any($h).(func() *$T)", "$h", "sync.OnceValue($h)", "map[int]func() *$T{1: $h}[1]", "id($h)"})
		use := pick(g, []string{
			"{ f := ^; fmt.Println(f().F, f()); x := f(); x.F = <F>; fmt.Println(x, f().F) }", "fmt.Println((^)().F)", "{ f := #; f().F = <F>; fmt.Println(f().F, (*f()).F, $) }", "{ f := #; q := &*f(); q.F = <F>; fmt.Println($, *q) }",
			"{ f := #; q := &f().F; *q = <F>; fmt.Println($.F) }", "{ f := #; q := &(*f()).F; fmt.Println(*q); *f() = <T>; fmt.Println(*q == *q || true, $) }", "{ f, k := ^, #; *k() = f(); k().F = <F>; fmt.Println($, f().F) }",
			"{ f := func() ($T, *$T) { return (^)(), (#)() }; x, q := f(); x.F = <F>; fmt.Println(x, *q) }", "{ f, ok := any(^).(func() $T); fmt.Println(f().F, ok) }", "switch f := any(^).(type) { case func() $T: fmt.Println(f().F) }",
			"{ c := make(chan func() $T, 1); c <- ^; fmt.Println((<-c)().F) }",
		})
		lines = append(lines, strings.NewReplacer(".F", "."+f.name, "^", give, "#", point, "<F>", g.expr(f.t, 1)).Replace(use))
	}
	return g.write(name, map[string]*genType{"T": t}, append(lines, "fmt.Println($, *$p, $n > 0)")...)
}
