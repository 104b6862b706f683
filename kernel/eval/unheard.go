package eval

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"trivium/kernel/symbols/box"
)

// wrapped gives a cell's value as a compiled interface, by its key: in the wrapper made for that, or where compiled code asks
// the interface's values for methods that the wrapper has not and the type has, as its mirror, which has all.
func (s *Session) wrapped(o box.Obj, key string) (any, bool) {
	wrap, ok := s.opt.Symbols.Wrapper(key)
	if !ok {
		return nil, false
	}
	if s.unheard(o.D, key) {
		return s.view(s.canonical(o)), true
	}
	return wrap(o), true
}

type heardKey struct {
	d   *box.Desc
	key string
}

// unheard tells whether a type has methods that compiled code would not find in the wrapper of an interface.
func (s *Session) unheard(d *box.Desc, key string) bool {
	asks := asksOf(key)
	if len(asks) == 0 || d.Type == nil {
		return false
	}
	if known, ok := s.heard.Load(heardKey{d, key}); ok {
		return known.(bool)
	}
	found := false
	for _, a := range asks {
		if it := s.asked(a); it != nil && types.Implements(d.Type, it) {
			found = true
		}
	}
	s.heard.Store(heardKey{d, key}, found)
	return found
}

// asks joins what the wrappers of interfaces do not have.
var asks = sync.OnceValue(func() map[string][]box.Ask {
	m := maps.Clone(box.Wider)
	for key, l := range box.Unheard {
		m[key] = append(slices.Clip(l), m[key]...)
	}
	return m
})

func asksOf(key string) []box.Ask {
	key, _, _ = strings.Cut(key, "[")
	return asks()[key]
}

// isMethod tells whether a method is asked for which is not exported.
func isMethod(a box.Ask) bool {
	return !token.IsExported(a.Expr) && !strings.HasPrefix(a.Expr, "interface")
}

// asked gives the interface that is asked for, nil where that is a method which is not exported.
func (s *Session) asked(a box.Ask) *types.Interface {
	if isMethod(a) {
		return nil
	}
	pkg, err := s.imp.Import(a.Path)
	if err != nil {
		return nil
	}
	tv, err := types.Eval(token.NewFileSet(), pkg, token.NoPos, a.Expr)
	if err != nil {
		panic(fmt.Errorf("%s in the scope of package %s: %w", a.Expr, a.Path, err))
	}
	return tv.Type.Underlying().(*types.Interface)
}

// unheardOf refuses to give a value of a type declared in a cell to compiled code that would not see a method of it
// which is not exported: the type has it from one of the package's that it embeds.
func (l *lowerer) unheardOf(from, to types.Type) {
	for _, a := range asksOf(ifaceKey(to)) {
		if !isMethod(a) { // which wrapped is for
			continue
		}
		pkg, err := l.s.imp.Import(a.Path)
		if err != nil {
			continue
		}
		if o, _, _ := types.LookupFieldOrMethod(from, false, pkg, a.Expr); o != nil {
			l.refuse(l.pos, fmt.Sprintf("%s as %s has the method %s, which would not be called", typeString(from), typeString(to), a.Expr), "give the method of a type declared in a cell another name, and call it where it is needed")
		}
	}
}

// viewIface names the compiled function that shows a value as a compiled interface to a package that may ask it for any method.
func (l *lowerer) viewIface(t types.Type) string {
	rt := l.s.rtype(t)
	if rt == nil {
		l.refuse(l.pos, "a type declared in a cell cannot be used as "+typeString(t), "types of other packages can only implement interfaces whose methods are all exported")
		return "Norm"
	}
	name := "View_" + mangle(ifaceKey(t))
	l.s.export(name, func() reflect.Value {
		ft := reflect.FuncOf([]reflect.Type{anyRType}, []reflect.Type{rt}, false)
		return reflect.MakeFunc(ft, func(a []reflect.Value) []reflect.Value {
			return []reflect.Value{asType(l.s.rtForeign(unwrapAny(a[0])), rt)}
		})
	})
	return name
}
