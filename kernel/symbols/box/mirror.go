package box

import (
	"reflect"
	"sync"
	"sync/atomic"
)

// Compiled code that looks into values by reflection is shown values of other types than boxes, which the front
// end makes. Where such a value comes back it is the Obj that it was shown for.

var (
	mirrors   sync.Map // reflect.Type -> func(any) (Obj, bool)
	mirroring atomic.Bool
)

// Mirror says how to get the Obj of values of a type.
func Mirror(t reflect.Type, of func(any) (Obj, bool)) {
	mirrors.Store(t, of)
	mirroring.Store(true)
}

func ofMirror(x any) (Obj, bool) {
	if x == nil || !mirroring.Load() {
		return Obj{}, false
	}
	if of, ok := mirrors.Load(reflect.TypeOf(x)); ok {
		return of.(func(any) (Obj, bool))(x)
	}
	return Obj{}, false
}
