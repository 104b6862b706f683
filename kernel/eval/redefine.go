package eval

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// A function that is declared again with the type it had replaces the earlier one also for all that calls it: each
// call, and each value that is taken of a function, asks what stands in its place now (see functions.go). A value
// that was taken stays what it was, and calls what has been declared last.

// A redefinition is what a cell does to the functions of earlier cells.
type redefinition struct {
	names map[string]string // earlier name in the output -> new name
	stale []staleUse
}

// A staleUse is a function that goes on with what was declared before.
type staleUse struct{ function, what string }

// redefine finds which functions of earlier cells the cell declares again.
func (l *lowerer) redefine(c *checked) *redefinition {
	r := &redefinition{names: maps.Clone(l.renewed)}
	gone := map[string]string{} // what functions keep using, with how it is told of
	for o, name := range l.names {
		was, ok := l.s.replaced(o)
		if !ok || was == name {
			continue
		}
		before := l.s.replacedType(o)
		if _, isFunc := o.(*types.Func); isFunc && before != nil && types.Identical(before, o.Type()) {
			r.names[was] = name
		} else {
			gone[was] = "the earlier " + o.Name() + ", which had another type"
			if before != nil && types.Identical(before, o.Type()) {
				gone[was] = "the function " + o.Name()
			}
		}
	}
	for name, o := range l.fresh {
		switch was := l.s.scope.objs[name].(type) {
		case *types.Const:
			if _, ok := o.(*types.Const); !ok || identity(o) != identity(was) {
				gone[identity(was)] = "the earlier " + name + ", " + was.Val().String()
			}
		case *types.TypeName:
			if !types.Identical(was.Type(), o.Type()) {
				gone[identity(was)] = "the earlier type " + name
			}
		}
	}
	for _, m := range c.late {
		if named := namedOf(m.method.Signature().Recv().Type()); named != nil {
			gone[promoted(named.Obj(), m.method.Name())] = "the " + m.method.Name() + " that " + named.Obj().Name() + " had from what it embeds"
		}
	}
	if len(gone) == 0 {
		return r
	}
	for name, f := range l.s.funcs {
		if r.names[name] != "" || gone[name] != "" {
			continue
		}
		var uses []string
		for n, what := range gone {
			if f.refs[n] {
				uses = append(uses, what)
			}
		}
		if len(uses) > 0 {
			slices.Sort(uses)
			r.stale = append(r.stale, staleUse{f.show, strings.Join(uses, ", and ")})
		}
	}
	slices.SortFunc(r.stale, func(a, b staleUse) int { return cmp.Compare(a.function, b.function) })
	return r
}

// identity is what refs have of a constant or type, which have no name in the output that is only theirs.
func identity(o types.Object) string {
	if c, ok := o.(*types.Const); ok {
		return o.Name() + "ʹ" + typeString(o.Type()) + "ʹ" + c.Val().ExactString()
	}
	return o.Name() + "ʹ" + itoa(int(o.Pos()))
}

// refersTo notes the constants and types that a declaration uses, but for the type that it is a method of, and the members
// that it selects from what a type embeds.
func (l *lowerer) refersTo(fd *ast.FuncDecl, show string) {
	own, _, _ := strings.Cut(strings.TrimLeft(show, "(*"), ".") // a method that is declared later has no receiver here
	own = strings.TrimRight(own, ")")
	if fd.Recv != nil {
		own = receiver(fd)
	}
	ast.Inspect(fd, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			o := l.info.Uses[n]
			switch o.(type) {
			case *types.Const, *types.TypeName:
				if o.Name() != own && isMain(o.Pkg()) && o.Parent() == l.s.scope.pkg.Scope() {
					l.refs[identity(o)] = true
				}
			}
		case *ast.SelectorExpr:
			if sel := l.info.Selections[n]; sel != nil && len(sel.Index()) > 1 {
				if named := namedOf(sel.Recv()); named != nil && isMain(named.Obj().Pkg()) {
					l.refs[promoted(named.Obj(), n.Sel.Name)] = true
				}
			}
		}
		return true
	})
}

// promoted is what refs have of a field or method that a type has from what it embeds.
func promoted(t *types.TypeName, name string) string { return identity(t) + "ʹ" + name }

// namedOf gives the type with a name that values or pointers have, nil if there is none.
func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// replaced gives the name in the output of what an object takes the place of.
func (s *Session) replaced(o types.Object) (string, bool) {
	if fn, ok := o.(*types.Func); ok && fn.Signature().Recv() != nil {
		n, ok := s.scope.emitted[o] // a late method with a new body
		if ok {
			return n, true
		}
		return "", false
	}
	before, ok := s.scope.objs[o.Name()]
	if !ok {
		return "", false
	}
	n, ok := s.scope.emitted[before]
	return n, ok
}

func (s *Session) replacedType(o types.Object) types.Type {
	if fn, ok := o.(*types.Func); ok && fn.Signature().Recv() != nil {
		return o.Type()
	}
	if before, ok := s.scope.objs[o.Name()]; ok {
		return before.Type()
	}
	return nil
}

func renameRefs(refs map[string]bool, names map[string]string) {
	for a, b := range names {
		if refs[a] {
			delete(refs, a)
			refs[b] = true
		}
	}
}
