package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// assign lowers =, := and op=.
func (l *lowerer) assign(st *ast.AssignStmt) []ast.Stmt {
	switch {
	case st.Tok == token.SHL_ASSIGN || st.Tok == token.SHR_ASSIGN:
		return l.assignOp(st.Lhs[0], st.Tok, func() ast.Expr { return l.shiftCount(st.Rhs[0], l.expr(st.Rhs[0])) })
	case st.Tok != token.ASSIGN && st.Tok != token.DEFINE:
		return l.assignOp(st.Lhs[0], st.Tok, func() ast.Expr { return l.pointedTo(st.Rhs[0]) })
	case len(st.Lhs) != len(st.Rhs):
		return l.assignTuple(st)
	case len(st.Lhs) == 1:
		return l.assignOne(st)
	}
	// a, b = b, a: all operands are evaluated before any assignment
	if st.Tok == token.DEFINE {
		var out []ast.Stmt
		var values, tmps []ast.Expr
		for i, e := range st.Rhs {
			values = append(values, l.then(values, func() ast.Expr { return l.conv(e, l.lhsType(st.Lhs[i], e)) }))
		}
		out = append(out, l.take())
		for _, v := range values {
			tmps = append(tmps, l.hold(v, &out))
		}
		for i, x := range st.Lhs {
			out = append(out, l.assignVar(x, tmps[i], l.lhsType(x, st.Rhs[i]))...)
		}
		return compact(out)
	}
	var out []ast.Stmt
	var left, right, tmps []ast.Expr
	places := func() {
		for _, x := range st.Lhs {
			left = append(left, l.place(x))
		}
	}
	late := l.callsFirst && !slices.ContainsFunc(st.Lhs, l.calls)
	if !late {
		places()
	}
	for i, x := range st.Lhs {
		right = append(right, l.then(right, func() ast.Expr { return l.conv(st.Rhs[i], l.lhsType(x, st.Rhs[i])) }))
	}
	if late {
		places()
	}
	out = append(out, l.take())
	for i := range right {
		tmps = append(tmps, l.hold(right[i], &out))
	}
	for i, x := range left {
		out = append(out, l.set(x, tmps[i]))
	}
	return compact(out)
}

// hold puts a value into a variable, so that it does not change any more.
func (l *lowerer) hold(x ast.Expr, to *[]ast.Stmt) ast.Expr {
	if _, isLit := x.(*ast.BasicLit); isLit || isNilIdent(x) {
		return x
	}
	t := l.tmp("t")
	*to = append(*to, l.define(t, x))
	return l.id(t)
}

// place lowers the left side of a parallel assignment: its operands are evaluated first, so
// that i, a[i] = 1, 2 sets the a[i] of the old i.
func (l *lowerer) place(e ast.Expr) ast.Expr {
	hold := func(x ast.Expr) ast.Expr { return l.hold(x, &l.pre) }
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		switch u := l.typeOf(e.X).Underlying().(type) {
		case *types.Map:
			m := hold(l.expr(e.X))
			return l.storedElement(m, hold(l.keyValue(e.Index, u.Key())), e.Index, u.Key())
		case *types.Slice:
			return &ast.IndexExpr{X: hold(l.expr(e.X)), Lbrack: l.pos, Index: hold(l.indexValue(e.Index)), Rbrack: l.pos}
		case *types.Pointer:
			return &ast.IndexExpr{X: l.paren(l.deref(hold(l.expr(e.X)))), Lbrack: l.pos, Index: hold(l.indexValue(e.Index)), Rbrack: l.pos}
		default:
			return &ast.IndexExpr{X: l.place(e.X), Lbrack: l.pos, Index: hold(l.indexValue(e.Index)), Rbrack: l.pos}
		}
	case *ast.StarExpr:
		return l.deref(hold(l.expr(e.X)))
	case *ast.SelectorExpr:
		if sel := l.info.Selections[e]; sel != nil {
			if _, isPtr := l.typeOf(e.X).Underlying().(*types.Pointer); isPtr {
				return l.path(hold(l.expr(e.X)), l.typeOf(e.X), sel.Index())
			}
			return l.path(l.place(e.X), l.typeOf(e.X), sel.Index())
		}
	}
	return l.expr(e)
}

// lhsType is the type that a value assigned to x is converted to.
func (l *lowerer) lhsType(x, v ast.Expr) types.Type {
	if id, ok := x.(*ast.Ident); ok && id.Name == "_" {
		if t := l.typeOf(v); t != nil {
			return types.Default(t)
		}
	}
	if id, ok := x.(*ast.Ident); ok {
		if o := l.info.Defs[id]; o != nil {
			return l.sub(o.Type())
		}
		if o := l.info.Uses[id]; o != nil {
			return l.sub(o.Type())
		}
	}
	return l.typeOf(x)
}

func (l *lowerer) assignOne(st *ast.AssignStmt) []ast.Stmt {
	x := st.Lhs[0]
	t := l.lhsType(x, st.Rhs[0])
	if id, ok := x.(*ast.Ident); ok {
		return l.assignVar(id, l.whole(l.conv(st.Rhs[0], t), t), t)
	}
	if (l.calls(x) || l.asserts(x)) && l.calls(st.Rhs[0]) { // from left to right
		place := l.heldCalls(x)
		v := l.conv(st.Rhs[0], t)
		if callsAnything(v) && l.panics(x) {
			v = l.hold(v, &l.pre)
		}
		return []ast.Stmt{l.set(place, l.whole(v, t))}
	}
	v := l.conv(st.Rhs[0], t)
	if c, ok := v.(*ast.CallExpr); ok && !l.isBuiltinCall(c) {
		if _, isFunc := l.typeOf(st.Rhs[0]).Underlying().(*types.Signature); isFunc {
			v = l.hold(v, &l.pre) // yaegi loses a function that a function in a field gives
		}
	}
	if callsAnything(v) && (l.mayChange(x) || l.panics(x)) || isStar(v) && l.inMap(x) { // stored as nothing, that of a nil pointer deletes a key
		v = l.hold(v, &l.pre)
	}
	return []ast.Stmt{l.set(l.stored(x), l.whole(v, t))}
}

// inMap tells whether an expression is an element of a map.
func (l *lowerer) inMap(e ast.Expr) bool {
	ix, ok := ast.Unparen(e).(*ast.IndexExpr)
	if !ok {
		return false
	}
	_, ok = l.typeOf(ix.X).Underlying().(*types.Map)
	return ok
}

// whole holds the result of an operator that is assigned to an interface: yaegi sets it as if
// the interface were of the operand's type.
func (l *lowerer) whole(v ast.Expr, t types.Type) ast.Expr {
	if !types.IsInterface(t) {
		return v
	}
	switch x := ast.Unparen(v).(type) {
	case *ast.BinaryExpr:
		return l.hold(v, &l.pre)
	case *ast.UnaryExpr:
		if x.Op != token.AND && x.Op != token.ARROW {
			return l.hold(v, &l.pre)
		}
	}
	return v
}

// assignVar assigns a lowered value of type t to x, declaring it if x does so.
func (l *lowerer) assignVar(x ast.Expr, v ast.Expr, t types.Type) []ast.Stmt {
	id, ok := x.(*ast.Ident)
	switch {
	case !ok:
		return []ast.Stmt{l.set(l.stored(x), v)}
	case id.Name == "_":
		if isValue(v) {
			return []ast.Stmt{}
		}
		return []ast.Stmt{l.define(l.tmp("u"), v)}
	}
	if o := l.info.Defs[id]; o != nil && l.names[o] == "" {
		if types.IsInterface(t) || isNilIdent(v) { // the type must not come from the value
			return []ast.Stmt{l.declare(l.name(o), l.typ(t)), l.set(l.id(l.name(o)), v)}
		}
		if _, isLit := ast.Unparen(v).(*ast.CompositeLit); isLit && l.captured[o] {
			// yaegi makes it where the variable of the iteration before is, which something holds on to
			var out []ast.Stmt
			t := l.hold(v, &out)
			return append(out, l.define(l.name(o), t))
		}
		return []ast.Stmt{l.define(l.name(o), v)}
	}
	return []ast.Stmt{l.set(l.expr(id), v)}
}

// mayChange tells whether a call may assign to a variable in what is assigned to. The compiler reads such
// variables after the call, yaegi before it.
func (l *lowerer) mayChange(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o, ok := l.info.Uses[id].(*types.Var); ok && !o.IsField() {
				_, isNew := l.names[o]
				_, isOld := l.s.scope.emitted[o]
				found = found || l.captured[o] || isNew || isOld
			}
		}
		return !found
	})
	return found
}

// heldCalls lowers the left side of an assignment whose calls come before those of the right side. What else there is comes afterwards, as the
// compiler has it.
func (l *lowerer) heldCalls(e ast.Expr) ast.Expr {
	hold := func(e, x ast.Expr) ast.Expr {
		if l.calls(e) || l.asserts(e) {
			return l.hold(x, &l.pre)
		}
		return x
	}
	within := func(e ast.Expr) ast.Expr {
		switch ast.Unparen(e).(type) {
		case *ast.IndexExpr, *ast.SelectorExpr:
			return l.heldCalls(e)
		}
		return hold(e, l.expr(e))
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		if u, isMap := l.typeOf(e.X).Underlying().(*types.Map); isMap {
			m := within(e.X)
			return l.storedElement(m, hold(e.Index, l.keyValue(e.Index, u.Key())), e.Index, u.Key())
		}
		if _, isArray := l.typeOf(e.X).Underlying().(*types.Array); isArray {
			return &ast.IndexExpr{X: l.heldCalls(e.X), Lbrack: l.pos, Index: hold(e.Index, l.indexValue(e.Index)), Rbrack: l.pos}
		}
		x := within(e.X)
		if _, isPtr := l.typeOf(e.X).Underlying().(*types.Pointer); isPtr {
			x = l.paren(l.deref(x))
		}
		return &ast.IndexExpr{X: x, Lbrack: l.pos, Index: hold(e.Index, l.indexValue(e.Index)), Rbrack: l.pos}
	case *ast.SelectorExpr:
		sel := l.info.Selections[e]
		if sel == nil {
			break
		}
		if _, isPtr := l.typeOf(e.X).Underlying().(*types.Pointer); isPtr {
			return l.path(within(e.X), l.typeOf(e.X), sel.Index())
		}
		return l.path(l.heldCalls(e.X), l.typeOf(e.X), sel.Index())
	}
	return l.place(e)
}

// panics tells whether there may be nothing to assign to, an element behind the last, a field of nil or a key that has no ==: yaegi looks at that before
// it calls what is on the right side, the compiler afterwards.
func (l *lowerer) panics(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		u, isMap := l.typeOf(x.X).Underlying().(*types.Map)
		return !isMap || l.mayNotHash(x.Index, l.sub(u.Key())) || l.panics(x.X)
	case *ast.SelectorExpr:
		sel := l.info.Selections[x]
		return sel != nil && (sel.Indirect() || l.panics(x.X))
	case *ast.StarExpr:
		return true
	}
	return false
}

// calls tells whether an expression of the source calls a function.
func (l *lowerer) calls(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !l.info.Types[n.Fun].IsType()
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// asserts tells whether an expression of the source asserts a type, which the compiler does in its turn as it makes calls.
func (l *lowerer) asserts(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.TypeAssertExpr:
			found = true
		}
		return !found
	})
	return found
}

func isNilIdent(e ast.Expr) bool { id, ok := e.(*ast.Ident); return ok && id.Name == "nil" }

func isValue(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return isValue(e.X)
	}
	return false
}

// assignTuple lowers a, b = f() and the forms with ok.
func (l *lowerer) assignTuple(st *ast.AssignStmt) []ast.Stmt {
	places := map[ast.Expr]ast.Expr{}
	if st.Tok == token.ASSIGN {
		for _, x := range st.Lhs {
			if _, isName := x.(*ast.Ident); !isName {
				places[x] = l.place(x)
			}
		}
	}
	values, ts := l.tuple(st.Rhs[0])
	var out []ast.Stmt
	var tmps []ast.Expr
	for range ts {
		tmps = append(tmps, l.id(l.tmp("t")))
	}
	tok := token.DEFINE
	out = append(out, l.take())
	if l.inMap(st.Rhs[0]) { // for a key that is not there yaegi leaves the variable as it was the last time
		tok = token.ASSIGN
		for i, t := range tmps {
			out = append(out, l.declare(t.(*ast.Ident).Name, l.typ(ts[i])))
		}
	}
	out = append(out, &ast.AssignStmt{Lhs: tmps, TokPos: l.pos, Tok: tok, Rhs: []ast.Expr{values}})
	for i, x := range st.Lhs {
		if id, ok := x.(*ast.Ident); ok && id.Name == "_" {
			continue
		}
		t := l.lhsType(x, nil)
		v := l.convert(tmps[i], ts[i], t)
		out = append(out, l.take())
		if p := places[x]; p != nil {
			out = append(out, l.set(p, v))
			continue
		}
		out = append(out, l.assignVar(x, v, t)...)
	}
	return compact(out)
}

// tuple lowers an expression that gives several values, with their types.
func (l *lowerer) tuple(e ast.Expr) (ast.Expr, []types.Type) {
	was := l.pos
	l.pos = e.Pos()
	defer func() { l.pos = was }()
	e = ast.Unparen(e)
	boolType := types.Typ[types.Bool]
	value := func() types.Type {
		t := l.typeOf(e)
		if tup, ok := t.(*types.Tuple); ok {
			t = tup.At(0).Type()
		}
		return t
	}
	switch e := e.(type) {
	case *ast.TypeAssertExpr:
		return l.assertOK(e), []types.Type{l.typeOf(e.Type), boolType}
	case *ast.UnaryExpr:
		return l.receive(e, true), []types.Type{value(), boolType}
	case *ast.IndexExpr:
		if l.inMap(e) {
			return l.expr(e), []types.Type{value(), boolType}
		}
	}
	var ts []types.Type
	if tup, ok := l.typeOf(e).(*types.Tuple); ok {
		for v := range tup.Variables() {
			ts = append(ts, v.Type())
		}
	}
	return l.expr(e), ts
}

// assignOp lowers x op= v and x++. Elements of maps are read and written by hand.
func (l *lowerer) assignOp(x ast.Expr, tok token.Token, value func() ast.Expr) []ast.Stmt {
	ix, ok := ast.Unparen(x).(*ast.IndexExpr)
	if ok {
		if _, isMap := l.typeOf(ix.X).Underlying().(*types.Map); isMap {
			op := tok + (token.ADD - token.ADD_ASSIGN)
			place := l.place(ix).(*ast.IndexExpr)
			read := &ast.IndexExpr{X: place.X, Lbrack: l.pos, Index: place.Index, Rbrack: l.pos}
			old := l.tmp("t")
			v := value()
			if callsAnything(v) { // comes before the element is read
				v = l.hold(v, &l.pre)
			}
			return compact([]ast.Stmt{l.take(), l.define(old, read), l.set(place, l.binary(l.id(old), op, l.paren(v)))})
		}
	}
	if l.calls(x) {
		dst := l.heldCalls(x)
		v := value()
		if callsAnything(v) && l.panics(x) {
			v = l.hold(v, &l.pre)
		}
		return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{dst}, TokPos: l.pos, Tok: tok, Rhs: []ast.Expr{v}}}
	}
	v := value()
	if callsAnything(v) && (l.mayChange(x) || l.panics(x)) {
		v = l.hold(v, &l.pre)
	}
	dst := l.expr(x)
	return []ast.Stmt{&ast.AssignStmt{Lhs: []ast.Expr{dst}, TokPos: l.pos, Tok: tok, Rhs: []ast.Expr{v}}}
}

func (l *lowerer) incDec(st *ast.IncDecStmt) []ast.Stmt {
	b, ok := l.typeOf(st.X).Underlying().(*types.Basic)
	byHand := ok && b.Kind() == types.Uintptr // yaegi makes no step of it
	if ix, ok := ast.Unparen(st.X).(*ast.IndexExpr); ok {
		_, isMap := l.typeOf(ix.X).Underlying().(*types.Map)
		byHand = byHand || isMap
	}
	if byHand {
		tok := token.ADD_ASSIGN
		if st.Tok == token.DEC {
			tok = token.SUB_ASSIGN
		}
		return l.assignOp(st.X, tok, func() ast.Expr { return l.int(1) })
	}
	return []ast.Stmt{&ast.IncDecStmt{X: l.expr(st.X), TokPos: l.pos, Tok: st.Tok}}
}

// varSpec lowers the declaration of local variables. It is complete in itself: what its closures need done before
// them comes behind the declarations above it.
func (l *lowerer) varSpec(spec *ast.ValueSpec) []ast.Stmt {
	if len(spec.Values) > 0 {
		var lhs []ast.Expr
		for _, id := range spec.Names {
			lhs = append(lhs, id)
		}
		return l.one(&ast.AssignStmt{Lhs: lhs, TokPos: spec.Pos(), Tok: token.DEFINE, Rhs: spec.Values}, "")
	}
	var out []ast.Stmt
	for _, id := range spec.Names {
		if id.Name == "_" {
			continue
		}
		o := l.info.Defs[id]
		out = append(out, l.declare(l.name(o), l.typ(o.Type())))
		if l.captured[o] { // a variable of its own in every iteration
			t := l.tmp("z")
			out[len(out)-1] = l.declare(t, l.typ(o.Type()))
			out = append(out, l.define(l.name(o), l.id(t)))
		}
	}
	return out
}

// take gives what has been hoisted out of expressions so far, as one statement to flatten.
func (l *lowerer) take() ast.Stmt {
	b := &ast.BlockStmt{List: l.pre}
	l.pre = nil
	return &flat{EmptyStmt: &ast.EmptyStmt{Implicit: true}, list: b.List}
}

// flat stands for several statements until compact puts them in its place.
type flat struct {
	*ast.EmptyStmt
	list []ast.Stmt
}

func compact(list []ast.Stmt) []ast.Stmt {
	var out []ast.Stmt
	for _, st := range list {
		if f, ok := st.(*flat); ok {
			out = append(out, compact(f.list)...)
			continue
		}
		out = append(out, st)
	}
	return out
}
