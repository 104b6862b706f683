package eval

import (
	"go/ast"
	"go/token"
	"go/types"
)

// forStmt lowers a loop with a condition. Since Go 1.22 every iteration has variables of its
// own, copied from those of the one before; yaegi knows one variable for all. It matters only
// where something holds on to them, so only such a loop is rewritten:
//
//	for i := 0; i < n; i++ { … }
//
// becomes
//
//	i1 := 0; p := &i1; first := true
//	for {
//		i := *p; p = &i
//		if first { first = false } else { i++ }
//		if !(i < n) { break }
//		…
//	}
func (l *lowerer) forStmt(st *ast.ForStmt, label string) []ast.Stmt {
	t := &target{label: label, loop: true}
	var vars []types.Object
	held := false
	if as, ok := st.Init.(*ast.AssignStmt); ok && as.Tok == token.DEFINE {
		for _, x := range as.Lhs {
			if o := l.info.Defs[x.(*ast.Ident)]; o != nil && o.Name() != "_" {
				vars = append(vars, o)
				held = held || l.captured[o]
			}
		}
	}
	var out []ast.Stmt
	if st.Init != nil {
		out = append(out, l.one(st.Init, "")...)
	}
	var cond ast.Expr
	var condPre []ast.Stmt
	if !held {
		if st.Cond != nil {
			cond = l.condition(st.Cond)
			condPre = compact([]ast.Stmt{l.take()})
		}
		var post []ast.Stmt
		if st.Post != nil {
			post = l.unmarked(l.one(st.Post, ""))
		}
		if len(condPre) == 0 && len(post) <= 1 {
			pop := l.push(t)
			body := l.stmts(st.Body.List)
			pop()
			s := &ast.ForStmt{For: l.pos, Cond: cond}
			if len(post) == 1 {
				s.Post = post[0]
			}
			lead := l.hoistMark(&body)
			if i, bound, ok := l.counted(st); ok && l.strips(i, bound, st.Body) {
				if c, ok := cond.(*ast.BinaryExpr); ok {
					n := l.hold(c.Y, &out)
					return append(append(out, lead...), l.strip(c.X, n, s.Post, body))
				}
			}
			s.Body = l.block(append([]ast.Stmt{l.poll()}, body...)...)
			return append(append(out, lead...), l.withLabel(t, s))
		}
	}
	first := l.tmp("first")
	var head []ast.Stmt
	if held {
		for _, o := range vars {
			p, start := l.tmp("p"), l.name(o)
			out = append(out, l.define(p, l.addr(l.id(start))))
			l.setLocal(o, l.tmp(o.Name()))
			head = append(head, l.define(l.name(o), l.deref(l.id(p))), l.set(l.id(p), l.addr(l.id(l.name(o)))))
		}
	}
	out = append(out, l.define(first, l.id("true")))
	if st.Post != nil {
		s := l.ifs(l.id(first), l.set(l.id(first), l.id("false")))
		s.Else = l.block(l.one(st.Post, "")...)
		head = append(head, s)
	}
	if st.Cond != nil {
		cond = l.expr(st.Cond)
		head = append(head, l.take(), l.ifs(l.not(cond), &ast.BranchStmt{TokPos: l.pos, Tok: token.BREAK}))
	}
	pop := l.push(t)
	body := l.stmts(st.Body.List)
	pop()
	list := append([]ast.Stmt{l.poll()}, append(compact(head), body...)...)
	return append(out, l.withLabel(t, &ast.ForStmt{For: l.pos, Body: l.block(list...)}))
}

// rangeStmt lowers a loop over anything.
func (l *lowerer) rangeStmt(st *ast.RangeStmt, label string) []ast.Stmt {
	switch u := l.typeOf(st.X).Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger != 0 {
			return l.rangeInt(st, label)
		}
		return l.rangeString(st, label)
	case *types.Slice:
		return l.rangeElements(st, label, types.Typ[types.Int], u.Elem())
	case *types.Array:
		return l.rangeElements(st, label, types.Typ[types.Int], u.Elem())
	case *types.Pointer:
		return l.rangeElements(st, label, types.Typ[types.Int], u.Elem().Underlying().(*types.Array).Elem())
	case *types.Map:
		return l.rangeElements(st, label, u.Key(), u.Elem())
	case *types.Chan:
		return l.rangeChan(st, label, u.Elem())
	case *types.Signature:
		return l.rangeFunc(st, label, u)
	}
	l.refuse(st.Pos(), "cannot range over "+typeString(l.typeOf(st.X))+" in cells", "")
	return nil
}

// bindVar gives the statements that make the variable of a range clause hold v, a value of
// type t that is new in every iteration.
func (l *lowerer) bindVar(e ast.Expr, v string, t types.Type) []ast.Stmt {
	if e == nil {
		return nil
	}
	if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
		return nil
	}
	to := l.lhsType(e, nil)
	out := []ast.Stmt{l.take()}
	if l.panics(e) {
		defer func(pos token.Pos) { l.pos = pos }(l.pos)
		l.pos = e.Pos()
		out = append(out, l.mark(e))
	}
	val := l.convert(l.id(v), t, to)
	out = append(out, l.assignVar(e, val, to)...)
	out = append([]ast.Stmt{}, append(compact([]ast.Stmt{l.take()}), out...)...)
	return compact(out)
}

func used(e ast.Expr) bool {
	if e == nil {
		return false
	}
	id, ok := e.(*ast.Ident)
	return !ok || id.Name != "_"
}

// rangeElements lowers a loop over a slice, array or map. The operand is evaluated
// once, an array copied. The variables of the source are assigned in the body: yaegi does not
// assign to variables that are there already, and has one for all iterations.
func (l *lowerer) rangeElements(st *ast.RangeStmt, label string, key, elem types.Type) []ast.Stmt {
	t := &target{label: label, loop: true}
	var out []ast.Stmt
	var x ast.Expr
	array, isArray := pointee(l.typeOf(st.X)).Underlying().(*types.Array)
	_, isPtr := l.typeOf(st.X).Underlying().(*types.Pointer)
	counts := isArray && !used(st.Value)
	if !counts || st.Value != nil || l.calls(st.X) { // else its length is a constant, and it is not evaluated
		x = l.expr(st.X)
		out = append(out, l.take())
	}
	over := l.tmp("x")
	switch {
	case counts: // it may be nil
		if x != nil {
			out = append(out, l.define(l.tmp("u"), x))
		}
		x = l.call("make", &ast.ArrayType{Lbrack: l.pos, Elt: &ast.StructType{Struct: l.pos, Fields: &ast.FieldList{Opening: l.pos, Closing: l.pos}}}, l.int(int(array.Len())))
	case isPtr:
		x = &ast.SliceExpr{X: l.paren(l.deref(x)), Lbrack: l.pos, Rbrack: l.pos}
	}
	out = append(out, l.define(over, x))
	s := &ast.RangeStmt{For: l.pos, X: l.id(over)}
	var head []ast.Stmt
	vars := func(e ast.Expr, t types.Type, dst *ast.Expr, prefix string) {
		if !used(e) {
			return
		}
		if id, ok := e.(*ast.Ident); ok && st.Tok == token.DEFINE {
			if o := l.info.Defs[id]; o != nil && !l.captured[o] && !assigned(l, st.Body, o) { // yaegi counts in it
				*dst = l.id(l.name(o))
				return
			}
		}
		v := l.tmp(prefix)
		*dst = l.id(v)
		head = append(head, l.bindVar(e, v, t)...)
	}
	var late []ast.Stmt
	value := st.Value
	if p := l.rangePlace(st, &head); p != nil { // i, x[i] assigned together
		v := l.tmp("v")
		s.Value, value = l.id(v), nil
		late = []ast.Stmt{l.set(p, l.convert(l.id(v), elem, l.typeOf(st.Value)))}
	}
	vars(st.Key, key, &s.Key, "k")
	vars(value, elem, &s.Value, "v")
	head = append(head, late...)
	if _, isChan := elem.Underlying().(*types.Chan); isChan && s.Value != nil {
		// yaegi takes a loop whose second variable is a channel for one over the channel
		if s.Key == nil {
			s.Key = l.id(l.tmp("k"))
		}
		head = append([]ast.Stmt{l.define(s.Value.(*ast.Ident).Name, &ast.IndexExpr{X: l.id(over), Lbrack: l.pos, Index: s.Key, Rbrack: l.pos})}, head...)
		s.Value = nil
	}
	if s.Value != nil && s.Key == nil {
		s.Key = l.id("_")
	}
	if s.Key != nil {
		s.Tok, s.TokPos = token.DEFINE, l.pos
	}
	pop := l.push(t)
	body := l.stmts(st.Body.List)
	pop()
	lead := l.hoistMark(&body)
	s.Body = l.block(append([]ast.Stmt{l.poll()}, append(head, body...)...)...)
	out = append(out, lead...)
	return append(out, l.withLabel(t, s))
}

// rangePlace lowers what a range clause assigns the element to, if that is more than a name: its
// operands are evaluated before the key is assigned.
func (l *lowerer) rangePlace(st *ast.RangeStmt, head *[]ast.Stmt) ast.Expr {
	if _, isName := st.Value.(*ast.Ident); isName || st.Value == nil || st.Tok != token.ASSIGN {
		return nil
	}
	outer := l.pre
	l.pre = nil
	p := l.place(st.Value)
	*head = append(*head, compact(l.pre)...)
	l.pre = outer
	return p
}

// rangeString lowers a loop over a string to one over the runes that compiled code finds in it.
func (l *lowerer) rangeString(st *ast.RangeStmt, label string) []ast.Stmt {
	t := &target{label: label, loop: true}
	x := l.expr(st.X)
	at, runes, k := l.tmp("at"), l.tmp("runes"), l.tmp("k")
	out := []ast.Stmt{l.take(), &ast.AssignStmt{Lhs: []ast.Expr{l.id(at), l.id(runes)}, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{l.rt("Runes", x)}}}
	var head []ast.Stmt
	vars := func(e ast.Expr, t types.Type, list string) {
		if used(e) {
			v := l.tmp("v")
			head = append(head, l.define(v, &ast.IndexExpr{X: l.id(list), Lbrack: l.pos, Index: l.id(k), Rbrack: l.pos}))
			head = append(head, l.bindVar(e, v, t)...)
		}
	}
	value, runeType := st.Value, types.Universe.Lookup("rune").Type()
	var late []ast.Stmt
	if p := l.rangePlace(st, &head); p != nil {
		value = nil
		late = []ast.Stmt{l.set(p, l.convert(&ast.IndexExpr{X: l.id(runes), Lbrack: l.pos, Index: l.id(k), Rbrack: l.pos}, runeType, l.typeOf(st.Value)))}
	}
	vars(st.Key, types.Typ[types.Int], at)
	vars(value, runeType, runes)
	head = append(head, late...)
	if len(head) == 0 {
		head = append(head, l.define(l.tmp("u"), l.id(runes)))
	}
	pop := l.push(t)
	body := l.stmts(st.Body.List)
	pop()
	lead := l.hoistMark(&body)
	s := &ast.RangeStmt{For: l.pos, Key: l.id(k), TokPos: l.pos, Tok: token.DEFINE, X: l.id(at)}
	s.Body = l.block(append([]ast.Stmt{l.poll()}, append(head, body...)...)...)
	out = append(out, lead...)
	return append(out, l.withLabel(t, s))
}

// rangeInt lowers for i := range n.
func (l *lowerer) rangeInt(st *ast.RangeStmt, label string) []ast.Stmt {
	t := &target{label: label, loop: true}
	typ := l.typeOf(st.X)
	if st.Key != nil {
		if kt := l.lhsType(st.Key, st.X); kt != nil {
			typ = kt
		}
	}
	typ = types.Default(typ)
	n := l.expr(st.X)
	i, m := l.tmp("i"), l.tmp("n")
	out := []ast.Stmt{l.take(), l.define(m, l.callx(l.typ(typ), n)), l.define(i, l.callx(l.typ(typ), l.int(0)))}
	var head []ast.Stmt
	if used(st.Key) {
		id, ok := st.Key.(*ast.Ident)
		if o := l.info.Defs[id]; ok && o != nil && !l.captured[o] && !assigned(l, st.Body, o) {
			l.setLocal(o, i)
		} else {
			head = l.bindVar(st.Key, i, typ)
		}
	}
	pop := l.push(t)
	body := l.stmts(st.Body.List)
	pop()
	s := &ast.ForStmt{For: l.pos, Cond: l.binary(l.id(i), token.LSS, l.id(m)), Post: &ast.IncDecStmt{X: l.id(i), TokPos: l.pos, Tok: token.INC}}
	if b, ok := typ.Underlying().(*types.Basic); ok && b.Kind() == types.Uintptr { // yaegi makes no step of ++
		s.Post = &ast.AssignStmt{Lhs: []ast.Expr{l.id(i)}, TokPos: l.pos, Tok: token.ADD_ASSIGN, Rhs: []ast.Expr{l.int(1)}}
	}
	lead := l.hoistMark(&body)
	out = append(out, lead...)
	if types.Identical(typ, types.Typ[types.Int]) && l.strips(nil, nil, st.Body) {
		return append(out, l.strip(l.id(i), l.id(m), s.Post, append(head, body...)))
	}
	s.Body = l.block(append([]ast.Stmt{l.poll()}, append(head, body...)...)...)
	return append(out, l.withLabel(t, s))
}

// assigned tells whether a body assigns to a variable.
func assigned(l *lowerer, body ast.Node, o types.Object) bool {
	found := false
	is := func(e ast.Expr) bool { id, ok := ast.Unparen(e).(*ast.Ident); return ok && l.info.Uses[id] == o }
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || is(x)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		}
		return !found
	})
	return found
}

// rangeFunc lowers a loop over a function: the body becomes the function that the iterator
// calls for every element.
func (l *lowerer) rangeFunc(st *ast.RangeStmt, label string, sig *types.Signature) []ast.Stmt {
	f := l.fn
	t := &target{label: label, loop: true, isYield: true}
	x := l.expr(st.X)
	out := []ast.Stmt{l.take()}
	ys := sig.Params().At(0).Type().Underlying().(*types.Signature)
	var params []*ast.Field
	var head []ast.Stmt
	for i := range ys.Params().Len() {
		e := st.Key
		if i == 1 {
			e = st.Value
		}
		v := l.tmp(yieldName)
		params = append(params, l.param(v, l.paramType(ys, i)))
		if used(e) {
			head = append(head, l.bindVar(e, v, ys.Params().At(i).Type())...)
		}
	}
	done := l.tmp("done")
	pop := l.push(t)
	f.yield++
	line := f.line
	f.line = ""
	body := l.marked(l.stmts(st.Body.List), funcPlace{l.pos, 'l'})
	f.line = line
	f.yield--
	pop()
	list := append([]ast.Stmt{l.poll(), l.ifs(l.id(done), l.do(l.rt("YieldAfterEnd")))}, head...)
	list = append(list, body...)
	list = append(list, l.ret(l.id("true")))
	// an iterator must not call the body again after it returned false
	lit := l.lit(params, []*ast.Field{l.param("", l.id("bool"))}, list...)
	fn := l.tmp("fn")
	out = append(out, l.define(done, l.id("false")), l.define(fn, lit), l.mark(nil), l.do(l.callx(x, l.id(fn))), l.set(l.id(done), l.id("true")))
	if f.returns != "" {
		out = append(out, l.ifs(l.id(f.returns), l.leaveFunc()))
	}
	if f.leave != "" {
		for i := len(f.targets) - 1; i >= 0; i-- {
			o := f.targets[i]
			if o.code == 0 {
				continue
			}
			for k, tok := range []token.Token{token.BREAK, token.CONTINUE} {
				if tok == token.CONTINUE && !o.loop {
					continue
				}
				var do []ast.Stmt
				switch {
				case o.isYield && o.yield+1 == f.yield:
					do = []ast.Stmt{l.set(l.id(f.leave), l.int(0)), l.ret(l.id(map[token.Token]string{token.BREAK: "false", token.CONTINUE: "true"}[tok]))}
				case o.yield < f.yield:
					do = []ast.Stmt{l.ret(l.id("false"))}
				default:
					do = []ast.Stmt{l.set(l.id(f.leave), l.int(0)), l.jump(o, tok, true)}
				}
				out = append(out, l.ifs(l.binary(l.id(f.leave), token.EQL, l.int(o.code+k)), do...))
			}
		}
	}
	return out
}
