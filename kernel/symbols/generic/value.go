package generic

import (
	"fmt"
	"reflect"
)

var (
	intType  = reflect.TypeFor[int]()
	boolType = reflect.TypeFor[bool]()
	yes, no  = []reflect.Value{reflect.ValueOf(true)}, []reflect.Value{reflect.ValueOf(false)}
)

// sliceOf gives an argument that must be a slice.
func sliceOf(s any) reflect.Value {
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Slice {
		panic(fmt.Sprintf("generic: %T is not a slice", s))
	}
	return v
}

// variadic gives the values of a variadic parameter of element type e.
func variadic(v any, e reflect.Type) reflect.Value {
	if v == nil {
		return reflect.Zero(reflect.SliceOf(e))
	}
	return sliceOf(v)
}

// as gives x as a value of type t, which differs from its own type where t is an interface,
// where x is nil and where an interpreter has lost a type's name.
func as(x any, t reflect.Type) reflect.Value {
	v := reflect.ValueOf(x)
	switch {
	case !v.IsValid():
		return reflect.Zero(t)
	case v.Type() == t:
		return v
	case t.Kind() == reflect.Interface:
		w := reflect.New(t).Elem()
		w.Set(v)
		return w
	case v.Kind() == t.Kind() && v.CanConvert(t):
		return v.Convert(t)
	}
	panic(fmt.Sprintf("generic: a value of type %s where %s is wanted", v.Type(), t))
}

// get gives x, whose kind is that of E, as an E.
func get[E any](x reflect.Value) E {
	if e, ok := x.Interface().(E); ok {
		return e
	}
	return x.Convert(reflect.TypeFor[E]()).Interface().(E)
}

// lift gives the elements of a slice one by one: they are the slots themselves.
func lift(s reflect.Value) []reflect.Value {
	l := make([]reflect.Value, s.Len())
	for i := range l {
		l[i] = s.Index(i)
	}
	return l
}

// liftCopy gives copies of the elements of a slice, which can be put in another order and
// then back into the slice.
func liftCopy(s reflect.Value) []reflect.Value {
	c := reflect.MakeSlice(s.Type(), s.Len(), s.Len())
	reflect.Copy(c, s)
	return lift(c)
}

// put writes the elements to the beginning of s.
func put(s reflect.Value, l []reflect.Value) {
	for i, e := range l {
		s.Index(i).Set(e)
	}
}

// same is == on two values of one type; it panics as Go does where they cannot be compared.
func same(a, b reflect.Value) bool { return a.Interface() == b.Interface() }

// callback gives a func that calls f, which returns one value.
func callback[R any](f any) func(args ...reflect.Value) R {
	v := reflect.ValueOf(f)
	return func(args ...reflect.Value) R { return get[R](v.Call(args)[0]) }
}

func callback1[R any](f any) func(reflect.Value) R {
	call := callback[R](f)
	return func(a reflect.Value) R { return call(a) }
}

func callback2[R any](f any) func(a, b reflect.Value) R {
	call := callback[R](f)
	return func(a, b reflect.Value) R { return call(a, b) }
}

// seqElem gives the types of the values that an iterator yields.
func seqElem(seq any, n int) []reflect.Type {
	t := reflect.TypeOf(seq)
	if t == nil || t.Kind() != reflect.Func || t.NumIn() != 1 || t.In(0).Kind() != reflect.Func || t.In(0).NumIn() != n {
		panic(fmt.Sprintf("generic: %T is not an iterator of %d values", seq, n))
	}
	l := make([]reflect.Type, n)
	for i := range l {
		l[i] = t.In(0).In(i)
	}
	return l
}

// each calls f with what the iterator yields until f returns false.
func each(seq any, f func(v []reflect.Value) bool) {
	s := reflect.ValueOf(seq)
	yield := reflect.MakeFunc(s.Type().In(0), func(v []reflect.Value) []reflect.Value {
		if f(v) {
			return yes
		}
		return no
	})
	s.Call([]reflect.Value{yield})
}

// seqOf makes an iterator of values of the given types out of a function that yields them.
func seqOf(elems []reflect.Type, all func(yield func(v ...reflect.Value) bool)) any {
	yt := reflect.FuncOf(elems, []reflect.Type{boolType}, false)
	st := reflect.FuncOf([]reflect.Type{yt}, nil, false)
	return reflect.MakeFunc(st, func(args []reflect.Value) []reflect.Value {
		yield := args[0]
		all(func(v ...reflect.Value) bool { return yield.Call(v)[0].Bool() })
		return nil
	}).Interface()
}
