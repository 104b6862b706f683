package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// callExpr lowers a call, a conversion or the use of a builtin.
func (l *lowerer) callExpr(e *ast.CallExpr) ast.Expr {
	if tv := l.info.Types[e.Fun]; tv.IsType() {
		return l.conversion(e.Args[0], l.sub(tv.Type))
	}
	fun := ast.Unparen(e.Fun)
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := l.info.Uses[id].(*types.Builtin); ok {
			return l.builtin(e, b.Name())
		}
	}
	base := fun
	switch x := fun.(type) {
	case *ast.IndexExpr:
		if l.info.Types[x.Index].IsType() {
			base = ast.Unparen(x.X)
		}
	case *ast.IndexListExpr:
		base = ast.Unparen(x.X)
	}
	sig, _ := l.typeOf(e.Fun).Underlying().(*types.Signature)
	if sig == nil {
		l.refuse(e.Pos(), "cannot call "+typeString(l.typeOf(e.Fun))+" in cells", "")
		return l.id("nil")
	}
	callee := l.callee(base)
	if callee != nil && !isMain(callee.Pkg()) && callee.Signature().Recv() == nil {
		if x := l.compiledCall(e, callee, sig); x != nil {
			return x
		}
		if callee.Signature().TypeParams().Len() > 0 {
			id, _ := base.(*ast.Ident)
			if se, ok := base.(*ast.SelectorExpr); ok {
				id = se.Sel
			}
			return l.genericCall(e, callee, sig, id)
		}
	}
	if se, ok := base.(*ast.SelectorExpr); ok {
		if sel := l.info.Selections[se]; sel != nil && sel.Kind() == types.MethodVal {
			b := l.bind(se)
			switch b.fn.FullName() {
			case "(*encoding/json.Decoder).Decode", "(*encoding/xml.Decoder).Decode", "(*encoding/xml.Decoder).DecodeElement", "(*encoding/gob.Decoder).Decode":
				if x := l.decodeCall(e, l.addrOf(b.recv, b.typ), b.sig, b.fn); x != nil {
					return x
				}
			}
			before, recv := len(l.pre), []ast.Expr{b.recv}
			args, spread := l.args(e, b.sig, l.lookerOf(b.fn))
			l.holdBefore(before, recv)
			b.recv = recv[0]
			if inner := l.oneTuple(e, b.sig); inner != nil {
				return l.spreadCall(e, b.sig, func(args []ast.Expr) ast.Expr { return l.methodCall(b, args, false) })
			}
			return l.methodCall(b, args, spread)
		}
	}
	if l.oneTuple(e, sig) != nil {
		l.callee0 = base
		f := l.expr(base)
		l.callee0 = nil
		return l.spreadCall(e, sig, func(args []ast.Expr) ast.Expr { return l.callx(f, args...) })
	}
	was := l.callee0
	l.callee0 = base
	f := l.expr(base)
	l.callee0 = was
	if field, ok := base.(*ast.SelectorExpr); ok && callee == nil && (sig.Variadic() || l.takesInterface(sig) || isStar(field.X)) {
		// of a field yaegi looks for a parameter for each argument, gives an interface what it holds, and
		// cannot call (*p).f in a literal
		v := l.tmp("fn")
		l.pre = append(l.pre, l.declare(v, l.typ(sig)), l.set(l.id(v), f))
		f = l.id(v)
	}
	before, fn := len(l.pre), []ast.Expr{f}
	args, spread := l.args(e, sig, l.lookerOf(callee))
	l.holdBefore(before, fn)
	c := l.callx(fn[0], args...)
	if spread {
		c.Ellipsis = l.pos
	}
	return c
}

func isStar(e ast.Expr) bool { _, ok := ast.Unparen(e).(*ast.StarExpr); return ok }

// takesInterface tells whether a parameter is an interface.
func (l *lowerer) takesInterface(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if types.IsInterface(l.sub(v.Type())) {
			return true
		}
	}
	return false
}

// callee is the declared function or method that an expression names, nil if it is a value.
func (l *lowerer) callee(e ast.Expr) *types.Func {
	switch e := e.(type) {
	case *ast.Ident:
		f, _ := l.info.Uses[e].(*types.Func)
		return f
	case *ast.SelectorExpr:
		f, _ := l.info.Uses[e.Sel].(*types.Func)
		return f
	}
	return nil
}

// oneTuple gives the types of f(g()) where g has several results.
func (l *lowerer) oneTuple(e *ast.CallExpr, sig *types.Signature) *types.Tuple {
	if len(e.Args) != 1 {
		return nil
	}
	tup, ok := l.typeOf(e.Args[0]).(*types.Tuple)
	if !ok || tup.Len() < 2 {
		return nil
	}
	return tup
}

// spreadCall lowers f(g()): the results of g become variables first.
func (l *lowerer) spreadCall(e *ast.CallExpr, sig *types.Signature, call func([]ast.Expr) ast.Expr) ast.Expr {
	tup := l.oneTuple(e, sig)
	inner := l.expr(ast.Unparen(e.Args[0]))
	var tmps, args []ast.Expr
	list := false
	for i := range tup.Len() {
		t := l.id(l.tmp("t"))
		tmps = append(tmps, t)
		from, to := l.sub(tup.At(i).Type()), l.paramAt(sig, i)
		x := l.convert(t, from, to)
		if sig.Variadic() && i >= sig.Params().Len()-1 {
			x = l.notAsList(x, from, to)
			list = list || l.looksLikeList(from, to)
		}
		args = append(args, x)
	}
	l.pre = append(l.pre, &ast.AssignStmt{Lhs: tmps, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{inner}})
	if !list {
		return call(args)
	}
	n := sig.Params().Len() - 1
	x := call(append(args[:n:n], l.argumentList(sig, args[n:])))
	if c, ok := x.(*ast.CallExpr); ok {
		c.Ellipsis = l.pos
	}
	return x
}

func (l *lowerer) paramAt(sig *types.Signature, i int) types.Type {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		t := l.sub(sig.Params().At(n - 1).Type())
		if s, ok := t.Underlying().(*types.Slice); ok {
			return s.Elem()
		}
		return t
	}
	return l.sub(sig.Params().At(i).Type())
}

// args lowers the arguments of a call. Yaegi takes a slice given to a variadic parameter of
// interface type for the list itself, so such an argument is converted explicitly.
func (l *lowerer) args(e *ast.CallExpr, sig *types.Signature, raw looker) (args []ast.Expr, spread bool) {
	if l.oneTuple(e, sig) != nil {
		return nil, false
	}
	for i, a := range e.Args {
		if e.Ellipsis.IsValid() && i == len(e.Args)-1 {
			if l.info.Types[a].IsNil() {
				return append(args, l.zero(l.sub(sig.Params().At(sig.Params().Len()-1).Type()))), true
			}
			return append(args, l.then(args, func() ast.Expr {
				if list := l.sub(sig.Params().At(i).Type()).Underlying(); raw != "" && raw != memory && types.Identical(list, types.NewSlice(anyType)) {
					return l.rt("All", l.str(string(raw)), l.expr(a))
				}
				return l.expr(a)
			})), true
		}
		pt := l.paramAt(sig, i)
		if raw == either && l.ifaceKind(pt) == compiledIface && isCellType(l.typeOf(a)) {
			args = append(args, l.then(args, func() ast.Expr { return l.rt(l.viewIface(pt), l.conv(a, anyType)) }))
			continue
		}
		if raw != "" && l.ifaceKind(pt) == emptyIface {
			args = append(args, l.then(args, func() ast.Expr { return l.rawArg(a, raw) }))
			continue
		}
		x := l.then(args, func() ast.Expr {
			if x := l.unnamedArg(e, i, a, pt); x != nil {
				return x
			}
			return l.conv(a, pt)
		})
		if sig.Variadic() && i >= sig.Params().Len()-1 {
			x = l.notAsList(x, l.typeOf(a), pt)
		}
		args = append(args, x)
	}
	if n := sig.Params().Len(); sig.Variadic() && len(args) >= n {
		// a recursive slice could be taken for the list of arguments
		t := l.paramAt(sig, n-1)
		named, ok := types.Unalias(t).(*types.Named)
		if ok && isMain(named.Obj().Pkg()) && !types.IsInterface(t) && l.s.knotted(named) || types.IsInterface(t) && slices.ContainsFunc(e.Args[n-1:], func(a ast.Expr) bool { return l.looksLikeList(l.typeOf(a), t) }) {
			return append(args[:n-1:n-1], l.argumentList(sig, args[n-1:])), true
		}
	}
	return args, false
}

// notAsList converts a lowered argument of type from to the interface to of a variadic parameter.
func (l *lowerer) notAsList(x ast.Expr, from, to types.Type) ast.Expr {
	if types.IsInterface(to) {
		switch from.Underlying().(type) {
		case *types.Slice, *types.Map, *types.Array:
			if _, isCall := x.(*ast.CallExpr); !isCall {
				return l.callx(l.typ(to), x)
			}
		}
	}
	return x
}

// argumentList is the slice of the arguments of a variadic parameter.
func (l *lowerer) argumentList(sig *types.Signature, args []ast.Expr) ast.Expr {
	return &ast.CompositeLit{Type: &ast.ArrayType{Lbrack: l.pos, Elt: l.typ(l.paramAt(sig, sig.Params().Len()-1))}, Lbrace: l.pos, Elts: args, Rbrace: l.pos}
}

// looksLikeList tells whether yaegi would take an argument of type from for the list of arguments of type t.
func (l *lowerer) looksLikeList(from, t types.Type) bool {
	s, ok := from.Underlying().(*types.Slice)
	return ok && types.IsInterface(t) && types.IsInterface(s.Elem()) && l.typeText(s.Elem()) == l.typeText(t)
}

// compiledCall lowers calls of compiled functions that need help; nil: an ordinary call.
func (l *lowerer) compiledCall(e *ast.CallExpr, f *types.Func, sig *types.Signature) ast.Expr {
	switch name := f.FullName(); name {
	case "errors.As":
		return l.errorsAs(e)
	case "encoding/json.Unmarshal", "encoding/xml.Unmarshal":
		return l.decodeCall(e, nil, sig, f)
	case "runtime.SetFinalizer", "runtime.AddCleanup":
		l.refuse(e.Pos(), name+" is not available in cells", "values of cells live in the interpreter; use defer")
		return l.id("nil")
	case "runtime.Callers", "runtime.CallersFrames":
		l.refuse(e.Pos(), name+" is not available in cells", "the frames of cells are the interpreter's; runtime.Caller tells the line of a caller")
	case "reflect.DeepEqual":
		return l.rt("DeepEqual", l.conv(e.Args[0], anyType), l.conv(e.Args[1], anyType))
	}
	return nil
}

// builtin lowers the use of a builtin function. Those with a constant value never get here.
func (l *lowerer) builtin(e *ast.CallExpr, name string) (x ast.Expr) {
	if tup := l.oneTuple(e, nil); tup != nil {
		e = l.spreadBuiltin(e, tup)
	}
	switch name {
	case "append":
		return l.append(e)
	case "panic":
		return l.rt("Panic", l.conv(e.Args[0], anyType))
	case "recover":
		if l.fn.token == "" {
			return l.rt("Recover", l.int(0))
		}
		return l.rt("Recover", l.id(l.fn.token))
	case "print", "println":
		var args []ast.Expr
		for _, a := range e.Args {
			args = append(args, l.conv(a, anyType))
		}
		return l.rt(map[string]string{"print": "Print", "println": "Println"}[name], args...)
	case "min", "max":
		return l.minMax(e, name)
	case "new":
		if l.info.Types[e.Args[0]].IsType() {
			return l.call("new", l.typ(l.typeOf(e.Args[0])))
		}
		t := l.typeOf(e).Underlying().(*types.Pointer).Elem() // new(expr), Go 1.26
		v := l.tmp("new")
		l.pre = append(l.pre, l.define(v, l.conv(e.Args[0], t)))
		return l.addr(l.id(v))
	case "make":
		t := l.typeOf(e.Args[0])
		if ch, ok := t.Underlying().(*types.Chan); ok && ch.Dir() != types.SendRecv {
			t = types.NewChan(types.SendRecv, ch.Elem())
		}
		args := []ast.Expr{l.typ(t)}
		if ch, ok := l.typeOf(e.Args[0]).Underlying().(*types.Chan); ok && ch.Dir() != types.SendRecv {
			defer func() { x = l.callx(l.paren(l.typ(l.typeOf(e.Args[0]))), x) }()
		}
		return l.call("make", append(args, l.sizes(t, e.Args[1:])...)...)
	case "delete":
		m := l.typeOf(e.Args[0]).Underlying().(*types.Map)
		x, key := l.both(func() ast.Expr { return l.expr(e.Args[0]) }, func() ast.Expr { return l.key(e.Args[1], m.Key()) })
		return l.call("delete", x, l.keyOf(key, x))
	case "len", "cap":
		x := l.expr(e.Args[0])
		if pt, isPtr := l.typeOf(e.Args[0]).Underlying().(*types.Pointer); isPtr { // of an array; it may be nil
			if callsAnything(x) {
				l.hold(x, &l.pre)
			}
			return l.int(int(pt.Elem().Underlying().(*types.Array).Len()))
		}
		return l.call(name, x)
	case "complex":
		t := l.typeOf(e)
		part := types.Typ[types.Float64]
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Complex64 {
			part = types.Typ[types.Float32]
		}
		re, im := l.both(func() ast.Expr { return l.operandAs(e.Args[0], part) }, func() ast.Expr { return l.operandAs(e.Args[1], part) })
		return l.call("complex", re, im)
	case "copy", "real", "imag", "close":
		return l.call(name, l.exprs(e.Args)...)
	}
	l.refuse(e.Pos(), "the builtin "+name+" is not available in this place in cells", "")
	return l.id("nil")
}

// sizes lowers the sizes given to make: as many as yaegi takes, checked.
func (l *lowerer) sizes(t types.Type, given []ast.Expr) (sizes []ast.Expr) {
	for _, a := range given {
		sizes = append(sizes, l.then(sizes, func() ast.Expr { return l.indexValue(a) }))
	}
	switch u := t.Underlying().(type) {
	case *types.Map: // yaegi takes none
		for _, n := range sizes {
			if callsAnything(n) {
				l.hold(n, &l.pre)
			}
		}
		return nil
	case *types.Chan:
		for i, n := range sizes {
			sizes[i] = l.rt(l.emptyOf(u.Elem())+"ChanSize", n)
		}
	case *types.Slice:
		empty := l.emptyOf(u.Elem())
		if len(sizes) == 2 {
			n, most := l.hold(sizes[0], &l.pre), sizes[1]
			if callsAnything(most) {
				most = l.hold(most, &l.pre) // before the length is looked at
			}
			return []ast.Expr{l.rt(empty+"Size", n), l.rt(empty+"Cap", n, most)}
		}
		for i, n := range sizes {
			sizes[i] = l.rt(empty+"Size", n)
		}
	}
	return sizes
}

// emptyOf is Empty for elements that take no memory, of which there may be any number.
func (l *lowerer) emptyOf(t types.Type) string {
	if r := l.s.shape(t); r != nil && r.Size() == 0 {
		return "Empty"
	}
	return ""
}

// spreadBuiltin gives complex(f()) and the like with a variable for each result of f.
func (l *lowerer) spreadBuiltin(e *ast.CallExpr, tup *types.Tuple) *ast.CallExpr {
	values := l.expr(ast.Unparen(e.Args[0]))
	spread := *e
	spread.Args = nil
	var tmps []ast.Expr
	for v := range tup.Variables() {
		t := types.NewVar(e.Pos(), nil, l.tmp("t"), v.Type())
		id := l.id(t.Name())
		l.info.Uses[id] = t
		l.setLocal(t, t.Name())
		tmps, spread.Args = append(tmps, l.id(t.Name())), append(spread.Args, id)
	}
	l.info.Types[&spread] = l.info.Types[e]
	l.pre = append(l.pre, &ast.AssignStmt{Lhs: tmps, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{values}})
	return &spread
}

// append lowers append. What is appended to a slice of interfaces is converted first: yaegi
// would flatten a slice.
func (l *lowerer) append(e *ast.CallExpr) ast.Expr {
	st, ok := l.typeOf(e).Underlying().(*types.Slice)
	if !ok {
		return l.call("append", l.exprs(e.Args)...)
	}
	first := l.expr(e.Args[0])
	if l.info.Types[e.Args[0]].IsNil() {
		first = l.callx(l.typ(l.typeOf(e)), l.id("nil"))
	}
	args := []ast.Expr{first}
	for i, a := range e.Args[1:] {
		if e.Ellipsis.IsValid() && i == len(e.Args)-2 {
			if l.info.Types[a].IsNil() {
				return first
			}
			x := l.then(args, func() ast.Expr { return l.expr(a) })
			if b, ok := l.typeOf(a).Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
				x = l.callx(l.typ(l.typeOf(e)), x)
			}
			c := l.call("append", append(args, x)...)
			c.Ellipsis = l.pos
			return c
		}
		x := l.then(args, func() ast.Expr { return l.conv(a, st.Elem()) })
		if isNilIdent(x) && !types.IsInterface(st.Elem()) { // whose type yaegi does not take from the slice
			x = l.zero(st.Elem())
		}
		if types.IsInterface(st.Elem()) && !types.IsInterface(l.typeOf(a)) && !l.info.Types[a].IsNil() {
			if !isCellType(l.typeOf(a)) {
				x = l.callx(l.typ(st.Elem()), x)
			}
		}
		args = append(args, x)
	}
	return l.call("append", args...)
}

// minMax lowers min and max, of which yaegi has none, to a function for the type.
func (l *lowerer) minMax(e *ast.CallExpr, name string) ast.Expr {
	t := types.Default(l.typeOf(e))
	b := t.Underlying().(*types.Basic)
	if b.Info()&types.IsFloat != 0 { // compiled, for NaN and the sign of zeros
		compiled := map[string]string{"min": "MinFloat", "max": "MaxFloat"}[name]
		if b.Kind() == types.Float32 {
			compiled += "32"
		}
		x := []ast.Expr{l.operandAs(e.Args[0], t)}
		for _, a := range e.Args[1:] {
			y := l.then(x, func() ast.Expr { return l.operandAs(a, t) })
			x[0] = l.rt(compiled, x[0], y)
		}
		if isCompiledNamed(t) {
			return l.callx(l.typ(t), x[0])
		}
		return x[0]
	}
	f := l.helper(name+" "+l.typeText(t), name, func(n string) string {
		ts := l.typeText(t)
		op := "<"
		if name == "max" {
			op = ">"
		}
		return "func " + n + "(a, b " + ts + ") " + ts + " { if a " + op + " b { return a }; return b }"
	})
	x := []ast.Expr{l.operandAs(e.Args[0], t)}
	for _, a := range e.Args[1:] {
		y := l.then(x, func() ast.Expr { return l.operandAs(a, t) })
		x[0] = l.call(f, x[0], y)
	}
	return x[0]
}
