package eval

import (
	"fmt"
	"slices"
	"strings"
)

// genPrelude is what every program may call. id hides a constant from the compiler, tr prints when
// it is evaluated, at makes an index that fits.
const genPrelude = `func id[T any](x T) T { return x }
func tr[T any](s string, v T) T { fmt.Print(s, ";"); return v }
func at(i, n int) int { if n == 0 { return 0 }; i %= n; if i < 0 { i += n }; return i }
func small(f float64) float64 { if f != f { return 0 }; return max(-100, min(f, 100)) }
func try(name string, f func()) { defer func() { if r := recover(); r != nil { fmt.Println(name, "panicked:", r) } }(); f() }
func count(n int) iter.Seq[int] { return func(yield func(int) bool) { for i := range n { if !yield(i) { return } } } }
func each[T any](xs []T) iter.Seq2[int, T] { return func(yield func(int, T) bool) { for i, x := range xs { if !yield(i, x) { return } } } }
func mapTo[T, R any](xs []T, f func(T) R) []R { var out []R; for _, x := range xs { out = append(out, f(x)) }; return out }
func keep[T any](xs []T, f func(T) bool) (out []T) { for _, x := range xs { if f(x) { out = append(out, x) } }; return }
func fold[T, A any](xs []T, a A, f func(A, T) A) A { for _, x := range xs { a = f(a, x) }; return a }
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
type number interface { ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64 }
func sum[T number](xs ...T) (s T) { for _, x := range xs { s += x }; return }
type pair[A, B any] struct { First A; Second B }
func (p pair[A, B]) Swap() pair[B, A] { return pair[B, A]{p.Second, p.First} }
func mkPair[A, B any](a A, b B) pair[A, B] { return pair[A, B]{a, b} }
type stack[T any] struct { items []T }
func (s *stack[T]) Push(x T) *stack[T] { s.items = append(s.items, x); return s }
func (s *stack[T]) Pop() (x T, ok bool) { if len(s.items) == 0 { return }; x = s.items[len(s.items)-1]; s.items = s.items[:len(s.items)-1]; return x, true }
func (s stack[T]) Len() int { return len(s.items) }
func show[T any](x T) string { return fmt.Sprintf("%T=%v", x, x) }
`

// declarations makes the types, methods, interfaces and functions of the program.
func (g *gen) declarations() {
	pool := []*genFunc{
		{name: "M0", result: g.named("int"), cost: 5},
		{name: "M1", params: []*genType{g.named("int")}, result: g.anyBasic(), cost: 5},
		{name: "M2", params: []*genType{g.anyBasic()}, effects: true, cost: 5},
		{name: "String", result: g.named("string"), cost: 5},
	}
	for i := range 1 + g.r.IntN(3) {
		g.typeDecl(i, pool)
	}
	for i := range g.r.IntN(3) {
		t := &genType{name: fmt.Sprintf("%sI%d", g.p.prefix(), i), kind: kIface, named: true}
		var list []string
		for _, m := range pool {
			if g.r.IntN(2) == 0 {
				t.methods = append(t.methods, m)
				list = append(list, m.name+signature(m))
			}
		}
		if len(list) > 0 {
			g.p.decls = append(g.p.decls, "type "+t.name+" interface { "+strings.Join(list, "; ")+" }")
			g.ifaces = append(g.ifaces, t)
		}
	}
	for i := range g.r.IntN(4) {
		g.funcDecl(i)
	}
}

func signature(f *genFunc) string {
	s := "(" + typeList(f.params) + ")"
	if f.result != nil {
		s += " " + f.result.name
	}
	return s
}

func (g *gen) typeDecl(i int, pool []*genFunc) {
	t := &genType{name: fmt.Sprintf("%sT%d", g.p.prefix(), i), named: true}
	var text string
	under := func(u *genType) {
		*t = genType{name: t.name, named: true, kind: u.kind, bits: u.bits, elem: u.elem, key: u.key, n: u.n, params: u.params, result: u.result, cmp: u.cmp, prints: u.prints}
		text = u.name
	}
	switch g.r.IntN(8) {
	case 0, 1:
		under(pick(g, g.basic))
	case 2:
		under(g.slice(g.anyType0(1)))
	case 3:
		under(g.mapOf(g.keyType(), g.anyType0(1)))
	case 4:
		under(g.array(1+g.r.IntN(3), g.anyType0(1)))
	default:
		t.kind, t.cmp, t.prints = kStruct, true, true
		var fields []string
		for j := range 1 + g.r.IntN(4) {
			f := genField{name: fmt.Sprintf("F%d", j), t: g.anyType0(2)}
			if g.r.IntN(3) == 0 {
				f.name = fmt.Sprintf("f%d", j)
			}
			if j == 0 && len(g.types) > 0 && g.r.IntN(2) == 0 {
				f.t, f.embedded = pick(g, g.types), true
				f.name = f.t.name
				fields = append(fields, f.name)
			} else {
				fields = append(fields, f.name+" "+f.t.name)
			}
			t.fields = append(t.fields, f)
			t.cmp, t.prints = t.cmp && f.t.cmp, t.prints && f.t.prints
		}
		text = "struct { " + strings.Join(fields, "; ") + " }"
	}
	decl := "type " + t.name + " " + text
	for _, m := range pool {
		if g.r.IntN(3) == 0 {
			continue
		}
		own := *m
		own.pointer = m.effects || g.r.IntN(4) == 0
		decl += "\n" + g.methodDecl(t, &own)
		t.methods = append(t.methods, &own)
	}
	g.types = append(g.types, t)
	g.p.decls = append(g.p.decls, decl)
}

// methodDecl writes a method. Only M2 changes its receiver.
func (g *gen) methodDecl(t *genType, m *genFunc) string {
	if m.name == "String" { // its value must not be printed by itself
		return "func (r " + m.starred() + t.name + ") String() string { return " + g.stringOf(t, m.starred()+"r") + " }"
	}
	g.making = t
	defer func() { g.making = nil }()
	recv := t.name
	x := genVar{name: "r", t: t, ro: !m.effects}
	if m.pointer {
		recv = "*" + t.name
		x.t, x.ro = g.pointer(t), true
	}
	return "func (r " + recv + ") " + m.name + g.body(m, []genVar{x}, g.r.IntN(2))
}

func (m *genFunc) starred() string {
	if m.pointer {
		return "*"
	}
	return ""
}

// stringOf writes what a String method gives.
func (g *gen) stringOf(t *genType, r string) string {
	switch {
	case t.kind == kStruct:
		for _, f := range t.fields {
			if !f.t.named && f.t.isBasic() {
				return fmt.Sprintf("fmt.Sprintf(\"<%%v %s>\", r.%s)", f.name, f.name)
			}
		}
	case t.isBasic():
		if g.r.IntN(2) == 0 {
			return "\"<\" + fmt.Sprint(1) + \">\""
		}
	case t.kind == kSlice || t.kind == kMap:
		return "fmt.Sprintf(\"<%d>\", len(" + r + "))"
	}
	return fmt.Sprintf("%q", "<"+t.name+">")
}

// funcDecl makes a function. Every other one has no effects, and may be called in expressions.
func (g *gen) funcDecl(i int) {
	f := &genFunc{name: fmt.Sprintf("%sf%d", g.p.prefix(), i), effects: g.r.IntN(2) == 0}
	for range g.r.IntN(4) {
		f.params = append(f.params, g.anyType0(2))
	}
	if g.r.IntN(6) > 0 || !f.effects {
		f.result = g.anyType0(2)
	}
	g.p.decls = append(g.p.decls, "func "+f.name+g.body(f, nil, 1+g.r.IntN(3)))
	g.funcs = append(g.funcs, f)
}

// body writes parameters, result and body of a function that sees none of the variables around it.
func (g *gen) body(f *genFunc, recv []genVar, n int) string {
	outer, mult, cost, loops, result, in, no := g.scopes, g.mult, g.cost, g.loops, g.result, g.inFunc, g.noVars
	inLoop := g.inLoop
	g.scopes, g.mult, g.cost, g.loops, g.result, g.inFunc, g.noVars, g.inLoop = [][]genVar{nil, recv}, 1, 5, nil, f.result, true, !f.effects, 0
	text := g.params(f) + " {\n" + g.bodyText(f, n) + "}"
	f.cost = g.cost
	g.scopes, g.mult, g.cost, g.loops, g.result, g.inFunc, g.noVars, g.inLoop = outer, mult, cost, loops, result, in, no, inLoop
	return text
}

// params declares the parameters of a function in the innermost scope.
func (g *gen) params(f *genFunc) string {
	var list []string
	for i, t := range f.params {
		name := fmt.Sprintf("a%d", i)
		g.declare(genVar{name: name, t: t, ro: !f.effects && (t.kind == kPointer || t.kind == kMap || t.kind == kSlice || t.kind == kIface || t.kind == kStruct || t.kind == kArray)})
		list = append(list, name+" "+t.name)
	}
	s := "(" + strings.Join(list, ", ") + ")"
	if f.result != nil {
		s += " " + f.result.name
	}
	return s
}

func (g *gen) bodyText(f *genFunc, n int) string {
	var list []string // the parameters are in the scope of the body
	for range n {
		list = append(list, g.stmt(1)...)
	}
	if f.result != nil {
		list = append(list, "return "+g.expr(f.result, 2))
	}
	return strings.Join(list, "\n") + "\n"
}

// methodsOf gives the methods that can be called on a value of a type; addressable: of a variable.
func (g *gen) methodsOf(t *genType, addressable bool) (list []*genFunc) {
	if t.kind == kPointer && t.elem.kind != kIface && t.elem.kind != kPointer {
		return g.methodsOf(t.elem, true)
	}
	if t == g.making { // names that its own methods will have
		return nil
	}
	for _, m := range t.methods {
		if !m.pointer || addressable {
			list = append(list, m)
		}
	}
	if t.kind == kStruct {
		for _, f := range t.fields {
			if !f.embedded {
				continue
			}
			for _, m := range g.methodsOf(f.t, addressable) {
				if !slices.ContainsFunc(t.methods, func(o *genFunc) bool { return o.name == m.name }) {
					list = append(list, m)
				}
			}
		}
	}
	return list
}

// implements tells whether a type has the methods of an interface.
func (g *gen) implements(t, iface *genType) bool {
	have := g.methodsOf(t, t.kind == kPointer)
	for _, want := range iface.methods {
		if !slices.ContainsFunc(have, func(m *genFunc) bool {
			return m.name == want.name && m.result == want.result && slices.Equal(m.params, want.params)
		}) {
			return false
		}
	}
	return true
}

// implementers gives the types of the program, and pointers to them, that have the methods.
func (g *gen) implementers(iface *genType) (list []*genType) {
	for _, t := range g.types {
		if t.kind == kIface {
			continue
		}
		if g.implements(t, iface) {
			list = append(list, t)
		}
		if g.implements(g.pointer(t), iface) {
			list = append(list, g.pointer(t))
		}
	}
	return list
}
