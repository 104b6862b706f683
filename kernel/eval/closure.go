package eval

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
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
		around  = sync.OnceValue(func() []int { return l.around(n) })
	)
	n.exec = func(f *frame) step {
		// where the variables are now: in the next iteration of a loop they are others
		made := &frame{id: atomic.LoadUint64(&f.id), root: f.root, caller: f.caller, done: f.done}
		if places := around(); len(places) > 0 {
			made.data = make([]reflect.Value, slices.Max(places)+1)
			for _, i := range places {
				made.data[i] = f.data[i]
			}
		}
		frameAt(f, level).data[at] = l.valueOf(n, typ, results, maker, made)
		return next
	}
}

// valueOf makes the value of a function literal or declaration with so many results: around is the frame that it was
// made in, the global one for a declaration.
func (l *layout) valueOf(def *node, typ reflect.Type, results int, maker func() *frameMaker, around *frame) reflect.Value {
	call := func(in []reflect.Value) (out []reflect.Value) {
		if l.failing.Load() && l.barred() {
			return zeros(typ)
		}
		called := maker().frame(around, around)
		returned := false
		defer func() {
			if !returned && l.catches(called) {
				l.session.caught(recover())
				out = zeros(typ)
			}
		}()
		for i, v := range in[:min(len(in), len(called.data)-results)] {
			called.data[results+i].Set(v)
		}
		if !looking.Load() || !l.outgrown() {
			runBody(def.child[3].start, called)
		}
		returned = true
		return called.data[:results:results]
	}
	if l.closureCode.Load() == 0 {
		l.closureCode.Store(codeOf(closureIn(reflect.ValueOf(call))))
	}
	return reflect.MakeFunc(typ, call)
}

// around gives the places of the variables that a function literal, or one within it, uses of the function
// which it stands in. The others are not to live as long as it does.
func (l *layout) around(lit *node) []int {
	used := map[int]bool{}
	var walk func(n *node, level int) // frames from that of n up to the one around lit
	walk = func(n *node, level int) {
		if n.level == level {
			if n.sym != nil {
				used[n.sym.index] = true
			}
			results := 1
			if n.action == l.call || n.action == l.callSlice {
				results = max(1, len(n.child[0].typ.ret))
			}
			for i := range results {
				used[n.findex+i] = true
			}
		}
		if n != lit && n.kind == l.funcLit {
			level++
		}
		for _, c := range n.child {
			if c != nil {
				walk(c, level)
			}
		}
	}
	walk(lit, 1)
	delete(used, -1) // has no place
	return slices.Collect(maps.Keys(used))
}

// ---- calling closures

// A madeLayout says where package reflect has in a function that MakeFunc made the one it was made of.
type madeLayout struct {
	code uintptr // of all that are made
	at   uintptr
}

func madeLayoutOf() madeLayout {
	f := func([]reflect.Value) []reflect.Value { return nil }
	made, of := closureIn(reflect.ValueOf(reflect.MakeFunc(reflect.TypeFor[func()](), f).Interface())), closureIn(reflect.ValueOf(f))
	for at := uintptr(8); at <= 40; at += 8 {
		if *(*unsafe.Pointer)(unsafe.Add(made, at)) == of {
			return madeLayout{codeOf(made), at}
		}
	}
	panic("reflect.MakeFunc makes other functions")
}

// closureIn gives the memory of a function, which begins with the address of its code.
func closureIn(f reflect.Value) unsafe.Pointer {
	x := f.Interface()
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1]
}

func codeOf(f unsafe.Pointer) uintptr { return *(*uintptr)(f) }

// function gives what a function that MakeFunc made is made of, nil if it is none. To call that takes
// less of the stack than the function, and less time.
func (m madeLayout) function(f reflect.Value) func([]reflect.Value) []reflect.Value {
	made := closureIn(f)
	if codeOf(made) != m.code {
		return nil
	}
	return *(*func([]reflect.Value) []reflect.Value)(unsafe.Add(made, m.at))
}

// closureOf is that for a function which valueOf made: it takes arguments that package reflect would
// convert first.
func (l *layout) closureOf(f reflect.Value) func([]reflect.Value) []reflect.Value {
	if f.IsNil() || !f.CanInterface() {
		return nil
	}
	of := l.made.function(f)
	if of == nil || codeOf(closureIn(reflect.ValueOf(of))) != l.closureCode.Load() {
		return nil
	}
	return of
}
