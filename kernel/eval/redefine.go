package eval

import (
	"go/types"
	"maps"
	"slices"
)

// A function that is declared again with the type it had replaces the earlier one also for all that calls it: each
// call, and each value that is taken of a function, asks what stands in its place now (see functions.go). A value
// that was taken stays what it was, and calls what has been declared last.

// A redefinition is what a cell does to the functions of earlier cells.
type redefinition struct {
	names map[string]string // earlier name in the output -> new name
	stale []string          // functions that keep calling an earlier one of another type
}

// redefine finds which functions of earlier cells the cell declares again.
func (l *lowerer) redefine(c *checked) *redefinition {
	r := &redefinition{names: maps.Clone(l.renewed)}
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
	if len(gone) > 0 {
		for name, f := range l.s.funcs {
			if r.names[name] == "" && usesAny(f.refs, gone) {
				r.stale = append(r.stale, f.show)
			}
		}
		slices.Sort(r.stale)
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

func renameRefs(refs map[string]bool, names map[string]string) {
	for a, b := range names {
		if refs[a] {
			delete(refs, a)
			refs[b] = true
		}
	}
}
