package eval

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// selector lowers x.f: a name of a package, a field, a method value or a method expression.
func (l *lowerer) selector(e *ast.SelectorExpr) ast.Expr {
	sel := l.info.Selections[e]
	if sel == nil {
		x := l.ident(e)
		if v, ok := l.info.Uses[e.Sel].(*types.Var); ok && v.Pkg() != nil && !v.IsField() {
			// yaegi reads a compiled package's variable once, when it compiles the cell, and assigns to a copy
			return l.paren(l.deref(&ast.UnaryExpr{OpPos: l.pos, Op: token.AND, X: x}))
		}
		return x
	}
	switch sel.Kind() {
	case types.FieldVal:
		return l.path(unpointed(l.expr(e.X), l.typeOf(e.X)), l.typeOf(e.X), sel.Index())
	case types.MethodVal:
		return l.methodValue(e)
	default:
		return l.methodExpr(e, sel)
	}
}

// unpointed gives v for (&v) and p for (*p), whose fields are the same: what begins with parentheses has to be put into a
// variable in some places, before calls that the compiler makes first.
func unpointed(x ast.Expr, t types.Type) ast.Expr {
	var of ast.Expr
	switch u := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if u.Op == token.AND {
			of = u.X
		}
	case *ast.StarExpr:
		if _, isPtr := t.Underlying().(*types.Pointer); !isPtr { // else p is a pointer to a pointer
			of = u.X
		}
	}
	if id, ok := of.(*ast.Ident); ok {
		return id
	}
	return x
}

// path selects fields by index, naming the embedded ones that Go leaves out.
func (l *lowerer) path(x ast.Expr, t types.Type, index []int) ast.Expr {
	for _, i := range index {
		f, ft := fieldAt(t, i)
		x = l.sel(x, l.field(pointee(t), f, i))
		t = ft
	}
	return x
}

func fieldAt(t types.Type, i int) (*types.Var, types.Type) {
	f := pointee(t).Underlying().(*types.Struct).Field(i)
	return f, f.Type()
}

// pointee gives what a pointer points to, and another type as it is.
func pointee(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// A bound is a method with the value it is called on.
type bound struct {
	recv ast.Expr // value or pointer as the method wants it
	typ  types.Type
	fn   *types.Func
	sig  *types.Signature // without receiver, types of this instance
	kind int
}

const (
	cellMethod     = iota // a function in the output
	dispatched            // of an interface that yaegi sees as any
	compiledMethod        // of a compiled type or interface
)

// bind finds what method x.m is, given what x is in this instance.
func (l *lowerer) bind(e *ast.SelectorExpr) bound {
	sel := l.info.Selections[e]
	t := l.typeOf(e.X)
	index, obj := sel.Index(), sel.Obj()
	if hasTypeParam(sel.Recv()) {
		o, ix, _ := types.LookupFieldOrMethod(t, true, l.s.scope.pkg, e.Sel.Name)
		if o == nil {
			l.refuse(e.Sel.Pos(), typeString(t)+" has no method "+e.Sel.Name, "")
			return bound{recv: l.id("nil"), typ: t, fn: sel.Obj().(*types.Func), sig: types.NewSignatureType(nil, nil, nil, nil, nil, false)}
		}
		obj, index = o, ix
	}
	return l.bindTo(l.expr(e.X), t, index, obj.(*types.Func))
}

func (l *lowerer) bindTo(x ast.Expr, t types.Type, index []int, fn *types.Func) bound {
	for _, i := range index[:len(index)-1] {
		f, ft := fieldAt(t, i)
		if !f.Exported() && !isMain(f.Pkg()) {
			break // reflection calls no method of such a field, but the outer type has it too
		}
		x, t = l.sel(x, l.field(pointee(t), f, i)), ft
	}
	sig := fn.Signature()
	b := bound{recv: x, typ: t, fn: fn, sig: l.sub(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())).(*types.Signature)}
	if types.IsInterface(t) {
		b.kind = compiledMethod
		if l.ifaceKind(t) == cellIface {
			b.kind = dispatched
		}
		return b
	}
	if !isMain(fn.Pkg()) {
		b.kind = compiledMethod
		return b
	}
	_, wantPtr := types.Unalias(fn.Signature().Recv().Type()).(*types.Pointer)
	_, isPtr := t.Underlying().(*types.Pointer)
	switch {
	case wantPtr && !isPtr:
		b.recv, b.typ = l.addr(x), types.NewPointer(t)
	case !wantPtr && isPtr:
		b.recv, b.typ = l.deref(x), t.Underlying().(*types.Pointer).Elem()
	}
	return b
}

// methodFunc names the function that a method of a cell type has become.
func (l *lowerer) methodFunc(fn *types.Func, recv types.Type) string {
	if p, ok := recv.Underlying().(*types.Pointer); ok {
		if _, named := types.Unalias(recv).(*types.Named); !named {
			recv = p.Elem()
		}
	}
	var args []types.Type
	if n, ok := types.Unalias(recv).(*types.Named); ok {
		for t := range n.TypeArgs().Types() {
			args = append(args, t)
		}
	}
	return l.funcName(fn.Origin(), args)
}

// methodCall lowers x.m(args); the arguments are lowered already.
func (l *lowerer) methodCall(b bound, args []ast.Expr, spread bool) ast.Expr {
	var c *ast.CallExpr
	switch b.kind {
	case cellMethod:
		c = l.call(l.methodFunc(b.fn, b.typ), append([]ast.Expr{b.recv}, args...)...)
	case dispatched:
		c = l.call(l.dispatcher(b.fn.Name(), b.sig), append([]ast.Expr{b.recv}, args...)...)
	default:
		if block := blocking(b.fn); block != "" {
			return l.rt(block, l.addrOf(b.recv, b.typ))
		}
		if f := cellMethods[b.fn.FullName()]; f != "" {
			return l.rt(f, append([]ast.Expr{l.addrOf(b.recv, b.typ)}, args...)...)
		}
		if f := reflectMethods[b.fn.FullName()]; f != "" {
			return l.rt(f, append([]ast.Expr{l.valueOf(b)}, args...)...)
		}
		if b.fn.FullName() == "(log/slog.Record).Source" {
			return l.rt("LogSource", l.valueOf(b))
		}
		if b.fn.FullName() == "(*sync.WaitGroup).Go" { // its goroutine is one of the cell's
			args = []ast.Expr{l.rt("Guarded", args...)}
		}
		c = l.callx(l.sel(b.recv, b.fn.Name()), args...)
		if l.givesAny(b) {
			return l.call(l.typed(b.sig.Results().At(0).Type()), c)
		}
	}
	if spread {
		c.Ellipsis = l.pos
	}
	return c
}

// blocking names the function that does what a method of sync does and can be interrupted, or ends
// the cell where the method would end the process.
func blocking(fn *types.Func) string {
	switch fn.FullName() {
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock", "(sync.Locker).Lock":
		return "Lock"
	case "(*sync.RWMutex).RLock":
		return "RLock"
	case "(*sync.WaitGroup).Wait":
		return "WaitGroup"
	case "(*sync.Mutex).Unlock", "(*sync.RWMutex).Unlock", "(sync.Locker).Unlock":
		return "Unlock"
	}
	return ""
}

// valueOf gives the receiver of a method that has none by pointer.
func (l *lowerer) valueOf(b bound) ast.Expr {
	if _, isPtr := b.typ.Underlying().(*types.Pointer); isPtr {
		return l.deref(b.recv)
	}
	return b.recv
}

func (l *lowerer) addrOf(x ast.Expr, t types.Type) ast.Expr {
	if _, isPtr := t.Underlying().(*types.Pointer); isPtr || types.IsInterface(t) {
		return x
	}
	return l.addr(x)
}

// methodValue lowers x.m that is not called: the receiver is evaluated, and copied, now. Yaegi
// copies it at the call.
func (l *lowerer) methodValue(e *ast.SelectorExpr) ast.Expr {
	b := l.bind(e)
	if b.kind == compiledMethod && !types.IsInterface(b.typ) {
		_, wantPtr := types.Unalias(b.fn.Signature().Recv().Type()).(*types.Pointer)
		if _, isPtr := b.typ.Underlying().(*types.Pointer); wantPtr && !isPtr {
			b.recv, b.typ = l.addr(b.recv), types.NewPointer(b.typ)
		} else if !wantPtr && isPtr {
			b.recv, b.typ = l.deref(b.recv), b.typ.Underlying().(*types.Pointer).Elem()
		}
	}
	recv := b.recv
	b.recv = l.id("r")
	params, args := l.params(b.sig)
	call := l.methodCall(b, args, b.sig.Variadic())
	inner := l.lit(params, l.resultFields(b.sig), l.returnCall(call, b.sig))
	var pre []ast.Stmt
	if types.IsInterface(b.typ) { // Go evaluates the method now and panics on nil
		pre = append(pre, l.ifs(l.binary(l.id("r"), eqlToken, l.id("nil")), l.do(l.rt("NilMethod"))))
	}
	outer := l.lit([]*ast.Field{l.param("r", l.typ(b.typ))}, []*ast.Field{l.param("", l.funcType(b.sig))}, append(pre, l.ret(inner))...)
	return l.callx(outer, recv)
}

// params gives fields a0, a1, … for the parameters of a signature, and the same as arguments.
func (l *lowerer) params(sig *types.Signature) (fields []*ast.Field, args []ast.Expr) {
	for i := range sig.Params().Len() {
		n := "a" + itoa(i)
		fields = append(fields, l.param(n, l.paramType(sig, i)))
		args = append(args, l.id(n))
	}
	return fields, args
}

func (l *lowerer) resultFields(sig *types.Signature) (fields []*ast.Field) {
	for v := range sig.Results().Variables() {
		fields = append(fields, l.param("", l.typ(v.Type())))
	}
	return fields
}

func (l *lowerer) returnCall(call ast.Expr, sig *types.Signature) ast.Stmt {
	if sig.Results().Len() == 0 {
		return l.do(call)
	}
	return l.ret(call)
}

// methodExpr lowers T.m, a function that takes the receiver first.
func (l *lowerer) methodExpr(e *ast.SelectorExpr, sel *types.Selection) ast.Expr {
	t := l.typeOf(e.X)
	o, index, _ := types.LookupFieldOrMethod(t, true, l.s.scope.pkg, e.Sel.Name)
	fn, ok := o.(*types.Func)
	if !ok {
		l.refuse(e.Pos(), "this method expression is not available in cells", "call the method in a function literal")
		return l.id("nil")
	}
	b := l.bindTo(l.id("r"), t, index, fn)
	params, args := l.params(b.sig)
	call := l.methodCall(b, args, b.sig.Variadic())
	return l.lit(append([]*ast.Field{l.param("r", l.typ(t))}, params...), l.resultFields(b.sig), append(l.nilReceiver("r", t, index, fn), l.returnCall(call, b.sig))...)
}

// nilReceiver looks at the receiver v of a method that a pointer type t has from the type it points to. Called
// through an interface or as a function, such a method says so of a nil pointer.
func (l *lowerer) nilReceiver(v string, t types.Type, index []int, fn *types.Func) []ast.Stmt {
	p, isPtr := types.Unalias(t).(*types.Pointer)
	if _, wants := types.Unalias(fn.Signature().Recv().Type()).(*types.Pointer); !isPtr || wants || len(index) != 1 || !isMain(fn.Pkg()) {
		return nil
	}
	name, generic, ok := strings.Cut(typeString(p.Elem()), "[")
	if name, _, _ = strings.Cut(name, "ʹ"); ok && generic != "" {
		name += "[...]"
	}
	return []ast.Stmt{l.ifs(l.binary(l.id(v), eqlToken, l.id("nil")), l.do(l.rt("NilReceiver", l.str("main."+name+"."+fn.Name()), l.str(name))))}
}

// givesAny tells whether a method is one of a stand-in that gives any where Go's gives T or *T.
func (l *lowerer) givesAny(b bound) bool {
	t := b.typ
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if b.sig.Results().Len() != 1 || l.s.standIn(t) == nil {
		return false
	}
	_, isBool := b.sig.Results().At(0).Type().(*types.Basic)
	return !isBool || b.fn.Name() == "Value"
}

// typed names the function that gives what an any holds as a type, whose zero value stands for nil.
func (l *lowerer) typed(t types.Type) string {
	return l.helper("typed "+l.s.typeKey(t), "typed", func(n string) string {
		text := l.typeText(t)
		return fmt.Sprintf("func %s(v any) %s { var z %[2]s; if v == nil { return z }; return v.(%[2]s) }", n, text)
	})
}
