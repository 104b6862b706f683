package main

import (
	"bytes"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"trivium/kernel/symbols/box"
)

// writeWrappers adds the Wrappers field of the package's table and gives the declarations of
// the wrapper types, which follow the table.
func writeWrappers(s *source, p *pkg, x ifaces) (string, error) {
	var decls bytes.Buffer
	var entries, refused []string
	add := func(key, of string) {
		s.imports[boxPath] = true
		entries = append(entries, fmt.Sprintf("{Key: %q, Of: %s},\n", key, of))
	}
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.TypeName)
		if ok && o.Exported() && !o.IsAlias() {
			wrapInstances(&decls, s, o, add)
		}
		if !ok || !o.Exported() || !isValueType(o.Type()) {
			continue
		}
		it, ok := o.Type().Underlying().(*types.Interface)
		if !ok || it.NumMethods() == 0 {
			continue
		}
		named, ok := types.Unalias(o.Type()).(*types.Named)
		if !ok || named.Obj().Pkg() == nil {
			continue // another name of error or any
		}
		home := named.Obj().Pkg().Path()
		if home != p.ImportPath && wrappedAt[home] {
			continue // another name of an interface that has its wrapper at home
		}
		key := home + "." + named.Obj().Name()
		if why := cannotWrap(it); why != "" {
			refused = append(refused, fmt.Sprintf("{Key: %q, Why: %q},\n", key, why))
			continue
		}
		if optional[key] != nil {
			f, err := writeVariants(&decls, s, x, key)
			if err != nil {
				return "", err
			}
			add(key, f)
			continue
		}
		typ := "w_" + mangle(key)
		add(key, "func(o box.Obj) any { return "+typ+"{o} }")
		writeWrapper(&decls, s, typ, methodsOf(it))
	}
	for i, it := range unnamed(p.types) {
		typ := fmt.Sprintf("w_%s_%d", mangle(p.ImportPath), i)
		add(types.TypeString(it, nil), "func(o box.Obj) any { return "+typ+"{o} }")
		writeWrapper(&decls, s, typ, methodsOf(it))
	}
	if len(entries) > 0 {
		s.printf("Wrappers: []table.Wrapper{\n%s},\n", strings.Join(entries, ""))
	}
	if len(refused) > 0 {
		s.printf("Refused: []table.Refusal{\n%s},\n", strings.Join(refused, ""))
	}
	return decls.String(), nil
}

// wrapInstances writes wrappers for those instances of a generic interface that are in the table.
func wrapInstances(w *bytes.Buffer, s *source, o *types.TypeName, add func(key, of string)) {
	named, ok := o.Type().(*types.Named)
	if !ok || named.TypeParams().Len() == 0 || !types.IsInterface(named) {
		return
	}
	for _, args := range instances(named.TypeParams()) {
		inst, err := types.Instantiate(nil, named, args, true)
		if err != nil {
			continue
		}
		it := inst.Underlying().(*types.Interface)
		if it.NumMethods() == 0 || cannotWrap(it) != "" {
			continue
		}
		key := o.Pkg().Path() + "." + box.Instance(o.Name(), args...)
		typ := "w_" + mangle(key)
		add(key, "func(o box.Obj) any { return "+typ+"{o} }")
		writeWrapper(w, s, typ, methodsOf(it))
	}
}

// unnamed lists the interface types without a name that parameters of the package's
// functions and methods have.
func unnamed(p *types.Package) []*types.Interface {
	found := map[string]*types.Interface{}
	look := func(sig *types.Signature) {
		if sig.TypeParams().Len() > 0 {
			return
		}
		for v := range sig.Params().Variables() {
			t := v.Type()
			if s, ok := t.(*types.Slice); ok {
				t = s.Elem()
			}
			if it, ok := t.(*types.Interface); ok && it.NumMethods() > 0 && cannotWrap(it) == "" {
				found[types.TypeString(it, nil)] = it
			}
		}
	}
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Func:
			look(o.Signature())
		case *types.TypeName:
			if n, ok := o.Type().(*types.Named); ok && n.TypeParams().Len() == 0 {
				for m := range n.Methods() {
					if m.Exported() {
						look(m.Signature())
					}
				}
			}
		}
	}
	var l []*types.Interface
	for _, key := range slices.Sorted(maps.Keys(found)) {
		l = append(l, found[key])
	}
	return l
}

var wrappedAt = map[string]bool{} // paths of the packages that get tables

// cannotWrap says why no type outside the interface's package can implement it, or why its
// methods cannot be written down elsewhere. The text goes on after "because it".
func cannotWrap(it *types.Interface) string {
	for m := range it.Methods() {
		if !m.Exported() {
			return "has the unexported method " + m.Name()
		}
		if t := hidden(m.Signature(), nil); t != "" {
			return "has the method " + m.Name() + ", which mentions " + t + ", a type that other packages cannot name"
		}
	}
	return ""
}

// hidden gives a type within t that only some packages can name, "" if there is none.
func hidden(t types.Type, seen []types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		if o := t.Obj(); o.Pkg() == nil || o.Exported() && importable(o.Pkg().Path()) {
			return ""
		}
		return t.String()
	case *types.Named:
		for a := range t.TypeArgs().Types() {
			if h := hidden(a, seen); h != "" {
				return h
			}
		}
		if o := t.Obj(); o.Pkg() == nil || o.Exported() && importable(o.Pkg().Path()) {
			return ""
		}
		return t.String()
	case *types.Signature:
		for v := range t.Params().Variables() {
			if h := hidden(v.Type(), seen); h != "" {
				return h
			}
		}
		for v := range t.Results().Variables() {
			if h := hidden(v.Type(), seen); h != "" {
				return h
			}
		}
	case *types.Map:
		if h := hidden(t.Key(), seen); h != "" {
			return h
		}
		return hidden(t.Elem(), seen)
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return hidden(t.Elem(), seen)
	case *types.Struct:
		for f := range t.Fields() {
			if !f.Exported() {
				return "a struct with the field " + f.Name()
			}
			if h := hidden(f.Type(), seen); h != "" {
				return h
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if !m.Exported() {
				return "an interface with the method " + m.Name()
			}
			if h := hidden(m.Type(), seen); h != "" {
				return h
			}
		}
	}
	return ""
}

func importable(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "internal" || part == "vendor" {
			return false
		}
	}
	return true
}

// method is a method of a wrapper: its parameters a0, a1, … and its results.
type method struct {
	name string
	sig  *types.Signature
}

func methodsOf(it *types.Interface) []method {
	var l []method
	for m := range it.Methods() {
		l = append(l, method{m.Name(), m.Signature()})
	}
	return l
}

// writeWrapper declares a wrapper type: a box.Obj whose methods call the cell's. Format it has
// from the Obj, which calls the cell's. One that is an error also answers package errors and
// log/slog, see [trivium/kernel/symbols/box.Error].
func writeWrapper(w *bytes.Buffer, s *source, typ string, methods []method) {
	s.imports[boxPath] = true
	fmt.Fprintf(w, "\ntype %s struct{ box.Obj }\n\n", typ)
	names := map[string]bool{}
	for _, m := range methods {
		names[m.name] = true
		if p := m.sig.Params(); m.name == "Format" && p.Len() == 2 && p.At(0).Type().String() == "fmt.State" {
			continue
		}
		params, args := s.params(m)
		ret := ""
		if m.sig.Results().Len() > 0 {
			ret = "return "
		}
		fmt.Fprintf(w, "func (w %s) %s(%s) %s { %sbox.M(w.Obj, %q).(%s)(%s) }\n",
			typ, m.name, strings.Join(params, ", "), s.results(m), ret, m.name, s.thunk(m),
			strings.Join(append([]string{"w.Obj.V"}, args...), ", "))
	}
	if !names["Error"] {
		return
	}
	if !names["LogValue"] {
		s.imports["log/slog"] = true
		fmt.Fprintf(w, "func (w %s) LogValue() log_slog.Value { return box.LogValue(w.Obj) }\n", typ)
	}
	for _, m := range []struct{ name, sig, call string }{
		{"Unwrap", "() error", "box.Unwrap(w.Obj)"},
		{"Is", "(target error) bool", "box.Is(w.Obj, target)"},
		{"As", "(target any) bool", "box.As(w.Obj, target)"},
	} {
		if !names[m.name] {
			fmt.Fprintf(w, "func (w %s) %s%s { return %s }\n", typ, m.name, m.sig, m.call)
		}
	}
}

// params gives the parameters of a method as declared, a0 T0, and as passed on, a0.
func (s *source) params(m method) (params, args []string) {
	for i := range m.sig.Params().Len() {
		t, arg := s.typ(m.sig.Params().At(i).Type()), fmt.Sprintf("a%d", i)
		if m.variadic(i) {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		params = append(params, arg+" "+t)
		if m.variadic(i) {
			arg += "..."
		}
		args = append(args, arg)
	}
	return params, args
}

func (m method) variadic(i int) bool { return m.sig.Variadic() && i == m.sig.Params().Len()-1 }

func (s *source) results(m method) string {
	if m.sig.Results().Len() == 0 {
		return ""
	}
	var l []string
	for v := range m.sig.Results().Variables() {
		l = append(l, s.typ(v.Type()))
	}
	return "(" + strings.Join(l, ", ") + ")"
}

// thunk is the type of the function that box.Desc holds for a method.
func (s *source) thunk(m method) string {
	l := []string{"any"}
	for i := range m.sig.Params().Len() {
		t := s.typ(m.sig.Params().At(i).Type())
		if m.variadic(i) {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		l = append(l, t)
	}
	return "func(" + strings.Join(l, ", ") + ") " + s.results(m)
}
