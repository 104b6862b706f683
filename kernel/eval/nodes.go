package eval

import (
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// What is read of the interpreter's nodes and frames, which yaegi.go declares.

func (l *layout) isFunc(n *node) bool { return n.kind == l.funcDecl || n.kind == l.funcLit }

// function gives the innermost function that a node is in, nil if there is none.
func (l *layout) function(n *node) *node {
	for n != nil && !l.isFunc(n) {
		n = n.parent
	}
	return n
}

// walk calls visit for the nodes of a function that are not in another function inside it, those of
// an expression in the order in which they are evaluated.
func (l *layout) walk(n *node, visit func(*node)) {
	for _, c := range n.child {
		if c != nil && !l.isFunc(c) {
			l.walk(c, visit)
		}
	}
	visit(n)
}

// value gives what a node has as its value in a call, invalid if that is not known. It follows
// genValue of the interpreter.
func (l *layout) value(n *node, f *frame) reflect.Value {
	if n.rval.IsValid() {
		return n.rval
	}
	index := n.findex
	if n.sym != nil {
		if index = n.sym.index; index < 0 {
			return reflect.Value{}
		}
		if n.sym.global {
			return valueAt(f.root.data, index)
		}
	}
	switch {
	case n.level < 0:
		f = f.root
	default:
		for level := n.level; level > 0 && f != nil; level-- {
			f = f.caller
		}
	}
	if f == nil {
		return reflect.Value{}
	}
	return valueAt(f.data, index)
}

func valueAt(data []reflect.Value, i int) reflect.Value {
	if i < 0 || i >= len(data) {
		return reflect.Value{}
	}
	return data[i]
}

// grow makes room for the global variables that were compiled last. Yaegi does it too, by a new slice
// for each cell, which goroutines of cells read at the same moment. Whatever they read is
// right, as an old length goes with the new array and the other way round; to the race
// detector, which cannot know that, this function is unknown.
func (l *layout) grow(in *interp.Interpreter) {
	universe := *(**names)(unsafe.Add(unsafe.Pointer(in), l.universe))
	globals := *(**frame)(unsafe.Add(unsafe.Pointer(in), l.frame))
	growValues(&globals.data, universe.types)
}

//go:norace
func growValues(data *[]reflect.Value, types []reflect.Type) {
	old := *data
	if len(types) <= len(old) {
		return
	}
	grown := old
	if cap(old) < len(types) {
		grown = make([]reflect.Value, len(old), len(types)+len(types)/2+64)
		//lint:ignore S1001 copy would tell the race detector
		for i := range old {
			grown[i] = old[i]
		}
	}
	grown = grown[:len(types)]
	for i := len(old); i < len(types); i++ {
		grown[i] = reflect.New(types[i]).Elem()
	}
	*data = grown
}
