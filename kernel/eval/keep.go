package eval

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"maps"
	"slices"
)

// A cell that is run again declares its types again. A type whose definition means what it meant stays the
// type it was, so that values, functions and methods of other cells still fit; the cell's methods then take
// the place of those it had, as methods declared in a later cell do. A generic type stays if its methods are the same, too.

// A definition is what a cell says of a type.
type definition struct {
	text    string
	names   []string          // that the text uses
	means   map[string]any    // what they stood for: an object, an import path, nil
	methods map[string]string // in the cell of the type, with their text
	generic bool
}

// definitions gives those of the types that the cell declares, without what their names mean.
func (p *parsed) definitions(fset *token.FileSet) map[string]*definition {
	defs, find := map[string]*definition{}, p.namesOf()
	for _, d := range p.decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, sp := range g.Specs {
			ts := sp.(*ast.TypeSpec)
			if ts.Assign == token.NoPos {
				defs[ts.Name.Name] = &definition{text: source(fset, ts), names: find.in(ts), methods: map[string]string{}, generic: ts.TypeParams != nil}
			}
		}
	}
	if len(defs) == 0 {
		return nil
	}
	for _, d := range p.decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv != nil && len(fd.Recv.List) > 0 {
			if def := defs[receiver(fd)]; def != nil {
				def.methods[fd.Name.Name] = source(fset, fd)
				if def.generic { // they are not looked at again
					def.names = append(def.names, find.in(fd)...)
				}
			}
		}
	}
	return defs
}

func source(fset *token.FileSet, n ast.Node) string {
	var b bytes.Buffer
	printer.Fprint(&b, fset, n)
	return b.String()
}

// A namesOf finds the names in a declaration of a cell that stand for something outside it.
type namesOf struct {
	free map[*ast.Ident]bool // declared nowhere in the cell's declarations
	top  map[any]bool        // declarations at the top of the cell
}

func (p *parsed) namesOf() namesOf {
	f := namesOf{map[*ast.Ident]bool{}, map[any]bool{}}
	for _, id := range p.freeTop {
		f.free[id] = true
	}
	for _, d := range p.decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, sp := range d.Specs {
				f.top[sp] = true
			}
		case *ast.FuncDecl:
			f.top[d] = true
		}
	}
	return f
}

func (f namesOf) in(n ast.Node) (names []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (f.free[id] || id.Obj != nil && f.top[id.Obj.Decl]) {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// keepTypes takes out of a cell, and of the names that it declares, the types that stay as they are. It returns the
// definitions of all.
func (s *Session) keepTypes(p *parsed, declared map[string]bool) map[string]*definition {
	defs, kept := p.definitions(s.fset), map[string]bool{}
	for name, def := range defs {
		o, _ := s.scope.objs[name].(*types.TypeName)
		was := s.definitions[o]
		if o == nil || was == nil || was.text != def.text {
			continue
		}
		same := func(m string) bool { _, ok := def.methods[m]; return ok }
		lost := slices.DeleteFunc(slices.Collect(maps.Keys(was.methods)), same)
		if len(lost) == 0 && (!def.generic || maps.Equal(was.methods, def.methods)) {
			kept[name] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for name := range kept {
			was := s.definitions[s.scope.objs[name].(*types.TypeName)]
			for _, n := range defs[name].names {
				if declared[n] && !kept[n] || !declared[n] && was.means[n] != s.meaning(p, n) {
					delete(kept, name)
					changed = true
					break
				}
			}
		}
	}
	if len(kept) == 0 {
		return defs
	}
	for name := range kept {
		delete(declared, name)
	}
	var decls []ast.Decl
	for _, d := range p.decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.TYPE {
				rest := *d
				rest.Specs = slices.DeleteFunc(slices.Clone(d.Specs), func(sp ast.Spec) bool { return kept[sp.(*ast.TypeSpec).Name.Name] })
				if len(rest.Specs) == 0 {
					continue
				}
				decls = append(decls, &rest)
				continue
			}
		case *ast.FuncDecl:
			if d.Recv != nil && len(d.Recv.List) > 0 && kept[receiver(d)] && defs[receiver(d)].generic {
				continue
			}
		}
		decls = append(decls, d)
	}
	p.decls = decls
	return defs
}

// meaning is what a name stands for that a cell uses and does not declare.
func (s *Session) meaning(p *parsed, name string) any {
	if o := s.scope.objs[name]; o != nil {
		return o
	}
	if path := s.path(p, name); path != "" {
		return path
	}
	return nil
}

// define notes what the cell says of its types, when its names are the session's.
func (s *Session) define(c *checked) {
	for name, def := range c.definitions {
		o, ok := s.scope.objs[name].(*types.TypeName)
		if !ok {
			continue
		}
		def.means = map[string]any{}
		for _, n := range def.names {
			def.means[n] = s.meaning(c.parsed, n)
		}
		s.definitions[o] = def
	}
}
