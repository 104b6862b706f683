package generic

import (
	"reflect"
	"sync"
	"unique"
)

// Pointer stands for atomic.Pointer[T]: its values are *T, and nil before the first Store.
// The zero value is ready.
type Pointer struct {
	mu sync.Mutex
	p  any
}

// Load gives the pointer; nil, not a nil *T, if none or a nil one was stored.
func (x *Pointer) Load() any {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.p
}

// Store sets the pointer.
func (x *Pointer) Store(p any) { x.Swap(p) }

// Swap sets the pointer and gives the one before.
func (x *Pointer) Swap(p any) (old any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	old, x.p = x.p, notNil(p)
	return old
}

// CompareAndSwap sets the pointer if it is old.
func (x *Pointer) CompareAndSwap(old, p any) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.p != notNil(old) {
		return false
	}
	x.p = notNil(p)
	return true
}

// notNil makes nil pointers of all types one: the interpreter may have lost the type of one.
func notNil(p any) any {
	if v := reflect.ValueOf(p); v.Kind() == reflect.Pointer && v.IsNil() {
		return nil
	}
	return p
}

// Handle stands for unique.Handle[T]: handles are equal if and only if their values are.
type Handle struct{ h unique.Handle[any] }

// MakeHandle stands for unique.Make.
func MakeHandle(v any) Handle { return Handle{unique.Make(v)} }

// Value gives the value the handle was made of.
func (h Handle) Value() any { return h.h.Value() }
