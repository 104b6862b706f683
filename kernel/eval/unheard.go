package eval

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"trivium/kernel/symbols/box"
)

// unheard refuses to give a value of a type declared in a cell to compiled code that would not see a method of it.
func (l *lowerer) unheard(from, to types.Type) {
	key, _, _ := strings.Cut(ifaceKey(to), "[")
	for _, a := range box.Unheard[key] {
		pkg, err := l.s.imp.Import(a.Path)
		if err != nil {
			continue
		}
		methods := ""
		if token.IsExported(a.Expr) || strings.HasPrefix(a.Expr, "interface") {
			tv, err := types.Eval(token.NewFileSet(), pkg, token.NoPos, a.Expr)
			if err != nil {
				panic(fmt.Errorf("%s in the scope of package %s: %w", a.Expr, a.Path, err))
			}
			it := tv.Type.Underlying().(*types.Interface)
			if !types.Implements(from, it) {
				continue
			}
			methods = "the methods of " + typeString(tv.Type)
			if !ast.IsExported(a.Expr) {
				methods = "the method " + it.Method(0).Name()
			}
		} else if o, _, _ := types.LookupFieldOrMethod(from, false, pkg, a.Expr); o != nil {
			methods = "the method " + a.Expr
		} else {
			continue
		}
		l.refuse(l.pos, fmt.Sprintf("%s as %s has %s, which would not be called", typeString(from), typeString(to), methods), "give the method of a type declared in a cell another name, and call it where it is needed")
	}
}
