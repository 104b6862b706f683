package eval

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
)

// makeClosure is the generator of function literals, in place of yaegi's. That one puts back what was
// in the place of the closure after each call of it, which goes wrong where another goroutine
// calls it while the next closure is made there, and takes a lock for it that deferred calls wait for.
func (l *layout) makeClosure(n *node) {
	var (
		at      = n.findex
		level   = n.level
		next    = stepOf(n.next)
		typ     = typeOf(n.typ)
		results = len(n.typ.ret)
		maker   = sync.OnceValue(func() *frameMaker { return newFrameMaker(n, 0) })
	)
	n.exec = func(f *frame) step {
		// where the variables are now: in the next iteration of a loop they are others
		made := &frame{id: atomic.LoadUint64(&f.id), root: f.root, caller: f.caller, data: slices.Clone(f.data), done: f.done}
		frameAt(f, level).data[at] = reflect.MakeFunc(typ, func(in []reflect.Value) []reflect.Value {
			called := maker().frame(made)
			for i, v := range in[:min(len(in), len(called.data)-results)] {
				called.data[results+i].Set(v)
			}
			runBody(n.child[3].start, called)
			return called.data[:results:results]
		})
		return next
	}
}
