package eval

import (
	"fmt"
	"strings"
)

func (g *gen) ifStmt(d int) []string {
	cond := g.expr(g.named("bool"), 2)
	g.push()
	defer g.pop()
	head := "if " + cond
	if g.r.IntN(3) == 0 {
		t := g.anyBasic()
		name := g.fresh()
		head = "if " + name + " := id[" + t.name + "](" + g.expr(t, 2) + "); "
		g.declare(genVar{name: name, t: t})
		head += g.nonconst(t, 0) + " == " + g.leaf(t) + " || " + name + " != " + name
	}
	text := head + " " + g.block(d-1)
	if g.r.IntN(2) == 0 {
		text += " else if " + g.expr(g.named("bool"), 2) + " " + g.block(d-1)
	}
	if g.r.IntN(2) == 0 {
		text += " else " + g.block(d-1)
	}
	return []string{text}
}

// loopBody writes the body of a loop that runs n times, which may leave it or an outer one.
func (g *gen) loopBody(n, d int, label string) string {
	g.mult *= n
	g.inLoop++
	g.loops = append(g.loops, label)
	text := g.stmts(1+g.r.IntN(2), d-1)
	if g.r.IntN(3) == 0 {
		g.effects = false
		jump := pick(g, []string{"break", "continue"})
		if l := pick(g, g.loops); l != "" {
			jump += " " + l
		}
		text = "if " + g.expr(g.named("bool"), 2) + " { " + jump + " }\n" + text
	}
	g.loops = g.loops[:len(g.loops)-1]
	g.inLoop--
	g.mult /= n
	return "{\n" + text + "\n}"
}

// label names a loop; "" for none. A label must be used.
func (g *gen) label() (name, text string) {
	if g.r.IntN(4) > 0 {
		return "", ""
	}
	g.nvar++
	name = fmt.Sprintf("L%d", g.nvar)
	return name, name + ":\n"
}

// withLabel puts a label on a loop if the loop uses it.
func withLabel(name, text, loop string) []string {
	if name != "" && strings.Contains(loop, " "+name+" }") {
		return []string{text + loop}
	}
	return []string{loop}
}

func (g *gen) forStmt(d int) []string {
	g.push()
	defer g.pop()
	n := 2 + g.r.IntN(3)
	label, text := g.label()
	g.nvar++
	i := fmt.Sprintf("i%d", g.nvar)
	t := g.basic[g.r.IntN(10)]
	switch g.r.IntN(3) {
	case 0:
		g.declare(genVar{name: i, t: t, ro: true})
		return withLabel(label, text, fmt.Sprintf("for %s := %s(0); %s < %d; %s++ %s", i, t.name, i, n, i, g.loopBody(n, d, label)))
	case 1:
		g.declare(genVar{name: i, t: t, ro: true})
		j := "j" + i[1:]
		u := g.basic[g.r.IntN(5)]
		g.declare(genVar{name: j, t: u, ro: true})
		return withLabel(label, text, fmt.Sprintf("for %s, %s := %s(0), %s(%d); %s > 0; %s, %s = %s+1, %s-1 %s", i, j, t.name, u.name, n, j, i, j, i, j, g.loopBody(n, d, label)))
	}
	body := g.loopBody(n, d, label)
	return []string{"{\n" + i + " := 0\n" + strings.Join(withLabel(label, text, fmt.Sprintf("for %s < %d {\n%s++\n%s", i, n, i, strings.TrimPrefix(body, "{\n"))), "") + "\n}"}
}

func (g *gen) rangeStmt(d int) []string {
	label, text := g.label()
	g.nvar++
	k, v := fmt.Sprintf("k%d", g.nvar), fmt.Sprintf("e%d", g.nvar)
	use := "_, _ = " + k + ", " + v + "\n"
	loop := func(head string, n int, kt, vt *genType) []string {
		g.push()
		defer g.pop()
		g.declare(genVar{name: k, t: kt})
		if vt != nil {
			g.declare(genVar{name: v, t: vt})
		} else {
			use = "_ = " + k + "\n"
		}
		return withLabel(label, text, head+" {\n"+use+strings.TrimPrefix(g.loopBody(n, d, label), "{\n"))
	}
	intType := g.named("int")
	switch g.r.IntN(8) {
	case 0:
		t := g.basic[g.r.IntN(10)]
		return loop(fmt.Sprintf("for %s := range %s(%d)", k, t.name, 1+g.r.IntN(4)), 3, t, nil)
	case 1:
		return loop(fmt.Sprintf("for %s, %s := range %s", k, v, g.typed(g.named("string"), 1)), 5, intType, g.named("int32"))
	case 2:
		return loop(fmt.Sprintf("for %s := range count(%d)", k, 1+g.r.IntN(4)), 3, intType, nil)
	case 3:
		t := g.slice(g.anyType0(1))
		return loop(fmt.Sprintf("for %s, %s := range each(%s)", k, v, g.typed(t, 1)), 4, intType, t.elem)
	case 4:
		t := g.mapOf(pick(g, g.basic[:10]), g.anyType0(1))
		return loop(fmt.Sprintf("for %s, %s := range sorted(%s)", k, v, g.typed(t, 1)), 4, intType, t.key)
	case 5:
		t := g.array(1+g.r.IntN(3), g.anyType0(1))
		return loop(fmt.Sprintf("for %s, %s := range (%s)", k, v, pick(g, []string{"", "&"})+g.literalBraces(t, 1)), 3, intType, t.elem)
	case 6:
		// of a map in any order, into a sum
		t := g.mapOf(g.keyType(), g.named("int"))
		g.nvar++
		s := fmt.Sprintf("v%d", g.nvar)
		g.declare(genVar{name: s, t: intType})
		return []string{s + " := 0", fmt.Sprintf("for %s, %s := range %s { _ = %s; %s += %s*%s }", k, v, g.typed(t, 1), k, s, v, v)}
	}
	t := g.slice(g.anyType0(1))
	return loop(fmt.Sprintf("for %s, %s := range %s", k, v, g.typed(t, 2)), 4, intType, t.elem)
}

func (g *gen) switchStmt(d int) []string {
	t := g.anyBasic()
	n := 1 + g.r.IntN(4)
	def := g.r.IntN(2 * (n + 1))
	var b strings.Builder
	tagless := g.r.IntN(3) == 0
	if tagless {
		b.WriteString("switch {\n")
	} else {
		b.WriteString("switch " + g.nonconst(t, 2) + " {\n")
	}
	seen := map[string]bool{}
	for i := range n {
		if i == def {
			b.WriteString("default:\n" + g.stmts(1, d-1) + "\n")
		}
		var list []string
		for range 1 + g.r.IntN(3) {
			if tagless {
				list = append(list, "id("+g.expr(g.named("bool"), 1)+")")
			} else if c := g.literal(t, 0); !seen[c] && g.r.IntN(2) == 0 && !(t.kind == kFloat) {
				seen[c] = true
				list = append(list, c)
			} else {
				list = append(list, g.nonconst(t, 1))
			}
		}
		b.WriteString("case " + strings.Join(list, ", ") + ":\n")
		if g.r.IntN(3) > 0 {
			b.WriteString(g.stmts(1, d-1) + "\n")
		}
		if i < n-1 && g.r.IntN(4) == 0 {
			b.WriteString("fallthrough\n")
		} else if g.r.IntN(6) == 0 {
			b.WriteString("if " + g.expr(g.named("bool"), 1) + " { break }\n" + g.stmts(1, 0) + "\n")
		}
	}
	b.WriteString("}")
	return []string{b.String()}
}

func (g *gen) typeSwitch(d int) []string {
	x := g.expr(g.anyType, 2)
	if g.r.IntN(2) == 0 {
		if len(g.ifaces) > 0 {
			x = "any(" + g.typed(pick(g, g.ifaces), 1) + ")"
		}
	}
	g.nvar++
	y := fmt.Sprintf("y%d", g.nvar)
	text := "switch " + y + " := " + x + ".(type) {\n"
	if !strings.HasPrefix(x, "any(") {
		text = "switch " + y + " := id[any](" + x + ").(type) {\n"
	}
	seen := map[*genType]bool{}
	for range 1 + g.r.IntN(4) {
		t := g.anyType0(1)
		if seen[t] || t == g.anyType {
			continue
		}
		seen[t] = true
		g.push()
		g.declare(genVar{name: y, t: t, ro: true})
		text += "case " + t.name + ":\n_ = " + y + "\n" + g.stmts(1, d-1) + "\n"
		g.pop()
	}
	if g.r.IntN(2) == 0 {
		text += "case nil:\n" + g.stmts(1, 0) + "\n"
	}
	return []string{text + "default:\n_ = " + y + "\n" + g.stmts(1, 0) + "\n}"}
}

// concurrent sends values through a channel, to a goroutine or to itself.
func (g *gen) concurrent(d int) []string {
	g.effects = false
	t := g.anyType0(1)
	g.nvar++
	ch, out := fmt.Sprintf("ch%d", g.nvar), fmt.Sprintf("v%d", g.nvar)
	e1, e2 := g.expr(t, 1), g.expr(t, 1)
	g.declare(genVar{name: out, t: g.slice(t)})
	lines := []string{"var " + out + " []" + t.name, "_ = " + out}
	switch g.r.IntN(3) {
	case 0:
		return append(lines, fmt.Sprintf("{\n%s := make(chan %s)\ngo func() { defer close(%s); %s <- %s; %s <- %s }()\nfor x := range %s { %s = append(%s, x) }\n}", ch, t.name, ch, ch, e1, ch, e2, ch, out, out))
	case 1:
		return append(lines, fmt.Sprintf("{\n%s := make(chan %s, 3)\n%s <- %s\n%s <- %s\nfor range 3 { select { case x, ok := <-%s: %s = append(%s, x); if !ok { %s = nil }; default: close(%s); x, ok := <-%s; fmt.Println(\"closed\", ok); _ = x } }\n}", ch, t.name, ch, e1, ch, e2, ch, out, out, out, ch, ch))
	}
	return append(lines, fmt.Sprintf("{\nvar wg sync.WaitGroup\n%s = make([]%s, 3)\nfor i := range 3 { wg.Add(1); go func() { defer wg.Done(); if i == 1 { %s[i] = %s } else { %s[i] = %s } }() }\nwg.Wait()\n}", out, t.name, out, e1, out, e2))
}

// generic uses the generic functions and types of the prelude.
func (g *gen) generic(d int) []string {
	t, u := g.anyType0(1), g.anyBasic()
	name := g.fresh()
	def := func(t *genType, e string) []string {
		g.declare(genVar{name: name, t: t})
		return []string{name + " := " + e, "_ = " + name}
	}
	body := func(x *genType, result *genType) string {
		g.push()
		defer g.pop()
		effects := g.effects
		g.effects = false
		defer func() { g.effects = effects }()
		g.declare(genVar{name: "x", t: x, ro: true})
		return "func(x " + x.name + ") " + result.name + " { return " + g.expr(result, 2) + " }"
	}
	xs := g.typed(g.slice(t), 2)
	switch g.r.IntN(6) {
	case 0:
		return def(g.slice(u), "mapTo("+xs+", "+body(t, u)+")")
	case 1:
		return def(g.slice(t), "keep("+xs+", "+body(t, g.named("bool"))+")")
	case 2:
		return def(g.named("int"), "fold("+xs+", 1, func(a int, x "+t.name+") int { return a*3 + 1 })")
	case 3:
		if !t.prints || g.noVars {
			t = g.anyBasic()
		}
		if g.noVars {
			return g.varDecl(d)
		}
		return []string{"fmt.Println(mkPair(" + g.typed(t, 1) + ", " + g.typed(u, 1) + ").Swap(), show(mkPair(" + g.typed(u, 1) + ", 1)))"}
	case 4:
		x, y := g.expr(t, 1), g.expr(t, 1)
		g.declare(genVar{name: name, t: t})
		return []string{name + ", _ := new(stack[" + t.name + "]).Push(" + x + ").Push(" + y + ").Pop()", "_ = " + name}
	}
	return def(g.named("int"), "len(slices.Collect(maps.Keys(map["+u.name+"]bool{"+g.literal(u, 0)+": true})))")
}
