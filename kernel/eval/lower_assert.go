package eval

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"trivium/kernel/symbols/box"
)

// Type assertions are answered by compiled code, see match.go.

// A matcher tells whether an interface holds a value of a type.
type matcher struct {
	t     types.Type
	desc  *box.Desc    // of a cell type
	rtype reflect.Type // of a compiled type, or of a compiled interface
	iface bool
	name  string // for messages
}

// matcher gives the number of the matcher for a type.
func (l *lowerer) matcher(t types.Type) int {
	key := l.s.typeKey(t)
	if id, ok := l.s.matcherID[key]; ok {
		return id
	}
	m := &matcher{t: t, iface: types.IsInterface(t), name: box.TypeString(t)}
	switch {
	case m.iface:
		if ifaceKind(t) == compiledIface {
			m.rtype = l.s.rtype(t)
		}
		for f := range t.Underlying().(*types.Interface).Methods() {
			for _, list := range []*types.Tuple{f.Signature().Params(), f.Signature().Results()} {
				for v := range list.Variables() {
					l.s.rtype(v.Type()) // loads what the check at run time needs
				}
			}
		}
	case isCellType(t):
		m.desc = l.s.descAt(l.s.desc(t))
	default:
		if m.rtype = l.s.rtype(t); m.rtype == nil {
			l.refuse(l.pos, "a type assertion to "+typeString(t)+" is not available in cells", "")
		}
	}
	l.s.tableMu.Lock()
	defer l.s.tableMu.Unlock()
	id := len(l.s.matchers)
	l.s.matchers = append(l.s.matchers, m)
	l.s.matcherID[key] = id
	return id
}

// taken gives the value of type t that yaegi has in an any. It cannot take out a struct without
// fields, of which there is only one value.
func (l *lowerer) taken(x ast.Expr, t types.Type) ast.Expr {
	if st, ok := t.Underlying().(*types.Struct); ok && st.NumFields() == 0 {
		f := l.helper("empty "+l.s.typeKey(t), "empty", func(n string) string {
			ts := l.typeText(t)
			return fmt.Sprintf("func %s(x any) %s { var z %s; return z }", n, ts, ts)
		})
		return l.call(f, x)
	}
	if _, isFunc := t.Underlying().(*types.Signature); isFunc {
		return l.takenFunc(x, t)
	}
	return &ast.TypeAssertExpr{X: x, Lparen: l.pos, Type: l.typ(t)}
}

const takenFuncs = "takenFunc" // begins the names of the functions that takenFunc calls

// takenFunc is taken for a function. Yaegi takes one that compiled code gives for compiled itself, and finds no
// fields in what it returns; of one that a function of ours gives it knows the type.
func (l *lowerer) takenFunc(x ast.Expr, t types.Type) ast.Expr {
	t = l.sub(t)
	results := t.Underlying().(*types.Signature).Results()
	if !slices.ContainsFunc(slices.Collect(results.Variables()), func(v *types.Var) bool { return isCellType(v.Type()) }) {
		return &ast.TypeAssertExpr{X: x, Lparen: l.pos, Type: l.typ(t)}
	}
	f := l.helper("func "+l.s.typeKey(t), takenFuncs, func(n string) string {
		ts := l.typeText(t)
		return fmt.Sprintf("func %s(x any) %s { return x.(%s) }", n, ts, ts)
	})
	return l.call(f, x)
}

// asserted gives the value of an interface known to match a type, as that type.
func (l *lowerer) asserted(x ast.Expr, t types.Type) ast.Expr {
	switch ifaceKind(t) {
	case compiledIface:
		return l.rt(l.toIface(t), x)
	case notIface:
		return l.taken(l.rt("V", x), t)
	}
	return l.rt("Norm", x)
}

// assert lowers x.(T), which panics with Go's text if x holds something else.
func (l *lowerer) assert(e *ast.TypeAssertExpr) ast.Expr {
	t := l.typeOf(e.Type)
	x := l.rt("Must", l.int(l.matcher(t)), l.str(box.TypeString(l.typeOf(e.X))), l.expr(e.X))
	switch ifaceKind(t) {
	case compiledIface:
		return l.rt(l.toIface(t), x)
	case notIface:
		return l.taken(x, t)
	}
	return x
}

// assertOK lowers the form of an assertion that has a second value.
func (l *lowerer) assertOK(e *ast.TypeAssertExpr) ast.Expr {
	return l.call(l.asFunc(l.typeOf(e.Type)), l.rt("Norm", l.expr(e.X)))
}

// asFunc gives a function that asserts what an any holds, and tells whether it could.
func (l *lowerer) asFunc(t types.Type) string {
	m := l.matcher(t)
	return l.helper("as "+l.s.typeKey(t), "as", func(n string) string {
		val := rtName + ".Norm(x)"
		switch ifaceKind(t) {
		case compiledIface:
			val = rtName + "." + l.toIface(t) + "(x)"
		case notIface:
			val = l.exprText(l.taken(l.rt("V", l.id("x")), t))
		}
		ts := l.typeText(t)
		return fmt.Sprintf("func %s(x any) (%s, bool) { if %s.Is(%d, x) { return %s, true }; var z %s; return z, false }", n, ts, rtName, m, val, ts)
	})
}

// errorsAs lowers errors.As for targets that compiled code cannot see through.
func (l *lowerer) errorsAs(e *ast.CallExpr) ast.Expr {
	p, ok := l.typeOf(e.Args[1]).Underlying().(*types.Pointer)
	if !ok {
		return nil
	}
	f := l.errorsAsFunc(p.Elem())
	if f == "" {
		return nil
	}
	return l.call(f, l.conv(e.Args[0], types.Universe.Lookup("error").Type()), l.expr(e.Args[1]))
}

// errorsAsFunc gives a function that is errors.As for a target of type *t, "" where that itself is right.
func (l *lowerer) errorsAsFunc(t types.Type) string {
	if ifaceKind(t) == notIface && !isCellType(t) || types.Identical(t, types.Universe.Lookup("error").Type()) {
		return ""
	}
	m := l.matcher(t)
	return l.helper("errors.As "+l.s.typeKey(t), "errAs", func(n string) string {
		val := rtName + ".Norm(v)"
		switch ifaceKind(t) {
		case compiledIface:
			val = rtName + "." + l.toIface(t) + "(v)"
		case notIface:
			val = l.exprText(l.taken(l.rt("V", l.id("v")), t))
		}
		return fmt.Sprintf("func %s(err error, p *%s) bool { v := %s.FindAs(%d, err, p); if v == nil { return false }; if v == %[3]s.Found { return true }; *p = %[5]s; return true }", n, l.typeText(t), rtName, m, val)
	})
}

// errorsAsType gives a function that is errors.AsType of t.
func (l *lowerer) errorsAsType(t types.Type) string {
	as := l.errorsAsFunc(t)
	if as == "" {
		as = rtName + ".As"
	}
	return l.helper("errors.AsType "+l.s.typeKey(t), "asType", func(n string) string {
		ts := l.typeText(t)
		return "func " + n + "(err error) (" + ts + ", bool) { var x " + ts + "; ok := " + as + "(err, &x); return x, ok }"
	})
}
