package eval

import (
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"unsafe"
)

// splitTypes takes the declarations of types, and the imports, out of a lowered cell that declares
// recursive ones.
func (p *program) splitTypes(s *Session) (first *ast.File) {
	recursive := false
	for _, t := range p.l.structs {
		recursive = recursive || s.cyclic(t)
	}
	if !recursive {
		return nil
	}
	first = &ast.File{Package: p.file.Package, Name: p.file.Name}
	var rest []ast.Decl
	for _, d := range p.file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && (g.Tok == token.TYPE || g.Tok == token.IMPORT) {
			first.Decls = append(first.Decls, d)
		} else {
			rest = append(rest, d)
		}
	}
	p.file.Decls = rest
	return first
}

// teach makes yaegi represent the structs of the cell, whose declarations it has compiled, by the
// types that [Session.shape] makes. What it has made itself on the way is forgotten.
func (s *Session) teach(structs map[string]*types.Named) error {
	scopes := reflect.ValueOf(s.in).Elem().FieldByName("scopes")
	if scopes.Kind() != reflect.Map {
		return errors.New("eval: this version of the interpreter has no scopes")
	}
	main := scopes.MapIndex(reflect.ValueOf("main"))
	if !main.IsValid() {
		return errors.New("eval: the interpreter has no package main")
	}
	syms := main.Elem().FieldByName("sym")
	shapes := map[string]reflect.Type{}
	for name, t := range structs {
		if shapes[name] = s.shape(t); shapes[name] == nil {
			return errors.New("eval: no type for " + name)
		}
	}
	seen := map[unsafe.Pointer]bool{}
	var walk func(it reflect.Value)
	walk = func(it reflect.Value) { // a *itype
		if it.IsNil() || seen[it.UnsafePointer()] {
			return
		}
		seen[it.UnsafePointer()] = true
		v := it.Elem()
		rtype := (*reflect.Type)(unsafe.Pointer(v.FieldByName("rtype").UnsafeAddr()))
		parts := 0
		for _, f := range []string{"val", "key", "ptr"} {
			if x := v.FieldByName(f); !x.IsNil() {
				if f != "ptr" {
					parts++
				}
				walk(x)
			}
		}
		for _, f := range []string{"arg", "ret"} {
			for i := range v.FieldByName(f).Len() {
				parts++
				walk(v.FieldByName(f).Index(i))
			}
		}
		fields := v.FieldByName("field")
		for i := range fields.Len() {
			parts++
			walk(fields.Index(i).FieldByName("typ"))
		}
		name := v.FieldByName("name").String()
		if r, ok := shapes[name]; ok && v.FieldByName("path").String() == "main" {
			*rtype = r
		} else if name == "" && parts > 0 {
			*rtype = nil
		}
	}
	for name := range structs {
		sym := syms.MapIndex(reflect.ValueOf(name))
		if !sym.IsValid() || sym.Elem().FieldByName("typ").IsNil() {
			return errors.New("eval: the interpreter does not know " + name)
		}
		walk(sym.Elem().FieldByName("typ"))
	}
	return nil
}
