package box

import (
	"reflect"
	"slices"
	"unsafe"
)

// Within an unexported field fmt calls no methods, so not Obj's Format either: it would print
// the Obj. So what may hold one there is taken apart here, by reflection: none of it is of a
// cell's type before an interface holds one.

// holdsInterface tells whether fmt meets an interface in a value of type t, as long as
// nothing but interfaces hide other types: it does not follow pointers.
func holdsInterface(t reflect.Type, within []reflect.Type) bool {
	if slices.Contains(within, t) {
		return false
	}
	within = append(within, t)
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array, reflect.Slice:
		return holdsInterface(t.Elem(), within)
	case reflect.Map:
		return holdsInterface(t.Key(), within) || holdsInterface(t.Elem(), within)
	case reflect.Struct:
		for f := range t.Fields() {
			if holdsInterface(f.Type, within) {
				return true
			}
		}
	}
	return false
}

// parts prints a value for which holdsInterface is true as fmt does within an unexported field.
func (p printer) parts(v reflect.Value, depth int) {
	name := v.Type().String
	part := func(x reflect.Value) { p.compiled(nil, x, depth+1) }
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			p.nilInterface(name, depth)
			return
		}
		p.held(v.Elem(), depth+1)
	case reflect.Struct:
		v = addressable(v)
		p.list(name, v.NumField(), "{", "{", "}", func(i int) {
			p.fieldName(v.Type().Field(i).Name)
			part(readable(v.Field(i)))
		})
	case reflect.Array, reflect.Slice:
		p.sequence(name, v, part)
	case reflect.Map:
		p.mapping(name, v, part, part)
	}
}

// addressable gives v, or a copy of it, with an address, which [readable] needs of its fields.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// readable gives a field as if it were exported.
func readable(f reflect.Value) reflect.Value {
	if f.CanInterface() {
		return f
	}
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
}
