package eval

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Scenes are a few statements that belong together, of which random statements alone make few. They change no
// variables but their own.

// scene writes one of them.
func (g *gen) scene(d int) []string {
	g.effects = false
	return pick(g, []func(int) []string{
		g.functionFields, g.inAny, g.constants, g.unnamedStructs, g.again, g.genericType, g.jumps, g.namedResults, g.selecting, g.loopClosures,
		g.methodFunctions, g.embeddedInterface, g.sequences, g.structsInMaps, g.arraysInArrays, g.pipeline, g.severalValues, g.steps, g.places,
		g.held, g.held, g.givers, g.ordered, g.afresh,
	})(d)
}

var blanks = regexp.MustCompile(`<(:?)([A-Z])(\d?)>|<b>|<i(\d)>|<n(\d)>|\$([A-Z]?)`)

// write fills the blanks of lines: $ is a name and $T a type by its letter, <T> is an expression that can be
// assigned to it, <:T> one that is of the type by itself, a digit says how deep, <b> is a condition, <i2> an index below 2,
// <n2> a number below 2.
func (g *gen) write(name string, ts map[string]*genType, lines ...string) []string {
	for i, line := range lines {
		lines[i] = blanks.ReplaceAllStringFunc(line, func(s string) string {
			m := blanks.FindStringSubmatch(s)
			depth := 1
			if m[3] != "" {
				depth, _ = strconv.Atoi(m[3])
			}
			switch {
			case s == "<b>":
				return g.expr(g.named("bool"), 2)
			case m[4] != "":
				n, _ := strconv.Atoi(m[4])
				return g.index(n)
			case m[5] != "":
				n, _ := strconv.Atoi(m[5])
				return strconv.Itoa(g.r.IntN(n))
			case s == "$":
				return name
			case s[0] == '$':
				return ts[m[6]].name
			case m[1] != "":
				return g.typed(ts[m[2]], depth)
			}
			return g.expr(ts[m[2]], depth)
		})
	}
	return lines
}

// function writes a function literal of no effects with parameters x0, x1, …
func (g *gen) function(params []*genType, result *genType, d int) string {
	g.push()
	defer g.pop()
	var list []string
	for i, t := range params {
		name := fmt.Sprintf("x%d", i)
		g.declare(genVar{name: name, t: t, ro: true})
		list = append(list, name+" "+t.name)
	}
	return "func(" + strings.Join(list, ", ") + ") " + result.name + " { return " + g.expr(result, d) + " }"
}

// printable gives a type whose values print the same every time.
func (g *gen) printable(depth int) *genType {
	for range 5 {
		if t := g.anyType0(depth); t.prints {
			return t
		}
	}
	return g.anyBasic()
}

// two gives two such types.
func (g *gen) two() map[string]*genType {
	return map[string]*genType{"T": g.printable(1), "U": g.printable(1), "A": g.anyBasic()}
}

func (g *gen) functionFields(d int) []string {
	ts, name := g.two(), g.fresh()
	t, u := ts["T"], ts["U"]
	lines := g.write(name, ts,
		"$ := struct { F func($T, any) $U; G []func($T) $U; M map[string]func() $T; E [2]func(any, error) any }{}",
		"$.F = func(x0 $T, y any) $U { fmt.Println(\"F\", x0, y, y == any(<:A>)); return <U> }",
		"$.G = append($.G, "+g.function([]*genType{t}, u, 2)+", "+g.function([]*genType{t}, u, 1)+")",
		"$.M = map[string]func() $T{\"a\": "+g.function(nil, t, 2)+"}",
		"$.E[1] = func(x any, err error) any { if err != nil { return err }; return x }",
		"fmt.Println($.F(<T>, <:A2>), $.G[<i2>](<T>), $.M[\"a\"](), $.E[1](<:A2>, nil))",
		"$r := $.G[0]($.M[\"a\"]())", "_ = $r",
		"if f := $.M[\"none\"]; f == nil && $.E[0] == nil { $.M[\"b\"] = $.M[\"a\"] }",
		"fmt.Println(len($.M), $.M[\"b\"]())")
	g.declare(genVar{name: name + "r", t: u})
	return lines
}

// inAny puts the results of operators into interfaces.
func (g *gen) inAny(d int) []string {
	t, name := g.anyBasic(), g.fresh()
	e := func() string {
		s := g.expr(t, 2)
		if strings.IndexByte("0123456789-+\"`!(tf", s[0]) >= 0 {
			return t.name + "(" + s + ")"
		}
		return s
	}
	lines := g.write(name, map[string]*genType{"T": t},
		"var $ any = "+e(), "_ = $",
		"fmt.Println([]any{"+e()+", "+e()+", 1}, $)",
		"$ = "+e(),
		"fmt.Println(map[string]any{\"k\": "+e()+"}, struct{ A any; B $T }{"+e()+", <T2>})",
		"fmt.Println(func() (any, error) { return "+e()+", nil }())",
		"if x, ok := $.($T); ok { fmt.Printf(\"%v %T\\n\", x, $) }",
		"func() { defer func() { fmt.Println(recover()) }(); defer fmt.Println("+e()+"); panic("+e()+") }()")
	g.declare(genVar{name: name, t: g.anyType})
	return lines
}

// constants declares some with iota, and uses them as lengths and as keys of elements.
func (g *gen) constants(d int) []string {
	ts, name := g.two(), g.fresh()
	month := func() string { return pick(g, []string{"time.March", "time.May"}) }
	lines := []string{strings.NewReplacer("$", name).Replace("const (\n$1" + pick(g, []string{"", " int8", " uint", " int64"}) + " = " + pick(g, []string{"iota", "iota + 1", "1 << iota", "iota * 2"}) + "\n$2\n_\n$3\n$4, $5 = \"s\", iota\n)")}
	lines = append(lines, g.write(name, ts,
		"$ := int($3) + $5 + len($4)", "_ = $",
		"fmt.Println([...]$T{$2: <T>, <T>}, [$3 + 1]string{$1: \"a\", $3: $4}, $1, $3 / 2, $5)",
		"fmt.Println(len(["+month()+"]bool{}), [...]string{"+month()+": \"m\"}[time.March])",
		"switch $ { case int($1): fmt.Println(\"A\"); case int($2), int($3): fmt.Println(\"B\"); default: fmt.Println(\"other\") }")...)
	g.declare(genVar{name: name, t: g.named("int")})
	return lines
}

func (g *gen) unnamedStructs(d int) []string {
	ts, name := g.two(), g.fresh()
	typ := fmt.Sprintf("struct { A %s; B %s }", ts["T"].name, ts["U"].name)
	lines := []string{
		"$ := " + typ + "{<T>, <U>}", "$2 := $", "$2.A = <T>",
		"fmt.Println($, $2, []" + typ + "{$, {A: <T>}, {}}[<i3>:])",
		"fmt.Printf(\"%T %+v\\n\", $, map[string]" + typ + "{\"k\": $2}[\"k\"])",
		"for i, x := range [2]" + typ + "{$, $2} { x.A, $2 = <T>, x; fmt.Println(i, x.B) }",
		"fmt.Println($2.A)",
	}
	if ts["T"].cmp && ts["U"].cmp {
		lines = append(lines, "fmt.Println($ == $2, any($) == any($2), map["+typ+"]int{$: 1}[$2], $ != ("+typ+"{A: $.A}))")
	}
	return g.write(name, ts, lines...)
}

// again declares a function, and declares it again: see genProgram.cells.
func (g *gen) again(d int) []string {
	if len(g.scopes) > 2 || g.inFunc || d < 2 {
		return g.inAny(d)
	}
	t, u := g.printable(1), g.printable(1)
	g.nvar++
	name := fmt.Sprintf("%sR%d", g.p.prefix(), g.nvar)
	g.p.decls = append(g.p.decls, fmt.Sprintf("var %s func(x0 %s) %s", name, t.name, u.name), fmt.Sprintf("func %sc(x %s) %s { return %[1]s(x) }", name, t.name, u.name))
	define := func() string {
		scopes := g.scopes // a function of a cell sees its variables, but those may be declared again
		g.scopes = [][]genVar{nil}
		defer func() { g.scopes = scopes }()
		return name + " = " + g.function([]*genType{t}, u, 2)
	}
	var lines []string
	for range 2 {
		lines = append(lines, define())
		lines = append(lines, g.write(name, map[string]*genType{"T": t}, "fmt.Println($(<T>), $c(<T>))")...)
	}
	return lines
}

func (g *gen) genericType(d int) []string {
	ts := map[string]*genType{"T": g.printable(1), "U": g.keyType(), "A": g.anyBasic()}
	name := g.fresh()
	g.nvar++
	typ := fmt.Sprintf("%sG%d", g.p.prefix(), g.nvar)
	g.p.decls = append(g.p.decls, strings.ReplaceAll(`type @[K comparable, V any] struct { m map[K]V; order []K; last *V; f func(K, V) any }
func (g *@[K, V]) Put(k K, v V) *@[K, V] { if g.m == nil { g.m = map[K]V{} }; if _, ok := g.m[k]; !ok { g.order = append(g.order, k) }; g.m[k], g.last = v, &v; return g }
func (g @[K, V]) All() iter.Seq2[K, V] { return func(yield func(K, V) bool) { for _, k := range g.order { if !yield(k, g.m[k]) { return } } } }
func (g @[K, V]) Get(k K) (v V, ok bool) { v, ok = g.m[k]; return }
func @Map[K comparable, V, R any](g *@[K, V], f func(V) R) (out @[K, R]) { for k, v := range g.All() { out.Put(k, f(v)) }; return }`, "@", typ))
	return g.write(name, ts,
		"var $ "+typ+"[$U, $T]",
		"$.Put(<U>, <T>).Put(<U>, <T>).f = func(x0 $U, x1 $T) any { return x1 }",
		"for k, v := range $.All() { fmt.Println(k, v, $.f(k, v)); if <b> { break } }",
		"if v, ok := $.Get(<U>); ok || len($.order) > 1 { fmt.Println(v, *$.last, ok) }",
		"fmt.Println(len("+typ+"Map(&$, "+g.function([]*genType{ts["T"]}, ts["A"], 1)+").order), "+typ+"Map(&$, func(x $T) string { return fmt.Sprint(x) }).m)")
}

// jumps has labels, goto, and branches out of switches and of loops in loops.
func (g *gen) jumps(d int) []string {
	g.nvar++
	name := fmt.Sprintf("%d", g.nvar)
	kinds := []string{
		"{\ni$ := 0\nL$:\nif i$ < 3 {\n" + g.stmts(1, 0) + "\ni$++\nif <b> { i$++ }\ngoto L$\n}\nfmt.Println(i$)\n}",
		"L$:\nfor i$ := range 4 {\nswitch {\ncase i$ == <n3>:\nif <b> { continue L$ }\nfallthrough\ncase <b>:\nfmt.Println(\"case\", i$)\nif <b> { break }\nbreak L$\ndefault:\n" + g.stmts(1, 0) + "\n}\nfmt.Println(i$)\n}",
		"L$:\nfor i$ := range count(4) {\nfor j := range 3 {\nif j == <n3> && <b> { continue L$ }\nif i$*j == <n5> { break L$ }\nfmt.Println(i$, j)\n}\n" + g.stmts(1, 0) + "\n}",
	}
	if g.inLoop > 0 { // goto is refused in loops over functions
		kinds = kinds[1:]
	}
	return g.write(name, nil, pick(g, kinds))
}

// namedResults are changed by what is deferred.
func (g *gen) namedResults(d int) []string {
	ts, name := g.two(), g.fresh()
	typ := pick(g, []string{"$T", "any"})
	lines := g.write(name, ts,
		"$, $e := func() (r "+typ+`, err error) {
defer func() { if x := recover(); x != nil { err = fmt.Errorf("recovered %v", x); r = <T> } }()
for i := range 2 { defer func(x any) { fmt.Println("deferred", i, x, err) }(r) }
`+g.stmts(1, 0)+`
if <b> { panic(<:A>) }
`+pick(g, []string{"return <T>, nil", "r = <T>; return", "return <T>, errors.New(\"e\")", "r, err = <T>, nil; return r, err"})+"\n}()",
		"fmt.Println($, $e)")
	g.declare(genVar{name: name + "e", t: g.errType})
	return lines
}
