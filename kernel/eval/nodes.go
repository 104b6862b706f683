package eval

import (
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// What is read of the interpreter's nodes and frames, which yaegi.go declares.

func (l *layout) isFunc(n *node) bool { return n.kind == l.funcDecl || n.kind == l.funcLit }

// declared gives the functions that a file declares, by name.
func (l *layout) declared(file *node) map[string]*node {
	found := map[string]*node{}
	for _, n := range file.child {
		if n.kind == l.funcDecl {
			found[n.child[1].ident] = n
		}
	}
	return found
}

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
	growValues(&l.globals(in).data, universe.types)
}

// globals is the frame of the global variables.
func (l *layout) globals(in *interp.Interpreter) *frame {
	return *(**frame)(unsafe.Add(unsafe.Pointer(in), l.frame))
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

// unfinished gives a node of a function for which yaegi has made no step though others follow it, nil if
// there is none: some of its generators do nothing for kinds of values that they have not thought of, and a
// function that comes to such a node would end there without a word.
func (l *layout) unfinished(root *node) *node {
	seen := map[*node]bool{}
	var found *node
	var follow, find func(n *node)
	follow = func(n *node) {
		for ; n != nil && !seen[n] && found == nil; n = n.next {
			seen[n] = true
			if n.exec == nil && n.kind != l.returns && n.next != nil && n.next.exec != nil {
				found = n
				return
			}
			follow(n.other)
		}
	}
	find = func(n *node) {
		if l.isFunc(n) && len(n.child) > 3 && n.child[3] != nil {
			follow(n.child[3].start)
		}
		for _, c := range n.child {
			if c != nil {
				find(c)
			}
		}
	}
	find(root)
	return found
}
