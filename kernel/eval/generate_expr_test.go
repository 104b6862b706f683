package eval

import (
	"fmt"
	"strconv"
	"strings"
)

// expr writes an expression that can be assigned to t.
func (g *gen) expr(t *genType, d int) string {
	if d <= 0 || g.r.IntN(5) == 0 {
		return g.leaf(t)
	}
	g.cost += g.mult
	if g.r.IntN(5) == 0 {
		if s := g.callOf(t, d); s != "" {
			return s
		}
	}
	if g.effects && g.r.IntN(6) == 0 {
		if !t.named && t.kind != kIface {
			return fmt.Sprintf("tr(%q, %s)", strconv.Itoa(g.r.IntN(100)), g.typed(t, d-1))
		}
		return fmt.Sprintf("tr[%s](%q, %s)", t.name, strconv.Itoa(g.r.IntN(100)), g.expr(t, d-1))
	}
	switch g.r.IntN(14) {
	case 0:
		return "id[" + t.name + "](" + g.expr(t, d-1) + ")"
	case 1:
		return "func() " + t.name + " { return " + g.expr(t, d-1) + " }()"
	case 2:
		if s := g.assertion(t, d); s != "" {
			return s
		}
	case 3:
		p := g.pointer(t)
		if vs := g.visible(func(v genVar) bool { return v.t == p }); len(vs) > 0 {
			return "*" + pick(g, vs).name
		}
	case 4:
		return "[]" + t.name + "{" + g.expr(t, d-1) + ", " + g.expr(t, d-1) + "}[" + g.index(2) + "]"
	case 5:
		other := g.anyBasic()
		return "mkPair(" + g.typed(t, d-1) + ", " + g.typed(other, d-1) + ").First"
	case 6:
		return "map[bool]" + t.name + "{true: " + g.expr(t, d-1) + ", false: " + g.expr(t, d-1) + "}[" + g.expr(g.named("bool"), d-1) + "]"
	}
	switch t.kind {
	case kBool:
		return g.boolExpr(t, d)
	case kInt, kUint:
		return g.intExpr(t, d)
	case kFloat:
		return g.floatExpr(t, d)
	case kComplex:
		return g.nonconst(t, d-1) + " " + pick(g, []string{"+", "-", "*"}) + " " + g.paren(t, d-1)
	case kString:
		return g.stringExpr(t, d)
	case kSlice:
		return g.sliceExpr(t, d)
	case kIface:
		return g.ifaceExpr(t, d)
	}
	return g.literal(t, d)
}

// typed writes an expression whose type is t by itself.
func (g *gen) typed(t *genType, d int) string {
	if vs := g.visible(func(v genVar) bool { return v.t == t && v.fn == nil }); len(vs) > 0 && g.r.IntN(3) > 0 {
		return pick(g, vs).name
	}
	return g.operandOf(t, g.expr(t, d))
}

// operandOf makes an operand of type t of an expression that can be assigned to t: a literal has no
// type of its own, and what is made of literals only might overflow in the eyes of the compiler.
func (g *gen) operandOf(t *genType, e string) string {
	switch {
	case strings.IndexByte("0123456789-+\"`!", e[0]) >= 0 || e == "true" || e == "false" || t.kind == kIface && !strings.HasPrefix(e, t.name+"("):
		return "id[" + t.name + "](" + e + ")"
	case strings.Contains(e, " "):
		return "(" + e + ")"
	}
	return e
}

// nonconst writes an operand of type t that is no constant.
func (g *gen) nonconst(t *genType, d int) string { return g.typed(t, d) }

// paren writes an expression as an operand.
func (g *gen) paren(t *genType, d int) string { return "(" + g.expr(t, d) + ")" }

// index writes an index below n.
func (g *gen) index(n int) string {
	if vs := g.visible(func(v genVar) bool { return v.t == g.basic[0] }); len(vs) > 0 && g.r.IntN(2) == 0 {
		return fmt.Sprintf("at(%s, %d)", pick(g, vs).name, n)
	}
	return strconv.Itoa(g.r.IntN(n))
}

// leaf writes a variable, something in one, or a literal.
func (g *gen) leaf(t *genType) string {
	if g.r.IntN(5) > 0 {
		if vs := g.visible(func(v genVar) bool { return v.t == t && v.fn == nil }); len(vs) > 0 {
			return pick(g, vs).name
		}
	}
	if g.depth < 3 && g.r.IntN(3) > 0 {
		var paths []string
		for _, v := range g.visible(func(v genVar) bool { return v.fn == nil }) {
			paths = append(paths, g.paths(v.name, v.t, t, 2)...)
		}
		if len(paths) > 0 {
			return pick(g, paths)
		}
	}
	return g.literal(t, 1)
}

// paths gives the selectors and indexes that lead from x, a variable of type from, to a value of type to.
func (g *gen) paths(x string, from, to *genType, d int) (list []string) {
	if d <= 0 {
		return nil
	}
	next := func(x string, t *genType) {
		if t == to {
			list = append(list, x)
		}
		list = append(list, g.paths(x, t, to, d-1)...)
	}
	switch from.kind {
	case kStruct:
		for _, f := range from.fields {
			next(x+"."+f.name, f.t)
		}
	case kArray:
		next(x+"["+g.index(from.n)+"]", from.elem)
	case kMap:
		next(x+"["+g.literal(from.key, 0)+"]", from.elem)
	}
	return list
}

var genStrings = []string{`""`, `"a"`, `"xyz"`, `"héé"`, `"日本"`, `"\xff\x00"`, "`raw\\n`", `"go"`, `"\t|"`}

// literal writes a new value.
func (g *gen) literal(t *genType, d int) string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > 3 { // types inside types
		return g.zero(t)
	}
	switch t.kind {
	case kBool:
		return strconv.FormatBool(g.r.IntN(2) == 0)
	case kInt:
		switch g.r.IntN(8) {
		case 0:
			return strconv.FormatInt(int64(-1)<<(t.bits-1), 10)
		case 1:
			return strconv.FormatUint(uint64(1)<<(t.bits-1)-1, 10)
		case 2:
			return fmt.Sprintf("%d", -1-g.r.IntN(100))
		}
		return strconv.Itoa(g.r.IntN(10))
	case kUint:
		if g.r.IntN(6) == 0 {
			return strconv.FormatUint(^uint64(0)>>(64-t.bits), 10)
		}
		return strconv.Itoa(g.r.IntN(20))
	case kFloat:
		return pick(g, []string{"0", "1.5", "-2.25", "0.1", "3", "1e10", "-0.75", "1 / 3.0", "1e-3"})
	case kComplex:
		return pick(g, []string{"0", "1 + 2i", "-1i", "2.5"})
	case kString:
		return pick(g, genStrings)
	case kSlice:
		if g.r.IntN(10) == 0 {
			return t.name + "(nil)"
		}
		var list []string
		for range g.r.IntN(4) {
			list = append(list, g.element(t.elem, d-1))
		}
		if g.r.IntN(10) == 0 {
			list = append(list, fmt.Sprintf("%d: %s", len(list)+1, g.element(t.elem, d-1)))
		}
		return t.name + "{" + strings.Join(list, ", ") + "}"
	case kArray:
		var list []string
		for range g.r.IntN(t.n + 1) {
			list = append(list, g.element(t.elem, d-1))
		}
		return t.name + "{" + strings.Join(list, ", ") + "}"
	case kMap:
		var list []string
		seen := map[string]bool{}
		for range g.r.IntN(4) {
			k := g.literal(t.key, 0)
			if t.key.kind == kBool || !seen[k] {
				if t.key.kind != kStruct && t.key.kind != kArray {
					list = append(list, k+": "+g.element(t.elem, d-1))
				} else {
					list = append(list, k+": "+g.expr(t.elem, 0))
				}
			}
			if seen[k] = true; t.key.kind == kBool || t.key.kind == kStruct || t.key.kind == kArray {
				break // two keys could be equal, and which counts is the compiler's choice
			}
		}
		return t.name + "{" + strings.Join(list, ", ") + "}"
	case kStruct:
		var list []string
		named := g.r.IntN(2) == 0
		for _, f := range t.fields {
			switch {
			case !named:
				list = append(list, g.expr(f.t, d-1))
			case g.r.IntN(4) > 0:
				list = append(list, f.name+": "+g.expr(f.t, d-1))
			}
		}
		return t.name + "{" + strings.Join(list, ", ") + "}"
	case kPointer:
		if g.r.IntN(30) == 0 {
			return "(" + t.name + ")(nil)"
		}
		if strings.IndexByte("SAMT", t.elem.kind) >= 0 && g.r.IntN(2) == 0 {
			return "&" + g.literalBraces(t.elem, d)
		}
		return "new(id[" + t.elem.name + "](" + g.expr(t.elem, d-1) + "))"
	case kIface:
		return g.ifaceExpr(t, min(d, 1))
	}
	return "*new(" + t.name + ")"
}

// zero writes the simplest value.
func (g *gen) zero(t *genType) string {
	switch t.kind {
	case kBool:
		return "false"
	case kString:
		return `"z"`
	case kSlice, kArray, kMap, kStruct:
		return t.name + "{}"
	case kPointer:
		return "new(" + t.name[1:] + ")"
	case kIface:
		return t.name + "(nil)"
	}
	return "1"
}

func (g *gen) literalBraces(t *genType, d int) string {
	s := g.literal(t, d)
	if !strings.HasSuffix(s, "}") {
		return t.name + "{}"
	}
	return s
}

// element writes an element of a composite literal, sometimes without its type.
func (g *gen) element(t *genType, d int) string {
	if strings.IndexByte("SAT", t.kind) >= 0 && g.r.IntN(2) == 0 {
		if s := g.literal(t, d); strings.HasPrefix(s, t.name+"{") {
			return strings.TrimPrefix(s, t.name)
		}
	}
	return g.expr(t, d)
}

func (g *gen) boolExpr(t *genType, d int) string {
	var s string
	switch g.r.IntN(6) {
	case 0:
		return "!" + g.paren(t, d-1)
	case 1:
		return g.nonconst(t, d-1) + pick(g, []string{" && ", " || "}) + g.paren(t, d-1)
	case 2:
		u := g.anyType0(1)
		if !u.cmp || u.kind == kIface {
			u = g.named("string")
		}
		s = g.nonconst(u, d-1) + pick(g, []string{" == ", " != "}) + g.paren(u, d-1)
	case 3:
		u := pick(g, []*genType{g.anyType, g.errType})
		v := g.anyBasic()
		if u == g.errType {
			return t.name + "(" + g.nonconst(u, d-1) + pick(g, []string{" == ", " != "}) + "nil)"
		}
		s = g.nonconst(u, d-1) + " == any(" + g.typed(v, d-1) + ")"
	default:
		u := g.anyBasic()
		if !u.isOrdered() {
			u = g.named("int")
		}
		s = g.nonconst(u, d-1) + pick(g, []string{" < ", " <= ", " > ", " >= "}) + g.paren(u, d-1)
	}
	if t.named {
		return t.name + "(" + s + ")"
	}
	return s
}

func (g *gen) intExpr(t *genType, d int) string {
	switch g.r.IntN(12) {
	case 0:
		return pick(g, []string{"-", "^", "+"}) + "(" + g.nonconst(t, d-1) + ")"
	case 1:
		op := pick(g, []string{" / ", " % "})
		if !g.effects && g.r.IntN(20) == 0 {
			return g.nonconst(t, d-1) + op + "id(" + g.typed(t, d-1) + ")"
		}
		return g.nonconst(t, d-1) + op + "(" + g.paren(t, d-1) + " | 1)"
	case 2, 3:
		u := g.anyBasic()
		if !u.isInteger() {
			u = g.named("uint8")
		}
		count := g.nonconst(u, d-1)
		if u.kind == kInt {
			count = "(" + count + " & 15)"
		}
		return g.nonconst(t, d-1) + pick(g, []string{" << ", " >> "}) + count
	case 4:
		u := g.anyBasic()
		switch {
		case u.kind == kFloat && t.kind == kUint:
			return t.name + "(max(0, small(float64(" + g.typed(u, d-1) + "))))"
		case u.kind == kFloat:
			return t.name + "(small(float64(" + g.typed(u, d-1) + ")))"
		case u.isInteger():
			return t.name + "(" + g.nonconst(u, d-1) + ")"
		}
		return t.name + "(len(" + g.typed(g.named("string"), d-1) + "))"
	case 5:
		return pick(g, []string{"min", "max"}) + "(" + g.nonconst(t, d-1) + ", " + g.expr(t, d-1) + ")"
	case 6:
		for _, v := range g.visible(func(v genVar) bool { return v.t.kind == kSlice || v.t.kind == kMap || v.t.kind == kString }) {
			return t.name + "(" + pick(g, []string{"len", "len"}) + "(" + v.name + "))"
		}
	case 7:
		if !t.named && t.bits == 8 && t.kind == kUint {
			s := g.typed(g.named("string"), d-1)
			return "(" + s + " + \"z\")[0]"
		}
		return "sum[" + t.name + "](" + g.expr(t, d-1) + ", " + g.expr(t, d-1) + ")"
	}
	return g.nonconst(t, d-1) + pick(g, []string{" + ", " - ", " * ", " & ", " | ", " ^ ", " &^ "}) + g.paren(t, d-1)
}

func (g *gen) floatExpr(t *genType, d int) string {
	switch g.r.IntN(8) {
	case 0:
		return "-(" + g.nonconst(t, d-1) + ")"
	case 1:
		return g.nonconst(t, d-1) + " / " + g.nonconst(t, d-1)
	case 2:
		u := g.anyBasic()
		if u.isInteger() || u.kind == kFloat {
			return t.name + "(" + g.typed(u, d-1) + ")"
		}
	case 3:
		return pick(g, []string{"min", "max"}) + "(" + g.nonconst(t, d-1) + ", " + g.expr(t, d-1) + ")"
	case 4:
		return t.name + "(math." + pick(g, []string{"Sqrt", "Abs", "Floor", "Trunc"}) + "(float64(" + g.typed(t, d-1) + ")))"
	}
	return g.nonconst(t, d-1) + pick(g, []string{" + ", " - ", " * "}) + g.paren(t, d-1)
}

func (g *gen) stringExpr(t *genType, d int) string {
	var s string
	switch g.r.IntN(10) {
	case 0:
		u := g.anyType0(2)
		if !u.prints {
			u = g.anyBasic()
		}
		s = fmt.Sprintf("fmt.Sprintf(%q, %s)", pick(g, []string{"%v", "%+v", "%T", "%v|"}), g.typed(u, d-1))
	case 1:
		u := g.anyBasic()
		s = "fmt.Sprint(" + g.typed(u, d-1) + ", " + g.expr(g.named("string"), d-1) + ")"
	case 2:
		s = "strings.ToUpper(string(" + g.expr(t, d-1) + "))"
	case 3:
		s = "string(rune('a' + at(" + g.expr(g.named("int"), d-1) + ", 26)))"
	case 4:
		s = "string([]" + pick(g, []string{"rune", "byte"}) + "(" + g.nonconst(t, d-1) + "))"
	case 5:
		x := g.leaf(g.named("string"))
		s = fmt.Sprintf("id(%s)[at(%s, len(id(%s))+1):]", x, g.leaf(g.named("int")), x)
	case 6:
		u := g.anyType0(1)
		if !u.prints {
			u = g.anyBasic()
		}
		s = "show(" + g.typed(u, d-1) + ")"
	case 7:
		u := g.anyBasic()
		if u.isInteger() {
			s = fmt.Sprintf("fmt.Sprintf(%q, %s)", pick(g, []string{"%d", "%x", "%5d|", "%08b", "%v", "%c", "%U"}), g.typed(u, d-1))
		} else {
			s = fmt.Sprintf("fmt.Sprintf(%q, %s)", pick(g, []string{"%v", "%q", "%6v|"}), g.typed(u, d-1))
		}
	default:
		return g.nonconst(t, d-1) + " + " + g.expr(t, d-1)
	}
	if t.named {
		return t.name + "(" + s + ")"
	}
	return s
}

func (g *gen) sliceExpr(t *genType, d int) string {
	switch g.r.IntN(5) {
	case 0:
		return "append(" + t.name + "(nil), " + g.expr(t.elem, d-1) + ", " + g.expr(t.elem, d-1) + ")"
	case 1:
		return "append(" + g.literal(t, d-1) + ", " + g.typed(t, d-1) + "...)"
	case 2:
		if !t.named {
			return "mapTo(" + g.typed(t, d-1) + ", func(x " + t.elem.name + ") " + t.elem.name + " { return x })"
		}
	case 3:
		return "slices.Clone(" + g.typed(t, d-1) + ")"
	}
	return g.literal(t, d)
}

// ifaceExpr writes a value for an interface: of a type that has its methods.
func (g *gen) ifaceExpr(t *genType, d int) string {
	switch {
	case t == g.errType:
		switch g.r.IntN(4) {
		case 0:
			return "error(nil)"
		case 1:
			return "fmt.Errorf(\"e%d\", " + g.typed(g.named("int"), d-1) + ")"
		}
		return "errors.New(" + g.expr(g.named("string"), d-1) + ")"
	case t == g.anyType:
		if g.r.IntN(12) == 0 {
			return "any(nil)"
		}
		u := g.anyType0(1)
		if !u.prints || u.kind == kIface {
			u = g.anyBasic()
		}
		return "any(" + g.typed(u, d-1) + ")"
	}
	if list := g.implementers(t); len(list) > 0 {
		u := pick(g, list)
		if g.r.IntN(3) == 0 {
			return g.literalOrTyped(u, d)
		}
		return t.name + "(" + g.literalOrTyped(u, d) + ")"
	}
	return t.name + "(nil)"
}

func (g *gen) literalOrTyped(t *genType, d int) string {
	if t.kind == kStruct && g.r.IntN(2) == 0 {
		return g.literal(t, d-1)
	}
	return g.typed(t, d-1)
}

// assertion writes a type assertion that holds.
func (g *gen) assertion(t *genType, d int) string {
	if t.kind == kIface {
		return ""
	}
	return "any(" + g.typed(t, d-1) + ").(" + t.name + ")"
}

// callOf writes a call of a function without effects, of a method, or a conversion to t.
func (g *gen) callOf(t *genType, d int) string {
	var list []string
	call := func(f *genFunc, name string) {
		if f.result != t || f.effects && !g.effects || g.mult*f.cost > 3000 {
			return
		}
		if f.effects && g.r.IntN(2) == 0 {
			return
		}
		var args []string
		for _, p := range f.params {
			args = append(args, g.expr(p, d-2))
		}
		g.cost += g.mult * f.cost
		list = append(list, name+"("+strings.Join(args, ", ")+")")
	}
	for _, f := range g.funcs {
		if !f.effects {
			call(f, f.name)
		}
	}
	for _, v := range g.visible(func(v genVar) bool { return v.fn == nil && v.t.kind != kIface }) {
		for _, m := range g.methodsOf(v.t, true) {
			if !m.effects {
				call(m, v.name+"."+m.name)
			}
		}
	}
	for _, u := range g.types {
		if u.kind == t.kind && u.kind != kStruct && u.bits == t.bits && u.elem == t.elem && u.key == t.key && u.n == t.n && u != t && (u.named || t.named) {
			list = append(list, t.name+"("+g.typed(u, d-1)+")")
		}
	}
	if len(list) == 0 {
		return ""
	}
	return pick(g, list)
}
