package generic

import (
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"math/rand/v2"
	"reflect"
	"sync"

	"trivium/kernel/nb/gonbui/cache"
)

func cmpFunc(name string) any {
	switch name {
	case "Compare":
		return cmpCompare
	case "Less":
		return cmpLess
	case "Or":
		return cmpOr
	}
	return nil
}

func cmpCompare(x, y any) int {
	v, w := reflect.ValueOf(x), reflect.ValueOf(y)
	return orderedBy(v.Type()).compare(v, w)
}

func cmpLess(x, y any) bool {
	v, w := reflect.ValueOf(x), reflect.ValueOf(y)
	return orderedBy(v.Type()).less(v, w)
}

// cmpOr takes its values as a slice; without any there is no type to make a zero value of.
func cmpOr(vals any) any {
	if vals == nil {
		return nil
	}
	v := sliceOf(vals)
	zero := reflect.Zero(v.Type().Elem())
	for i := range v.Len() {
		if e := v.Index(i); !same(e, zero) {
			return e.Interface()
		}
	}
	return zero.Interface()
}

func iterFunc(name string) any {
	switch name {
	case "Pull":
		return iterPull
	case "Pull2":
		return iterPull2
	}
	return nil
}

// iterPull gives next as a func() (V, bool).
func iterPull(seq any) (next any, stop func()) {
	t := seqElem(seq, 1)
	return pull(seq, t)
}

// iterPull2 gives next as a func() (K, V, bool).
func iterPull2(seq any) (next any, stop func()) {
	t := seqElem(seq, 2)
	return pull(seq, t)
}

func pull(seq any, t []reflect.Type) (any, func()) {
	next, stop := iter.Pull(func(yield func([]reflect.Value) bool) { each(seq, yield) })
	ft := reflect.FuncOf(nil, append(append([]reflect.Type{}, t...), boolType), false)
	return reflect.MakeFunc(ft, func([]reflect.Value) []reflect.Value {
		v, ok := next()
		if !ok {
			v = nil
			for _, e := range t {
				v = append(v, reflect.Zero(e))
			}
		}
		return append(v[:len(t):len(t)], reflect.ValueOf(ok))
	}).Interface(), stop
}

func otherFunc(name string) any {
	switch name {
	case "sync.OnceValue", "sync.OnceValues":
		return onceValues
	case "math/rand/v2.N":
		return randN
	case "reflect.TypeFor":
		return func(t reflect.Type) reflect.Type { return t }
	case "reflect.TypeAssert":
		return typeAssert
	case "errors.AsType":
		return errorsAsType
	case "trivium/kernel/nb/gonbui/cache.Cache":
		return func(key string, f any) any { return cached(cache.Default, key, f) }
	case "trivium/kernel/nb/gonbui/cache.CacheWith":
		return cached
	case "unique.Make":
		return func(v any) any { return MakeHandle(v) } // cells take what is generic out of an any
	case "crypto/hkdf.Expand":
		return hkdfExpand
	case "crypto/hkdf.Extract":
		return hkdfExtract
	case "crypto/hkdf.Key":
		return hkdfKey
	case "crypto/pbkdf2.Key":
		return pbkdf2Key
	case "hash/maphash.Comparable":
		return func(seed maphash.Seed, v any) uint64 { return maphash.Comparable(seed, v) }
	case "hash/maphash.WriteComparable":
		return func(h *maphash.Hash, v any) { maphash.WriteComparable(h, v) }
	}
	return nil
}

// cached calls f, a func() T, if nothing is kept by the key.
func cached(s *cache.Storage, key string, f any) any {
	v := reflect.ValueOf(f)
	return s.Value(key, v.Type().Out(0), func() any { return v.Call(nil)[0].Interface() })
}

// onceValues gives a func of f's type that calls f once. A panic of f is repeated by each call.
func onceValues(f any) any {
	v := reflect.ValueOf(f)
	once := sync.OnceValue(func() []reflect.Value { return v.Call(nil) })
	return reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return once() }).Interface()
}

// randN draws from [0, n) as the real function: one draw of 64 or 32 bits from the global source.
func randN(n any) any {
	v := reflect.ValueOf(n)
	r := reflect.New(v.Type()).Elem()
	switch {
	case v.CanInt() && v.Int() > 0:
		r.SetInt(int64(rand.Uint64N(uint64(v.Int()))))
	case v.CanUint() && v.Uint() > 0:
		r.SetUint(rand.Uint64N(v.Uint()))
	default:
		panic("invalid argument to N")
	}
	return r.Interface()
}

// typeAssert takes the type to assert before the value.
func typeAssert(t reflect.Type, v reflect.Value) (any, bool) {
	if !v.IsValid() {
		panic("reflect.TypeAssert: zero Value")
	}
	if t.Kind() == reflect.Interface {
		for v.Kind() == reflect.Interface && !v.IsNil() {
			v = v.Elem()
		}
		if (v.Kind() == reflect.Interface && v.IsNil()) || !v.Type().Implements(t) {
			return nil, false
		}
		return v.Interface(), true
	}
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || v.Type() != t {
		return reflect.Zero(t).Interface(), false
	}
	return v.Interface(), true
}

// errorsAsType takes the type of the error before the error.
func errorsAsType(t reflect.Type, err error) (any, bool) {
	if t.Kind() != reflect.Interface && !t.Implements(reflect.TypeFor[error]()) {
		panic(fmt.Sprintf("generic: errors.AsType: %s is not an error type", t))
	}
	target := reflect.New(t)
	ok := errors.As(err, target.Interface())
	return target.Elem().Interface(), ok
}
