package eval

import (
	"go/ast"
	"go/token"
	"go/types"
)

// stmts lowers a list of statements. What an expression needs done before it, such as making
// a closure, comes before its statement.
func (l *lowerer) stmts(list []ast.Stmt) []ast.Stmt {
	outer := l.pre
	var out []ast.Stmt
	for _, st := range list {
		out = append(out, l.one(st, "")...)
	}
	l.pre = outer
	return out
}

// one lowers a statement to a list that is complete in itself. A label, if there is one, is
// that of the statement itself and goes to the last of the list.
func (l *lowerer) one(st ast.Stmt, label string) []ast.Stmt {
	outer, pos, first := l.pre, l.pos, l.callsFirst
	l.pre = nil
	l.callsFirst = l.readsBeforeCalls(st)
	if st.Pos().IsValid() {
		l.pos = st.Pos()
	}
	main := compact(l.stmt(st, label))
	out := append(compact(l.pre), main...)
	if canPanic(st) {
		out = append([]ast.Stmt{l.mark(st)}, out...)
	}
	l.pre, l.pos, l.callsFirst = outer, pos, first
	return out
}

func (l *lowerer) blockOf(b *ast.BlockStmt) *ast.BlockStmt {
	if b == nil {
		return nil
	}
	return l.block(l.stmts(b.List)...)
}

func (l *lowerer) stmt(st ast.Stmt, label string) []ast.Stmt {
	switch st := st.(type) {
	case *ast.AssignStmt:
		return l.assign(st)
	case *ast.IncDecStmt:
		return l.incDec(st)
	case *ast.ExprStmt:
		return l.exprStmt(st.X)
	case *ast.DeclStmt:
		g := st.Decl.(*ast.GenDecl)
		if g.Tok != token.VAR {
			return nil // constants are folded, types declared where they are used
		}
		var out []ast.Stmt
		for _, sp := range g.Specs {
			out = append(out, l.varSpec(sp.(*ast.ValueSpec))...)
		}
		return out
	case *ast.ReturnStmt:
		return l.returnStmt(st)
	case *ast.BlockStmt:
		return []ast.Stmt{l.blockOf(st)}
	case *ast.IfStmt:
		return l.ifStmt(st)
	case *ast.ForStmt:
		return l.forStmt(st, label)
	case *ast.RangeStmt:
		return l.rangeStmt(st, label)
	case *ast.SwitchStmt:
		return l.switchStmt(st, label)
	case *ast.TypeSwitchStmt:
		return l.typeSwitch(st, label)
	case *ast.SelectStmt:
		return l.selectStmt(st, label)
	case *ast.SendStmt:
		return l.send(st)
	case *ast.GoStmt:
		return l.goStmt(st)
	case *ast.DeferStmt:
		return l.deferStmt(st)
	case *ast.BranchStmt:
		return l.branch(st)
	case *ast.LabeledStmt:
		return l.labeled(st)
	case *ast.EmptyStmt:
		return nil
	}
	l.refuse(st.Pos(), "this statement is not available in cells", "")
	return nil
}

func (l *lowerer) exprStmt(e ast.Expr) []ast.Stmt {
	e = ast.Unparen(e)
	if ce, ok := e.(*ast.CallExpr); ok {
		if id, ok := ast.Unparen(ce.Fun).(*ast.Ident); ok && l.isBuiltin(id, "clear") {
			return l.clear(l.expr(ce.Args[0]), l.typeOf(ce.Args[0]))
		}
	}
	x := ast.Expr(nil)
	if _, ok := e.(*ast.CallExpr); ok {
		x = l.operation(e) // and not before the statement: it may be what is deferred
	} else {
		x = l.expr(e)
	}
	if _, ok := x.(*ast.CallExpr); !ok {
		if isValue(x) {
			return nil
		}
		return []ast.Stmt{l.define(l.tmp("u"), x)}
	}
	return []ast.Stmt{l.do(x)}
}

func (l *lowerer) ifStmt(st *ast.IfStmt) []ast.Stmt {
	var out []ast.Stmt
	if st.Init != nil {
		out = append(out, l.one(st.Init, "")...)
	}
	s := &ast.IfStmt{If: l.pos, Cond: l.condition(st.Cond)}
	out = append(out, l.take())
	s.Body = l.blockOf(st.Body)
	if st.Else != nil {
		if b, ok := st.Else.(*ast.BlockStmt); ok {
			s.Else = l.blockOf(b)
		} else {
			list := l.one(st.Else, "")
			if len(list) == 1 {
				s.Else = list[0]
			} else {
				s.Else = l.block(list...)
			}
		}
	}
	return append(out, s)
}

// condition lowers a condition. Yaegi takes the branch of a constant condition when it
// compiles, and loses statements after it in doing so: for true there is a variable.
func (l *lowerer) condition(e ast.Expr) ast.Expr {
	x := l.expr(e)
	if id, ok := x.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
		return l.id(map[string]string{"true": trueName, "false": falseName}[id.Name])
	}
	switch y := x.(type) { // yaegi does not branch on these by themselves
	case *ast.TypeAssertExpr:
		return l.paren(x)
	case *ast.CallExpr:
		if id, ok := y.Fun.(*ast.Ident); ok && id.Name == "bool" {
			return l.paren(x)
		}
	}
	return x
}

// A target is a statement that break or continue can mean.
type target struct {
	label   string // as in the source
	name    string // label in the output, "" until it is needed
	loop    bool
	yield   int  // how many loops over functions are around it
	isYield bool // is one itself
	code    int  // what leave is set to for break; code+1 for continue
}

func (l *lowerer) push(t *target) func() {
	f := l.fn
	t.yield = f.yield
	f.targets = append(f.targets, t)
	return func() { f.targets = f.targets[:len(f.targets)-1] }
}

func (l *lowerer) labeled(st *ast.LabeledStmt) []ast.Stmt {
	var out []ast.Stmt
	name := st.Label.Name
	if l.fn.gotos[name] {
		out = append(out, &ast.LabeledStmt{Label: l.id(l.gotoLabel(name)), Colon: l.pos, Stmt: &ast.EmptyStmt{Semicolon: l.pos}})
	}
	return append(out, l.one(st.Stmt, name)...)
}

func (l *lowerer) gotoLabel(name string) string {
	if n, ok := l.fn.labels[name]; ok {
		return n
	}
	n := l.tmp(name)
	l.fn.labels[name] = n
	return n
}

// withLabel puts the label that break and continue use on a statement, if any used it.
func (l *lowerer) withLabel(t *target, st ast.Stmt) ast.Stmt {
	if t.name == "" {
		return st
	}
	return &ast.LabeledStmt{Label: l.id(t.name), Colon: l.pos, Stmt: st}
}

// branch lowers break, continue, goto and fallthrough. Out of the body of a loop over a
// function, which is a function of its own, a branch sets leave and returns.
func (l *lowerer) branch(st *ast.BranchStmt) []ast.Stmt {
	f := l.fn
	switch st.Tok {
	case token.GOTO:
		if f.yield > 0 {
			l.refuse(st.Pos(), "goto inside a loop over a function is not available in cells", "use break or continue with a label")
		}
		return []ast.Stmt{&ast.BranchStmt{TokPos: l.pos, Tok: token.GOTO, Label: l.id(l.gotoLabel(st.Label.Name))}}
	case token.FALLTHROUGH:
		return []ast.Stmt{&ast.BranchStmt{TokPos: l.pos, Tok: token.FALLTHROUGH}}
	}
	var t *target
	for i := len(f.targets) - 1; i >= 0; i-- {
		x := f.targets[i]
		if st.Label != nil && x.label != st.Label.Name || st.Label == nil && st.Tok == token.CONTINUE && !x.loop {
			continue
		}
		t = x
		break
	}
	if t == nil {
		return []ast.Stmt{&ast.BranchStmt{TokPos: l.pos, Tok: st.Tok}}
	}
	if t.isYield && t.yield+1 == f.yield { // the loop over a function that we are directly in
		return []ast.Stmt{l.ret(l.id(map[token.Token]string{token.BREAK: "false", token.CONTINUE: "true"}[st.Tok]))}
	}
	if t.yield < f.yield { // further out
		if t.code == 0 {
			f.nleave += 2
			t.code = f.nleave
		}
		code := t.code
		if st.Tok == token.CONTINUE {
			code++
		}
		return []ast.Stmt{l.set(l.id(f.leave), l.int(code)), l.ret(l.id("false"))}
	}
	return []ast.Stmt{l.jump(t, st.Tok, st.Label != nil)}
}

// jump branches to a target within the same function of the output.
func (l *lowerer) jump(t *target, tok token.Token, label bool) ast.Stmt {
	b := &ast.BranchStmt{TokPos: l.pos, Tok: tok}
	if label {
		if t.name == "" {
			t.name = l.tmp("label")
		}
		b.Label = l.id(t.name)
	}
	return b
}

func (l *lowerer) clear(x ast.Expr, t types.Type) []ast.Stmt {
	m, k := l.tmp("m"), l.tmp("k")
	var body ast.Stmt
	switch t := t.Underlying().(type) {
	case *types.Map:
		// deleting NaN keys one by one does nothing, so compiled code clears the map
		return []ast.Stmt{l.do(l.rt("Clear", x))}
	case *types.Slice:
		body = l.set(&ast.IndexExpr{X: l.id(m), Lbrack: l.pos, Index: l.id(k), Rbrack: l.pos}, l.zero(t.Elem()))
	}
	return []ast.Stmt{l.define(m, x), &ast.RangeStmt{For: l.pos, Key: l.id(k), TokPos: l.pos, Tok: token.DEFINE, X: l.id(m), Body: l.block(body)}}
}

// zero is the zero value of a type.
func (l *lowerer) zero(t types.Type) ast.Expr { return l.deref(l.call("new", l.typ(t))) }
