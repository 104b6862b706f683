package eval

import (
	"fmt"
	"strings"
)

// stmt writes a statement, as the list of its lines that stand or fall together.
func (g *gen) stmt(d int) []string {
	g.cost += g.mult
	g.effects = !g.noVars && g.r.IntN(2) == 0
	defer func() { g.effects = false }()
	if d > 0 {
		switch g.r.IntN(30) {
		case 0:
			return g.ifStmt(d)
		case 1:
			return g.forStmt(d)
		case 2, 3:
			return g.rangeStmt(d)
		case 4:
			return g.switchStmt(d)
		case 5:
			return g.typeSwitch(d)
		case 6:
			return []string{g.block(d - 1)}
		case 7, 8:
			return g.closure(d)
		case 9:
			return g.tryStmt(d)
		case 10:
			if !g.noVars {
				return g.concurrent(d)
			}
		case 11:
			return g.generic(d)
		case 12, 13, 14, 15, 16:
			if !g.noVars && g.mult < 8 {
				return g.scene(d)
			}
		}
	}
	if g.noVars {
		if g.r.IntN(2) == 0 {
			return g.varDecl(d)
		}
		return g.assign()
	}
	switch g.r.IntN(12) {
	case 0, 1, 2, 3:
		return g.varDecl(d)
	case 4, 5, 6:
		return g.assign()
	case 7:
		return g.callStmt()
	case 8:
		return g.containers()
	}
	return g.print()
}

func (g *gen) stmts(n, d int) string {
	var list []string
	g.push()
	for range n {
		list = append(list, g.stmt(d)...)
	}
	g.pop()
	return strings.Join(list, "\n")
}

func (g *gen) block(d int) string { return "{\n" + g.stmts(1+g.r.IntN(3), d) + "\n}" }

// varDecl declares one or two variables in one of the ways there are.
func (g *gen) varDecl(d int) []string {
	t := g.anyType0(2)
	e := g.expr(t, 2)
	name := g.fresh()
	use := "_ = " + name
	defer func() { g.declare(genVar{name: name, t: t}) }()
	switch g.r.IntN(7) {
	case 0:
		return []string{"var " + name + " " + t.name, use}
	case 1:
		return []string{"var " + name + " " + t.name + " = " + e, use}
	case 2:
		if d > 0 {
			u := g.anyType0(1)
			e2, name2 := g.expr(u, 2), g.fresh()
			if name2 != name {
				g.declare(genVar{name: name2, t: u})
				return []string{"var " + name + ", " + name2 + " = " + g.operandOf(t, e) + ", " + g.operandOf(u, e2), use, "_ = " + name2}
			}
		}
	case 5: // a group in which one uses the one before
		g.nvar += 2
		fn, got := fmt.Sprintf("v%d", g.nvar-1), fmt.Sprintf("v%d", g.nvar)
		g.declare(genVar{name: got, t: t})
		group := name + " " + t.name + " = " + e + "; " + fn + " = func() " + t.name + " { return " + name + " }; " + got + " = " + fn + "()"
		return []string{"var (" + group + ")", use, "_ = " + got}
	case 3:
		if vs := g.visible(func(v genVar) bool { return v.t.kind == kMap && v.t.elem == t }); len(vs) > 0 && !g.noVars {
			g.nvar++
			ok := fmt.Sprintf("v%d", g.nvar)
			g.declare(genVar{name: ok, t: g.named("bool")})
			return []string{name + ", " + ok + " := " + vs[0].name + "[" + g.expr(vs[0].t.key, 1) + "]", use, "_ = " + ok}
		}
	case 4:
		if t.kind != kIface {
			g.nvar++
			ok := fmt.Sprintf("v%d", g.nvar)
			x := g.expr(g.anyType, 2)
			g.declare(genVar{name: ok, t: g.named("bool")})
			return []string{name + ", " + ok + " := id(" + x + ").(" + t.name + ")", use, "_ = " + ok}
		}
	}
	return []string{name + " := " + g.operandOf(t, e), use}
}

// place gives something of a type that can be assigned to, and its type.
func (g *gen) place() (string, *genType) {
	vs := g.visible(func(v genVar) bool { return !v.ro && v.fn == nil })
	if len(vs) == 0 {
		return "", nil
	}
	v := pick(g, vs)
	x, t := v.name, v.t
	for range g.r.IntN(4) {
		switch t.kind {
		case kStruct:
			f := pick(g, t.fields)
			x, t = x+"."+f.name, f.t
		case kArray:
			x, t = x+"["+g.index(t.n)+"]", t.elem
		case kMap:
			if g.r.IntN(2) == 0 {
				return x, t
			}
			return "id(" + x + ")[" + g.leaf(t.key) + "]", t.elem // may panic
		case kSlice:
			if g.r.IntN(8) > 0 {
				return x, t
			}
			x, t = x+"["+g.index(2)+"]", t.elem // may panic
		case kPointer:
			x, t = "(*"+x+")", t.elem
		}
	}
	return x, t
}

func (g *gen) assign() []string {
	effects := g.effects
	g.effects = false // what is assigned to is evaluated in an order of its own
	x, t := g.place()
	if x == "" {
		return g.print()
	}
	switch g.r.IntN(8) {
	case 0:
		if t.isNumber() && t.kind != kComplex {
			return []string{x + pick(g, []string{"++", "--"})}
		}
	case 1, 2:
		switch {
		case t.isInteger():
			if g.r.IntN(4) == 0 {
				return []string{x + pick(g, []string{" <<= ", " >>= "}) + "id[uint8](" + g.expr(g.named("uint8"), 1) + ") % 40"}
			}
			return []string{x + pick(g, []string{" += ", " -= ", " *= ", " |= ", " &= ", " ^= ", " &^= "}) + g.expr(t, 2)}
		case t.isNumber():
			return []string{x + pick(g, []string{" += ", " -= ", " *= "}) + g.expr(t, 2)}
		case t.kind == kString:
			return []string{x + " += " + g.expr(t, 2)}
		}
	case 3, 4:
		y, u := g.place()
		if y != "" {
			if u == t {
				return []string{x + ", " + y + " = " + y + ", " + x}
			}
			return []string{x + ", " + y + " = " + g.expr(t, 2) + ", " + g.expr(u, 2)}
		}
	}
	g.effects = effects && !strings.ContainsAny(x, "[(*")
	return []string{x + " = " + g.expr(t, 3)}
}

// callStmt calls a function or method with effects by itself.
func (g *gen) callStmt() []string {
	type callee struct {
		f           *genFunc
		name, guard string
	}
	var list []callee
	for _, f := range g.funcs {
		list = append(list, callee{f, f.name, ""})
	}
	for _, v := range g.visible(func(v genVar) bool { return true }) {
		if v.fn != nil {
			list = append(list, callee{v.fn, v.name, ""})
			continue
		}
		ms := g.methodsOf(v.t, true)
		guard := ""
		if v.t.kind == kIface {
			ms, guard = v.t.methods, v.name
		}
		for _, m := range ms {
			list = append(list, callee{m, v.name + "." + m.name, guard})
		}
	}
	if len(list) == 0 {
		return g.print()
	}
	c := pick(g, list)
	if c.f.cost*g.mult > 3000 {
		return g.print()
	}
	g.effects = false
	g.cost += c.f.cost * g.mult
	var args []string
	for _, p := range c.f.params {
		args = append(args, g.expr(p, 1))
	}
	text := c.name + "(" + strings.Join(args, ", ") + ")"
	if c.guard != "" { // a nil interface
		return []string{"if " + c.guard + " != nil { " + text + " }"}
	}
	if c.f.result == nil {
		return []string{text}
	}
	if g.r.IntN(3) == 0 && c.f.result.prints {
		return []string{"fmt.Println(" + text + ")"}
	}
	name := g.fresh()
	g.declare(genVar{name: name, t: c.f.result})
	return []string{name + " := " + text, "_ = " + name}
}

func (g *gen) print() []string {
	var args []string
	for range 1 + g.r.IntN(3) {
		t := g.anyType0(2)
		if !t.prints {
			t = g.anyBasic()
		}
		args = append(args, g.typed(t, 2))
	}
	if g.noVars {
		return []string{"_ = []any{" + strings.Join(args, ", ") + "}"}
	}
	if g.r.IntN(4) == 0 {
		return []string{fmt.Sprintf("fmt.Printf(%q, %s)", strings.Repeat(pick(g, []string{"%v ", "%+v ", "%T ", "<%v>"}), len(args))+"\n", strings.Join(args, ", "))}
	}
	return []string{"fmt.Println(" + strings.Join(args, ", ") + ")"}
}

// printAll prints what the program's variables hold in the end.
func (g *gen) printAll() (list []string) {
	for _, v := range g.visible(func(v genVar) bool { return v.fn == nil }) {
		switch {
		case v.t.prints:
			list = append(list, "fmt.Println(\""+v.name+"\", "+v.name+")")
		case v.t.kind == kPointer && v.t.elem.prints:
			list = append(list, "if "+v.name+" != nil { fmt.Println(\""+v.name+"\", *"+v.name+") }")
		}
	}
	return list
}

// containers changes a slice or a map with the functions that Go has for it.
func (g *gen) containers() []string {
	vs := g.visible(func(v genVar) bool { return !v.ro && (v.t.kind == kSlice || v.t.kind == kMap) })
	if len(vs) == 0 {
		return g.print()
	}
	v := pick(g, vs)
	x, t := v.name, v.t
	if t.kind == kMap {
		return []string{pick(g, []string{"delete(" + x + ", " + g.expr(t.key, 1) + ")", "clear(" + x + ")", x + " = maps.Clone(" + x + ")",
			"if " + x + " == nil { " + x + " = make(" + t.name + ") }", "if " + x + " != nil { " + x + "[" + g.leaf(t.key) + "] = " + g.expr(t.elem, 1) + " }"})}
	}
	n := g.leaf(g.named("int"))
	switch g.r.IntN(8) {
	case 0:
		return []string{x + " = " + x + "[at(" + n + ", len(" + x + ")+1):]"}
	case 1:
		return []string{x + " = " + x + "[:at(" + n + ", len(" + x + ")+1)]"}
	case 2:
		return []string{"copy(" + x + ", " + g.expr(t, 1) + ")"}
	case 3:
		return []string{"clear(" + x + ")"}
	case 4:
		return []string{"slices.Reverse(" + x + ")"}
	case 5:
		if t.elem.isOrdered() {
			return []string{pick(g, []string{"slices.Sort(" + x + ")", "sort.Slice(" + x + ", func(i, j int) bool { return " + x + "[i] < " + x + "[j] })"})}
		}
	case 6:
		name, e := g.fresh(), g.expr(t.elem, 1)
		g.declare(genVar{name: name, t: t})
		return []string{name + " := append(" + x + "[:len(" + x + "):len(" + x + ")], " + e + ")", "_ = " + name}
	}
	return []string{x + " = append(" + x + ", " + g.expr(t.elem, 1) + ", " + g.expr(t.elem, 1) + ")"}
}

// closure declares a function that captures what is around it, or calls one of a slice of them.
func (g *gen) closure(d int) []string {
	f := &genFunc{name: g.fresh(), effects: true}
	for range g.r.IntN(3) {
		f.params = append(f.params, g.anyType0(1))
	}
	if g.r.IntN(3) > 0 {
		f.result = g.anyType0(1)
	}
	if g.noVars {
		f.effects = false
	}
	outer, cost, mult, loops, inLoop := g.result, g.cost, g.mult, g.loops, g.inLoop
	g.result, g.cost, g.mult, g.loops, g.inLoop = f.result, 5, 1, nil, 0
	g.push()
	text := "func" + g.params(f) + " {\n"
	if g.r.IntN(4) == 0 && !g.noVars {
		text += "defer fmt.Println(\"deferred\", " + g.leaf(g.anyBasic()) + ")\n"
	}
	text += g.bodyText(f, 1+g.r.IntN(2)) + "}"
	g.pop()
	f.cost = g.cost
	g.result, g.cost, g.mult, g.loops, g.inLoop = outer, cost, mult, loops, inLoop
	g.declare(genVar{name: f.name, fn: f, t: &genType{kind: kFunc, name: "func"}})
	return []string{f.name + " := " + text, "_ = " + f.name}
}

// tryStmt recovers from a panic, which may or may not happen.
func (g *gen) tryStmt(d int) []string {
	outer := g.loops
	in, lit := g.inLoop, g.result
	g.loops, g.inLoop, g.result = nil, 0, nil
	defer func() { g.loops, g.inLoop, g.result = outer, in, lit }()
	body := g.stmts(1+g.r.IntN(2), d-1)
	g.effects = false
	if g.r.IntN(2) == 0 {
		t := g.anyBasic()
		body += "\nif " + g.expr(g.named("bool"), 2) + " { panic(" + g.typed(t, 1) + ") }"
	}
	if g.noVars {
		return []string{"func() {\ndefer func() { recover() }()\n" + body + "\n}()"}
	}
	if g.r.IntN(2) == 0 {
		return []string{"try(\"t\", func() {\n" + body + "\n})"}
	}
	return []string{"func() {\ndefer func() { if r := recover(); r != nil { fmt.Println(\"recovered\", r) } }()\n" + body + "\n}()"}
}
