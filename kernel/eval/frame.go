package eval

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// A frameMaker makes the frames of calls of one function. Variables without pointers lie in one piece
// of memory, which lives as long as one of them is pointed to.
type frameMaker struct {
	def     *node
	results int             // of the function: their variables are the caller's
	vars    []reflect.Value // what is in the frame but for the addresses
	at      []int           // where a variable is in the piece of memory, -1: in memory of its own
	words   int
}

// value is the memory of a reflect.Value (checked by layoutOf).
type value struct {
	typ  *struct{}
	ptr  unsafe.Pointer
	flag uintptr
}

const largest = 64 // size in bytes of a variable that lies beside others

func newFrameMaker(def *node, results int) *frameMaker {
	m := &frameMaker{def: def, results: results, vars: make([]reflect.Value, len(def.types)), at: make([]int, len(def.types))}
	for i, t := range def.types {
		m.at[i] = -1
		if i >= results && t.Size() <= largest && t.Size() > 0 && !hasPointers(t) {
			m.vars[i] = reflect.New(t).Elem()
			m.at[i] = m.words * 8
			m.words += int(t.Size()+7) / 8
		}
	}
	return m
}

// frame makes a frame for a call from another, in which the variables are zero and those of the results are
// missing. Around is where the function was made: all it keeps alive of who calls it.
func (m *frameMaker) frame(from, around *frame) *frame {
	f := &frame{id: atomic.LoadUint64(&from.id), root: from.root, caller: around, data: make([]reflect.Value, len(m.vars)), done: from.done}
	var memory unsafe.Pointer
	if m.words > 0 {
		copy(f.data, m.vars)
		memory = unsafe.Pointer(unsafe.SliceData(make([]uint64, m.words)))
	}
	for i := m.results; i < len(f.data); i++ {
		if at := m.at[i]; at >= 0 {
			(*value)(unsafe.Pointer(&f.data[i])).ptr = unsafe.Add(memory, at)
		} else {
			f.data[i] = reflect.New(m.def.types[i]).Elem()
		}
	}
	return f
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
