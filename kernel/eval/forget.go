package eval

import (
	"fmt"
	"go/types"
	"slices"
)

// Forget removes names that cells have declared. A variable's value is dropped, so that its
// memory is free; functions that use the variable find its zero value. If one of the names is
// not declared, none is removed. It is for the time between cells.
func (s *Session) Forget(names ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if s.scope.objs[name] == nil {
			return fmt.Errorf("eval: %s is not declared in this session", name)
		}
		if slices.ContainsFunc(s.opt.Predeclared, func(p Predeclared) bool { return p.Name == name }) {
			return fmt.Errorf("eval: %s belongs to the session and cannot be removed", name)
		}
	}
	for _, name := range names {
		o := s.scope.objs[name]
		if v, ok := o.(*types.Var); ok {
			if p := s.vars[s.scope.emitted[v]]; p.IsValid() {
				p.Elem().SetZero()
			}
		}
		delete(s.scope.objs, name)
	}
	return nil
}
