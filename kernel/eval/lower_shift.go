package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// shiftCount makes a count of any integer type one that yaegi takes. It takes the constants in it for
// ones of the type that is shifted, and a negative count for a big one.
func (l *lowerer) shiftCount(e, y ast.Expr) ast.Expr {
	switch {
	case !l.notNegative(e):
		return l.rt("Shift", l.call("int", y))
	case isValue(y):
		return y
	}
	return l.call("uint64", y)
}

// notNegative tells of some integers that they cannot be negative.
func (l *lowerer) notNegative(e ast.Expr) bool {
	e = ast.Unparen(e)
	if tv := l.info.Types[e]; tv.Value != nil {
		return constant.Sign(tv.Value) >= 0
	}
	if b, ok := l.typeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsUnsigned != 0 {
		return true
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		switch e.Op {
		case token.AND:
			return l.notNegative(e.X) || l.notNegative(e.Y)
		case token.REM, token.SHR:
			return l.notNegative(e.X)
		case token.QUO:
			return l.notNegative(e.X) && l.notNegative(e.Y)
		}
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && (l.isBuiltin(id, "len") || l.isBuiltin(id, "cap"))
	}
	return false
}
