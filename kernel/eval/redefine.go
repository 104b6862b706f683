package eval

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// A function that is declared again with the type it had replaces the earlier one also for the
// functions that call it: each call asks what it is to call now (see invoke.go). What takes the function as a value
// has it bound when yaegi compiles it, so functions that do so are compiled again, under a new name, and replaced in turn. Function literals in the statements of cells, which exist already, take it from variables that are
// set anew. A value that was taken stays what it was, and calls what has been declared last.

// indirect gives the name by which the value of a function is taken here.
func (l *lowerer) indirect(name, declared string, sig *types.Signature) string {
	if !l.cellBody || l.litDepth == 0 {
		return name
	}
	if v, ok := l.funcVars[name]; ok {
		return v
	}
	if v, ok := l.s.funcVars[name]; ok {
		return v
	}
	v := l.s.scope.generation(declared + "ʹv")
	l.out = append(l.out, l.varDecl(v, l.funcType(sig)))
	l.funcVars[name] = v
	return v
}

// A renaming is what a cell does to the functions of earlier cells.
type renaming struct {
	names  map[string]string // earlier name in the output -> new name
	again  []*emitted        // functions to compile again, renamed already
	thunks []*thunk          // registrations of methods to repeat, renamed already
	stale  []string          // functions that keep calling an earlier one of another type
}

// A thunk is the registration of a method of a boxed type.
type thunk struct {
	stmt ast.Stmt
	refs map[string]bool
}

// redefine finds what has to be compiled again because the cell declares functions anew.
func (l *lowerer) redefine(c *checked) *renaming {
	r := &renaming{names: maps.Clone(l.renewed)}
	gone := map[string]bool{}
	for o, name := range l.names {
		was, ok := l.s.replaced(o)
		if !ok || was == name {
			continue
		}
		before := l.s.replacedType(o)
		if _, isFunc := o.(*types.Func); isFunc && before != nil && types.Identical(before, o.Type()) {
			r.names[was] = name
		} else {
			gone[was] = true
		}
	}
	mine := map[string]bool{}
	for _, f := range l.funcs {
		mine[f.name] = true
	}
	for changed := len(r.names) > 0; changed; {
		var again []string
		for name, f := range l.s.funcs {
			if r.names[name] == "" && !mine[name] && l.s.live[name] && usesAny(f.held, r.names) {
				again = append(again, name)
			}
		}
		slices.Sort(again)
		for _, name := range again {
			f := l.s.funcs[name]
			r.names[name] = l.s.scope.generation(f.show)
			r.again = append(r.again, f)
		}
		changed = len(again) > 0
	}
	if len(gone) > 0 {
		for name, f := range l.s.funcs {
			if l.s.live[name] && r.names[name] == "" && usesAny(f.refs, gone) {
				r.stale = append(r.stale, f.show)
			}
		}
		slices.Sort(r.stale)
	}
	for _, t := range l.s.thunks {
		if usesAny(t.refs, r.names) {
			r.thunks = append(r.thunks, t)
		}
	}
	return r
}

// usesAny tells whether one of some names, which are few as a rule, is used.
func usesAny[V any](refs map[string]bool, names map[string]V) bool {
	for n := range names {
		if refs[n] {
			return true
		}
	}
	return false
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

// apply renames within syntax that has been compiled before; undo is its inverse.
func (r *renaming) apply(names map[string]string) {
	for _, f := range r.again {
		renameIn(f.decl, names)
	}
	for _, t := range r.thunks {
		renameIn(t.stmt, names)
	}
}

func renameIn(n ast.Node, names map[string]string) {
	identsIn(n, func(id *ast.Ident) {
		if now, ok := names[id.Name]; ok {
			id.Name = now
		}
	})
}

func identsIn(n ast.Node, f func(id *ast.Ident)) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			f(id)
		}
		return true
	})
}

func (r *renaming) undo() {
	back := map[string]string{}
	for a, b := range r.names {
		back[b] = a
	}
	r.apply(back)
}

func renameRefs(refs map[string]bool, names map[string]string) {
	for a, b := range names {
		if refs[a] {
			delete(refs, a)
			refs[b] = true
		}
	}
}
