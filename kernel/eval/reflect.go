package eval

import (
	"go/types"
	"reflect"

	"trivium/kernel/symbols/box"
)

// Package reflect is shown values of cells as their mirrors (see mirror.go), so that what it gives is a compiled type or a
// value of one. Two things remain to be done for it. In interfaces there are boxes: the functions
// here open them where a cell goes on from an interface to what is in it, and close them where it puts something in. And interfaces
// of cells have no methods in mirrors: what a type is asked about them go/types answers.

// typeOf gives the type of a cell as package reflect has it.
func (s *Session) typeOf(t types.Type) reflect.Type {
	r := s.mirror(t)
	if r == nil {
		panic(plainError(s.noMirror(box.TypeString(t))))
	}
	return r
}

// rtTypeFor is reflect.TypeFor of a type of a cell.
func (s *Session) rtTypeFor(id int) reflect.Type { return s.typeOf(s.descAt(id).Type) }

// reflectOverrides are the functions of package reflect that are given interfaces.
func (s *Session) reflectOverrides() map[string]any {
	return map[string]any{
		"TypeOf": func(x any) reflect.Type {
			if o, ok := box.Of(x); ok && o.D.Type != nil {
				return s.typeOf(o.D.Type)
			}
			return reflect.TypeOf(x)
		},
		"ValueOf": func(x any) reflect.Value { return reflect.ValueOf(s.view(x)) },
		"Swapper": func(list any) func(i, j int) { return reflect.Swapper(s.view(list)) },
		"Append": func(l reflect.Value, x ...reflect.Value) reflect.Value {
			return reflect.Append(l, s.allHeld(l.Type().Elem(), x)...)
		},
		"MapOf": func(key, elem reflect.Type) reflect.Type {
			m := reflect.MapOf(key, elem)
			s.mirroredType(m) // maps of the cell's type find the same keys
			return m
		},
		"MakeFunc": func(t reflect.Type, f func([]reflect.Value) []reflect.Value) reflect.Value {
			return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
				results := f(args)
				for i, r := range results {
					if i < t.NumOut() {
						results[i] = s.held(t.Out(i), r)
					}
				}
				return results
			})
		},
	}
}

// reflectMethods are the methods of package reflect that are other functions in cells.
var reflectMethods = map[string]string{
	"(reflect.Value).Elem": "ValueElem", "(reflect.Value).Interface": "ValueInterface", "(reflect.Value).Set": "ValueSet", "(reflect.Value).SetMapIndex": "ValueSetMapIndex",
	"(reflect.Value).MapIndex": "ValueMapIndex", "(reflect.Value).Call": "ValueCall", "(reflect.Value).CallSlice": "ValueCallSlice", "(reflect.Value).Send": "ValueSend",
	"(reflect.Value).Convert": "ValueConvert", "(reflect.Value).NumMethod": "ValueNumMethod",
	"(reflect.Type).Implements": "TypeImplements", "(reflect.Type).AssignableTo": "TypeAssignableTo", "(reflect.Type).ConvertibleTo": "TypeConvertibleTo",
	"(reflect.Type).NumMethod": "TypeNumMethod", "(reflect.Type).Method": "TypeMethod", "(reflect.Type).MethodByName": "TypeMethodByName",
}

// reflectSupport are these functions.
func (s *Session) reflectSupport() map[string]any {
	return map[string]any{
		"TypeFor": s.rtTypeFor,
		"ValueElem": func(v reflect.Value) reflect.Value {
			if v.Kind() == reflect.Interface && v.CanInterface() && !v.IsNil() {
				if _, ok := box.Of(v.Elem().Interface()); ok {
					return reflect.ValueOf(s.view(v.Elem().Interface()))
				}
			}
			return v.Elem()
		},
		"ValueInterface": func(v reflect.Value) any { return s.cells(v.Interface(), anyRType) },
		"ValueSet":       func(v, x reflect.Value) { v.Set(s.held(v.Type(), x)) },
		"ValueSetMapIndex": func(m, k, e reflect.Value) {
			if e.IsValid() {
				e = s.held(m.Type().Elem(), e)
			}
			m.SetMapIndex(s.held(m.Type().Key(), k), e)
		},
		"ValueMapIndex": func(m, k reflect.Value) reflect.Value { return m.MapIndex(s.held(m.Type().Key(), k)) },
		"ValueSend":     func(c, x reflect.Value) { c.Send(s.held(c.Type().Elem(), x)) },
		"ValueConvert":  func(v reflect.Value, t reflect.Type) reflect.Value { return s.held(t, v).Convert(t) },
		"ValueCall": func(f reflect.Value, args []reflect.Value) []reflect.Value {
			return f.Call(s.arguments(f.Type(), args, f.Type().IsVariadic()))
		},
		"ValueCallSlice": func(f reflect.Value, args []reflect.Value) []reflect.Value {
			return f.CallSlice(s.arguments(f.Type(), args, false))
		},
		"ValueNumMethod": func(v reflect.Value) int {
			if v.IsValid() {
				if it := s.interfaceOf(v.Type()); it != nil {
					return it.NumMethods()
				}
			}
			return v.NumMethod()
		},
		"TypeImplements": func(t, u reflect.Type) bool {
			if a, b, ok := s.cellInterface(t, u); ok {
				it, ok := b.Underlying().(*types.Interface)
				if !ok {
					panic("reflect: non-interface type passed to Type.Implements")
				}
				return types.Implements(a, it)
			}
			return t.Implements(u)
		},
		"TypeAssignableTo": func(t, u reflect.Type) bool {
			if a, b, ok := s.cellInterface(t, u); ok {
				return types.AssignableTo(a, b)
			}
			return t.AssignableTo(u)
		},
		"TypeConvertibleTo": func(t, u reflect.Type) bool {
			if a, b, ok := s.cellInterface(t, u); ok {
				return types.ConvertibleTo(a, b)
			}
			return t.ConvertibleTo(u)
		},
		"TypeNumMethod": func(t reflect.Type) int {
			if it := s.interfaceOf(t); it != nil {
				return it.NumMethods()
			}
			return t.NumMethod()
		},
		"TypeMethod": func(t reflect.Type, i int) reflect.Method {
			it := s.interfaceOf(t)
			if it == nil {
				return t.Method(i)
			}
			if i < 0 || i >= it.NumMethods() {
				panic("reflect: Method index out of range")
			}
			return s.methodOf(it, i)
		},
		"TypeMethodByName": func(t reflect.Type, name string) (reflect.Method, bool) {
			it := s.interfaceOf(t)
			if it == nil {
				return t.MethodByName(name)
			}
			for i := range it.NumMethods() {
				if it.Method(i).Name() == name {
					return s.methodOf(it, i), true
				}
			}
			return reflect.Method{}, false
		},
	}
}

// interfaceOf gives the interface of a cell that a type stands for, nil if it stands for none.
func (s *Session) interfaceOf(r reflect.Type) *types.Interface {
	if r == nil || r.Kind() != reflect.Interface {
		return nil
	}
	if m := s.mirroredType(r); m != nil {
		return m.t.Underlying().(*types.Interface)
	}
	return nil
}

// methodOf gives a method of an interface.
func (s *Session) methodOf(it *types.Interface, i int) reflect.Method {
	f := it.Method(i)
	sig := f.Signature()
	m := reflect.Method{Name: f.Name(), Index: i, Type: s.typeOf(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))}
	if !f.Exported() {
		m.PkgPath = "main"
	}
	return m
}

// cellInterface gives two types as go/types has them if one of them is an interface of a cell.
func (s *Session) cellInterface(t, u reflect.Type) (a, b types.Type, ok bool) {
	if t == nil || u == nil || s.interfaceOf(t) == nil && s.interfaceOf(u) == nil {
		return nil, nil, false
	}
	of := func(r reflect.Type) types.Type {
		if m := s.mirroredType(r); m != nil {
			return m.t
		}
		if g := s.goType(r); g != nil || r.Name() != "" || r.Kind() == reflect.Interface || r.NumMethod() > 0 {
			return g
		}
		return types.NewStruct(nil, nil) // all that counts is that it has no methods
	}
	a, b = of(t), of(u)
	if a == nil || b == nil {
		panic(plainError("package reflect cannot compare " + t.String() + " with " + u.String() + " in cells"))
	}
	return a, b, true
}

// held gives a value that is to be in a place of type t as the cell has it there.
func (s *Session) held(t reflect.Type, v reflect.Value) reflect.Value {
	if t.Kind() != reflect.Interface || !v.IsValid() || !v.CanInterface() {
		return v
	}
	x := v
	if v.Kind() == reflect.Interface {
		x = v.Elem()
	}
	if !x.IsValid() || !x.Type().AssignableTo(t) {
		return v
	}
	o, ok := s.objOf(x.Interface())
	if it := s.interfaceOf(t); it != nil && !(ok && types.Implements(o.D.Type, it) || !ok && s.implements(x.Type(), it)) {
		panic("reflect.Set: value of type " + x.Type().String() + " is not assignable to type " + t.String())
	}
	if !ok {
		return v
	}
	return asType(s.cells(x.Interface(), t), t)
}

func (s *Session) allHeld(t reflect.Type, list []reflect.Value) []reflect.Value {
	out := make([]reflect.Value, len(list))
	for i, v := range list {
		out[i] = s.held(t, v)
	}
	return out
}

// arguments gives what a function is called with.
func (s *Session) arguments(f reflect.Type, args []reflect.Value, spread bool) []reflect.Value {
	out := make([]reflect.Value, len(args))
	for i, a := range args {
		switch n := f.NumIn(); {
		case spread && i >= n-1:
			out[i] = s.held(f.In(n-1).Elem(), a)
		case i < n:
			out[i] = s.held(f.In(i), a)
		default:
			out[i] = a
		}
	}
	return out
}
