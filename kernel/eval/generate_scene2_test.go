package eval

import (
	"fmt"
	"strings"
)

// selecting has selects of which one case is ready.
func (g *gen) selecting(d int) []string {
	return g.write(g.fresh(), g.two(),
		"$, $n := make(chan $T, 2), (chan $T)(nil)",
		"for i := range 4 { select { case $ <- <T>: fmt.Println(\"sent\", i); case x := <-$n: fmt.Println(x); default: fmt.Println(\"full\", len($)) } }",
		"close($)",
		"for { var x $T; var ok bool; select { case x, ok = <-$: fmt.Println(x, ok); case $n <- x: }; if !ok { break } }")
}

// loopClosures keeps functions that hold on to the variables of loops.
func (g *gen) loopClosures(d int) []string {
	change := pick(g, []string{"_ = i; ", "x := x; _ = i; ", "i := i * 2; _ = i; ", "{ x := x; _, _ = x, i }; "})
	return g.write(g.fresh(), g.two(),
		"var $ []func() $T",
		"for i, x := range []$T{<T>, <T>} { "+change+"$ = append($, func() $T { y := x; x = <T>; return y }) }",
		"for i := 0; i < 3; i++ { $ = append($, func() $T { i += 10; if i%2 == 0 { return <T> }; return <T> }); if i == 1 { i++ } }",
		"for range 2 { for _, f := range $ { fmt.Println(f()) } }")
}

// methodFunctions are method values and method expressions.
func (g *gen) methodFunctions(d int) []string {
	vs := g.visible(func(v genVar) bool {
		return v.fn == nil && v.t.named && v.t.kind != kIface && len(v.t.methods) > 0 && v.t != g.making
	})
	if len(vs) == 0 {
		return g.inAny(d)
	}
	v := pick(g, vs)
	m := pick(g, v.t.methods)
	recv, typ := v.name, v.t.name
	if m.pointer {
		recv, typ = "&"+v.name, "(*"+v.t.name+")"
	}
	args := []string{recv}
	for _, p := range m.params {
		args = append(args, g.expr(p, 1))
	}
	values, list := strings.Join(args, ", "), strings.Join(args[1:], ", ")
	call := func(s string) string {
		if m.result == nil || !m.result.prints {
			return s
		}
		return "fmt.Println(" + s + ")"
	}
	name := g.fresh()
	lines := []string{fmt.Sprintf("%s, %[1]se := %s.%s, %s.%[3]s", name, v.name, m.name, typ)}
	if !v.ro && v.t.kind != kStruct {
		lines = append(lines, v.name+" = "+g.expr(v.t, 1))
	}
	return append(lines, call(name+"("+list+")"), call(name+"e("+values+")"), call(fmt.Sprintf("[]any{%se}[0].(%s)(%s)", name, methodType(v.t, m), values)))
}

// methodType is the type of a method expression.
func methodType(t *genType, m *genFunc) string {
	s := "func(" + m.starred() + t.name
	for _, p := range m.params {
		s += ", " + p.name
	}
	s += ")"
	if m.result != nil {
		s += " " + m.result.name
	}
	return s
}

// embeddedInterface has structs that have methods of an interface they embed.
func (g *gen) embeddedInterface(d int) []string {
	name, ts := g.fresh(), g.two()
	g.nvar++
	typ := fmt.Sprintf("%sE%d", g.p.prefix(), g.nvar)
	ts["E"] = g.errType
	g.p.decls = append(g.p.decls, fmt.Sprintf("type %s struct { error; fmt.Stringer; N %s }\nfunc (e %[1]s) Own() %[2]s { return e.N }\ntype %[1]sP struct { *%[1]s; K int }", typ, ts["A"].name))
	return g.write(name, ts,
		"$ := "+typ+"{error: <E>, N: <A>}",
		"try(\"$\", func() { fmt.Println($.N, $.error, $.Error()) })",
		"func() { defer func() { fmt.Println(recover() != nil) }(); fmt.Println($.String()) }()",
		"$p := "+typ+"P{&$, 1}",
		"$p.N = <A>",
		"fmt.Println($.N, $p.Own(), $p.K, any($p).(interface{ Own() $A }).Own(), any($p).(error) != nil)")
}

// sequences has loops over functions, left in all ways.
func (g *gen) sequences(d int) []string {
	ts, name := g.two(), g.fresh()
	lines := g.write(name, ts, `$ := func(xs []$T) (out $T) {
for i, x := range each(xs) {
defer func() { fmt.Println("after", i) }()
if i == <n3> { out = x; continue }
for j := range count(3) { if j == 1 && <b> { return x }; if i+j == <n4> { break } }
}
return
}([]$T{<T>, <T>, <T>})`, "_ = $",
		"{ next, stop := iter.Pull2(each([]$T{<T>, <T>})); i, x, ok := next(); fmt.Println(i, x, ok); n, _, _ := next(); fmt.Println(n); stop(); _, _, ok = next(); fmt.Println(ok) }",
		"fmt.Println(slices.Collect(func(yield func($T) bool) { if yield(<T>) { yield(<T>) } }))")
	g.declare(genVar{name: name, t: ts["T"]})
	return lines
}

// structsInMaps reads, changes and writes elements that cannot be changed where they are.
func (g *gen) structsInMaps(d int) []string {
	var structs []*genType
	for _, t := range g.types {
		if t.kind == kStruct && t.prints && t != g.making {
			structs = append(structs, t)
		}
	}
	if len(structs) == 0 {
		return g.arraysInArrays(d)
	}
	t, name := pick(g, structs), g.fresh()
	f := pick(g, t.fields)
	ts := map[string]*genType{"T": t, "F": f.t, "K": g.keyType()}
	lines := g.write(name, ts,
		"$ := map[$K]$T{}", "_ = $",
		"$[<K>] = <T>",
		"$x := $[<K>]", "_ = $x",
		"$x."+f.name+" = <F>",
		"fmt.Println(len($), $[<K>], $x)",
		"$[<K>] = $x",
		"if y, ok := $[<K>]; ok { y."+f.name+" = <F>; p := &y; p."+f.name+" = <F>; fmt.Println(*p, y) }",
		"delete($, <K>)", "fmt.Println(len($))")
	g.declare(genVar{name: name, t: g.mapOf(ts["K"], t)})
	g.declare(genVar{name: name + "x", t: t})
	return lines
}

// arraysInArrays copies arrays of arrays in all ways.
func (g *gen) arraysInArrays(d int) []string {
	ts, name := g.two(), g.fresh()
	a := g.array(2, g.array(2, ts["T"]))
	ts["A"] = a
	lines := g.write(name, ts,
		"$ := "+g.literalBraces(a, 2), "_ = $",
		"$b, $p := $, &$",
		"$b[<i2>][<i2>] = <T>",
		"$p[<i2>] = $b[<i2>]", "fmt.Println($, $b, *$p)",
		"for i, x := range $ { x[<i2>] = <T>; $[1-i][<i2>] = x[<i2>]; fmt.Println(i, x) }",
		"func(x $A) { x[<i2>][<i2>] = <T>; fmt.Println(x) }($)",
		"$s := $[:]", "$s[<i2>][<i2>] = <T>", "fmt.Println($, struct{ A $A }{$}.A[<i2>], []($A){$, *$p}[1][0])")
	g.declare(genVar{name: name, t: a})
	return lines
}

// pipeline has goroutines whose order is fixed by channels. Its name is new: what another goroutine evaluates could mean a variable
// outside that it hides, and read what is appended to meanwhile.
func (g *gen) pipeline(d int) []string {
	g.nvar++
	ts, name := g.two(), fmt.Sprintf("v%d", g.nvar)
	lines := g.write(name, ts,
		"var $ []$U", "_ = $",
		`func() {
in, out, done := make(chan $T), make(chan struct{ I int; V $U }, 1), make(chan struct{})
go func(list []$T) { defer close(in); for _, x := range list { in <- x } }([]$T{<T>, <T>, <T>})
go func(f func($T) $U) { defer close(out); i := 0; for x := range in { out <- struct{ I int; V $U }{i, f(x)}; i++ } }(func(x $T) $U { return <U> })
go func() { defer close(done); var mu sync.Mutex; for p := range out { mu.Lock(); $ = append($, p.V); fmt.Println(p.I, p.V); mu.Unlock() } }()
<-done
}()`)
	g.declare(genVar{name: name, t: g.slice(ts["U"])})
	return lines
}

// severalValues gives several results to places and to parameters.
func (g *gen) severalValues(d int) []string {
	lines := g.write(g.fresh(), g.two(),
		"$f := func() ($T, $U) { return <T2>, <U2> }",
		"$, $2 := $f()",
		"$3 := struct { A any; B $U; C []any; M map[string]$T; R [2]$U }{C: []any{1, 2}, M: map[string]$T{}}",
		"$3.A, $3.B = $f()", "$3.M[\"k\"], $3.C[1] = $f()", "$, $3.R[1] = $f()", "_, $2 = $f()",
		"fmt.Println($, $2, $3)",
		"fmt.Println(func(x any, y ...any) int { fmt.Println(x, y); return len(y) }($f()))",
		"fmt.Println(func() (any, any) { return $f() }())", "fmt.Println(mkPair($f()).Swap())",
		"func() { defer func(x any, y $U) { fmt.Println(x, y) }($f()) }()",
		"func() (x any, err error) { defer func() { fmt.Println(x, err) }(); return <:T>, nil }()")
	return lines
}

// steps are op= and ++ at all kinds of places.
func (g *gen) steps(d int) []string {
	t := g.basic[g.r.IntN(12)]
	if g.r.IntN(4) == 0 {
		t = g.named("uintptr")
	}
	name := g.fresh()
	lines := []string{
		"$ := id[$T](<T>)", "_ = $",
		"$m, $a, $s, $p := map[string]$T{\"a\": $}, [2]$T{}, struct{ F $T; P *$T; S []$T }{P: &$, S: make([]$T, 2)}, &$",
	}
	for range 5 {
		place := pick(g, []string{"$", `$m["a"]`, `$m["b"]`, "$a[<i2>]", "$s.F", "*$s.P", "$s.S[<i2>]", "*$p"})
		switch op := g.r.IntN(4); {
		case op == 0:
			lines = append(lines, place+pick(g, []string{"++", "--"}))
		case op == 1 && t.isInteger():
			lines = append(lines, place+pick(g, []string{" %= ", " /= "})+"(<T>) | 1", place+pick(g, []string{" <<= ", " >>= "})+"<n9>")
		case op == 2 && t.isInteger():
			lines = append(lines, place+pick(g, []string{" |= ", " &= ", " ^= ", " &^= "})+"<T>")
		default:
			lines = append(lines, place+pick(g, []string{" += ", " -= ", " *= "})+"<T>")
		}
	}
	lines = g.write(name, map[string]*genType{"T": t}, append(lines, "fmt.Println($, $m, $a, $s.F, $s.S, *$p)")...)
	g.declare(genVar{name: name, t: t})
	return lines
}

// places gives interfaces at all kinds of places what they did not hold.
func (g *gen) places(d int) []string {
	return g.write(g.fresh(), g.two(),
		"$ := struct { A any; S []any; M map[string]any; P *any; E error; F func() any }{S: []any{1, \"x\"}, M: map[string]any{}}",
		"$.A = <:T>", "$.S[<i2>] = <:T>", "$.M[\"k\"] = <:T>", "$.P = &$.S[1]", "*$.P = <:T>",
		"$.A, $.M[\"l\"] = $.M[\"k\"], <:T>",
		"$.F = func() any { return <:T> }",
		"for _, x := range []any{$.A, $.S[0], $.M[\"l\"], *$.P, $.F(), $.E} { if y, ok := x.($T); ok { fmt.Println(y) } else { fmt.Println(\"no\", x) } }",
		"$.S = append($.S, <:T>, []any{1}, nil)", "fmt.Println($.S[2:], len($.S))",
		"func(x any, ys ...any) { fmt.Println(x, len(ys)) }(<:T>, $.S...)")
}
