package eval

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Channel operations wait in yaegi until it is stopped altogether, and what it stops that way
// never runs again; and two goroutines that execute one select statement write its cases to
// the same place. So compiled code does them, see chan.go, waiting for an interrupt of the
// cell as well.

// received gives what compiled code has received as a value of the element type.
func (l *lowerer) received(x ast.Expr, elem types.Type) ast.Expr {
	if k := ifaceKind(elem); k == emptyIface || k == cellIface {
		return x
	}
	f := l.helper("element "+l.s.typeKey(elem), "element", func(name string) string {
		ts := l.typeText(elem)
		val := l.id("x")
		if ifaceKind(elem) == compiledIface {
			return fmt.Sprintf("func %s(x any) %s { return %s.%s(x) }", name, ts, rtName, l.toIface(elem))
		}
		return fmt.Sprintf("func %s(x any) %s { if x == nil { var z %[2]s; return z }; return %[3]s }", name, ts, l.exprText(l.taken(val, elem)))
	})
	return l.call(f, x)
}

func (l *lowerer) chanElem(e ast.Expr) types.Type {
	return l.typeOf(e).Underlying().(*types.Chan).Elem()
}

func (l *lowerer) send(st *ast.SendStmt) []ast.Stmt {
	ch, x := l.both(func() ast.Expr { return l.expr(st.Chan) }, func() ast.Expr { return l.conv(st.Value, l.chanElem(st.Chan)) })
	return []ast.Stmt{l.do(l.rt("Send", ch, x))}
}

// receive lowers <-ch; with ok it has two values.
func (l *lowerer) receive(e *ast.UnaryExpr, ok bool) ast.Expr {
	elem, ch := l.chanElem(e.X), l.expr(e.X)
	if !ok {
		return l.received(l.rt("Recv", ch), elem)
	}
	f := l.helper("recv2 "+l.s.typeKey(elem), "recv2", func(name string) string {
		return fmt.Sprintf("func %s(ch any) (%s, bool) { x, ok := %s.Recv2(ch); return %s, ok }", name, l.typeText(elem), rtName, l.exprText(l.received(l.id("x"), elem)))
	})
	return l.call(f, ch)
}

func (l *lowerer) rangeChan(st *ast.RangeStmt, label string, elem types.Type) []ast.Stmt {
	t := &target{label: label, loop: true}
	ch, x, v, ok := l.tmp("ch"), l.tmp("x"), l.tmp("v"), l.tmp("ok")
	over := l.expr(st.X)
	out := []ast.Stmt{l.take(), l.define(ch, over)}
	list := []ast.Stmt{
		&ast.AssignStmt{Lhs: []ast.Expr{l.id(x), l.id(ok)}, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{l.rt("Recv2", l.id(ch))}},
		l.ifs(l.not(l.id(ok)), &ast.BranchStmt{TokPos: l.pos, Tok: token.BREAK}),
	}
	if used(st.Key) {
		list = append(list, l.define(v, l.received(l.id(x), elem)))
		list = append(list, l.bindVar(st.Key, v, elem)...)
	}
	pop := l.push(t)
	list = append(list, l.stmts(st.Body.List)...)
	pop()
	return append(out, l.withLabel(t, &ast.ForStmt{For: l.pos, Body: l.block(list...)}))
}

// selectStmt lowers a select to a list of cases, made for this execution of it, and a switch over
// the number of the one that went ahead.
func (l *lowerer) selectStmt(st *ast.SelectStmt, label string) []ast.Stmt {
	t := &target{label: label}
	cases := l.id(l.tmp("select"))
	out := []ast.Stmt{l.define(cases.Name, l.rt("NewSelect"))}
	s := &ast.SwitchStmt{Switch: l.pos, Body: l.block()}
	hasDefault := false
	pop := l.push(t)
	for i, c := range st.Body.List {
		cc := c.(*ast.CommClause)
		nc := &ast.CaseClause{Case: l.pos, Colon: l.pos, List: []ast.Expr{l.int(i)}}
		switch comm := cc.Comm.(type) {
		case nil:
			hasDefault = true
			nc.List[0] = &ast.UnaryExpr{OpPos: l.pos, Op: token.SUB, X: l.int(1)}
			out = append(out, l.do(l.rt("SelectNone", cases)))
		case *ast.SendStmt:
			ch := l.expr(comm.Chan)
			out = append(out, l.take())
			ch = l.hold(ch, &out)
			v := l.conv(comm.Value, l.chanElem(comm.Chan))
			out = append(out, l.take(), l.do(l.rt("SelectSend", cases, ch, v)))
		default:
			var recv ast.Expr
			var lhs []ast.Expr
			if as, ok := comm.(*ast.AssignStmt); ok {
				recv, lhs = as.Rhs[0], as.Lhs
			} else {
				recv = comm.(*ast.ExprStmt).X
			}
			u := ast.Unparen(recv).(*ast.UnaryExpr)
			ch := l.expr(u.X)
			out = append(out, l.take(), l.do(l.rt("SelectRecv", cases, ch)))
			elem := l.chanElem(u.X)
			if len(lhs) > 0 && used(lhs[0]) {
				v := l.tmp("v")
				nc.Body = append(nc.Body, l.define(v, l.received(l.rt("Selected", cases), elem)))
				nc.Body = append(nc.Body, l.bindVar(lhs[0], v, elem)...)
			}
			if len(lhs) > 1 && used(lhs[1]) {
				ok := l.tmp("ok")
				nc.Body = append(nc.Body, l.define(ok, l.rt("SelectedOK", cases)))
				nc.Body = append(nc.Body, l.bindVar(lhs[1], ok, types.Typ[types.Bool])...)
			}
		}
		nc.Body = append(nc.Body, l.clause(cc.Body)...)
		s.Body.List = append(s.Body.List, nc)
	}
	pop()
	which := l.tmp("case")
	wait := "Select"
	if hasDefault {
		wait = "TrySelect"
	}
	s.Tag = l.id(which)
	return append(out, l.take(), l.define(which, l.rt(wait, cases)), l.withLabel(t, s))
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
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok && l.isBuiltin(id, "clear") {
		return l.hoist(l.lit(nil, nil, l.clear(freeze(l.expr(e.Args[0])), l.typeOf(e.Args[0]))...))
	}
	var call ast.Expr
	if se, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && l.isCompiledMethod(se) {
		b := l.bind(se)
		_, wantPtr := types.Unalias(b.fn.Signature().Recv().Type()).(*types.Pointer)
		if _, isPtr := b.typ.Underlying().(*types.Pointer); wantPtr && !isPtr && !types.IsInterface(b.typ) {
			b.recv, b.typ = l.addr(b.recv), types.NewPointer(b.typ)
		}
		b.recv = freeze(b.recv)
		if l.oneTuple(e, b.sig) != nil {
			call = l.spreadCall(e, b.sig, func(args []ast.Expr) ast.Expr { return l.methodCall(b, args, false) })
		} else {
			args, spread := l.args(e, b.sig, l.lookerOf(b.fn))
			call = l.methodCall(b, args, spread)
		}
	} else {
		sts := l.exprStmt(e)
		for _, st := range sts {
			switch st := st.(type) {
			case *ast.ExprStmt:
				call = st.X
			case *ast.AssignStmt:
				call = st.Rhs[0]
			}
		}
	}
	ce, last := (*ast.CallExpr)(nil), ast.Stmt(nil)
	switch x := unconverted(call).(type) {
	case *ast.CallExpr:
		ce, last = x, l.do(x)
	case *ast.TypeAssertExpr: // of what compiled code gives as an any
		ce, _ = x.X.(*ast.CallExpr)
		last = l.define(l.tmp("u"), x)
	}
	if ce == nil {
		l.refuse(e.Pos(), "this call is not available after defer or go in cells", "put it into a function literal: func() { … }()")
		return l.id("nil")
	}
	for i, a := range ce.Args {
		ce.Args[i] = freeze(a)
	}
	switch f := ce.Fun.(type) {
	case *ast.Ident:
		if !isBuiltinName(f.Name) {
			ce.Fun = freeze(f)
		}
	case *ast.SelectorExpr: // a function of a package, a method of a frozen receiver, or what a field holds now
		if se, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok {
			if sel := l.info.Selections[se]; sel != nil && sel.Kind() == types.FieldVal {
				ce.Fun = freeze(f)
			}
		}
	default:
		ce.Fun = freeze(ce.Fun)
	}
	return l.hoist(l.lit(nil, nil, last))
}

// unconverted gives the lowered call in what lowering takes its value out of an any with.
func unconverted(x ast.Expr) ast.Expr {
	for {
		c, ok := x.(*ast.CallExpr)
		if !ok || len(c.Args) != 1 {
			return x
		}
		switch f := c.Fun.(type) {
		case *ast.Ident:
			if !isHelper(f.Name, "typed") && !isHelper(f.Name, "empty") && !isHelper(f.Name, takenFuncs) {
				return x
			}
		case *ast.SelectorExpr:
			if !strings.HasPrefix(runtimeCall(c), "To_") {
				return x
			}
		default:
			return x
		}
		x = c.Args[0]
	}
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
