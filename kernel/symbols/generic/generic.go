// Package generic lets an interpreter call the standard library's generic functions.
//
// A generic function is compiled once per set of types, and only for types that occur in
// compiled code, so a symbol table cannot hold it. [Lookup] gives an adapter that works by
// reflection on whatever types come, with the results of the real function: wherever one
// will do, the adapter calls the real function on a view or a copy of its arguments.
//
// # Calling convention
//
//   - A parameter or result whose type mentions a type parameter is an any that holds a value
//     of the real type: slices.Index is func(s, v any) int. Others keep their type. Where the
//     value is of an interface type the any holds what the interface holds, so nil is nil.
//   - A callback is an any that holds a func of the real type.
//   - What is variadic is one any that holds a slice, [] of the element type, nil if empty:
//     slices.Insert is func(s any, i int, v any) any. cmp.Or is func(vals any) any.
//   - Iterators are values of the func types that iter.Seq and iter.Seq2 stand for: a result
//     is a func(yield func(E) bool), not an iter.Seq[E]. Arguments may be either.
//   - Where the arguments do not say the type (reflect.TypeFor[T]()), the adapter takes it as a
//     reflect.Type before the others.
//   - A generic type is represented by a type of this package ([Type]) whose methods follow
//     the same rules: a field of type atomic.Pointer[T] becomes one of type [Pointer].
//
// Operands of cmp.Compare and the like may have any type whose kind is ordered.
package generic

import "reflect"

// Lookup gives the adapter of a generic function, such as ("slices", "Sort").
func Lookup(path, name string) (fn any, ok bool) {
	switch path {
	case "slices":
		fn = slicesFunc(name)
	case "maps":
		fn = mapsFunc(name)
	case "cmp":
		fn = cmpFunc(name)
	case "iter":
		fn = iterFunc(name)
	default:
		fn = otherFunc(path + "." + name)
	}
	return fn, fn != nil
}

// Type gives the type that stands for a generic type, such as ("sync/atomic", "Pointer").
func Type(path, name string) (reflect.Type, bool) {
	switch path + "." + name {
	case "sync/atomic.Pointer":
		return reflect.TypeFor[Pointer](), true
	case "unique.Handle":
		return reflect.TypeFor[Handle](), true
	}
	return nil, false
}
