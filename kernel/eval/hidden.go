package eval

import (
	"go/types"
	"reflect"
)

// hiddenType finds the compiled type of a type that its package does not export, such as that of
// graph.Empty, nil if there is no way to it: variables, constants, results of functions and methods, exported
// fields and elements of what the package exports lead there.
func (s *Session) hiddenType(n *types.Named) reflect.Type {
	pkg := n.Obj().Pkg()
	if n.TypeArgs().Len() > 0 {
		return nil
	}
	s.use(pkg.Path())
	w := &hiddenWalk{target: n.Obj(), seen: map[*types.Named]bool{}}
	table := s.table(pkg.Path())
	for _, name := range pkg.Scope().Names() {
		v, ok := table[name]
		if !ok || !v.IsValid() {
			continue
		}
		r := v.Type()
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.TypeName: // stands in the table as a nil pointer
			if r.Kind() == reflect.Pointer && !o.IsAlias() {
				w.walk(o.Type(), r.Elem())
			}
		case *types.Var, *types.Func, *types.Const:
			w.walk(o.Type(), r)
		}
		if w.found != nil {
			return w.found
		}
	}
	return nil
}

// A hiddenWalk goes through a type of go/types and the compiled one side by side.
type hiddenWalk struct {
	target *types.TypeName
	seen   map[*types.Named]bool
	found  reflect.Type
}

func (w *hiddenWalk) walk(t types.Type, r reflect.Type) {
	if w.found != nil {
		return
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		switch {
		case t.Obj() == w.target:
			if r.Name() == t.Obj().Name() && r.PkgPath() == t.Obj().Pkg().Path() {
				w.found = r
			}
		case t.Obj().Pkg() == w.target.Pkg() && t.TypeArgs().Len() == 0 && !w.seen[t]:
			w.seen[t] = true
			w.methods(t, r)
			w.walk(t.Underlying(), r)
		}
	case *types.Pointer:
		w.elem(t.Elem(), r, reflect.Pointer)
	case *types.Slice:
		w.elem(t.Elem(), r, reflect.Slice)
	case *types.Array:
		w.elem(t.Elem(), r, reflect.Array)
	case *types.Chan:
		w.elem(t.Elem(), r, reflect.Chan)
	case *types.Map:
		w.elem(t.Elem(), r, reflect.Map)
	case *types.Struct:
		if r.Kind() != reflect.Struct || r.NumField() != t.NumFields() {
			return
		}
		for i := range t.NumFields() {
			w.walk(t.Field(i).Type(), r.Field(i).Type)
		}
	case *types.Signature:
		w.signature(t, r, 0)
	}
}

func (w *hiddenWalk) elem(t types.Type, r reflect.Type, k reflect.Kind) {
	if r.Kind() == k {
		w.walk(t, r.Elem())
	}
}

// signature compares a function's type, whose first parameters may be a method's receiver.
func (w *hiddenWalk) signature(t *types.Signature, r reflect.Type, receivers int) {
	if r.Kind() != reflect.Func || r.NumIn() != t.Params().Len()+receivers || r.NumOut() != t.Results().Len() {
		return
	}
	for i := range t.Params().Len() {
		w.walk(t.Params().At(i).Type(), r.In(i+receivers))
	}
	for i := range t.Results().Len() {
		w.walk(t.Results().At(i).Type(), r.Out(i))
	}
}

func (w *hiddenWalk) methods(n *types.Named, r reflect.Type) {
	set, receivers := types.NewMethodSet(n), 0
	if !types.IsInterface(n) {
		set, receivers = types.NewMethodSet(types.NewPointer(n)), 1
		r = reflect.PointerTo(r)
	}
	for sel := range set.Methods() {
		if m, ok := r.MethodByName(sel.Obj().Name()); ok && sel.Obj().Exported() {
			w.signature(sel.Type().(*types.Signature), m.Type, receivers)
		}
	}
}
