package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// switchStmt lowers a switch. Yaegi compares interface tags wrongly, and constants of other
// types than int in some; a tag of a basic type that is no interface it gets right.
func (l *lowerer) switchStmt(st *ast.SwitchStmt, label string) []ast.Stmt {
	t := &target{label: label}
	var out []ast.Stmt
	if st.Init != nil {
		out = append(out, l.one(st.Init, "")...)
	}
	var tag ast.Expr
	var tagType types.Type
	if st.Tag != nil {
		tagType = types.Default(l.typeOf(st.Tag))
		v := l.conv(st.Tag, tagType)
		name := l.tmp("tag")
		out = append(out, l.take(), l.declare(name, l.typ(tagType)), l.set(l.id(name), v))
		tag = l.id(name)
	}
	s := &ast.SwitchStmt{Switch: l.pos, Body: l.block()}
	switch {
	case fallsThrough(st):
		return l.numberedSwitch(st, t, out, tag, tagType)
	case defaultIsInner(st) || l.searches(st, tag, tagType):
		return l.nestedSwitch(st, t, out, tag, tagType)
	}
	pop := l.push(t)
	for _, c := range st.Body.List {
		cc := c.(*ast.CaseClause)
		nc := &ast.CaseClause{Case: l.pos, Colon: l.pos}
		if cond := l.caseCond(cc, tag, tagType); cond != nil {
			nc.List = []ast.Expr{cond}
		}
		nc.Body = l.clause(cc.Body)
		s.Body.List = append(s.Body.List, nc)
	}
	pop()
	return append(out, l.take(), l.withLabel(t, s))
}

// clause lowers the statements of a clause. Yaegi knows labels in blocks only, which a clause is not.
func (l *lowerer) clause(body []ast.Stmt) []ast.Stmt {
	list := l.stmts(body)
	for _, st := range list {
		if _, ok := st.(*ast.LabeledStmt); ok {
			return []ast.Stmt{l.block(list...)}
		}
	}
	return list
}

// fallsThrough and defaultIsInner tell after which clauses of a switch yaegi goes on with the wrong one.
func fallsThrough(st *ast.SwitchStmt) bool {
	return slices.ContainsFunc(st.Body.List, func(c ast.Stmt) bool {
		n := len(c.(*ast.CaseClause).Body)
		if n == 0 {
			return false
		}
		b, ok := c.(*ast.CaseClause).Body[n-1].(*ast.BranchStmt)
		return ok && b.Tok == token.FALLTHROUGH
	})
}

func defaultIsInner(st *ast.SwitchStmt) bool {
	i := slices.IndexFunc(st.Body.List, func(c ast.Stmt) bool { return c.(*ast.CaseClause).List == nil })
	return i >= 0 && i < len(st.Body.List)-1
}

// searches tells whether the conditions of a switch need something done before them, each only if
// those before it did not match, if no more than the mark of their line.
func (l *lowerer) searches(st *ast.SwitchStmt, tag ast.Expr, tagType types.Type) bool {
	pre, _ := l.apart(func() ast.Expr {
		for _, c := range st.Body.List {
			l.caseCond(c.(*ast.CaseClause), tag, tagType)
		}
		return nil
	})
	return anyEffect(pre) || slices.ContainsFunc(pre, isMark)
}

// nestedSwitch lowers a switch to conditional statements, each within the else of the one before.
func (l *lowerer) nestedSwitch(st *ast.SwitchStmt, t *target, out []ast.Stmt, tag ast.Expr, tagType types.Type) []ast.Stmt {
	var conds, pres []ast.Stmt
	for _, c := range st.Body.List {
		cond := l.caseCond(c.(*ast.CaseClause), tag, tagType)
		conds, pres = append(conds, &ast.IfStmt{If: l.pos, Cond: cond}), append(pres, l.take())
	}
	// in the one clause of a switch, so that break means the same
	defer l.push(t)()
	var rest ast.Stmt
	for i, c := range st.Body.List {
		if ifs := conds[i].(*ast.IfStmt); ifs.Cond != nil {
			ifs.Body = l.block(l.stmts(c.(*ast.CaseClause).Body)...)
		} else {
			rest = l.block(l.stmts(c.(*ast.CaseClause).Body)...)
		}
	}
	for i := len(conds) - 1; i >= 0; i-- {
		ifs := conds[i].(*ast.IfStmt)
		if ifs.Cond == nil {
			continue
		}
		ifs.Else = rest
		rest = l.block(append(compact(pres[i:i+1]), ifs)...)
	}
	s := &ast.SwitchStmt{Switch: l.pos, Body: l.block(&ast.CaseClause{Case: l.pos, List: []ast.Expr{l.id(trueName)}, Colon: l.pos, Body: []ast.Stmt{rest}})}
	return append(out, l.withLabel(t, s))
}

// numberedSwitch lowers a switch to a search for the number of the clause, followed by one
// conditional statement per clause, which runs if the number is its own or the clause before
// fell through.
func (l *lowerer) numberedSwitch(st *ast.SwitchStmt, t *target, out []ast.Stmt, tag ast.Expr, tagType types.Type) []ast.Stmt {
	which := l.tmp("case")
	start := -1
	var search ast.Stmt
	for i := len(st.Body.List) - 1; i >= 0; i-- {
		cc := st.Body.List[i].(*ast.CaseClause)
		cond := l.caseCond(cc, tag, tagType)
		if cond == nil {
			start = i
			continue
		}
		ifs := l.ifs(cond, l.set(l.id(which), l.int(i)))
		if pre := compact([]ast.Stmt{l.take()}); len(pre) > 0 {
			if search != nil {
				ifs.Else = l.block(search)
			}
			search = l.block(append(pre, ifs)...)
			continue
		}
		if search != nil {
			ifs.Else = search
		}
		search = ifs
	}
	out = append(out, l.define(which, l.int(start)))
	if search != nil {
		out = append(out, search)
	}
	// in the one clause of a switch, so that break means the same
	pop := l.push(t)
	var body []ast.Stmt
	for i, c := range st.Body.List {
		cc := c.(*ast.CaseClause)
		list := cc.Body
		falls := false
		if n := len(list); n > 0 {
			if b, ok := list[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
				list, falls = list[:n-1], true
			}
		}
		stmts := l.stmts(list)
		if falls {
			stmts = append(stmts, l.set(l.id(which), l.int(i+1)))
		}
		body = append(body, l.ifs(l.binary(l.id(which), token.EQL, l.int(i)), stmts...))
	}
	pop()
	s := &ast.SwitchStmt{Switch: l.pos, Body: l.block(&ast.CaseClause{Case: l.pos, List: []ast.Expr{l.id(trueName)}, Colon: l.pos, Body: body})}
	return append(out, l.withLabel(t, s))
}

// caseCond lowers the expressions of a case clause to one condition, nil for default.
func (l *lowerer) caseCond(cc *ast.CaseClause, tag ast.Expr, tagType types.Type) ast.Expr {
	var all ast.Expr
	for _, e := range cc.List {
		var cond ast.Expr
		outer := l.pre
		l.pre = nil
		switch {
		case tag == nil && types.IsInterface(l.typeOf(e)):
			cond = l.rt("Eq", l.conv(e, anyType), l.id("true"))
		case tag == nil:
			cond = l.condition(e)
		case l.info.Types[e].IsNil():
			cond = l.binary(tag, token.EQL, l.id("nil"))
		case types.IsInterface(tagType) || types.IsInterface(l.typeOf(e)):
			cond = l.rt("Eq", l.convert(tag, tagType, anyType), l.conv(e, anyType))
		case isBoolean(tagType):
			cond = l.sameBool(tag, token.EQL, l.operandAs(e, tagType))
		default:
			x, y := l.sameType(tag, tagType, l.operandAs(e, tagType), l.typeOf(e))
			cond = l.binary(x, token.EQL, y)
		}
		pre := compact(l.pre)
		l.pre = outer
		if canPanic(&ast.ExprStmt{X: e}) { // the switch has a mark, but of its own line and tag
			pre = append([]ast.Stmt{l.mark(e)}, pre...)
		}
		switch {
		case all != nil && slices.ContainsFunc(pre, isMark):
			all = l.decided(all, token.LOR, pre, cond)
			continue
		case all != nil: // yaegi looks at the first of several conditions only
			cond = l.logical(l.paren(all), token.LOR, pre, l.paren(cond))
		default:
			l.pre = append(l.pre, pre...)
		}
		all = cond
	}
	return all
}

func (l *lowerer) operandAs(e ast.Expr, t types.Type) ast.Expr {
	if tv := l.info.Types[e]; tv.Value != nil {
		return l.constant(tv.Value, t)
	}
	return l.operand(e)
}

// typeSwitch lowers a type switch to an ordinary one over the number of the case that
// matches. Yaegi's own misses types declared in cells.
func (l *lowerer) typeSwitch(st *ast.TypeSwitchStmt, label string) []ast.Stmt {
	t := &target{label: label}
	var out []ast.Stmt
	if st.Init != nil {
		out = append(out, l.one(st.Init, "")...)
	}
	var x ast.Expr
	named := false
	switch a := st.Assign.(type) {
	case *ast.AssignStmt:
		named = a.Lhs[0].(*ast.Ident).Name != "_"
		x = a.Rhs[0].(*ast.TypeAssertExpr).X
	case *ast.ExprStmt:
		x = a.X.(*ast.TypeAssertExpr).X
	}
	xt := l.typeOf(x)
	val, which := l.tmp("x"), l.tmp("case")
	v := l.expr(x)
	out = append(out, l.take(), l.declare(val, l.typ(xt)), l.set(l.id(val), v))

	var cases []int // matcher of every type in the order of the source, -1 for nil
	s := &ast.SwitchStmt{Switch: l.pos, Tag: l.id(which), Body: l.block()}
	pop := l.push(t)
	for _, c := range st.Body.List {
		cc := c.(*ast.CaseClause)
		nc := &ast.CaseClause{Case: l.pos, Colon: l.pos}
		for _, e := range cc.List {
			m := -1
			if !l.info.Types[e].IsNil() {
				m = l.matcher(l.typeOf(e))
			}
			nc.List = append(nc.List, l.int(len(cases)))
			cases = append(cases, m)
		}
		if o := l.info.Implicits[cc]; named && o != nil {
			var as ast.Expr = l.id(val)
			if len(cc.List) == 1 && !l.info.Types[cc.List[0]].IsNil() {
				as = l.asserted(l.id(val), l.typeOf(cc.List[0]))
			}
			n := l.name(o)
			nc.Body = append(nc.Body, l.declare(n, l.typ(o.Type())), l.set(l.id(n), as))
			if l.captured[o] {
				n2 := l.tmp(o.Name())
				l.setLocal(o, n2)
				nc.Body = append(nc.Body, l.define(n2, l.id(n)))
			}
		}
		nc.Body = append(nc.Body, l.clause(cc.Body)...)
		s.Body.List = append(s.Body.List, nc)
	}
	pop()
	out = append(out, l.define(which, l.rt("Which", l.int(l.s.switchTable(cases)), l.id(val))))
	return append(out, l.withLabel(t, s))
}
