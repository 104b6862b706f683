package mirror

import (
	"reflect"
	"sync"
	"unsafe"
)

// Works tells whether types can be made: the descriptions of types are as they are known here, and the system has addresses for methods.
var Works = sync.OnceValue(func() bool {
	if stubs() == nil {
		return false
	}
	type field = struct {
		A int `x:"y"`
		B []string
	}
	h := (*structHeader)(pointer(reflect.TypeFor[field]()))
	m := (*mapHeader)(pointer(reflect.TypeFor[map[string]field]()))
	return h.size == unsafe.Sizeof(field{}) && h.k == uint8(reflect.Struct) && len(h.fields) == 2 && h.fields[1].offset == unsafe.Offsetof(field{}.B) &&
		h.fields[1].typ == pointer(reflect.TypeFor[[]string]()) && m.key == pointer(reflect.TypeFor[string]()) && m.elem == unsafe.Pointer(h)
})
