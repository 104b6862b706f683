package eval

import (
	"encoding"
	"encoding/gob"
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"weak"

	"trivium/kernel/symbols/box"
)

// Package encoding/gob describes each type before the first value of it, by its name too. Nobody decodes by
// that, but messages call the type by it and lengths differ. What yaegi makes of a cell's type has no
// name, so an encoder writes through a gobNames, which knows the types in the order in which
// they will be described, and puts the names in that they have in Go.

type gobNames struct {
	w    io.Writer
	mu   sync.Mutex
	sent map[reflect.Type]types.Type // what has been described or will be next, as yaegi has it; nil: of a compiled package
	next []*string                   // names of those that are to be described, nil where they are right
}

// gobNamed holds the names of types that have none in Go. Gob calls such a type what it is called as the type of a
// field, and nothing if the first that it met was no field's.
var gobNamed sync.Map

// gobEncoders finds the gobNames of an encoder, both of which it does not keep alive.
var gobEncoders sync.Map

func newGobEncoder(w io.Writer) *gob.Encoder {
	n := &gobNames{w: w, sent: map[reflect.Type]types.Type{}}
	enc := gob.NewEncoder(n)
	key := weak.Make(enc)
	gobEncoders.Store(key, weak.Make(n))
	runtime.AddCleanup(enc, func(key weak.Pointer[gob.Encoder]) { gobEncoders.Delete(key) }, key)
	return enc
}

func gobNamesOf(enc *gob.Encoder) *gobNames {
	if n, ok := gobEncoders.Load(weak.Make(enc)); ok {
		return n.(weak.Pointer[gobNames]).Value()
	}
	return nil
}

// Write is given one message at a time.
func (n *gobNames) Write(p []byte) (int, error) {
	if _, err := n.w.Write(n.named(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// named gives a message with another name if it is one that describes a type: its length, the negative number of
// the type, which kind of description follows, and as the first field of that the name and a number.
func (n *gobNames) named(p []byte) []byte {
	_, at := gobUint(p)
	id, size := gobUint(p[at:])
	from := at + size
	if id&1 == 0 || len(p) < from+3 || p[from+1] != 1 {
		return p
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.next) == 0 {
		return p
	}
	name := n.next[0]
	n.next = n.next[1:]
	if name == nil {
		return p
	}
	head, rest := p[at:from+1], p[from+2:] // rest begins with the name or, two fields after none, the number
	if rest[0] == 1 {
		length, size := gobUint(rest[1:])
		rest = rest[1+size+int(length):]
	}
	body := append(append([]byte{}, head...), 1)
	if *name != "" {
		body = append(append(appendGobUint(append(body, 1), uint64(len(*name))), *name...), 1)
	} else {
		body = append(body, 2)
	}
	body = append(body, rest[1:]...)
	return append(appendGobUint(nil, uint64(len(body))), body...)
}

// gobUint reads a number as encoding/gob writes it, and gives how many bytes it has.
func gobUint(p []byte) (x uint64, size int) {
	if len(p) == 0 || p[0] < 1<<7 {
		if len(p) > 0 {
			x = uint64(p[0])
		}
		return x, min(1, len(p))
	}
	size = min(1-int(int8(p[0])), len(p))
	for _, b := range p[1:size] {
		x = x<<8 | uint64(b)
	}
	return x, size
}

func appendGobUint(p []byte, x uint64) []byte {
	if x < 1<<7 {
		return append(p, byte(x))
	}
	var digits []byte
	for ; x > 0; x >>= 8 {
		digits = append([]byte{byte(x)}, digits...)
	}
	return append(append(p, byte(-len(digits))), digits...)
}

// expect notes which types will be described before a value of type t.
func (n *gobNames) expect(s *Session, t types.Type) {
	r := s.shape(t)
	if r == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next = nil
	n.add(t, r, false)
}

// add follows what the encoder does. Of a type of a compiled package t is nil.
func (n *gobNames) add(t types.Type, r reflect.Type, field bool) {
	for r.Kind() == reflect.Pointer && !gobSpeaks(r) {
		r = r.Elem()
		if t != nil {
			t = derefType(t)
		}
	}
	if t != nil && !isCellType(t) {
		t = nil
	}
	speaks := gobSpeaks(r)
	switch r.Kind() {
	case reflect.Struct, reflect.Array, reflect.Map:
	case reflect.Slice:
		if r.Elem().Kind() == reflect.Uint8 && !speaks {
			return
		}
	default:
		if !speaks {
			return
		}
	}
	if was, ok := n.sent[r]; ok {
		if t != nil && was != nil && !types.Identical(t, was) {
			panic(plainError("encoding/gob cannot be given values of " + typeString(was) + " and of " + typeString(t) + " by one encoder, types declared in cells that have the same fields: use an encoder for each"))
		}
		return
	}
	n.sent[r] = t
	n.next = append(n.next, gobName(t, field))
	if speaks {
		return
	}
	isStruct := r.Kind() == reflect.Struct
	part := func(of func(u types.Type) types.Type, r reflect.Type) {
		if t == nil {
			n.add(nil, r, isStruct)
		} else {
			n.add(of(t.Underlying()), r, isStruct)
		}
	}
	elem := func(u types.Type) types.Type { return u.(interface{ Elem() types.Type }).Elem() }
	switch r.Kind() {
	case reflect.Struct:
		for i := range r.NumField() {
			if r.Field(i).IsExported() {
				part(func(u types.Type) types.Type { return u.(*types.Struct).Field(i).Type() }, r.Field(i).Type)
			}
		}
	case reflect.Map:
		part(func(u types.Type) types.Type { return u.(*types.Map).Key() }, r.Key())
		part(elem, r.Elem())
	default:
		part(elem, r.Elem())
	}
}

// gobName gives the name of a type declared in a cell, or of one made of such.
func gobName(t types.Type, field bool) *string {
	if t == nil {
		return nil
	}
	name := box.TypeString(t)
	if _, ok := types.Unalias(t).(*types.Named); ok {
		_, name, _ = strings.Cut(name, ".")
		return &name
	}
	first := name
	if !field {
		first = ""
	}
	known, _ := gobNamed.LoadOrStore(name, first)
	name = known.(string)
	return &name
}

// gobSpeaks tells whether a type encodes itself.
func gobSpeaks(r reflect.Type) bool {
	for _, r := range []reflect.Type{r, reflect.PointerTo(r)} {
		if r.Implements(reflect.TypeFor[gob.GobEncoder]()) || r.Implements(reflect.TypeFor[encoding.BinaryMarshaler]()) {
			return true
		}
	}
	return false
}

// rtGobEncode is Encode of a value whose type has the descriptor id; -1: v is what was in an interface.
func (s *Session) rtGobEncode(enc *gob.Encoder, id int, v any) error {
	t := types.Type(nil)
	if o, ok := box.Of(v); ok {
		t = o.D.Type
		if name, field := hiddenField(t, false, map[types.Type]bool{}); name != "" {
			panic(plainError(hiddenText(lookers["gob out"], name, field)))
		}
	} else if id >= 0 {
		t = s.descAt(id).Type
	}
	if id < 0 {
		v = s.rtOpen("gob out", v)
	}
	if n := gobNamesOf(enc); n != nil && t != nil {
		n.expect(s, t)
	}
	err := enc.Encode(v)
	if err != nil && t != nil {
		err = s.namedIn(err, t)
	}
	return err
}

// rtGobDecode is Decode into a variable of a type with the descriptor id.
func (s *Session) rtGobDecode(dec *gob.Decoder, id int, v any) error {
	err := dec.Decode(v)
	t := derefType(s.descAt(id).Type)
	if n, ok := types.Unalias(t).(*types.Named); ok && err != nil && strings.HasSuffix(err.Error(), "compiling decoder for ") {
		return fmt.Errorf("%w%s", err, n.Obj().Name())
	}
	return err
}

// namedIn puts the name of a cell's type into an error that has what yaegi makes of it.
func (s *Session) namedIn(err error, t types.Type) error {
	for {
		if r := s.shape(t); r != nil && r.String() != box.TypeString(t) && strings.Contains(err.Error(), r.String()) {
			return renamedError{strings.ReplaceAll(err.Error(), r.String(), box.TypeString(t)), err}
		}
		u, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return err
		}
		t = u.Elem()
	}
}

// A renamedError is another with the names of cells' types.
type renamedError struct {
	text string
	err  error
}

func (e renamedError) Error() string { return e.text }
func (e renamedError) Unwrap() error { return e.err }

// gobCall lowers Encode and Decode of a value of a cell's type or of what is in an interface. Nil: an ordinary call.
func (l *lowerer) gobCall(e *ast.CallExpr, coder ast.Expr, f *types.Func) ast.Expr {
	if l.oneTuple(e, f.Signature()) != nil {
		return nil
	}
	t := l.typeOf(e.Args[0])
	name, looker := "GobEncode", lookers["gob out"]
	if f.Name() == "Decode" {
		name, looker = "GobDecode", lookers["gob in"]
	}
	id := -1
	switch {
	case isCellType(t):
		id = l.descOf(t)
	case !types.IsInterface(t) || name == "GobDecode":
		return nil
	}
	before, recv := len(l.pre), []ast.Expr{coder}
	var x ast.Expr
	if id < 0 {
		x = l.conv(e.Args[0], anyType)
	} else {
		x = l.rawArg(e.Args[0], looker)
	}
	l.holdBefore(before, recv)
	return l.rt(name, recv[0], l.int(id), x)
}
