package generic

import (
	"reflect"
	"slices"
)

// Slices from iterators and iterators over slices.

func sliceAll(s any) any {
	switch s := s.(type) {
	case []int:
		return (func(func(int, int) bool))(slices.All(s))
	case []float64:
		return (func(func(int, float64) bool))(slices.All(s))
	case []string:
		return (func(func(int, string) bool))(slices.All(s))
	}
	v := sliceOf(s)
	return seqOf([]reflect.Type{intType, v.Type().Elem()}, func(yield func(...reflect.Value) bool) {
		for i := range v.Len() {
			if !yield(reflect.ValueOf(i), v.Index(i)) {
				return
			}
		}
	})
}

func sliceBackward(s any) any {
	v := sliceOf(s)
	return seqOf([]reflect.Type{intType, v.Type().Elem()}, func(yield func(...reflect.Value) bool) {
		for i := v.Len() - 1; i >= 0; i-- {
			if !yield(reflect.ValueOf(i), v.Index(i)) {
				return
			}
		}
	})
}

func sliceValues(s any) any {
	switch s := s.(type) {
	case []int:
		return (func(func(int) bool))(slices.Values(s))
	case []float64:
		return (func(func(float64) bool))(slices.Values(s))
	case []string:
		return (func(func(string) bool))(slices.Values(s))
	}
	v := sliceOf(s)
	return seqOf([]reflect.Type{v.Type().Elem()}, func(yield func(...reflect.Value) bool) {
		for i := range v.Len() {
			if !yield(v.Index(i)) {
				return
			}
		}
	})
}

func sliceChunk(s any, n int) any {
	if n < 1 {
		panic("cannot be less than 1")
	}
	v := sliceOf(s)
	return seqOf([]reflect.Type{v.Type()}, func(yield func(...reflect.Value) bool) {
		for i := 0; i < v.Len(); i += n {
			end := i + min(n, v.Len()-i)
			if !yield(v.Slice3(i, end, end)) {
				return
			}
		}
	})
}

func sliceAppendSeq(s, seq any) any {
	return appendSeq(sliceOf(s), seq).Interface()
}

func appendSeq(s reflect.Value, seq any) reflect.Value {
	seqElem(seq, 1)
	each(seq, func(v []reflect.Value) bool {
		s = reflect.Append(s, v[0])
		return true
	})
	return s
}

func sliceCollect(seq any) any {
	e := seqElem(seq, 1)[0]
	return appendSeq(reflect.Zero(reflect.SliceOf(e)), seq).Interface()
}
