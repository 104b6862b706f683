package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"

	"trivium/kernel/symbols/box"
)

// Yaegi's generics infer too little, leak the names of type parameters and know nothing of
// constraints. So a generic function or method of a cell is lowered once for each list of type
// arguments that is used, with the arguments in the place of the parameters.

// A generic is the declaration of a generic function or of a method of a generic type.
type generic struct {
	decl *ast.FuncDecl
	info *types.Info
	p    *parsed
}

// An instance of a generic still has to be lowered.
type instance struct {
	generic *generic
	fn      *types.Func
	args    []types.Type
	name    string
}

// funcName names a function of a cell, or its instance, in the output.
func (l *lowerer) funcName(fn *types.Func, args []types.Type) string {
	if len(args) == 0 {
		return l.name(fn)
	}
	return l.instanceName(fn, args)
}

// instanceName names the instance of a generic function, and has it lowered if it is new.
func (l *lowerer) instanceName(fn *types.Func, args []types.Type) string {
	if fn.Signature().Recv() == nil {
		if now, ok := l.again(fn).(*types.Func); ok {
			fn = now
		}
	}
	var key strings.Builder
	key.WriteString("func#" + itoa(l.s.objNumber(fn)) + "[")
	for _, a := range args {
		l.s.writeKey(&key, a)
		key.WriteByte(',')
	}
	k := key.String()
	if n, ok := l.insts[k]; ok {
		l.refs[n] = true
		return n
	}
	if n, ok := l.s.insts[k]; ok {
		l.refs[n] = true
		return n
	}
	g := l.generics[fn]
	if g == nil {
		g = l.s.generics[fn]
	}
	if g == nil {
		l.refuse(l.pos, "the generic "+fn.Name()+" is not known any more", "run the cell that declares it again")
		return "nil"
	}
	n := l.s.scope.generation(fn.Name())
	l.insts[k], l.targs[n] = n, args
	l.refs[n] = true
	l.work = append(l.work, instance{g, fn, args, n})
	if len(l.insts) > 500 {
		l.refuse(l.pos, "instances of "+fn.Name()+" without end", "")
		l.work = nil
	}
	return n
}

// renewInstances makes, of generic functions declared again with the type they had, the instances that
// there are of the earlier ones.
func (l *lowerer) renewInstances() {
	for fn := range l.generics {
		before, ok := l.s.scope.objs[fn.Name()].(*types.Func)
		if !ok || before == fn || fn.Signature().Recv() != nil || !types.Identical(before.Type(), fn.Type()) {
			continue
		}
		prefix := "func#" + itoa(l.s.objNumber(before)) + "["
		for _, k := range slices.Sorted(maps.Keys(l.s.insts)) {
			if was := l.s.insts[k]; strings.HasPrefix(k, prefix) && l.s.instArgs[was] != nil {
				l.renewed[was] = l.instanceName(fn, l.s.instArgs[was])
			}
		}
	}
}

// lowerInstances lowers the instances that are used and not lowered yet.
func (l *lowerer) lowerInstances() {
	for len(l.work) > 0 {
		in := l.work[0]
		l.work = l.work[1:]
		info, subst, p, locals := l.info, l.subst, l.p, l.locals
		l.info, l.p, l.locals = in.generic.info, in.generic.p, map[types.Object]string{}
		l.subst = substitution{}
		sig := in.fn.Signature()
		params := sig.TypeParams()
		if sig.Recv() != nil {
			params = sig.RecvTypeParams()
		}
		for i := range params.Len() {
			if i < len(in.args) {
				l.subst[params.At(i)] = in.args[i]
			}
		}
		l.ownTypes(in)
		l.funcDecl(in.generic.decl, sig, in.name, in.fn.Name())
		l.info, l.subst, l.p, l.locals = info, subst, p, locals
	}
}

// ownTypes gives an instance types of its own for those that the function declares. As Go
// prints them, their names tell the type arguments of the function.
func (l *lowerer) ownTypes(in instance) {
	var declared []*types.Named
	var args []string
	for _, a := range in.args {
		args = append(args, box.TypeString(a))
	}
	of := "[" + strings.Join(args, ",") + "]"
	ast.Inspect(in.generic.decl.Body, func(n ast.Node) bool {
		ts, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if t, ok := l.info.Defs[ts.Name].Type().(*types.Named); ok { // not an alias
			if t.TypeParams().Len() > 0 {
				l.subst[t] = &innerGeneric{t, strings.Join(args, ","), map[string]*types.Named{}}
				return true
			}
			declared = append(declared, t)
			o := t.Obj()
			l.subst[t] = types.NewNamed(types.NewTypeName(o.Pos(), o.Pkg(), o.Name()+of, nil), nil, nil)
		}
		return true
	})
	for _, t := range declared {
		l.subst[t].(*types.Named).SetUnderlying(l.sub(t.Underlying()))
	}
}

// An innerGeneric stands in a substitution for a generic type that a generic function declares: an instance of the function has its
// own instances of it.
type innerGeneric struct {
	*types.Named
	outer string // the type arguments of the function, as they print
	made  map[string]*types.Named
}

// instance gives the type for type arguments.
func (g *innerGeneric) instance(s *Session, args []types.Type, m substitution) types.Type {
	var keys, names []string
	for _, a := range args {
		keys, names = append(keys, s.typeKey(a)), append(names, box.TypeString(a))
	}
	key := strings.Join(keys, ",")
	if t, ok := g.made[key]; ok {
		return t
	}
	o := g.Obj()
	t := types.NewNamed(types.NewTypeName(o.Pos(), o.Pkg(), o.Name()+"["+g.outer+";"+strings.Join(names, ",")+"]", nil), nil, nil)
	g.made[key] = t
	inner := maps.Clone(m)
	for i, a := range args {
		inner[g.TypeParams().At(i)] = a
	}
	t.SetUnderlying(s.substitute(g.Named.Underlying(), inner))
	return t
}

// genericCall lowers a call of a compiled generic function to one of its adapter, which works
// by reflection: what depends on type parameters is passed and returned as any.
func (l *lowerer) genericCall(e *ast.CallExpr, f *types.Func, sig *types.Signature, id *ast.Ident) ast.Expr {
	if inst := l.instanceExport(f, l.typeArgs(id)); inst != nil {
		args, spread := l.args(e, sig, "")
		c := l.callx(inst, args...)
		if spread {
			c.Ellipsis = l.pos
		}
		return c
	}
	if x := l.typeCall(e, f, l.typeArgs(id)); x != nil {
		return x
	}
	var args []ast.Expr
	if l.oneTuple(e, sig) != nil {
		return l.spreadCall(e, sig, func(args []ast.Expr) ast.Expr { return l.adapterCall(e.Pos(), f, sig, l.typeArgs(id), args) })
	}
	n := sig.Params().Len()
	for i, a := range e.Args {
		if sig.Variadic() && i >= n-1 && !e.Ellipsis.IsValid() {
			break
		}
		args = append(args, l.then(args, func() ast.Expr { return l.conv(a, sig.Params().At(i).Type()) }))
	}
	if sig.Variadic() && !e.Ellipsis.IsValid() {
		st := l.sub(sig.Params().At(n - 1).Type())
		lit := &ast.CompositeLit{Type: l.typ(st), Lbrace: l.pos, Rbrace: l.pos}
		for _, a := range e.Args[min(n-1, len(e.Args)):] {
			lit.Elts = append(lit.Elts, l.element(lit, a, st.(*types.Slice).Elem()))
		}
		args = append(args, lit)
	}
	return l.adapterCall(e.Pos(), f, sig, l.typeArgs(id), args)
}

// instanceExport gives the compiled instance of a generic function or type, if the table has it.
func (l *lowerer) instanceExport(f types.Object, args []types.Type) ast.Expr {
	name := box.Instance(f.Name(), args...)
	l.s.use(f.Pkg().Path())
	if _, ok := l.s.table(f.Pkg().Path())[name]; !ok {
		return nil
	}
	return l.sel(l.id(l.pkg(f.Pkg())), name)
}

func (l *lowerer) adapterCall(pos token.Pos, f *types.Func, sig *types.Signature, targs []types.Type, args []ast.Expr) ast.Expr {
	key := f.Pkg().Path() + "." + f.Name()
	fn, ok := l.s.opt.Symbols.Generic(f.Pkg().Path(), f.Name())
	if !ok {
		l.refuse(pos, "the generic function "+key+" is not available in cells", "write the few lines that it does")
		return l.id("nil")
	}
	name := "Generic_" + mangle(key)
	l.s.exportValue(name, fn)
	for _, a := range targs {
		if ifaceKind(a) == cellIface && strings.HasPrefix(key, "sync.") {
			l.refuse(pos, key+" with an interface declared in a cell is not available", "")
		}
	}
	call := ast.Expr(l.rt(name, args...))
	origin := f.Origin().Signature().Results()
	switch origin.Len() {
	case 0:
		return call
	case 1:
		if !hasTypeParam(origin.At(0).Type()) {
			return call
		}
		return l.fromAny(call, sig.Results().At(0).Type())
	}
	// several results: take them apart in a function
	var tmps, out []ast.Expr
	var fields []*ast.Field
	for i := range origin.Len() {
		t := l.id("r" + itoa(i))
		tmps = append(tmps, t)
		x := ast.Expr(t)
		if hasTypeParam(origin.At(i).Type()) {
			x = l.fromAny(t, sig.Results().At(i).Type())
		}
		out = append(out, x)
		fields = append(fields, l.param("", l.typ(sig.Results().At(i).Type())))
	}
	for i, a := range args { // the arguments are evaluated here
		args[i] = l.hold(a, &l.pre)
	}
	call = l.rt(name, args...)
	lit := l.lit(nil, fields, &ast.AssignStmt{Lhs: tmps, TokPos: l.pos, Tok: token.DEFINE, Rhs: []ast.Expr{call}}, l.ret(out...))
	return l.callx(l.hoist(lit))
}

// fromAny takes a value of a known type out of an any.
func (l *lowerer) fromAny(x ast.Expr, t types.Type) ast.Expr {
	t = l.sub(t)
	switch ifaceKind(t) {
	case compiledIface:
		return l.rt(l.toIface(t), x)
	case notIface:
		return l.taken(x, t)
	}
	return x
}

// compiledGeneric gives an instance of a compiled generic function as a value.
func (l *lowerer) compiledGeneric(id *ast.Ident, f *types.Func) ast.Expr {
	targs := l.typeArgs(id)
	if inst := l.instanceExport(f, targs); inst != nil {
		return inst
	}
	sig, ok := l.sub(l.info.TypeOf(id)).(*types.Signature)
	if inst, isInst := l.info.Instances[id]; isInst {
		sig, ok = l.sub(inst.Type).(*types.Signature)
	}
	if !ok || sig.TypeParams().Len() > 0 || sig.Variadic() || asksForType[f.FullName()] {
		l.refuse(id.Pos(), f.FullName()+" is not available as a value in cells", "call it in a function literal")
		return l.id("nil")
	}
	params, args := l.params(sig)
	pre := l.pre
	l.pre = nil
	call := l.adapterCall(id.Pos(), f, sig, targs, args)
	body := append(compact(l.pre), l.returnCall(call, sig))
	l.pre = pre
	return l.hoist(l.lit(params, l.resultFields(sig), body...))
}

// asksForType are the functions of the library that do something with their type argument itself.
var asksForType = map[string]bool{"reflect.TypeFor": true, "reflect.TypeAssert": true, "errors.AsType": true}

// typeCall lowers a call of one of these; nil: another function.
func (l *lowerer) typeCall(e *ast.CallExpr, f *types.Func, targs []types.Type) ast.Expr {
	name := f.FullName()
	if !asksForType[name] || len(targs) == 0 {
		return nil
	}
	t := targs[0]
	if name == "errors.AsType" {
		return l.call(l.errorsAsType(t), l.conv(e.Args[0], types.Universe.Lookup("error").Type()))
	}
	switch {
	case isCellType(t) && name == "reflect.TypeAssert":
		return l.call(l.asFunc(t), l.rt("ValueInterface", l.expr(e.Args[0])))
	case isCellType(t):
		l.needMethods(types.NewPointer(t), 0)
		return l.rt("TypeFor", l.int(l.descOf(t)))
	}
	r := l.s.shape(t)
	if r == nil {
		l.refuse(e.Pos(), name+" of "+typeString(t)+" is not available", "")
		return l.id("nil")
	}
	typ := "Type" + itoa(l.s.desc(t))
	l.s.exportValue(typ, func() reflect.Type { return r })
	if name == "reflect.TypeFor" {
		return l.rt(typ)
	}
	value := l.conv(e.Args[0], f.Signature().Params().At(0).Type())
	return l.adapterCall(e.Pos(), f, l.typeOf(e.Fun).(*types.Signature), targs, []ast.Expr{l.rt(typ), value})
}
