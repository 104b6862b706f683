package main

import (
	"bytes"
	"fmt"
	"go/types"
	"strings"
)

// writeWrappers adds the Wrappers field of the package's table and gives the declarations of
// the wrapper types, which follow the table.
func writeWrappers(s *source, p *pkg) string {
	var decls bytes.Buffer
	first := true
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		o, ok := scope.Lookup(name).(*types.TypeName)
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
			impossible[key] = why
			continue
		}
		if first {
			s.printf("Wrappers: []table.Wrapper{\n")
			first = false
		}
		s.imports[boxPath] = true
		typ := "w_" + mangle(key)
		s.printf("{Key: %q, Of: func(o box.Obj) any { return %s{o} }},\n", key, typ)
		writeWrapper(&decls, s, typ, methodsOf(it))
	}
	if !first {
		s.printf("},\n")
	}
	return decls.String()
}

var (
	wrappedAt  = map[string]bool{}   // paths of the packages that get tables
	impossible = map[string]string{} // interfaces without wrapper: why
)

// cannotWrap says why no type outside the interface's package can implement it, or why its
// methods cannot be written down elsewhere.
func cannotWrap(it *types.Interface) string {
	for m := range it.Methods() {
		if !m.Exported() {
			return "has the unexported method " + m.Name()
		}
		if t := hidden(m.Signature(), nil); t != "" {
			return "method " + m.Name() + " mentions " + t + ", which other packages cannot name"
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

// writeWrapper declares a wrapper type: a box.Obj whose methods call the cell's.
func writeWrapper(w *bytes.Buffer, s *source, typ string, methods []method) {
	fmt.Fprintf(w, "\ntype %s struct{ box.Obj }\n\n", typ)
	for _, m := range methods {
		var params, args, thunk []string
		for i := range m.sig.Params().Len() {
			t := m.sig.Params().At(i).Type()
			ts, arg := s.typ(t), fmt.Sprintf("a%d", i)
			params = append(params, arg+" "+ts)
			if m.sig.Variadic() && i == m.sig.Params().Len()-1 {
				ts = "..." + s.typ(t.(*types.Slice).Elem())
				params[i] = arg + " " + ts
				arg += "..."
			}
			args, thunk = append(args, arg), append(thunk, ts)
		}
		results := ""
		if n := m.sig.Results().Len(); n > 0 {
			var l []string
			for i := range n {
				l = append(l, s.typ(m.sig.Results().At(i).Type()))
			}
			results = "(" + strings.Join(l, ", ") + ")"
		}
		ret := ""
		if results != "" {
			ret = "return "
		}
		fmt.Fprintf(w, "func (w %s) %s(%s) %s { %sbox.M(w.Obj, %q).(func(%s) %s)(%s) }\n",
			typ, m.name, strings.Join(params, ", "), results, ret, m.name,
			strings.Join(append([]string{"any"}, thunk...), ", "), results,
			strings.Join(append([]string{"w.Obj.V"}, args...), ", "))
	}
}
