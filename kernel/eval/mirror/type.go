// Package mirror makes types at run time that package reflect has no functions for: types with a name and with methods,
// structs with fields that are embedded or not exported, interfaces apart.
//
// An interpreter knows such types, and has nothing to show for them to compiled code that looks into values by
// reflection. A type made here lies in memory as the interpreter's own does, so that a pointer to the one is a pointer to the
// other, and compiled code finds in it what it would find in a compiled program:
//
//	celsius := mirror.New(reflect.TypeFor[float64](), "main.Celsius", "main", 1)
//	celsius.SetMethod(0, mirror.Method{Name: "String", Type: reflect.TypeFor[func() string](), Call: …})
//	v := reflect.NewAt(celsius.Type, unsafe.Pointer(&temperature)).Elem()
//	fmt.Println(v.Interface()) // calls String
//
// A type is made in two steps, so that types may contain themselves: [New] gives one with the parts of the type that it
// is made like; then its fields, elements and methods are set. Nobody else may have seen it before that.
//
// The descriptions of types are those of the run-time system, which have been so since Go 1.24; [Works] tells
// whether they still are. What is made is never freed: some hundred bytes a type and a method.
package mirror

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

// These mirror the types of internal/abi.
type (
	header struct {
		size, ptrBytes         uintptr
		hash                   uint32
		flag, align, falign, k uint8
		equal                  func(unsafe.Pointer, unsafe.Pointer) bool
		gc                     *byte
		str, ptrTo             int32
	}
	structHeader struct {
		header
		pkgPath *byte
		fields  []structField
	}
	structField struct {
		name   *byte
		typ    unsafe.Pointer
		offset uintptr
	}
	elemHeader struct { // of a pointer, of a slice
		header
		elem unsafe.Pointer
	}
	arrayHeader struct {
		header
		elem, slice unsafe.Pointer
		n           uintptr
	}
	chanHeader struct {
		header
		elem unsafe.Pointer
		dir  int
	}
	mapHeader struct {
		header
		key, elem, group        unsafe.Pointer
		hasher                  func(unsafe.Pointer, uintptr) uintptr
		groupSize, slot, offset uintptr
		flags                   uint32
	}
	funcHeader struct {
		header
		in, out uint16
	}
	interfaceHeader struct {
		_ header
		_ *byte
		_ []struct{ name, typ int32 }
	}
	uncommon struct {
		pkgPath        int32
		mcount, xcount uint16
		moff, _        uint32
	}
	method struct{ name, typ, ifn, tfn int32 }
)

const (
	flagUncommon  = 1 << 0
	flagExtraStar = 1 << 1
	flagNamed     = 1 << 2
)

// addReflectOff gives a number by which the run-time system finds what p points to, and keeps it.
//
//go:linkname addReflectOff reflect.addReflectOff
//go:noescape
func addReflectOff(p unsafe.Pointer) int32

// A Made is a type made here.
type Made struct {
	Type    reflect.Type
	head    *header
	methods []method
}

var made atomic.Uint32

// New gives a new type that lies in memory as like does and has its parts. String is what the type is called; pkg, the path of
// its package, is "" for one without a name. It has n methods, which are to be set in the order of their names.
func New(like reflect.Type, str, pkg string, n int) *Made {
	of := pointer(like)
	kind, parts := headerOf(like)
	fields := []reflect.StructField{{Name: "T", Type: kind}, {Name: "U", Type: reflect.TypeFor[uncommon]()}}
	if like.Kind() == reflect.Func {
		fields = append(fields, reflect.StructField{Name: "A", Type: reflect.ArrayOf(parts, reflect.TypeFor[unsafe.Pointer]())})
	}
	fields = append(fields, reflect.StructField{Name: "M", Type: reflect.ArrayOf(n, reflect.TypeFor[method]())})
	block := reflect.New(reflect.StructOf(fields))
	block.Elem().Field(0).Set(reflect.NewAt(kind, of).Elem())
	if a := block.Elem().FieldByName("A"); a.IsValid() {
		args := unsafe.Add(of, kind.Size())
		if (*header)(of).flag&flagUncommon != 0 {
			args = unsafe.Add(args, unsafe.Sizeof(uncommon{}))
		}
		a.Set(reflect.NewAt(a.Type(), args).Elem())
	}
	h := (*header)(block.UnsafePointer())
	h.flag = h.flag&^(flagExtraStar|flagNamed) | flagUncommon
	h.str, h.ptrTo = nameOff(str, "", isExported(str), false), 0
	sum := fnv.New32a()
	fmt.Fprint(sum, str, made.Add(1))
	h.hash = sum.Sum32()
	u := (*uncommon)(block.Elem().Field(1).Addr().UnsafePointer())
	m := block.Elem().FieldByName("M")
	u.mcount, u.xcount = uint16(n), uint16(n)
	if pkg != "" {
		h.flag |= flagNamed
		u.pkgPath = nameOff(pkg, "", false, false)
	}
	t := &Made{Type: toType(unsafe.Pointer(h)), head: h}
	if n > 0 {
		t.methods = m.Slice(0, n).Interface().([]method)
		u.moff = uint32(uintptr(unsafe.Pointer(&t.methods[0])) - uintptr(unsafe.Pointer(u)))
	}
	keep(block)
	return t
}

// headerOf gives the form of a type's description, and how many parameters and results follow it.
func headerOf(t reflect.Type) (reflect.Type, int) {
	switch t.Kind() {
	case reflect.Struct:
		return reflect.TypeFor[structHeader](), 0
	case reflect.Pointer, reflect.Slice:
		return reflect.TypeFor[elemHeader](), 0
	case reflect.Array:
		return reflect.TypeFor[arrayHeader](), 0
	case reflect.Chan:
		return reflect.TypeFor[chanHeader](), 0
	case reflect.Map:
		return reflect.TypeFor[mapHeader](), 0
	case reflect.Func:
		return reflect.TypeFor[funcHeader](), t.NumIn() + t.NumOut()
	case reflect.Interface:
		return reflect.TypeFor[interfaceHeader](), 0
	}
	return reflect.TypeFor[header](), 0
}

// A Field is a field of a struct, in the place of one of the same layout.
type Field struct {
	Name     string
	Tag      string
	Type     reflect.Type
	Embedded bool
}

// SetFields gives a struct its fields. Those whose names are not exported are of package pkg.
func (m *Made) SetFields(pkg string, fields []Field) {
	h := (*structHeader)(unsafe.Pointer(m.head))
	if len(fields) != len(h.fields) {
		panic(fmt.Sprintf("mirror: %d fields for the %d of %v", len(fields), len(h.fields), m.Type))
	}
	own := make([]structField, len(fields))
	for i, f := range fields {
		own[i] = structField{name(f.Name, f.Tag, isExported(f.Name), f.Embedded), same(f.Type, toType(h.fields[i].typ)), h.fields[i].offset}
	}
	if slices.ContainsFunc(fields, func(f Field) bool { return !isExported(f.Name) }) { // else it is identical to those of other packages
		h.pkgPath = name(pkg, "", false, false)
	}
	h.fields = own
}

// SetElem gives a pointer, a slice, an array, a channel or a map the type of its elements, and SetKey a map that
// of its keys.
func (m *Made) SetElem(t reflect.Type) {
	switch m.Type.Kind() {
	case reflect.Pointer, reflect.Slice:
		(*elemHeader)(unsafe.Pointer(m.head)).elem = pointer(t)
	case reflect.Array:
		h := (*arrayHeader)(unsafe.Pointer(m.head))
		h.elem, h.slice = same(t, toType(h.elem)), pointer(reflect.SliceOf(t))
	case reflect.Chan:
		h := (*chanHeader)(unsafe.Pointer(m.head))
		h.elem = same(t, toType(h.elem))
	case reflect.Map:
		h := (*mapHeader)(unsafe.Pointer(m.head))
		h.elem = same(t, toType(h.elem))
	default:
		panic(fmt.Sprintf("mirror: elements of %v", m.Type))
	}
}

func (m *Made) SetKey(t reflect.Type) {
	h := (*mapHeader)(unsafe.Pointer(m.head))
	h.key = same(t, toType(h.key))
}

// HashAs has a map type that package reflect has made find keys as another one does that lies in memory in the same way, even
// where the names of the keys' fields are others: those called _ do not count for package reflect. No map of the type
// has been made.
func HashAs(m, like reflect.Type) {
	(*mapHeader)(pointer(m)).hasher = (*mapHeader)(pointer(like)).hasher
}

// SetSignature gives a function its parameters and results.
func (m *Made) SetSignature(types []reflect.Type) {
	h := (*funcHeader)(unsafe.Pointer(m.head))
	n := int(h.in) + int(h.out&^(1<<15))
	if n != len(types) {
		panic(fmt.Sprintf("mirror: %d parameters and results for the %d of %v", len(types), n, m.Type))
	}
	args := unsafe.Slice((*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(h), unsafe.Sizeof(funcHeader{})+unsafe.Sizeof(uncommon{}))), n)
	for i, t := range types {
		args[i] = same(t, toType(args[i]))
	}
}

// SetPointer makes p, a pointer type, what reflect.PointerTo gives for m. It has not been asked for before.
func (m *Made) SetPointer(p *Made) {
	m.head.ptrTo = addReflectOff(unsafe.Pointer(p.head))
}

// A Method is called with the receiver, a value of the type or of a pointer to it, and the arguments.
type Method struct {
	Name string       // exported
	Type reflect.Type // without the receiver
	Call func(args []reflect.Value) []reflect.Value
}

// SetMethod sets the i-th method. Methods are in the order of their names.
func (m *Made) SetMethod(i int, f Method) error {
	in, out := []reflect.Type{m.Type}, []reflect.Type(nil)
	for i := range f.Type.NumIn() {
		in = append(in, f.Type.In(i))
	}
	for i := range f.Type.NumOut() {
		out = append(out, f.Type.Out(i))
	}
	byValue := reflect.MakeFunc(reflect.FuncOf(in, out, f.Type.IsVariadic()), f.Call)
	tfn, err := stub(byValue)
	if err != nil {
		return err
	}
	ifn := tfn
	if !m.direct() { // an interface holds a pointer to the value
		in[0] = reflect.TypeFor[unsafe.Pointer]()
		ifn, err = stub(reflect.MakeFunc(reflect.FuncOf(in, out, f.Type.IsVariadic()), func(args []reflect.Value) []reflect.Value {
			copied := reflect.New(m.Type).Elem() // as the method of a compiled type copies its receiver
			copied.Set(reflect.NewAt(m.Type, args[0].UnsafePointer()).Elem())
			return f.Call(append([]reflect.Value{copied}, args[1:]...))
		}))
		if err != nil {
			return err
		}
	}
	m.methods[i] = method{nameOff(f.Name, "", true, false), addReflectOff(pointer(f.Type)), addReflectOff(ifn), addReflectOff(tfn)}
	return nil
}

// direct tells whether an interface holds the value of a type itself.
func (m *Made) direct() bool {
	if m.head.size != unsafe.Sizeof(uintptr(0)) || m.head.ptrBytes != m.head.size {
		return false
	}
	to := new(int)
	x := reflect.NewAt(m.Type, unsafe.Pointer(&to)).Elem().Interface()
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1] == unsafe.Pointer(to)
}

// ---- types and names as the run-time system has them

func pointer(t reflect.Type) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] }

func toType(p unsafe.Pointer) (t reflect.Type) {
	t = reflect.TypeFor[int]()
	(*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] = p
	return t
}

// same gives the description of a type that is to stand where another stood.
func same(t, was reflect.Type) unsafe.Pointer {
	if t.Size() != was.Size() || t.Align() != was.Align() {
		panic(fmt.Sprintf("mirror: %v cannot stand for %v, they lie otherwise in memory", t, was))
	}
	return pointer(t)
}

func nameOff(s, tag string, exported, embedded bool) int32 {
	return addReflectOff(unsafe.Pointer(name(s, tag, exported, embedded)))
}

func name(s, tag string, exported, embedded bool) *byte {
	const isExported, hasTag, isEmbedded = 1, 2, 8
	b := []byte{0}
	if exported {
		b[0] |= isExported
	}
	if embedded {
		b[0] |= isEmbedded
	}
	text := func(s string) {
		n := len(s)
		for ; n >= 0x80; n >>= 7 {
			b = append(b, byte(n|0x80))
		}
		b = append(append(b, byte(n)), s...)
	}
	text(s)
	if tag != "" {
		b[0] |= hasTag
		text(tag)
	}
	return unsafe.SliceData(slices.Clip(b))
}

func isExported(s string) bool {
	_, last, found := strings.Cut(s, ".")
	if !found {
		last = s
	}
	for _, r := range last {
		return strings.ToUpper(string(r)) == string(r) && strings.ToLower(string(r)) != string(r)
	}
	return false
}
