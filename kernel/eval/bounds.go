package eval

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Package reflect, by which yaegi indexes, does not say which index was out of range of what. Where
// the cost does not matter, which is outside loops and function literals, the index is checked first
// for Go's own message; elsewhere the message is without the numbers.

// checkedIndex gives the index of x[i], checked; both are lowered already.
func (l *lowerer) checkedIndex(e *ast.IndexExpr, x, i ast.Expr) ast.Expr {
	if !l.checks() || !l.pure(e.X) || l.info.Types[e.Index].Value != nil && isArray(l.typeOf(e.X)) {
		return i
	}
	return l.rt("Index", i, l.call("len", x))
}

// checkedSlice checks the bounds of x[low:high].
func (l *lowerer) checkedSlice(e *ast.SliceExpr, s *ast.SliceExpr) {
	if !l.checks() || s.Slice3 || !l.pure(e.X) || e.Low != nil && !l.pure(e.Low) || e.High != nil && !l.pure(e.High) {
		return
	}
	isSlice := 0
	limit := l.call("len", s.X)
	if _, ok := l.typeOf(e.X).Underlying().(*types.Slice); ok {
		isSlice, limit = 1, l.call("cap", s.X)
	}
	switch {
	case s.Low != nil && s.High != nil:
		s.Low = l.rt("Bounds", s.Low, s.High, limit, l.int(isSlice))
	case s.High != nil:
		s.High = l.rt("UpperBound", s.High, limit, l.int(isSlice))
	case s.Low != nil:
		s.Low = l.rt("LowerBound", s.Low, l.call("len", s.X))
	}
}

// checks tells whether the statement being lowered runs once per call.
func (l *lowerer) checks() bool {
	if l.litDepth > 0 || l.fn == nil {
		return false
	}
	for _, t := range l.fn.targets {
		if t.loop {
			return false
		}
	}
	return true
}

// pure tells whether an expression can be evaluated twice.
func (l *lowerer) pure(e ast.Expr) bool {
	if l.info.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		_, ok := l.info.Uses[e].(*types.Var)
		return ok
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		return sel != nil && sel.Kind() == types.FieldVal && l.pure(e.X)
	case *ast.StarExpr:
		return l.pure(e.X)
	case *ast.IndexExpr:
		return l.pure(e.X) && l.pure(e.Index)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB || e.Op == token.MUL) && l.pure(e.X) && l.pure(e.Y)
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && (l.isBuiltin(id, "len") || l.isBuiltin(id, "cap")) && l.pure(e.Args[0])
	}
	return false
}

func isArray(t types.Type) bool { _, ok := t.Underlying().(*types.Array); return ok }

func rtIndex(i, n int) int {
	switch {
	case i < 0:
		panic(runtimeError(fmt.Sprintf("index out of range [%d]", i)))
	case i >= n:
		panic(runtimeError(fmt.Sprintf("index out of range [%d] with length %d", i, n)))
	}
	return i
}

func rtUpperBound(high, limit, isSlice int) int {
	switch {
	case high < 0:
		panic(runtimeError(fmt.Sprintf("slice bounds out of range [:%d]", high)))
	case high > limit && isSlice == 1:
		panic(runtimeError(fmt.Sprintf("slice bounds out of range [:%d] with capacity %d", high, limit)))
	case high > limit:
		panic(runtimeError(fmt.Sprintf("slice bounds out of range [:%d] with length %d", high, limit)))
	}
	return high
}

func rtLowerBound(low, high int) int {
	switch {
	case low < 0:
		panic(runtimeError(fmt.Sprintf("slice bounds out of range [%d:]", low)))
	case low > high:
		panic(runtimeError(fmt.Sprintf("slice bounds out of range [%d:%d]", low, high)))
	}
	return low
}

func rtBounds(low, high, limit, isSlice int) int {
	return rtLowerBound(low, rtUpperBound(high, limit, isSlice))
}
