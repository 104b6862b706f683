package generic

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// ordered works on slices and values of one ordered kind, whatever their types are called.
type ordered interface {
	sort(s reflect.Value)
	isSorted(s reflect.Value) bool
	min(s reflect.Value) any
	max(s reflect.Value) any
	search(s, x reflect.Value) (int, bool)
	compareSlices(a, b reflect.Value) int
	compare(a, b reflect.Value) int
	less(a, b reflect.Value) bool
}

// kind calls the real functions for values whose kind is that of E.
type kind[E cmp.Ordered] struct{}

// view gives the memory of s as a []E. Types of one kind have one layout and, being numbers
// or strings, one meaning for the collector.
func (kind[E]) view(s reflect.Value) []E {
	return unsafe.Slice((*E)(s.UnsafePointer()), s.Len())
}

func (k kind[E]) sort(s reflect.Value)          { slices.Sort(k.view(s)) }
func (k kind[E]) isSorted(s reflect.Value) bool { return slices.IsSorted(k.view(s)) }
func (k kind[E]) min(s reflect.Value) any       { return slices.Min(k.view(s)) }
func (k kind[E]) max(s reflect.Value) any       { return slices.Max(k.view(s)) }
func (k kind[E]) search(s, x reflect.Value) (int, bool) {
	return slices.BinarySearch(k.view(s), get[E](x))
}
func (k kind[E]) compareSlices(a, b reflect.Value) int { return slices.Compare(k.view(a), k.view(b)) }
func (kind[E]) compare(a, b reflect.Value) int         { return cmp.Compare(get[E](a), get[E](b)) }
func (kind[E]) less(a, b reflect.Value) bool           { return cmp.Less(get[E](a), get[E](b)) }

// orderedBy gives the functions for a type.
func orderedBy(t reflect.Type) ordered {
	switch t.Kind() {
	case reflect.Int:
		return kind[int]{}
	case reflect.Int8:
		return kind[int8]{}
	case reflect.Int16:
		return kind[int16]{}
	case reflect.Int32:
		return kind[int32]{}
	case reflect.Int64:
		return kind[int64]{}
	case reflect.Uint:
		return kind[uint]{}
	case reflect.Uint8:
		return kind[uint8]{}
	case reflect.Uint16:
		return kind[uint16]{}
	case reflect.Uint32:
		return kind[uint32]{}
	case reflect.Uint64:
		return kind[uint64]{}
	case reflect.Uintptr:
		return kind[uintptr]{}
	case reflect.Float32:
		return kind[float32]{}
	case reflect.Float64:
		return kind[float64]{}
	case reflect.String:
		return kind[string]{}
	}
	panic(fmt.Sprintf("generic: values of type %s have no order", t))
}
