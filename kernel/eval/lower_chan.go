package eval

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Channel operations wait in yaegi until it is stopped altogether, and what it stops that way
// never runs again. Here they are functions, one for each element type, that also wait for an
// interrupt of the cell whose goroutine they run on.

// chanFunc gives the name of the function that does kind ("send", "recv", "recv2") with
// channels of an element type.
func (l *lowerer) chanFunc(kind string, elem types.Type) string {
	return l.helper(kind+" "+l.s.typeKey(elem), kind, func(name string) string {
		t := l.typeText(elem)
		switch kind {
		case "send":
			return fmt.Sprintf("func %s(ch chan<- %s, v %s) { select { case ch <- v: return; default: }; select { case ch <- v: return; case <-%s.Done(): %[4]s.Stop() } }", name, t, t, rtName)
		case "recv":
			return fmt.Sprintf("func %s(ch <-chan %s) %s { select { case v := <-ch: return v; case <-%s.Done(): %[4]s.Stop() }; var z %[3]s; return z }", name, t, t, rtName)
		}
		return fmt.Sprintf("func %s(ch <-chan %s) (%s, bool) { select { case v, ok := <-ch: return v, ok; case <-%s.Done(): %[4]s.Stop() }; var z %[3]s; return z, false }", name, t, t, rtName)
	})
}

func (l *lowerer) chanElem(e ast.Expr) types.Type {
	return l.typeOf(e).Underlying().(*types.Chan).Elem()
}

func (l *lowerer) send(st *ast.SendStmt) []ast.Stmt {
	elem := l.chanElem(st.Chan)
	ch := l.expr(st.Chan)
	return []ast.Stmt{l.do(l.call(l.chanFunc("send", elem), ch, l.conv(st.Value, elem)))}
}

func (l *lowerer) receive(e *ast.UnaryExpr, ok bool) ast.Expr {
	kind := "recv"
	if ok {
		kind = "recv2"
	}
	return l.call(l.chanFunc(kind, l.chanElem(e.X)), l.expr(e.X))
}

func (l *lowerer) rangeChan(st *ast.RangeStmt, label string, elem types.Type) []ast.Stmt {
	t := &target{label: label, loop: true}
	ch, v, ok := l.tmp("ch"), l.tmp("v"), l.tmp("ok")
	x := l.expr(st.X)
	out := []ast.Stmt{l.take(), l.define(ch, x)}
	list := []ast.Stmt{
		&ast.AssignStmt{Lhs: []ast.Expr{l.id(v), l.id(ok)}, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{l.call(l.chanFunc("recv2", elem), l.id(ch))}},
		l.ifs(l.not(l.id(ok)), &ast.BranchStmt{TokPos: l.pos, Tok: token.BREAK}),
	}
	if used(st.Key) {
		list = append(list, l.bindVar(st.Key, v, elem)...)
	}
	pop := l.push(t)
	list = append(list, l.stmts(st.Body.List)...)
	pop()
	return append(out, l.withLabel(t, &ast.ForStmt{For: l.pos, Body: l.block(list...)}))
}

// selectStmt lowers a select. All it waits for are variables, and it also waits for an interrupt.
func (l *lowerer) selectStmt(st *ast.SelectStmt, label string) []ast.Stmt {
	t := &target{label: label}
	var out []ast.Stmt
	s := &ast.SelectStmt{Select: l.pos, Body: l.block()}
	hasDefault := false
	pop := l.push(t)
	for _, c := range st.Body.List {
		cc := c.(*ast.CommClause)
		nc := &ast.CommClause{Case: l.pos, Colon: l.pos}
		switch comm := cc.Comm.(type) {
		case nil:
			hasDefault = true
		case *ast.SendStmt:
			ch, v := l.tmp("ch"), l.tmp("v")
			chx := l.expr(comm.Chan)
			out = append(out, l.take(), l.define(ch, chx))
			vx := l.conv(comm.Value, l.chanElem(comm.Chan))
			out = append(out, l.take(), l.declare(v, l.typ(l.chanElem(comm.Chan))), l.set(l.id(v), vx))
			nc.Comm = &ast.SendStmt{Chan: l.id(ch), Arrow: l.pos, Value: l.id(v)}
		default:
			var recv ast.Expr
			var lhs []ast.Expr
			if as, ok := comm.(*ast.AssignStmt); ok {
				recv, lhs = as.Rhs[0], as.Lhs
			} else {
				recv = comm.(*ast.ExprStmt).X
			}
			u := ast.Unparen(recv).(*ast.UnaryExpr)
			ch := l.tmp("ch")
			chx := l.expr(u.X)
			out = append(out, l.take(), l.define(ch, chx))
			from := &ast.UnaryExpr{OpPos: l.pos, Op: token.ARROW, X: l.id(ch)}
			elem := l.chanElem(u.X)
			switch {
			case len(lhs) == 0 || len(lhs) == 1 && !used(lhs[0]):
				nc.Comm = l.do(from)
			case len(lhs) == 1:
				v := l.tmp("v")
				nc.Comm = l.define(v, from)
				nc.Body = l.bindVar(lhs[0], v, elem)
			default:
				v, ok := l.tmp("v"), l.tmp("ok")
				nc.Comm = &ast.AssignStmt{Lhs: []ast.Expr{l.id(v), l.id(ok)}, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{from}}
				nc.Body = append(l.bindVar(lhs[0], v, elem), l.bindVar(lhs[1], ok, types.Typ[types.Bool])...)
			}
		}
		nc.Body = append(nc.Body, l.stmts(cc.Body)...)
		s.Body.List = append(s.Body.List, nc)
	}
	pop()
	if !hasDefault {
		s.Body.List = append(s.Body.List, &ast.CommClause{Case: l.pos, Colon: l.pos,
			Comm: l.do(&ast.UnaryExpr{OpPos: l.pos, Op: token.ARROW, X: l.rt("Done")}), Body: []ast.Stmt{l.do(l.rt("Stop"))}})
	}
	return append(out, l.withLabel(t, s))
}

// goStmt and deferStmt evaluate function and arguments now and make of the call a function
// without any, which compiled code starts or keeps.
func (l *lowerer) goStmt(st *ast.GoStmt) []ast.Stmt {
	f := l.later(st.Call)
	return []ast.Stmt{l.take(), l.do(l.rt("Go", l.rt("Cell"), f))}
}

func (l *lowerer) deferStmt(st *ast.DeferStmt) []ast.Stmt {
	method := "Defer"
	if lit, ok := ast.Unparen(st.Call.Fun).(*ast.FuncLit); ok && !scanBody(l, lit.Body).recovers {
		method = "DeferPlain"
	}
	f := l.later(st.Call)
	return []ast.Stmt{l.take(), l.do(l.callx(l.sel(l.id(l.fn.defers), method), f))}
}

// later gives a function that does a call whose operands are evaluated now.
func (l *lowerer) later(e *ast.CallExpr) ast.Expr {
	if lit, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok && len(e.Args) == 0 && l.typeOf(lit).(*types.Signature).Results().Len() == 0 {
		return l.expr(lit)
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		if _, isBuiltin := l.info.Uses[id].(*types.Builtin); isBuiltin && id.Name == "recover" {
			return l.hoist(l.lit(nil, nil, l.do(l.rt("Recover", l.rt("Entered")))))
		}
	}
	// each operand becomes a variable that only this closure captures
	freeze := func(x ast.Expr) ast.Expr {
		if _, isLit := x.(*ast.BasicLit); isLit || isNilIdent(x) || isTypeExpr(x) {
			return x
		}
		t := l.tmp("arg")
		l.pre = append(l.pre, l.define(t, x))
		return l.id(t)
	}
	var call ast.Expr
	if se, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && l.isCompiledMethod(se) {
		b := l.bind(se)
		_, wantPtr := types.Unalias(b.fn.Signature().Recv().Type()).(*types.Pointer)
		if _, isPtr := b.typ.Underlying().(*types.Pointer); wantPtr && !isPtr && !types.IsInterface(b.typ) {
			b.recv, b.typ = l.addr(b.recv), types.NewPointer(b.typ)
		}
		b.recv = freeze(b.recv)
		args, spread := l.args(e, b.sig, false)
		call = l.methodCall(b, args, spread)
	} else {
		sts := l.exprStmt(e)
		es, ok := sts[len(sts)-1].(*ast.ExprStmt)
		if !ok || len(sts) > 1 { // clear
			return l.hoist(l.lit(nil, nil, sts...))
		}
		call = es.X
	}
	ce, ok := call.(*ast.CallExpr)
	if !ok {
		return l.hoist(l.lit(nil, nil, l.do(call)))
	}
	for i, a := range ce.Args {
		ce.Args[i] = freeze(a)
	}
	switch f := ce.Fun.(type) {
	case *ast.Ident:
		if !isBuiltinName(f.Name) {
			ce.Fun = freeze(f)
		}
	case *ast.SelectorExpr: // of a package or of a frozen receiver
	default:
		ce.Fun = freeze(ce.Fun)
	}
	return l.hoist(l.lit(nil, nil, l.do(ce)))
}

func (l *lowerer) isCompiledMethod(se *ast.SelectorExpr) bool {
	sel := l.info.Selections[se]
	return sel != nil && sel.Kind() == types.MethodVal && !isMain(sel.Obj().Pkg()) && !hasTypeParam(sel.Recv())
}

func isTypeExpr(x ast.Expr) bool {
	switch x.(type) {
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.StructType:
		return true
	}
	return false
}

func isBuiltinName(name string) bool {
	_, ok := types.Universe.Lookup(name).(*types.Builtin)
	return ok
}
