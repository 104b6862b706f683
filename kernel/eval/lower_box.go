package eval

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"trivium/kernel/symbols/box"
)

// Yaegi cannot give a type declared in a cell to a compiled interface in the way Go does: the
// value it makes reads a variable of the interpreter when its methods are called, so that all
// elements of a slice of interfaces are the last one, and its type is lost. Here every such
// conversion makes a box: the value with a descriptor of its Go type, in a compiled wrapper that
// has the methods of the interface. Assertions and type switches ask the descriptor.
//
// Interfaces with methods that are declared in cells are any under yaegi. Their methods are
// called through a dispatcher that looks the method up in the descriptor.

// Kinds of types by what yaegi sees of them.
const (
	notIface      = iota
	emptyIface    // any
	cellIface     // methods, declared in a cell or nowhere: any under yaegi
	compiledIface // methods, declared in a compiled package, or error
)

func (l *lowerer) ifaceKind(t types.Type) int { return ifaceKind(t) }

func ifaceKind(t types.Type) int {
	if t == nil {
		return notIface
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return notIface
	}
	it, ok := t.Underlying().(*types.Interface)
	switch {
	case !ok:
		return notIface
	case it.NumMethods() == 0:
		return emptyIface
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && !isMain(n.Obj().Pkg()) && !slices.ContainsFunc(slices.Collect(n.TypeArgs().Types()), isCellType) {
		return compiledIface
	}
	return cellIface
}

// conv lowers an expression whose value is implicitly converted to a type.
func (l *lowerer) conv(e ast.Expr, to types.Type) ast.Expr {
	was := l.pos
	l.pos = e.Pos()
	defer func() { l.pos = was }()
	to = l.sub(to)
	tv := l.info.Types[e]
	if tv.Value != nil && !types.IsInterface(to) {
		return l.constant(tv.Value, to)
	}
	x := l.expr(e)
	if tv.IsNil() {
		if n, ok := types.Unalias(to).(*types.Named); ok && n.Obj().Pkg() != nil && ifaceKind(n) == compiledIface {
			return l.zero(to) // a nil argument of such a type makes yaegi fail
		} else if ok && !types.IsInterface(n) {
			_, isFunc := n.Underlying().(*types.Signature)
			if isCompiledNamed(n) && isFunc || isMain(n.Obj().Pkg()) && l.s.knotted(n) { // yaegi's nil has no compiled type
				return l.zero(to)
			}
		}
		return x
	}
	if x = l.convert(x, l.typeOf(e), to); l.callsFirst && types.IsInterface(to) && l.copiedFirst(e) {
		return l.hold(x, &l.pre)
	}
	return x
}

// converts tells whether convert does anything.
func (l *lowerer) converts(from, to types.Type) bool {
	to = l.sub(to)
	k, fk := ifaceKind(to), ifaceKind(from)
	if k == notIface {
		return l.renames(from, to)
	}
	return fk == compiledIface && k != compiledIface || fk != notIface && fk != compiledIface && k == compiledIface || fk == notIface && isCellType(from)
}

// renames tells whether an assignment gives a value another type under yaegi, whose variables are of the type that
// their first value is of: a compiled type's name is lost or got, a channel gets a direction.
func (l *lowerer) renames(from, to types.Type) bool {
	switch u := from.Underlying().(type) {
	case *types.Interface, *types.Basic, *types.Tuple:
		return false
	case *types.Chan:
		if v, ok := to.Underlying().(*types.Chan); ok && u.Dir() != v.Dir() {
			return true
		}
	}
	return isCompiledNamed(from) != isCompiledNamed(to) && types.Identical(from.Underlying(), to.Underlying())
}

// convert makes the implicit conversion of a lowered value explicit where yaegi would get it
// wrong.
func (l *lowerer) convert(x ast.Expr, from, to types.Type) ast.Expr {
	if from == nil || to == nil || !l.converts(from, to) {
		return x
	}
	if isNilIdent(x) {
		return x
	}
	switch k := ifaceKind(to); {
	case k == notIface:
		return l.callx(l.paren(l.typ(l.sub(to))), x)
	case ifaceKind(from) == compiledIface:
		return l.rt("Norm", x)
	case ifaceKind(from) != notIface:
		return l.rt(l.toIface(to), x)
	case k == compiledIface:
		l.unheardOf(from, to)
		return l.rt(l.boxIface(to), l.int(l.descOf(types.Default(from))), x)
	}
	return l.rt("Box", l.int(l.descOf(types.Default(from))), x)
}

func ifaceKey(t types.Type) string {
	n := types.Unalias(t).(*types.Named)
	if n.Obj().Pkg() == nil {
		return n.Obj().Name()
	}
	name := n.Obj().Name()
	if n.TypeArgs().Len() > 0 {
		name = box.Instance(name, slices.Collect(n.TypeArgs().Types())...)
	}
	return n.Obj().Pkg().Path() + "." + name
}

// descOf gives the number of a type's descriptor, whose methods the cell will register.
func (l *lowerer) descOf(t types.Type) int {
	id := l.s.desc(t)
	l.needMethods(t, 0)
	return id
}

// needMethods has the methods of a type registered, and of the types that are reached from it: those inside it print by
// their own methods, and package reflect and templates go on with what methods give and are given.
func (l *lowerer) needMethods(t types.Type, depth int) {
	if depth > maxReach || !isCellType(t) {
		return
	}
	d := l.s.descAt(l.s.desc(t))
	if l.boxed[d] {
		return
	}
	l.boxed[d] = true
	tuples := func(sig *types.Signature) {
		for _, of := range []*types.Tuple{sig.Params(), sig.Results()} {
			for v := range of.Variables() {
				l.needMethods(v.Type(), depth+1)
			}
		}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && !types.IsInterface(n) && speaksByPointer(n) {
		l.needMethods(types.NewPointer(n), depth+1)
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Map:
		l.needMethods(u.Key(), depth+1)
		l.needMethods(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			l.needMethods(f.Type(), depth+1)
		}
	case *types.Signature:
		tuples(u)
	case interface{ Elem() types.Type }:
		l.needMethods(u.Elem(), depth+1)
	}
	if types.IsInterface(t) {
		return
	}
	for sel := range types.NewMethodSet(t).Methods() {
		if f, ok := sel.Obj().(*types.Func); ok && f.Exported() && isMain(f.Pkg()) {
			tuples(f.Signature())
		}
	}
}

// maxReach is how far types are followed into what they consist of: one that grows with every step has no end.
const maxReach = 64

// speaksByPointer tells whether a pointer to a value of a type has methods that the value has not: packages call them of
// a value that has an address.
func speaksByPointer(n *types.Named) bool {
	return types.NewMethodSet(types.NewPointer(n)).Len() > types.NewMethodSet(n).Len()
}

// desc gives the number of the descriptor of a type, one for identical types.
func (s *Session) desc(t types.Type) int {
	key := s.typeKey(t)
	s.tableMu.RLock()
	id, ok := s.descID[key]
	s.tableMu.RUnlock()
	if ok {
		return id
	}
	s.tableMu.Lock()
	defer s.tableMu.Unlock()
	id = len(s.descs)
	s.descID[key] = id
	s.descs = append(s.descs, s.newDesc(t))
	return id
}

func (s *Session) newDesc(t types.Type) *box.Desc {
	return &box.Desc{Name: box.TypeString(t), Type: t, Methods: map[string]any{}, DescOf: s.findDesc, Show: s.show, Panicked: s.panicked}
}

func (s *Session) findDesc(t types.Type) *box.Desc {
	key := s.typeKey(t)
	s.tableMu.RLock()
	defer s.tableMu.RUnlock()
	if id, ok := s.descID[key]; ok {
		return s.descs[id]
	}
	return nil
}

// boxIface names the compiled function that boxes a value as a compiled interface.
func (l *lowerer) boxIface(t types.Type) string {
	key := ifaceKey(t)
	rt := l.s.rtype(t)
	if _, ok := l.s.opt.Symbols.Wrapper(key); !ok || rt == nil {
		l.refuse(l.pos, "a type declared in a cell cannot be used as "+typeString(t), "types of other packages can only implement interfaces whose methods are all exported")
		return "Norm"
	}
	return l.boxAs(key, rt)
}

// boxAs names the compiled function that boxes a value as a compiled interface of the type rt.
func (l *lowerer) boxAs(key string, rt reflect.Type) string {
	name := "Box_" + mangle(key)
	l.s.export(name, func() reflect.Value {
		ft := reflect.FuncOf([]reflect.Type{intRType, anyRType}, []reflect.Type{rt}, false)
		return reflect.MakeFunc(ft, func(a []reflect.Value) []reflect.Value {
			x, _ := l.s.wrapped(box.Obj{D: l.s.descAt(int(a[0].Int())), V: unwrapAny(a[1])}, key)
			return []reflect.Value{asType(x, rt)}
		})
	})
	return name
}

// toIface names the compiled function that converts an interface to a compiled one that it is
// known to implement.
func (l *lowerer) toIface(t types.Type) string {
	rt := l.s.rtype(t)
	if rt == nil {
		l.refuse(l.pos, "conversion to "+typeString(t)+" is not available in cells", "")
		return "Norm"
	}
	name := "To_" + mangle(ifaceKey(t))
	l.s.export(name, func() reflect.Value {
		ft := reflect.FuncOf([]reflect.Type{anyRType}, []reflect.Type{rt}, false)
		return reflect.MakeFunc(ft, func(a []reflect.Value) []reflect.Value {
			v, _ := l.s.asInterface(unwrapAny(a[0]), t, rt)
			return []reflect.Value{asType(v, rt)}
		})
	})
	return name
}

// unnamedArg lowers an argument of a compiled function whose parameter has an interface without a name, such as
// that of plotter.NewYErrorBars. Nil: an ordinary argument.
func (l *lowerer) unnamedArg(e *ast.CallExpr, i int, a ast.Expr, to types.Type) ast.Expr {
	if _, ok := types.Unalias(to).(*types.Interface); !ok || ifaceKind(to) == emptyIface {
		return nil
	}
	f := l.callee(ast.Unparen(e.Fun))
	from := l.typeOf(a)
	if f == nil || isMain(f.Pkg()) || f.Signature().Recv() != nil || l.info.Types[a].IsNil() {
		return nil
	}
	fn := l.s.table(f.Pkg().Path())[f.Name()]
	if !fn.IsValid() || fn.Kind() != reflect.Func || fn.Type().IsVariadic() || i >= fn.Type().NumIn() {
		return nil
	}
	switch {
	case types.IsInterface(from):
		l.refuse(a.Pos(), "an interface cannot be given to "+f.Name()+" in a cell", "give it the value in it, of a type with a name")
		return l.id("nil")
	case !isCellType(from):
		return l.expr(a)
	}
	key, rt := types.TypeString(to, nil), fn.Type().In(i)
	if _, ok := l.s.opt.Symbols.Wrapper(key); !ok {
		l.refuse(a.Pos(), "a type declared in a cell cannot be given to "+f.Name(), "give it one of a compiled package")
		return l.id("nil")
	}
	return l.rt(l.boxAs(key, rt), l.int(l.descOf(from)), l.expr(a))
}

func asType(v any, t reflect.Type) reflect.Value {
	r := reflect.New(t).Elem()
	if v != nil {
		r.Set(reflect.ValueOf(v))
	}
	return r
}

func unwrapAny(v reflect.Value) any {
	if !v.IsValid() || v.Kind() == reflect.Interface && v.IsNil() {
		return nil
	}
	return v.Interface()
}

func mangle(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}

// dispatcher names the function that calls a method of an interface declared in a cell.
func (l *lowerer) dispatcher(name string, sig *types.Signature) string {
	return l.helper("call "+name+" "+l.s.typeKey(sig), name, func(n string) string {
		var params, args, ts []string
		for i := range sig.Params().Len() {
			t, a := l.exprText(l.paramType(sig, i)), fmt.Sprintf("a%d", i)
			params, ts = append(params, a+" "+t), append(ts, t)
			if sig.Variadic() && i == sig.Params().Len()-1 {
				a += "..."
			}
			args = append(args, a)
		}
		var results []string
		for v := range sig.Results().Variables() {
			results = append(results, l.typeText(v.Type()))
		}
		ret, res := "", ""
		if len(results) > 0 {
			ret, res = "return ", "("+strings.Join(results, ", ")+")"
		}
		return fmt.Sprintf("func %s(%s) %s { %s%s.Method(x, %q).(func(%s) %s)(%s) }", n,
			strings.Join(append([]string{"x any"}, params...), ", "), res, ret, rtName, name,
			strings.Join(append([]string{"any"}, ts...), ", "), res,
			strings.Join(append([]string{rtName + ".V(x)"}, args...), ", "))
	})
}

// registerMethods adds to the cell's prologue what makes the methods of boxed types known. It
// tells whether there were any that it had not looked at before.
func (l *lowerer) registerMethods() bool {
	var todo []*box.Desc
	for d := range l.boxed {
		if !l.described[d] {
			todo = append(todo, d)
			l.described[d] = true
		}
	}
	slices.SortFunc(todo, func(a, b *box.Desc) int { return strings.Compare(a.Name, b.Name) })
	for _, d := range todo {
		l.registerType(d)
	}
	return len(todo) > 0
}

// boxLate has new methods of earlier types registered with the types that were boxed before.
func (l *lowerer) boxLate(c *checked) {
	for _, m := range c.late {
		for _, d := range l.s.descs {
			if sel := types.NewMethodSet(d.Type).Lookup(l.s.scope.pkg, m.method.Name()); sel != nil && sel.Obj() == m.method {
				l.boxed[d] = true
			}
		}
	}
}

func (l *lowerer) registerType(d *box.Desc) {
	id := l.s.desc(d.Type)
	if types.IsInterface(d.Type) {
		return
	}
	ms := types.NewMethodSet(d.Type)
	for i := range ms.Len() {
		sel := ms.At(i)
		fn, ok := sel.Obj().(*types.Func)
		if !ok || !fn.Exported() && !isMain(fn.Pkg()) {
			continue
		}
		if !isMain(fn.Pkg()) && len(sel.Index()) == 1 {
			continue
		}
		key := fmt.Sprintf("%d.%s", id, fn.Name())
		if l.s.registered[key] && !l.redeclares(fn) || l.hasHidden(fn.Signature()) {
			continue
		}
		l.newMethods = append(l.newMethods, key)
		v := l.id("v")
		b := l.bindTo(v, d.Type, sel.Index(), fn)
		params, args := l.params(b.sig)
		call := l.methodCall(b, args, b.sig.Variadic())
		body := []ast.Stmt{l.define("v", l.taken(l.id("r"), d.Type))}
		body = append(append(body, l.nilReceiver("v", d.Type, sel.Index(), fn)...), l.returnCall(call, b.sig))
		lit := l.lit(append([]*ast.Field{l.param("r", l.id("any"))}, params...), l.resultFields(b.sig), body...)
		l.prologue = append(l.prologue, l.do(l.rt("Register", l.int(id), l.str(fn.Name()), lit)))
	}
}

// redeclares tells whether this cell gives a method a new body.
func (l *lowerer) redeclares(fn *types.Func) bool { _, ok := l.names[fn.Origin()]; return ok }

// hasHidden tells whether a signature mentions types that no other package can name.
func (l *lowerer) hasHidden(sig *types.Signature) bool {
	return mentionsType(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()), func(t types.Type) bool {
		n, ok := t.(*types.Named)
		return ok && n.Obj().Pkg() != nil && !isMain(n.Obj().Pkg()) && (!n.Obj().Exported() || n.TypeArgs().Len() > 0 && !l.hasInstance(n) || strings.Contains(n.Obj().Pkg().Path(), "internal"))
	}, 0)
}

// hasInstance tells whether an instance of a compiled generic type can be written: see typ.
func (l *lowerer) hasInstance(n *types.Named) bool {
	if _, isFunc := n.Underlying().(*types.Signature); isFunc && n.NumMethods() == 0 {
		return true
	}
	return l.instanceExport(n.Obj(), slices.Collect(n.TypeArgs().Types())) != nil || l.s.standIn(n) != nil
}
