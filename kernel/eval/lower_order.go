package eval

import (
	"go/ast"
	"go/token"
	"slices"
)

// Go evaluates calls from left to right, and the right side of && and || only where it is needed.
// Some operands need statements before the one they are in, see lowerer.pre, and those would run
// before the operands on their left: these are put into variables first.

// then lowers an operand that comes after others, which are lowered already.
func (l *lowerer) then(done []ast.Expr, lower func() ast.Expr) ast.Expr {
	before := len(l.pre)
	x := lower()
	l.holdBefore(before, done)
	return x
}

// holdBefore holds operands if what was put before the statement after them does something.
func (l *lowerer) holdBefore(before int, done []ast.Expr) {
	if before > len(l.pre) || !anyEffect(l.pre[before:]) {
		return
	}
	var held []ast.Stmt
	for i, x := range done {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			if callsAnything(kv.Key) {
				kv.Key = l.hold(kv.Key, &held)
			}
			if callsAnything(kv.Value) {
				kv.Value = l.hold(kv.Value, &held)
			}
		} else if x != nil && callsAnything(x) {
			done[i] = l.hold(x, &held)
		}
	}
	l.pre = slices.Insert(l.pre, before, held...)
}

// logical lowers x && y or x || y, where pre is what y needs done before it.
func (l *lowerer) logical(x ast.Expr, op token.Token, pre []ast.Stmt, y ast.Expr) ast.Expr {
	if !anyEffect(pre) && !startsWrong(x) && !unbranched(x) {
		l.pre = append(l.pre, pre...)
		return l.binary(x, op, y)
	}
	return l.decided(x, op, pre, y)
}

// decided is logical with a variable for the result.
func (l *lowerer) decided(x ast.Expr, op token.Token, pre []ast.Stmt, y ast.Expr) ast.Expr {
	t := l.tmp("b")
	cond := ast.Expr(l.id(t))
	if op == token.LOR {
		cond = l.not(cond)
	}
	l.pre = append(l.pre, l.define(t, x), l.ifs(cond, append(pre, l.set(l.id(t), y))...))
	return l.id(t)
}

// unbranched tells whether yaegi evaluates the right operand after x whatever x gives, and then
// looks at what it had before: an assertion or a conversion does not branch as a call does.
func unbranched(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.TypeAssertExpr:
		return true
	case *ast.CallExpr:
		id, ok := x.Fun.(*ast.Ident)
		return ok && id.Name == "bool" // what named types of cells become
	}
	return false
}

// both lowers two operands, of which the first is evaluated first.
func (l *lowerer) both(a, b func() ast.Expr) (x, y ast.Expr) {
	left := []ast.Expr{a()}
	y = l.then(left, b)
	return left[0], y
}

// apart lowers something and gives separately what it needs done before it.
func (l *lowerer) apart(lower func() ast.Expr) (pre []ast.Stmt, x ast.Expr) {
	outer := l.pre
	l.pre = nil
	x = lower()
	pre, l.pre = compact(l.pre), outer
	return pre, x
}

// startsWrong tells whether the part of an operand that is evaluated first is a key in a composite
// literal, the type of a struct or function, or something in parentheses: as the left side of && or || yaegi takes that for the condition.
func startsWrong(x ast.Expr) bool {
	leaf := func(x ast.Expr) bool {
		switch x.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.ArrayType, *ast.MapType, *ast.ChanType:
			return true
		}
		return false
	}
	first := func(list ...ast.Expr) bool { // the first that is evaluated by itself
		for _, x := range list {
			if x != nil && !leaf(x) {
				return startsWrong(x)
			}
		}
		return false
	}
	switch x := x.(type) {
	case *ast.KeyValueExpr, *ast.StructType, *ast.FuncType:
		return true
	case *ast.ParenExpr:
		if leaf(x.X) {
			id, ok := x.X.(*ast.Ident)
			return !ok || id.Name != "true" && id.Name != "false"
		}
		return startsWrong(x.X)
	case *ast.CompositeLit:
		return first(append([]ast.Expr{x.Type}, x.Elts...)...)
	case *ast.CallExpr:
		return first(append([]ast.Expr{x.Fun}, x.Args...)...)
	case *ast.BinaryExpr:
		return first(x.X, x.Y)
	case *ast.IndexExpr:
		return first(x.X, x.Index)
	case *ast.SliceExpr:
		return first(x.X, x.Low, x.High, x.Max)
	case *ast.UnaryExpr:
		return first(x.X)
	case *ast.StarExpr:
		return first(x.X)
	case *ast.SelectorExpr:
		return first(x.X)
	case *ast.TypeAssertExpr:
		return first(x.X)
	}
	return false
}

// anyEffect tells whether statements do more than make closures.
func anyEffect(list []ast.Stmt) bool {
	for _, st := range list {
		switch s := st.(type) {
		case *ast.AssignStmt:
			if isMark(s) || len(s.Rhs) == 1 && makesClosure(s.Rhs[0]) {
				continue
			}
			if !slices.ContainsFunc(s.Rhs, callsAnything) && s.Tok == token.DEFINE && !slices.ContainsFunc(s.Rhs, readsMemory) {
				continue
			}
			return true
		case *flat:
			if anyEffect(s.list) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// makesClosure matches a function literal, one made by a function of its own, and a function as a value.
func makesClosure(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.FuncLit:
		return true
	case *ast.TypeAssertExpr:
		return isRT(x.X, "Func")
	case *ast.CallExpr:
		f, ok := x.Fun.(*ast.FuncLit)
		if !ok || len(x.Args) > 0 || len(f.Body.List) != 1 {
			return false
		}
		r, ok := f.Body.List[0].(*ast.ReturnStmt)
		return ok && len(r.Results) == 1 && makesClosure(r.Results[0])
	}
	return false
}

func isRT(x ast.Expr, name string) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != name {
		return false
	}
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == rtName
}

// quietCalls are builtins and conversions: their operands matter, they do not.
var quietCalls = map[string]bool{
	"len": true, "cap": true, "bool": true, "string": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true,
	"uint16": true, "uint32": true, "uint64": true, "uintptr": true, "float32": true, "float64": true, "complex64": true, "complex128": true, "real": true, "imag": true, "any": true,
}

// callsAnything tells whether evaluating an expression calls a function.
func callsAnything(x ast.Expr) bool {
	found := false
	if x == nil {
		return false
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && quietCalls[id.Name] {
				return true
			}
			if p, ok := n.Fun.(*ast.ParenExpr); ok {
				if _, isType := p.X.(*ast.ArrayType); isType {
					return true
				}
			}
			found = true
		}
		return !found
	})
	return found
}

// readsMemory tells whether evaluating an expression may panic.
func readsMemory(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IndexExpr, *ast.StarExpr, *ast.SelectorExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
			found = true
		case *ast.BinaryExpr:
			found = found || n.Op == token.QUO || n.Op == token.REM
		}
		return !found
	})
	return found
}
