package eval

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// A node is the interpreter's syntax of what it runs, and an activation the frame that a call of an
// interpreted function has its variables in. Yaegi exports neither. They are read where a
// panic is explained, through the offsets that package reflect tells.
type (
	node       unsafe.Pointer
	activation unsafe.Pointer
)

// A layout says where the fields of the interpreter's structs lie.
type layout struct {
	child, anc, findex, level, kind, action, pos, sym, rval, ident, typ uintptr // of a node
	symIndex, symGlobal, symNode                                        uintptr
	root, caller, data                                                  uintptr // of a frame
	frame, universe, types                                              uintptr // of the interpreter; of a scope
	funcDecl, funcLit, index, slice                                     uint64  // kinds of nodes
	sliceFromZero                                                       uint64  // an action
}

// layoutOf finds the layout, or says what is not as it was in the version this is written for.
func layoutOf(in *interp.Interpreter) (l *layout, err error) {
	defer func() {
		if v := recover(); v != nil {
			l, err = nil, fmt.Errorf("eval: this version of the interpreter has other structs: %v", v)
		}
	}()
	it := reflect.TypeOf(in).Elem()
	field := func(t reflect.Type, name string) reflect.StructField {
		f, ok := t.FieldByName(name)
		if !ok {
			panic(t.String() + " has no field " + name)
		}
		return f
	}
	frame := field(it, "frame").Type.Elem()
	sym := field(field(it, "universe").Type.Elem(), "sym").Type.Elem().Elem()
	n := field(sym, "node").Type.Elem()
	l = &layout{
		child: field(n, "child").Offset, anc: field(n, "anc").Offset, findex: field(n, "findex").Offset, level: field(n, "level").Offset,
		kind: field(n, "kind").Offset, action: field(n, "action").Offset, pos: field(n, "pos").Offset, sym: field(n, "sym").Offset,
		rval: field(n, "rval").Offset, ident: field(n, "ident").Offset, typ: field(n, "typ").Offset,
		symIndex: field(sym, "index").Offset, symGlobal: field(sym, "global").Offset, symNode: field(sym, "node").Offset,
		frame: field(it, "frame").Offset, universe: field(it, "universe").Offset, types: field(field(it, "universe").Type.Elem(), "types").Offset,
		root: field(frame, "root").Offset, caller: field(frame, "anc").Offset, data: field(frame, "data").Offset,
	}
	for _, f := range []struct {
		f    reflect.StructField
		want reflect.Kind
	}{
		{field(n, "child"), reflect.Slice}, {field(n, "findex"), reflect.Int}, {field(n, "level"), reflect.Int}, {field(n, "kind"), reflect.Uint}, {field(n, "action"), reflect.Uint},
		{field(n, "pos"), reflect.Int}, {field(n, "rval"), reflect.Struct}, {field(n, "ident"), reflect.String}, {field(sym, "index"), reflect.Int}, {field(frame, "data"), reflect.Slice},
	} {
		if k := f.f.Type.Kind(); k != f.want {
			return nil, errors.New("eval: field " + f.f.Name + " of the interpreter is a " + k.String())
		}
	}
	name := func(t reflect.Type, want string) uint64 {
		v := reflect.New(t).Elem()
		for i := range uint64(400) {
			v.SetUint(i)
			if v.Interface().(fmt.Stringer).String() == want {
				return i
			}
		}
		panic(t.String() + " has no " + want)
	}
	kind, action := field(n, "kind").Type, field(n, "action").Type
	l.funcDecl, l.funcLit, l.index, l.slice = name(kind, "funcDecl"), name(kind, "funcLit"), name(kind, "indexExpr"), name(kind, "sliceExpr")
	l.sliceFromZero = name(action, "slice0")
	return l, nil
}

func at[T any](p unsafe.Pointer, offset uintptr) T { return *(*T)(unsafe.Add(p, offset)) }

func (l *layout) children(n node) []node { return at[[]node](unsafe.Pointer(n), l.child) }
func (l *layout) kindOf(n node) uint64   { return uint64(at[uint](unsafe.Pointer(n), l.kind)) }
func (l *layout) actionOf(n node) uint64 { return uint64(at[uint](unsafe.Pointer(n), l.action)) }
func (l *layout) posOf(n node) token.Pos { return at[token.Pos](unsafe.Pointer(n), l.pos) }
func (l *layout) identOf(n node) string  { return at[string](unsafe.Pointer(n), l.ident) }
func (l *layout) parent(n node) node     { return at[node](unsafe.Pointer(n), l.anc) }
func (l *layout) isFunc(n node) bool     { k := l.kindOf(n); return k == l.funcDecl || k == l.funcLit }
func (l *layout) values(f activation) []reflect.Value {
	return at[[]reflect.Value](unsafe.Pointer(f), l.data)
}

// function gives the innermost function that a node is in, nil if there is none.
func (l *layout) function(n node) node {
	for n != nil && !l.isFunc(n) {
		n = l.parent(n)
	}
	return n
}

// walk calls visit for the nodes of a function that are not in another function inside it, those of
// an expression in the order in which they are evaluated.
func (l *layout) walk(n node, visit func(node)) {
	for _, c := range l.children(n) {
		if c != nil && !l.isFunc(c) {
			l.walk(c, visit)
		}
	}
	visit(n)
}

// value gives what a node has as its value in a call, invalid if that is not known. It follows
// genValue of the interpreter.
func (l *layout) value(n node, f activation) reflect.Value {
	if v := at[reflect.Value](unsafe.Pointer(n), l.rval); v.IsValid() {
		return v
	}
	index := at[int](unsafe.Pointer(n), l.findex)
	if sym := at[unsafe.Pointer](unsafe.Pointer(n), l.sym); sym != nil {
		index = at[int](sym, l.symIndex)
		if index < 0 {
			return reflect.Value{}
		}
		if at[bool](sym, l.symGlobal) {
			f = at[activation](unsafe.Pointer(f), l.root)
			return valueAt(l.values(f), index)
		}
	}
	switch level := at[int](unsafe.Pointer(n), l.level); {
	case level < 0:
		f = at[activation](unsafe.Pointer(f), l.root)
	default:
		for ; level > 0 && f != nil; level-- {
			f = at[activation](unsafe.Pointer(f), l.caller)
		}
	}
	if f == nil {
		return reflect.Value{}
	}
	return valueAt(l.values(f), index)
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
	universe := at[unsafe.Pointer](unsafe.Pointer(in), l.universe)
	frame := at[unsafe.Pointer](unsafe.Pointer(in), l.frame)
	growValues((*[]reflect.Value)(unsafe.Add(frame, l.data)), at[[]reflect.Type](universe, l.types))
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
