package box

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// MarshalJSON gives what package encoding/json makes of the same value in a compiled program:
// by its method MarshalJSON or MarshalText where it has one, else of its exported fields, with
// their names and tags.
//
// Packages encoding/gob and encoding/xml have no such help: gob wants types that it can
// register, xml wants their names. They see the interpreter's value when a front end gives them
// that, and of an Obj nothing.
func (o Obj) MarshalJSON() ([]byte, error) {
	return node{o.D, o.D.Type, o.D.DescOf, reflect.ValueOf(o.V), 0}.MarshalJSON()
}

// A JSONError is why a value of a cell's type has no JSON. Package encoding/json puts one that names
// the wrapper around it: see [JSONErrorOf].
type JSONError struct {
	Type   types.Type
	Method string // which failed, "" if the type has no JSON
	Err    error
}

func (e *JSONError) Error() string {
	if e.Method == "" {
		return "json: unsupported type: " + TypeString(e.Type)
	}
	return "json: error calling " + e.Method + " for type " + TypeString(e.Type) + ": " + e.Err.Error()
}

func (e *JSONError) Unwrap() error { return e.Err }

// JSONErrorOf gives an error of package encoding/json without what that says of wrappers.
func JSONErrorOf(err error) error {
	if m, ok := err.(*json.MarshalerError); ok && (m.Type == reflect.TypeFor[node]() || m.Type.Implements(reflect.TypeFor[interface{ Boxed() Obj }]())) {
		return m.Err
	}
	return err
}

// node is a value within a boxed one that is yet to be marshalled. Only one level is made
// ready at a time, and package encoding/json asks for the next: so a value that contains
// itself is noticed by its depth.
type node struct {
	d      *Desc      // nil if the type has none
	t      types.Type // nil: the value's dynamic type
	descOf func(types.Type) *Desc
	v      reflect.Value
	depth  int
}

// maxDepth is where encoding/json, too, begins to look for cycles.
const maxDepth = 1000

func (n node) MarshalJSON() ([]byte, error) {
	v := n.v
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return []byte("null"), nil
	}
	if n.depth > maxDepth && v.Kind() != reflect.Struct { // a cycle goes through a pointer, map or slice
		return nil, &json.UnsupportedValueError{Value: v, Str: "encountered a cycle via " + n.name()}
	}
	if n.d != nil {
		if f, ok := n.d.Method("MarshalJSON").(func(any) ([]byte, error)); ok {
			b, err := f(v.Interface())
			if err == nil {
				err = json.Compact(&bytes.Buffer{}, b)
			}
			return b, n.failed("MarshalJSON", err)
		}
		if f, ok := n.d.Method("MarshalText").(func(any) ([]byte, error)); ok {
			text, err := f(v.Interface())
			if err != nil {
				return nil, n.failed("MarshalText", err)
			}
			return encode(string(text))
		}
	}
	x, err := n.open(v)
	if err != nil {
		return nil, err
	}
	return encode(x)
}

func (n node) failed(method string, err error) error {
	if err == nil {
		return nil
	}
	return &JSONError{n.d.Type, method, err}
}

func (n node) name() string {
	if n.t != nil {
		return TypeString(n.t)
	}
	return n.v.Type().String()
}

// encode leaves <, > and & as they are: the encoder around it escapes them if it is to.
func encode(x any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(x); err != nil {
		return nil, JSONErrorOf(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// open makes of a value one of the same JSON whose parts are compiled values or nodes.
func (n node) open(v reflect.Value) (any, error) {
	if n.t == nil {
		return v.Interface(), nil
	}
	switch u := n.t.Underlying().(type) {
	case *types.Pointer:
		if v.Kind() == reflect.Pointer {
			return n.part(u.Elem(), v.Elem()), nil
		}
	case *types.Struct:
		if v.Kind() == reflect.Struct {
			return n.structure(u, v).Interface(), nil
		}
	case *types.Slice:
		if v.IsNil() {
			return nil, nil
		}
		return n.list(u.Elem(), v), nil
	case *types.Array:
		return n.list(u.Elem(), v), nil
	case *types.Map:
		return n.mapping(u, v)
	case *types.Signature, *types.Chan:
		return nil, &JSONError{Type: n.t}
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 {
			return nil, &JSONError{Type: n.t}
		}
	}
	return v.Interface(), nil
}

// part gives a value of type t within n for encoding/json.
func (n node) part(t types.Type, v reflect.Value) any {
	if v.Kind() == reflect.Interface { // also where the interpreter keeps recursive types in interfaces
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
		if types.IsInterface(t) {
			if o, ok := Of(v.Interface()); ok {
				return node{o.D, o.D.Type, o.D.DescOf, reflect.ValueOf(o.V), n.depth + 1}
			}
			return v.Interface()
		}
	}
	var d *Desc
	if n.descOf != nil {
		d = n.descOf(t)
		// As encoding/json does, a method of *T is called for a T that has an address.
		if pd := n.descOf(types.NewPointer(t)); v.CanAddr() && marshals(pd) && !marshals(d) {
			return node{pd, types.NewPointer(t), n.descOf, v.Addr(), n.depth + 1}
		}
	}
	if !marshals(d) && !n.deep(t) {
		return v.Interface()
	}
	if isNil(v) {
		return nil
	}
	return node{d, t, n.descOf, v, n.depth + 1}
}

func marshals(d *Desc) bool {
	return d != nil && (Has[func(any) ([]byte, error)](Obj{D: d}, "MarshalJSON") || Has[func(any) ([]byte, error)](Obj{D: d}, "MarshalText"))
}

// deep tells whether a value of type t must be opened: as it is, it has fields or elements
// that encoding/json would see in another way.
func (n node) deep(t types.Type) bool {
	if !Mentions(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return n.descOf != nil && marshals(n.descOf(t))
	case *types.Pointer:
		return n.deep(u.Elem())
	case *types.Slice:
		return n.deep(u.Elem())
	case *types.Array:
		return n.deep(u.Elem())
	}
	return true
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return v.IsNil()
	}
	return false
}

func (n node) list(elem types.Type, v reflect.Value) any {
	if !n.deep(elem) && !types.IsInterface(elem) {
		return v.Interface()
	}
	l := make([]any, v.Len())
	for i := range l {
		l[i] = n.part(elem, v.Index(i))
	}
	return l
}

// mapping gives a map of nodes, with keys by their own method MarshalText if they have it.
func (n node) mapping(t *types.Map, v reflect.Value) (any, error) {
	if v.IsNil() {
		return nil, nil
	}
	key, text := v.Type().Key(), encodeKey(n, t.Key())
	if text != nil {
		key = reflect.TypeFor[string]()
	}
	if text == nil && !key.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		switch k := key.Kind(); {
		case k == reflect.String, k >= reflect.Int && k <= reflect.Uintptr:
		default:
			return nil, &JSONError{Type: n.t}
		}
	}
	m := reflect.MakeMapWithSize(reflect.MapOf(key, reflect.TypeFor[any]()), v.Len())
	for it := v.MapRange(); it.Next(); {
		k := it.Key()
		if text != nil {
			b, err := text(k.Interface())
			if err != nil {
				return nil, fmt.Errorf("json: encoding error for type %q: %q", n.name(), err.Error())
			}
			k = reflect.ValueOf(string(b))
		}
		x := reflect.New(reflect.TypeFor[any]()).Elem()
		if p := n.part(t.Elem(), it.Value()); p != nil {
			x.Set(reflect.ValueOf(p))
		}
		m.SetMapIndex(k, x)
	}
	return m.Interface(), nil
}

// encodeKey is the method MarshalText of a key's type, which strings are not asked for.
func encodeKey(n node, t types.Type) func(any) ([]byte, error) {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.String || n.descOf == nil {
		return nil
	}
	if d := n.descOf(t); d != nil {
		f, _ := d.Method("MarshalText").(func(any) ([]byte, error))
		return f
	}
	return nil
}

// structure gives a struct with the exported fields of v under the names they have in Go.
// Embedded structs stay embedded, so that encoding/json chooses among fields of one name.
func (n node) structure(t *types.Struct, v reflect.Value) reflect.Value {
	var fields []reflect.StructField
	var values []reflect.Value
	add := func(f reflect.StructField, x reflect.Value) {
		f.Type = x.Type()
		fields, values = append(fields, f), append(values, x)
	}
	for i := range t.NumFields() {
		f, tag := t.Field(i), reflect.StructTag(t.Tag(i))
		if inner, ok := embedded(f); ok {
			// Under another name, for reflect makes no embedded field with an unexported one;
			// encoding/json does not look at it.
			sf := reflect.StructField{Name: fmt.Sprint("Embeddedʹ", i), Anonymous: true}
			if name, _, _ := strings.Cut(tag.Get("json"), ","); name != "" {
				sf.Anonymous, sf.Tag = false, tag
				add(sf, n.field(f.Type(), tag, v.Field(i)))
			} else if x, ok := n.inner(inner, v.Field(i)); ok {
				add(sf, x)
			}
		} else if f.Exported() {
			add(reflect.StructField{Name: f.Name(), Tag: tag}, n.field(f.Type(), tag, v.Field(i)))
		}
	}
	r := reflect.New(reflect.StructOf(fields)).Elem()
	for i, x := range values {
		r.Field(i).Set(x)
	}
	return r
}

// embedded gives the struct type of an embedded struct or pointer to one.
func embedded(f *types.Var) (*types.Struct, bool) {
	if !f.Embedded() {
		return nil, false
	}
	t := f.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	return s, ok
}

// inner opens an embedded struct. A nil pointer to one has no fields.
func (n node) inner(t *types.Struct, v reflect.Value) (reflect.Value, bool) {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return v, false
		}
		v = v.Elem()
	}
	n.depth++
	if v.Kind() != reflect.Struct || n.depth > maxDepth {
		return v, false
	}
	return n.structure(t, v), true
}

// field gives a field's value as the type that it has, if encoding/json finds in that what it
// would find in the Go type, or as any. Options that leave a field out ask for the kind of the
// value, so here they are answered.
func (n node) field(t types.Type, tag reflect.StructTag, v reflect.Value) reflect.Value {
	x := reflect.New(reflect.TypeFor[any]()).Elem()
	if n.leftOut(t, tag, v) {
		return x
	}
	p := n.part(t, v)
	if _, ok := p.(node); !ok && p != nil && !types.IsInterface(t) {
		return reflect.ValueOf(p)
	}
	if p != nil {
		x.Set(reflect.ValueOf(p))
	}
	return x
}

func (n node) leftOut(t types.Type, tag reflect.StructTag, v reflect.Value) bool {
	_, options, _ := strings.Cut(tag.Get("json"), ",")
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitempty":
			switch v.Kind() {
			case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
				if v.Len() == 0 {
					return true
				}
			case reflect.Struct:
			default:
				if v.IsZero() {
					return true
				}
			}
		case "omitzero":
			if n.isZero(t, v) {
				return true
			}
		}
	}
	return false
}

// isZero is what encoding/json takes for zero: by the method IsZero if the type, or a pointer to it, has one.
func (n node) isZero(t types.Type, v reflect.Value) bool {
	x := v.Interface()
	if isNil(v) && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		return true
	}
	if types.IsInterface(t) {
		if m, _, _ := types.LookupFieldOrMethod(t, false, nil, "IsZero"); m == nil {
			return false
		}
		if o, ok := Of(x); ok {
			inner := reflect.ValueOf(o.V)
			return isNil(inner) && inner.Kind() == reflect.Pointer || M(o, "IsZero").(func(any) bool)(o.V)
		}
	}
	if z, ok := x.(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	if n.descOf != nil {
		if d := n.descOf(t); d != nil && Has[func(any) bool](Obj{D: d}, "IsZero") {
			return M(Obj{D: d}, "IsZero").(func(any) bool)(x)
		}
		if d := n.descOf(types.NewPointer(t)); d != nil && Has[func(any) bool](Obj{D: d}, "IsZero") {
			if !v.CanAddr() {
				p := reflect.New(v.Type())
				p.Elem().Set(v)
				v = p.Elem()
			}
			return M(Obj{D: d}, "IsZero").(func(any) bool)(v.Addr().Interface())
		}
	}
	return v.IsZero()
}
