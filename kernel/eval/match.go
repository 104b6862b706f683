package eval

import (
	"errors"
	"go/types"
	"reflect"
	"strings"

	"trivium/kernel/symbols/box"
)

// What type assertions, type switches and errors.As ask at run time.

func (s *Session) matcherAt(id int) *matcher {
	s.tableMu.RLock()
	defer s.tableMu.RUnlock()
	return s.matchers[id]
}

func (s *Session) rtIs(id int, x any) bool { return s.matches(s.matcherAt(id), x) }

func (s *Session) matches(m *matcher, x any) bool {
	if x == nil {
		return false
	}
	o, boxed := box.Of(x)
	switch {
	case m.iface:
		if boxed {
			return types.Implements(o.D.Type, m.t.Underlying().(*types.Interface))
		}
		if m.rtype != nil {
			return reflect.TypeOf(x).Implements(m.rtype)
		}
		return s.implements(reflect.TypeOf(x), m.t.Underlying().(*types.Interface))
	case m.desc != nil:
		return boxed && o.D == m.desc
	}
	return !boxed && reflect.TypeOf(x) == m.rtype
}

// implements tells whether a compiled type has the methods of an interface.
func (s *Session) implements(t reflect.Type, it *types.Interface) bool {
	for m := range it.Methods() {
		if !s.hasMethod(t, m) {
			return false
		}
	}
	return true
}

// hasMethod tells whether a compiled type has a method of an interface. It has none that mentions a type declared
// in a cell, which is any under yaegi if it is an interface.
func (s *Session) hasMethod(t reflect.Type, m *types.Func) bool {
	rm, ok := t.MethodByName(m.Name())
	if !ok || mentionsType(m.Signature(), func(t types.Type) bool {
		n, ok := t.(*types.Named)
		return ok && isMain(n.Obj().Pkg())
	}, 0) {
		return false
	}
	have, want := rm.Type, m.Signature()
	if have.NumIn()-1 != want.Params().Len() || have.NumOut() != want.Results().Len() || have.IsVariadic() != want.Variadic() {
		return false
	}
	for i := range want.Params().Len() {
		if !s.isType(have.In(i+1), want.Params().At(i).Type()) {
			return false
		}
	}
	for i := range have.NumOut() {
		if !s.isType(have.Out(i), want.Results().At(i).Type()) {
			return false
		}
	}
	return true
}

// isType tells whether a compiled type is the type t, which no cell declares.
func (s *Session) isType(have reflect.Type, t types.Type) bool {
	if rt := s.rtype(t); rt != nil {
		return have == rt
	}
	if it, ok := types.Unalias(t).(*types.Interface); ok {
		return have.Kind() == reflect.Interface && have.Name() == "" && have.NumMethod() == it.NumMethods()
	}
	return true
}

// asInterface gives x as a value of a compiled interface.
func (s *Session) asInterface(x any, t types.Type, rt reflect.Type) (any, bool) {
	if x == nil {
		return nil, false
	}
	if o, ok := box.Of(x); ok {
		return s.wrapped(o, ifaceKey(t))
	}
	return x, reflect.TypeOf(x).Implements(rt)
}

func (s *Session) rtMust(id int, static string, x any) any {
	m := s.matcherAt(id)
	if s.matches(m, x) {
		if m.iface {
			return s.rtNorm(x)
		}
		return s.rtV(x)
	}
	if static == "interface {}" || strings.HasPrefix(static, "interface {") {
		static = "interface"
		if !m.iface {
			static = "interface {}"
		}
	}
	switch {
	case x == nil && m.iface:
		panic(plainError("interface conversion: interface is nil, not " + m.name))
	case x == nil:
		panic(plainError("interface conversion: " + static + " is nil, not " + m.name))
	case m.iface:
		panic(plainError("interface conversion: " + typeNameOf(x) + " is not " + m.name + ": missing method " + s.missing(m, x)))
	}
	text := "interface conversion: " + static + " is " + typeNameOf(x) + ", not " + m.name
	if typeNameOf(x) == m.name {
		text += " (declared again since the value was made)"
	}
	panic(plainError(text))
}

func (s *Session) missing(m *matcher, x any) string {
	it := m.t.Underlying().(*types.Interface)
	if o, ok := box.Of(x); ok {
		if f, _ := types.MissingMethod(o.D.Type, it, true); f != nil {
			return f.Name()
		}
		return ""
	}
	for f := range it.Methods() {
		if !s.hasMethod(reflect.TypeOf(x), f) {
			return f.Name()
		}
	}
	return ""
}

func typeNameOf(x any) string {
	if o, ok := box.Of(x); ok {
		return o.D.Name
	}
	return reflect.TypeOf(x).String()
}

// rtWhich gives the number of the first case of a type switch that x matches, -1 for none.
func (s *Session) rtWhich(table int, x any) int {
	s.tableMu.RLock()
	cases := s.switches[table]
	s.tableMu.RUnlock()
	for i, m := range cases {
		if m < 0 && x == nil || m >= 0 && s.matches(s.matcherAt(m), x) {
			return i
		}
	}
	return -1
}

func (s *Session) switchTable(cases []int) int {
	s.tableMu.Lock()
	defer s.tableMu.Unlock()
	s.switches = append(s.switches, cases)
	return len(s.switches) - 1
}

// found is what rtFindAs gives when an error's own As method has set the target.
var found any = "found"

// rtFindAs is the search of errors.As.
func (s *Session) rtFindAs(id int, err error, target any) any {
	m := s.matcherAt(id)
	var walk func(error) any
	walk = func(err error) any {
		for err != nil {
			if s.matches(m, err) {
				return err
			}
			if x, ok := err.(interface{ As(any) bool }); ok && x.As(target) {
				return found
			}
			if u, ok := err.(interface{ Unwrap() []error }); ok {
				for _, e := range u.Unwrap() {
					if v := walk(e); v != nil {
						return v
					}
				}
				return nil
			}
			err = errors.Unwrap(err)
		}
		return nil
	}
	return walk(err)
}
