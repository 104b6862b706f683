package eval

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Innermost loops that count are cut into strips, so that they look at the interrupt flag once a strip
// and not once an iteration, which would be a fifth of their time:
//
//	for i < n { poll; body; i++ }
//
// becomes
//
//	for i < n {
//		poll
//		strip := i + 256; if strip > n { strip = n }
//		for i < strip { body; i++ }
//	}
//
// It is done where it makes no difference: nothing breaks out of the loop, the bound stays what it is
// while the loop runs, and an iteration is short.

const stripLength = 256

// strips tells whether a loop for i < bound with i++ at its end may be cut.
func (l *lowerer) strips(i types.Object, bound ast.Expr, body *ast.BlockStmt) bool {
	if i != nil && (l.captured[i] || assigned(l, body, i)) {
		return false
	}
	short, quiet := true, true
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit, *ast.BranchStmt, *ast.LabeledStmt, *ast.SelectStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt:
			if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.CONTINUE && b.Label == nil {
				return true
			}
			short = false
		case *ast.UnaryExpr:
			short = short && n.Op != token.ARROW
		case *ast.CallExpr:
			if tv := l.info.Types[n.Fun]; tv.IsType() {
				return true
			}
			switch f := ast.Unparen(n.Fun).(type) {
			case *ast.Ident:
				if _, ok := l.info.Uses[f].(*types.Builtin); ok {
					short = short && (f.Name == "len" || f.Name == "cap" || f.Name == "min" || f.Name == "max" || f.Name == "append" && !n.Ellipsis.IsValid())
					return true
				}
			case *ast.SelectorExpr:
				if o := l.info.Uses[f.Sel]; o != nil && o.Pkg() != nil && o.Pkg().Path() == "math" {
					return true
				}
			}
			short, quiet = false, false
		}
		return short
	})
	return short && quiet && (bound == nil || l.fixed(bound, body))
}

// fixed tells whether an expression keeps its value while a body without calls runs.
func (l *lowerer) fixed(e ast.Expr, body *ast.BlockStmt) bool {
	if l.info.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o, ok := l.info.Uses[e].(*types.Var)
		return ok && !l.captured[o] && !assigned(l, body, o)
	case *ast.BinaryExpr:
		return (e.Op == token.ADD || e.Op == token.SUB || e.Op == token.MUL) && l.fixed(e.X, body) && l.fixed(e.Y, body)
	case *ast.CallExpr:
		id, ok := ast.Unparen(e.Fun).(*ast.Ident)
		if !ok || !l.isBuiltin(id, "len") {
			return false
		}
		x, ok := ast.Unparen(e.Args[0]).(*ast.Ident)
		return ok && l.fixed(x, body)
	}
	return false
}

// counted gives the variable and the bound of for i := …; i < bound; i++, of type int.
func (l *lowerer) counted(st *ast.ForStmt) (i types.Object, bound ast.Expr, ok bool) {
	cond, isCond := st.Cond.(*ast.BinaryExpr)
	post, isInc := st.Post.(*ast.IncDecStmt)
	if !isCond || !isInc || cond.Op != token.LSS || post.Tok != token.INC {
		return nil, nil, false
	}
	x, isName := cond.X.(*ast.Ident)
	y, isName2 := post.X.(*ast.Ident)
	if !isName || !isName2 {
		return nil, nil, false
	}
	i = l.info.Uses[x]
	if v, isVar := i.(*types.Var); !isVar || l.info.Uses[y] != i || v.Parent() == l.s.scope.pkg.Scope() {
		return nil, nil, false
	}
	t, isBasic := types.Unalias(i.Type()).(*types.Basic)
	return i, cond.Y, isBasic && t.Kind() == types.Int
}

// strip makes the two loops out of the parts of one, all lowered.
func (l *lowerer) strip(i, bound ast.Expr, post ast.Stmt, body []ast.Stmt) ast.Stmt {
	end := l.tmp("strip")
	inner := &ast.ForStmt{For: l.pos, Cond: l.binary(i, token.LSS, l.id(end)), Post: post, Body: l.block(body...)}
	return &ast.ForStmt{For: l.pos, Cond: l.binary(i, token.LSS, bound), Body: l.block(
		l.poll(),
		l.define(end, l.binary(i, token.ADD, l.int(stripLength))),
		// compared so that it is right near the largest int, where the sum is negative
		l.ifs(l.binary(l.binary(bound, token.SUB, l.id(end)), token.LSS, l.int(0)), l.set(l.id(end), bound)),
		inner,
	)}
}
