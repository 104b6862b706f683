package box

import (
	"io"
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
	end := "]"
	if p.sharpV() {
		end = "}"
	}
	switch v.Kind() {
	case reflect.Interface:
		switch {
		case !v.IsNil():
			p.held(v.Elem(), depth+1)
		case p.sharpV():
			io.WriteString(p.f, name()+"(nil)")
		default:
			io.WriteString(p.f, "<nil>")
		}
	case reflect.Struct:
		v = addressable(v)
		p.list(name, v.NumField(), "{", "{", "}", func(i int) {
			if p.verb == 'v' && (p.f.Flag('+') || p.f.Flag('#')) {
				io.WriteString(p.f, v.Type().Field(i).Name+":")
			}
			p.compiled(nil, readable(v.Field(i)), depth+1)
		})
	case reflect.Array, reflect.Slice:
		if p.nilGo(name, v) {
			return
		}
		p.list(name, v.Len(), "[", "{", end, func(i int) { p.compiled(nil, v.Index(i), depth+1) })
	case reflect.Map:
		if p.nilGo(name, v) {
			return
		}
		keys := sortedKeys(v)
		p.list(name, len(keys), "map[", "{", end, func(i int) {
			p.compiled(nil, keys[i], depth+1)
			io.WriteString(p.f, ":")
			p.compiled(nil, v.MapIndex(keys[i]), depth+1)
		})
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
