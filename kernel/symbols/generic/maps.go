package generic

import (
	"fmt"
	"reflect"
)

func mapOf(m any) reflect.Value {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Map {
		panic(fmt.Sprintf("generic: %T is not a map", m))
	}
	return v
}

func mapsFunc(name string) any {
	switch name {
	case "All":
		return mapAll
	case "Clone":
		return mapClone
	case "Collect":
		return mapCollect
	case "Copy":
		return mapCopy
	case "DeleteFunc":
		return mapDeleteFunc
	case "Equal":
		return mapEqual
	case "EqualFunc":
		return mapEqualFunc
	case "Insert":
		return mapInsert
	case "Keys":
		return mapKeys
	case "Values":
		return mapValues
	}
	return nil
}

func mapAll(m any) any {
	v := mapOf(m)
	return seqOf([]reflect.Type{v.Type().Key(), v.Type().Elem()}, func(yield func(...reflect.Value) bool) {
		for it := v.MapRange(); it.Next(); {
			if !yield(it.Key(), it.Value()) {
				return
			}
		}
	})
}

func mapKeys(m any) any {
	v := mapOf(m)
	return seqOf([]reflect.Type{v.Type().Key()}, func(yield func(...reflect.Value) bool) {
		for it := v.MapRange(); it.Next(); {
			if !yield(it.Key()) {
				return
			}
		}
	})
}

func mapValues(m any) any {
	v := mapOf(m)
	return seqOf([]reflect.Type{v.Type().Elem()}, func(yield func(...reflect.Value) bool) {
		for it := v.MapRange(); it.Next(); {
			if !yield(it.Value()) {
				return
			}
		}
	})
}

func mapClone(m any) any {
	v := mapOf(m)
	if v.IsNil() {
		return m
	}
	c := reflect.MakeMapWithSize(v.Type(), v.Len())
	mapCopy(c.Interface(), m)
	return c.Interface()
}

func mapCopy(dst, src any) {
	d, s := mapOf(dst), mapOf(src)
	for it := s.MapRange(); it.Next(); {
		d.SetMapIndex(it.Key(), it.Value())
	}
}

func mapCollect(seq any) any {
	t := seqElem(seq, 2)
	m := reflect.MakeMap(reflect.MapOf(t[0], t[1])).Interface()
	mapInsert(m, seq)
	return m
}

func mapInsert(m, seq any) {
	v := mapOf(m)
	seqElem(seq, 2)
	each(seq, func(kv []reflect.Value) bool {
		v.SetMapIndex(kv[0], kv[1])
		return true
	})
}

func mapDeleteFunc(m, del any) {
	v := mapOf(m)
	call := callback2[bool](del)
	for it := v.MapRange(); it.Next(); {
		if k := it.Key(); call(k, it.Value()) {
			v.SetMapIndex(k, reflect.Value{})
		}
	}
}

func mapEqual(a, b any) bool { return equalMaps(a, b, same) }

func mapEqualFunc(a, b, eq any) bool { return equalMaps(a, b, callback2[bool](eq)) }

func equalMaps(a, b any, eq func(x, y reflect.Value) bool) bool {
	v, w := mapOf(a), mapOf(b)
	if v.Len() != w.Len() {
		return false
	}
	for it := v.MapRange(); it.Next(); {
		y := w.MapIndex(it.Key())
		if !y.IsValid() || !eq(it.Value(), y) {
			return false
		}
	}
	return true
}
