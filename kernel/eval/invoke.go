package eval

import (
	"reflect"
	"runtime"
	"sync/atomic"
)

// How an interpreted function is called. Yaegi's own way gives the function no argument that
// reflect.Value.IsZero holds for, which loses the sign of a zero, holds a lock that closures
// and deferred calls wait for, allocates each variable for itself, and recovers from a panic in each
// function to raise it again.

// invoke is the generator of calls, in place of yaegi's.
func (l *layout) invoke(n *node) {
	if n.parent.kind == l.goes || n.parent.kind == l.defers { // lowering leaves none
		yaegiCall(n)
		return
	}
	var (
		callee    = valueOf(n.child[0])
		args      = l.arguments(n)
		results   = l.results(n)
		variadic  = variadicAt(n)
		spread    = n.action == l.callSlice
		next      = stepOf(n.next)
		otherwise = stepOf(n.other)
		last      atomic.Pointer[callTarget]
	)
	// What is done before the body runs is in functions of its own: what a call has on the stack is how deep
	// recursion can be.
	interpreted := func(f *frame) *node { // nil for a compiled function or a closure
		def, ok := l.nodeIn(callee(f))
		if !ok || def.rval.IsValid() {
			return nil
		}
		return def
	}
	compiled := func(f *frame) step {
		fn := callee(f)
		if def, ok := l.nodeIn(fn); ok {
			fn = def.rval
		}
		in := make([]reflect.Value, len(args))
		for i, arg := range args {
			in[i] = arg(f)
		}
		var out []reflect.Value
		var closure func([]reflect.Value) []reflect.Value
		if variadic < 0 && !spread {
			closure = l.closureOf(fn)
		}
		switch {
		case closure != nil:
			out = closure(in)
		case spread:
			out = fn.CallSlice(in)
		case variadic >= 0 && len(in) == variadic: // Call would make an empty list, where Go has nil
			out = fn.CallSlice(append(in, reflect.Zero(fn.Type().In(variadic))))
		default:
			out = fn.Call(in)
		}
		if unwinding.Load() != nil && selfUnwinds() { // f may be yaegi's, which would go on
			return nil
		}
		for i, result := range results {
			if result != nil {
				result(f).Set(out[i])
			}
		}
		if otherwise != nil && !out[0].Bool() {
			return otherwise
		}
		return next
	}
	frameOf := func(f *frame, def *node) (*callTarget, *frame) {
		to := last.Load()
		if to == nil || to.of != def || to.changes != l.functions.changes.Load() {
			to = &callTarget{def, l.functions.changes.Load(), newFrameMaker(l.functions.now(def), len(results))}
			last.Store(to)
		}
		called := to.frameMaker.frame(f, f.root)
		for i, result := range results {
			if result != nil {
				called.data[i] = result(f)
			} else {
				called.data[i] = reflect.New(to.def.types[i]).Elem()
			}
		}
		if params := called.data[len(results):]; len(params) > 0 {
			for i, arg := range args {
				v := arg(f)
				switch {
				case variadic < 0 || i < variadic:
					l.pass(params, i, v, f)
				case v.Type() == params[variadic].Type():
					params[variadic].Set(v)
				default:
					params[variadic].Set(reflect.Append(params[variadic], v))
				}
			}
		}
		return to, called
	}
	n.exec = func(f *frame) step {
		def := interpreted(f)
		if def == nil {
			return compiled(f)
		}
		to, called := frameOf(f, def)
		if looking.Load() && l.outgrown() {
			return nil
		}
		runBody(to.def.child[3].start, called)
		if unwinding.Load() != nil && selfUnwinds() {
			return nil
		}
		if otherwise != nil && !called.data[0].Bool() {
			return otherwise
		}
		return next
	}
}

// A callTarget is what a call called last: a function, or what has been declared in its place.
type callTarget struct {
	of      *node
	changes uint64 // how often functions had been declared again when this was looked up
	*frameMaker
}

// nodeIn gives the node that stands for an interpreted function.
func (l *layout) nodeIn(v reflect.Value) (*node, bool) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Pointer || v.Type() != l.node {
		return nil, false
	}
	return (*node)(v.UnsafePointer()), true
}

// runBody runs the body of a function. Its arguments are read from the text of stack traces, see
// where.go, so they must be alive throughout.
//
//go:noinline
func runBody(start *node, f *frame) {
	for next := start.exec; next != nil && (unwinding.Load() == nil || !selfUnwinds()); {
		next = next(f)
	}
	runtime.KeepAlive(start)
	runtime.KeepAlive(f)
}

// pass gives a parameter its value.
func (l *layout) pass(params []reflect.Value, i int, v reflect.Value, f *frame) {
	if v.Type() != params[i].Type() {
		if params[i].Kind() != reflect.Interface && v.IsZero() && !v.Type().AssignableTo(params[i].Type()) {
			return // a nil of a type that yaegi has two of
		}
		if def, ok := l.nodeIn(v); ok && def.recv != nil {
			params[i] = wrappedFunc(def)(f)
			return
		}
	}
	params[i].Set(v)
}

// arguments gives what computes the arguments of a call.
func (l *layout) arguments(n *node) (args []func(*frame) reflect.Value) {
	fn := n.child[0].typ
	variadic := variadicAt(n)
	spread := n.action == l.callSlice
	inFrame := func(i int) func(*frame) reflect.Value {
		return func(f *frame) reflect.Value { return f.data[i] }
	}
	for i, c := range n.child[1:] {
		var param *itype
		if variadic >= 0 && i >= variadic {
			param = fn.arg[variadic].val
		} else {
			param = fn.arg[i]
		}
		switch {
		case isCompiledCall(c, c.scope): // may have several results
			for j := range typeOf(c.child[0].typ).NumOut() {
				args = append(args, inFrame(c.findex+j))
			}
			continue
		case isInterpretedCall(c):
			for j := range c.child[0].typ.ret {
				args = append(args, inFrame(c.findex+j))
			}
			continue
		case c.kind == l.literal || c.rval.IsValid():
			constantAs(c, typeOf(param))
		}
		switch {
		case spread:
			args = append(args, valueOf(c))
		case isInterface(param) && (!isAny(param) || len(c.typ.method) > 0):
			args = append(args, interfaceOf(c))
		case isCompiledInterface(param):
			args = append(args, wrappedAs(c, typeOf(param)))
		case isFunc(param):
			args = append(args, funcValueOf(c))
		default:
			args = append(args, valueOf(c))
		}
	}
	return args
}

// results gives where the results of a call go, nil for one that is not used.
func (l *layout) results(n *node) []func(*frame) reflect.Value {
	results := make([]func(*frame) reflect.Value, len(n.child[0].typ.ret))
	level := n.level
	if n.parent.kind == l.returns { // always in the frame itself
		level = 0
	}
	for i := range results {
		if (n.parent.kind == l.defines || n.parent.kind == l.assigns) && n.parent.child[i].ident == "_" {
			continue
		}
		at := n.findex + i
		if level == 0 {
			results[i] = func(f *frame) reflect.Value { return f.data[at] }
		} else {
			results[i] = func(f *frame) reflect.Value { return frameAt(f, level).data[at] }
		}
	}
	return results
}

// frameAt gives the frame so many levels up, that of the global variables for a negative level.
func frameAt(f *frame, level int) *frame {
	if level < 0 {
		return f.root
	}
	for ; level > 0; level-- {
		f = f.caller
	}
	return f
}
