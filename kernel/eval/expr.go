package eval

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// expr lowers an expression that has a value.
func (l *lowerer) expr(e ast.Expr) ast.Expr {
	was := l.pos
	l.pos = e.Pos()
	defer func() { l.pos = was }()
	tv := l.info.Types[e]
	if tv.IsType() {
		return l.typ(tv.Type)
	}
	if tv.Value != nil {
		return l.constant(tv.Value, l.sub(tv.Type))
	}
	if l.callsFirst && l.comesFirst(e) {
		return l.hold(l.operation(e), &l.pre)
	}
	return l.operation(e)
}

func (l *lowerer) operation(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		return l.ident(e)
	case *ast.ParenExpr:
		return l.paren(l.expr(e.X))
	case *ast.FuncLit:
		return l.funcLit(e)
	case *ast.CompositeLit:
		return l.composite(e)
	case *ast.SelectorExpr:
		return l.selector(e)
	case *ast.IndexExpr:
		return l.index(e)
	case *ast.IndexListExpr:
		return l.ident(e.X)
	case *ast.SliceExpr:
		return l.slice(e)
	case *ast.TypeAssertExpr:
		return l.assert(e)
	case *ast.CallExpr:
		return l.callExpr(e)
	case *ast.StarExpr:
		return l.deref(l.expr(e.X))
	case *ast.UnaryExpr:
		return l.unary(e)
	case *ast.BinaryExpr:
		return l.binaryExpr(e)
	}
	l.refuse(e.Pos(), "this expression is not available in cells", "")
	return l.id("nil")
}

func (l *lowerer) exprs(list []ast.Expr) []ast.Expr {
	var out []ast.Expr
	for _, e := range list {
		out = append(out, l.then(out, func() ast.Expr { return l.expr(e) }))
	}
	return out
}

// ident lowers a name, of a package or not: a variable, a function, nil.
func (l *lowerer) ident(e ast.Expr) ast.Expr {
	var id *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		return l.expr(e)
	}
	if id.Name == "_" {
		return l.id("_")
	}
	o := l.info.Uses[id]
	if o == nil {
		o = l.info.Defs[id]
	}
	switch o := o.(type) {
	case *types.Nil:
		return l.id("nil")
	case *types.Func:
		if isMain(o.Pkg()) {
			f := l.funcName(o, l.typeArgs(id))
			if l.callee0 == e {
				return l.id(f)
			}
			// yaegi takes the name in some places for its declaration; out of an any comes the value
			sig, _ := l.typeOf(id).(*types.Signature)
			if inst, ok := l.info.Instances[id]; ok {
				sig = l.sub(inst.Type).(*types.Signature)
			}
			return l.hold(l.takenFunc(l.rt("Func", l.str(f)), sig), &l.pre)
		}
		if o.Signature().TypeParams().Len() > 0 {
			return l.compiledGeneric(id, o)
		}
		return l.sel(l.id(l.pkg(o.Pkg())), o.Name())
	case *types.Var:
		if o.Pkg() != nil && !isMain(o.Pkg()) {
			name := l.pkg(o.Pkg())
			if _, ok := l.s.table(o.Pkg().Path())[pointerTo(o.Name())]; ok {
				return l.paren(l.deref(l.sel(l.id(name), pointerTo(o.Name()))))
			}
			return l.sel(l.id(name), o.Name())
		}
		return l.id(l.name(o))
	case *types.Builtin:
		return l.id(o.Name())
	}
	l.refuse(id.Pos(), id.Name+" is not available in cells", "")
	return l.id("nil")
}

// typeArgs are those of the instance that a name stands for.
func (l *lowerer) typeArgs(id *ast.Ident) []types.Type {
	inst, ok := l.info.Instances[id]
	if !ok {
		return nil
	}
	var args []types.Type
	for t := range inst.TypeArgs.Types() {
		args = append(args, l.sub(t))
	}
	return args
}

func (l *lowerer) index(e *ast.IndexExpr) ast.Expr {
	if tv := l.info.Types[e.Index]; tv.IsType() { // instance of a generic function
		return l.ident(e.X)
	}
	t := l.typeOf(e.X)
	u, isMap := t.Underlying().(*types.Map)
	x, i := l.both(func() ast.Expr {
		x := l.expr(e.X)
		if isMap && !isValue(x) && l.mayNotHash(e.Index, u.Key()) {
			x = l.hold(x, &l.pre)
		}
		return x
	}, func() ast.Expr {
		if isMap {
			return l.key(e.Index, u.Key())
		}
		return l.indexValue(e.Index)
	})
	if isMap {
		i = l.keyOf(i, x)
	}
	if _, ok := t.Underlying().(*types.Pointer); ok { // of an array
		x = l.paren(l.deref(x))
	}
	return &ast.IndexExpr{X: x, Lbrack: l.pos, Index: i, Rbrack: l.pos}
}

// key lowers the key of a map. That the type of what is in an interface has no ==, Go says by its name.
func (l *lowerer) key(e ast.Expr, t types.Type) ast.Expr {
	return l.hashable(l.keyValue(e, t), e, l.sub(t))
}

func (l *lowerer) keyValue(e ast.Expr, t types.Type) ast.Expr {
	if l.info.Types[e].IsNil() && ifaceKind(l.sub(t)) == compiledIface {
		return l.zero(l.sub(t)) // yaegi's nil is of no type
	}
	return l.conv(e, t)
}

// storedElement gives the element of a map that is stored to. What Go says of its key it says after the right side has been evaluated.
func (l *lowerer) storedElement(m, key, e ast.Expr, t types.Type) ast.Expr {
	if l.mayNotHash(e, l.sub(t)) && !l.info.Types[e].IsNil() {
		key = l.keyTo(key, m)
	}
	return &ast.IndexExpr{X: m, Lbrack: l.pos, Index: key, Rbrack: l.pos}
}

func (l *lowerer) keyTo(key, m ast.Expr) ast.Expr {
	return l.rt("KeyTo", key, &ast.BinaryExpr{X: m, OpPos: l.pos, Op: token.EQL, Y: l.id("nil")})
}

// keyOf is key for one that is looked up in m, as what Go says depends on whether that is empty.
func (l *lowerer) keyOf(key, m ast.Expr) ast.Expr {
	if c, ok := key.(*ast.CallExpr); ok && isValue(m) && isRT(c, "Key") {
		return l.rt("KeyOf", c.Args[0], l.call("len", m))
	}
	return key
}

// stored lowers what is assigned to.
func (l *lowerer) stored(e ast.Expr) ast.Expr {
	x := l.expr(e)
	if ix, ok := x.(*ast.IndexExpr); ok {
		if c, ok := ix.Index.(*ast.CallExpr); ok && isRT(c, "KeyOf") {
			ix.Index = l.keyTo(c.Args[0], ix.X)
		}
	}
	return x
}

func (l *lowerer) hashable(x, e ast.Expr, t types.Type) ast.Expr {
	if l.mayNotHash(e, t) {
		return l.rt("Key", x)
	}
	return x
}

// mayNotHash tells whether a key of type t may hold what has no ==.
func (l *lowerer) mayNotHash(e ast.Expr, t types.Type) bool {
	from := l.typeOf(e)
	if k := ifaceKind(l.sub(t)); k != emptyIface && k != cellIface || l.info.Types[e].IsNil() {
		return false
	}
	return types.IsInterface(from) || !types.Comparable(from)
}

// indexValue lowers an index: of any integer type in Go, best an int for yaegi.
func (l *lowerer) indexValue(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	x := l.expr(e)
	t := l.typeOf(e)
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() != types.UntypedInt && (b.Kind() != types.Int || isCompiledNamed(t)) {
		if tv := l.info.Types[e]; tv.Value != nil {
			lit, _ := l.literal(tv.Value, types.Typ[types.Int])
			return lit
		}
		return l.call("int", x)
	}
	return x
}

func (l *lowerer) slice(e *ast.SliceExpr) ast.Expr {
	parts := []ast.Expr{l.expr(e.X), nil, nil, nil}
	for i, x := range []ast.Expr{e.Low, e.High, e.Max} {
		parts[i+1] = l.then(parts, func() ast.Expr { return l.indexValue(x) })
	}
	x := parts[0]
	if _, ok := l.typeOf(e.X).Underlying().(*types.Pointer); ok {
		x = l.paren(l.deref(x))
	}
	return &ast.SliceExpr{X: x, Lbrack: l.pos, Low: parts[1], High: parts[2], Max: parts[3], Slice3: e.Slice3, Rbrack: l.pos}
}

func (l *lowerer) unary(e *ast.UnaryExpr) ast.Expr {
	switch e.Op {
	case token.ARROW:
		return l.receive(e, false)
	case token.AND:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			return l.compositePointer(lit)
		}
		return l.addr(l.expr(e.X))
	}
	if b, ok := l.typeOf(e.X).Underlying().(*types.Basic); ok && e.Op == token.SUB && b.Info()&types.IsFloat != 0 {
		// yaegi subtracts from zero, which gives 0 for -0
		return l.paren(l.binary(l.constant(constant.MakeInt64(-1), l.typeOf(e.X)), token.MUL, l.operand(e.X)))
	}
	return &ast.UnaryExpr{OpPos: l.pos, Op: e.Op, X: l.expr(e.X)}
}

func (l *lowerer) binaryExpr(e *ast.BinaryExpr) ast.Expr {
	switch e.Op {
	case token.EQL, token.NEQ:
		return l.equal(e)
	case token.SHL, token.SHR:
		if tv := l.info.Types[e.Y]; tv.Value != nil { // a count may be a constant like 1.0
			count := constant.ToInt(tv.Value)
			if most := constant.MakeInt64(1 << 16); constant.Compare(count, token.GTR, most) {
				count = most // as good as any more
			}
			n, _ := l.literal(count, types.Typ[types.Int])
			return l.binary(l.expr(e.X), e.Op, n)
		}
		x, y := l.both(func() ast.Expr { return l.expr(e.X) }, func() ast.Expr { return l.expr(e.Y) })
		if c, ok := ast.Unparen(e.Y).(*ast.BinaryExpr); ok && (c.Op == token.SHL || c.Op == token.SHR) {
			if tv := l.info.Types[c.X]; tv.Value != nil { // yaegi takes the constant for an int
				if b, ok := y.(*ast.BinaryExpr); ok {
					b.X = l.callx(l.id("uint"), b.X)
				} else if p, ok := y.(*ast.ParenExpr); ok {
					if b, ok := p.X.(*ast.BinaryExpr); ok {
						b.X = l.callx(l.id("uint"), b.X)
					}
				}
			}
		}
		return l.binary(x, e.Op, l.shiftCount(e.Y, y))
	case token.LAND, token.LOR:
		x := l.operand(e.X)
		if ce, ok := ast.Unparen(e.X).(*ast.CallExpr); ok && l.info.Types[ce.Fun].IsType() {
			x = l.hold(x, &l.pre) // see unbranched; a compiled type's name does not show that it is one
		}
		pre, y := l.apart(func() ast.Expr { return l.operand(e.Y) })
		return l.logical(x, e.Op, pre, y)
	}
	x, y := l.both(func() ast.Expr { return l.pointedTo(e.X) }, func() ast.Expr { return l.pointedTo(e.Y) })
	return l.binary(x, e.Op, y)
}

// pointedTo lowers an operand. Of a string that a nil pointer points to yaegi makes one that says so.
func (l *lowerer) pointedTo(e ast.Expr) ast.Expr {
	x := l.expr(e)
	star, ok := ast.Unparen(x).(*ast.StarExpr)
	if t := l.typeOf(e); ok && t != nil && !isCompiledNamed(t) {
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.String {
			return l.rt("Text", star.X)
		}
	}
	return x
}

func (l *lowerer) operand(e ast.Expr) ast.Expr {
	x := l.pointedTo(e)
	if _, ok := x.(*ast.BinaryExpr); ok {
		return l.paren(x)
	}
	return x
}

// equal lowers == and !=. Interface values are compared by compiled code, in which two boxes
// are equal if their types and values are.
func (l *lowerer) equal(e *ast.BinaryExpr) ast.Expr {
	a, b := l.info.Types[e.X], l.info.Types[e.Y]
	ta, tb := l.typeOf(e.X), l.typeOf(e.Y)
	if a.IsNil() || b.IsNil() || !types.IsInterface(ta) && !types.IsInterface(tb) {
		if isBoolean(ta) {
			x, y := l.both(func() ast.Expr { return l.expr(e.X) }, func() ast.Expr { return l.expr(e.Y) })
			return l.sameBool(x, e.Op, y)
		}
		side := func(e ast.Expr) ast.Expr {
			if c, ok := ast.Unparen(e).(*ast.CallExpr); ok && l.info.Types[c.Fun].IsType() && types.IsInterface(l.typeOf(e)) {
				return l.hold(l.expr(e), &l.pre) // yaegi asks the value in it whether it is nil
			}
			return l.operand(e)
		}
		switch { // yaegi takes nil != x for false, and x != (nil) for true
		case a.IsNil():
			return l.binary(side(e.Y), e.Op, l.id("nil"))
		case b.IsNil():
			return l.binary(side(e.X), e.Op, l.id("nil"))
		}
		x, y := l.both(func() ast.Expr { return side(e.X) }, func() ast.Expr { return side(e.Y) })
		x, y = l.sameType(x, ta, y, tb)
		return l.binary(x, e.Op, y)
	}
	x, y := l.both(func() ast.Expr { return l.conv(e.X, anyType) }, func() ast.Expr { return l.conv(e.Y, anyType) })
	var eq ast.Expr = l.rt("Eq", x, y)
	if e.Op == token.NEQ {
		eq = &ast.UnaryExpr{OpPos: l.pos, Op: token.NOT, X: eq}
	}
	return eq
}

// sameType converts one of two operands that Go compares although yaegi takes them for of different types: structs
// of which one's type has no name, channels of which one has a direction.
func (l *lowerer) sameType(x ast.Expr, tx types.Type, y ast.Expr, ty types.Type) (ast.Expr, ast.Expr) {
	switch u := tx.Underlying().(type) {
	case *types.Struct:
		if l.s.typeKey(tx) == l.s.typeKey(ty) {
			break
		}
		if _, isNamed := types.Unalias(tx).(*types.Named); isNamed {
			return x, l.callx(l.typ(tx), y)
		}
		return l.callx(l.typ(ty), x), y
	case *types.Chan:
		if v, ok := ty.Underlying().(*types.Chan); ok && u.Dir() != v.Dir() {
			if v.Dir() == types.SendRecv {
				return x, l.callx(l.paren(l.typ(tx)), y)
			}
			return l.callx(l.paren(l.typ(ty)), x), y
		}
	}
	return x, y
}

func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// sameBool lowers x == y and x != y of truth values. Yaegi compiles an operand that is itself a
// comparison to a jump, and loses its value.
func (l *lowerer) sameBool(x ast.Expr, op token.Token, y ast.Expr) ast.Expr {
	var same ast.Expr = l.rt("Same", x, y)
	if op == token.NEQ {
		same = &ast.UnaryExpr{OpPos: l.pos, Op: token.NOT, X: same}
	}
	return same
}

var anyType = types.Universe.Lookup("any").Type()

// composite lowers a composite literal: fields by name, elements converted.
func (l *lowerer) composite(e *ast.CompositeLit) ast.Expr {
	t := l.typeOf(e)
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok { // {…} for &T{…} within a literal
		lit := l.literalOf(e, p.Elem())
		return l.addr(lit)
	}
	return l.literalOf(e, t)
}

func (l *lowerer) compositePointer(e *ast.CompositeLit) ast.Expr {
	lit := l.literalOf(e, l.typeOf(e))
	if _, isStruct := l.typeOf(e).Underlying().(*types.Struct); isStruct {
		return l.addr(lit)
	}
	// a pointer to a new slice, map or array
	return l.callx(l.lit([]*ast.Field{l.param("v", l.typ(l.typeOf(e)))}, []*ast.Field{l.param("", l.deref(l.typ(l.typeOf(e))))}, l.ret(l.addr(l.id("v")))), lit)
}

func (l *lowerer) literalOf(e *ast.CompositeLit, t types.Type) ast.Expr {
	lit := &ast.CompositeLit{Type: l.typ(t), Lbrace: l.pos, Rbrace: l.pos}
	keyed := func(k, v ast.Expr) {
		lit.Elts = append(lit.Elts, &ast.KeyValueExpr{Key: k, Colon: l.pos, Value: v})
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, x := range e.Elts {
			f, v := (*types.Var)(nil), x
			at := i
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				name := kv.Key.(*ast.Ident).Name
				for j := range u.NumFields() {
					if u.Field(j).Name() == name {
						f, at = u.Field(j), j
					}
				}
				v = kv.Value
			} else {
				f = u.Field(i)
			}
			if f.Name() == "_" {
				continue
			}
			keyed(l.id(l.field(t, f, at)), l.element(lit, v, f.Type()))
		}
	case *types.Map:
		for _, x := range e.Elts {
			kv := x.(*ast.KeyValueExpr)
			k, v := l.both(func() ast.Expr {
				k := l.hashable(l.element(lit, kv.Key, u.Key()), kv.Key, l.sub(u.Key()))
				if types.IsInterface(u.Key()) && constantLike(k) { // equal constants of different types are the same key to yaegi
					t := l.tmp("t")
					l.pre = append(l.pre, l.define(t, k))
					return l.id(t)
				}
				if _, isBasic := l.sub(u.Key()).Underlying().(*types.Basic); !isBasic && l.callsFirst {
					return l.hold(k, &l.pre)
				}
				return k
			}, func() ast.Expr {
				v := l.element(lit, kv.Value, u.Elem())
				if isStar(v) || l.callsFirst { // an element after another; stored as nothing, that of a nil pointer deletes the key
					v = l.hold(v, &l.pre)
				}
				return v
			})
			keyed(k, v)
		}
	case *types.Slice:
		l.elements(lit, e, u.Elem())
	case *types.Array:
		l.elements(lit, e, u.Elem())
	}
	return lit
}

// constantLike tells whether yaegi takes lowered syntax for a constant.
func constantLike(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		return true
	case *ast.UnaryExpr:
		return x.Op != token.AND && constantLike(x.X)
	case *ast.CallExpr:
		return len(x.Args) == 1 && constantLike(x.Args[0])
	}
	return false
}

func (l *lowerer) elements(lit *ast.CompositeLit, e *ast.CompositeLit, elem types.Type) {
	for _, x := range e.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			tv := l.info.Types[kv.Key]
			k, _ := l.literal(tv.Value, types.Typ[types.Int])
			lit.Elts = append(lit.Elts, &ast.KeyValueExpr{Key: k, Colon: l.pos, Value: l.element(lit, kv.Value, elem)})
			continue
		}
		lit.Elts = append(lit.Elts, l.element(lit, x, elem))
	}
}

// startsWithParens matches (*p).x, ("ab")[i], (*T)(nil).x and what is made of them further, also as a whole
// in parentheses: yaegi looks for the type of a literal in such an element.
func startsWithParens(x ast.Expr) bool {
	for first := true; ; first = false {
		switch y := x.(type) {
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.BinaryExpr:
			x = y.X
		case *ast.UnaryExpr:
			x = y.X
		case *ast.StarExpr: // what a nil pointer is lowered to
			if !first {
				return true
			}
			x = y.X
		case *ast.ParenExpr:
			if !first {
				return true
			}
			x = y.X
		default:
			return false
		}
	}
}

// element lowers an element of a composite literal after those that are there. Yaegi has the wrong type
// for the result of append in one.
func (l *lowerer) element(lit *ast.CompositeLit, e ast.Expr, t types.Type) ast.Expr {
	return l.then(lit.Elts, func() ast.Expr {
		x := ast.Unparen(l.conv(e, t))
		if c, ok := x.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "append" {
				return l.hold(x, &l.pre)
			}
		}
		if startsWithParens(x) {
			return l.hold(x, &l.pre)
		}
		return x
	})
}
