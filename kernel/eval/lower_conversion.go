package eval

import (
	"fmt"
	"go/ast"
	"go/types"
)

// conversion lowers T(x).
func (l *lowerer) conversion(a ast.Expr, t types.Type) ast.Expr {
	from := l.typeOf(a)
	if types.IsInterface(t) {
		if l.info.Types[a].IsNil() {
			return l.zero(t)
		}
		x := l.conv(a, t)
		if types.IsInterface(from) || isCellType(from) {
			return x
		}
		x = l.callx(l.typ(t), x)
		if !t.Underlying().(*types.Interface).Empty() {
			x = l.hold(x, &l.pre) // a method called at once would be given the value's own layout
		}
		return x
	}
	x := l.expr(a)
	if l.info.Types[a].IsNil() {
		return l.zero(t)
	}
	switch t.Underlying().(type) {
	case *types.Signature, *types.Chan:
		if c, ok := t.Underlying().(*types.Chan); ok && c.Dir() != from.Underlying().(*types.Chan).Dir() {
			break
		}
		if isMain2(t) || types.Identical(from.Underlying(), t.Underlying()) && !isCompiledNamed(t) && !isCompiledNamed(from) {
			return x
		}
	case *types.Pointer:
		if _, ok := from.Underlying().(*types.Pointer); !ok {
			break
		}
		tp, fp := t.Underlying().(*types.Pointer).Elem(), from.Underlying().(*types.Pointer).Elem()
		if l.s.typeKey(tp) != l.s.typeKey(fp) && l.typeText(tp) != l.typeText(fp) {
			return l.recast(a, x, fp, tp)
		}
		return x
	}
	if _, isArray := t.Underlying().(*types.Array); isArray {
		if st, isSlice := from.Underlying().(*types.Slice); isSlice { // [3]int(slice)
			n := int(t.Underlying().(*types.Array).Len())
			f := l.helper(fmt.Sprintf("array %d %s", n, l.s.typeKey(st.Elem())), "array", func(name string) string {
				ts := l.typeText(t)
				return fmt.Sprintf("func %s(s []%s) %s { %s.ArrayLen(len(s), %d); var a %[3]s; copy(a[:], s); return a }", name, l.typeText(st.Elem()), ts, rtName, n)
			})
			return l.call(f, x)
		}
	}
	if pt, isPtr := t.Underlying().(*types.Pointer); isPtr { // (*[3]int)(slice), which shares the elements
		st, n := from.Underlying().(*types.Slice), pt.Elem().Underlying().(*types.Array).Len()
		f := l.helper(fmt.Sprintf("array pointer %d %s", n, l.s.typeKey(st.Elem())), "array", func(name string) string {
			ts := l.typeText(t)
			return fmt.Sprintf("func %s(s []%s) %s { %s.ArrayLen(len(s), %d); return %[4]s.ArrayPointer(s, (%[3]s)(nil)).(%[3]s) }", name, l.typeText(st.Elem()), ts, rtName, n)
		})
		return l.call(f, x)
	}
	to := l.typ(t)
	switch to.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		to = l.paren(to)
	}
	return l.callx(to, x)
}

// recast gives a pointer to a type as one to another type of the same layout.
func (l *lowerer) recast(a, x ast.Expr, from, to types.Type) ast.Expr {
	ft, tt := l.typeText(types.NewPointer(from)), l.typeText(types.NewPointer(to))
	r, s := l.s.shape(from), l.s.shape(to)
	if r == nil || s == nil || ifaceKind(from) != ifaceKind(to) {
		l.refuse(a.Pos(), "converting a "+typeString(types.NewPointer(from))+" to "+typeString(types.NewPointer(to))+" is not available in cells", "convert the values pointed to")
		return l.id("nil")
	}
	f := l.helper("recast "+ft+" "+tt, "recast", func(name string) string {
		return fmt.Sprintf("func %s(p %s) %s { return %s.Recast(p, (%[3]s)(nil)).(%[3]s) }", name, ft, tt, rtName)
	})
	return l.call(f, x)
}

func isMain2(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && isMain(n.Obj().Pkg())
}

func isCompiledNamed(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && !isMain(n.Obj().Pkg())
}
