package box

import (
	"fmt"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strings"
)

// Format prints a cell's value as fmt prints the same value in a compiled program: by its
// methods Format, GoString, Error or String where it has them, with the type's and the
// fields' names, and the flags for every element.
//
// Two verbs never come here: fmt answers %T and %p itself, with the wrapper's name; see
// [TypeVerbs] for the first. And fmt does not tell how deep in another value this one is: a pointer to a struct within a slice
// prints as &{…} here where a compiled program prints an address.
func (o Obj) Format(f fmt.State, verb rune) {
	if verb == typeVerb {
		fmt.Fprintf(f, fmt.FormatString(f, 's'), o.D.Name)
		return
	}
	p := printer{f: f, verb: verb, format: fmt.FormatString(f, verb), descOf: o.D.DescOf}
	v := reflect.ValueOf(o.V)
	if p.methods(o.D, v) {
		return
	}
	if o.D.Type == nil {
		fmt.Fprintf(f, p.format, o.V)
		return
	}
	p.value(o.D.Type, v, 0)
}

type printer struct {
	f      fmt.State
	verb   rune
	format string
	descOf func(types.Type) *Desc
	hidden bool // within an unexported field, where fmt calls no methods
	deep   *deepState
}

func (p printer) sharpV() bool { return p.verb == 'v' && p.f.Flag('#') }

// methods lets the value print itself if its type can. A method that panics has printed, too.
func (p printer) methods(d *Desc, v reflect.Value) (done bool) {
	if d == nil || p.hidden {
		return false
	}
	x := v.Interface()
	if f, ok := d.Method("Format").(func(any, fmt.State, rune)); ok {
		defer p.recovered(d, "Format", v)
		done = true
		f(x, p.f, p.verb)
		return done
	}
	if p.sharpV() {
		if f, ok := d.Method("GoString").(func(any) string); ok {
			defer p.recovered(d, "GoString", v)
			done = true
			io.WriteString(p.f, f(x))
			return done
		}
		return false
	}
	if !strings.ContainsRune("vsxXq", p.verb) {
		return false
	}
	for _, name := range []string{"Error", "String"} {
		if f, ok := d.Method(name).(func(any) string); ok {
			defer p.recovered(d, name, v)
			done = true
			fmt.Fprintf(p.f, p.format, f(x))
			return done
		}
	}
	return false
}

// recovered writes what fmt writes when a method panics.
func (p printer) recovered(d *Desc, method string, v reflect.Value) {
	if r := recover(); r != nil {
		if v.Kind() == reflect.Pointer && v.IsNil() {
			io.WriteString(p.f, "<nil>")
			return
		}
		if d.Panicked != nil {
			r = d.Panicked(r)
		}
		fmt.Fprintf(p.f, "%%!%c(PANIC=%s method: %v)", p.verb, method, r)
	}
}

// value prints v, a value of type t, as fmt's printValue does.
func (p printer) value(t types.Type, v reflect.Value, depth int) {
	u := t.Underlying()
	if _, ok := u.(*types.Interface); ok || v.Kind() == reflect.Interface {
		if p.inInterface(t, &v, depth) {
			return
		}
	}
	if depth > 0 && p.descOf != nil && p.methods(p.descOf(t), v) {
		return
	}
	if !Mentions(t) {
		p.compiled(t, v, depth)
		return
	}
	switch u := u.(type) {
	case *types.Struct:
		p.list(named(t), v.NumField(), "{", "{", "}", func(i int) {
			p.fieldName(u.Field(i).Name())
			q := p
			q.hidden = p.hidden || !u.Field(i).Exported()
			q.value(u.Field(i).Type(), v.Field(i), depth+1)
		})
	case *types.Slice:
		p.elements(t, u.Elem(), v, depth)
	case *types.Array:
		p.elements(t, u.Elem(), v, depth)
	case *types.Map:
		p.mapping(named(t), v,
			func(x reflect.Value) { p.value(u.Key(), x, depth+1) }, func(x reflect.Value) { p.value(u.Elem(), x, depth+1) })
	case *types.Pointer:
		p.pointer(t, u.Elem(), v, depth)
	default:
		p.compiled(t, v, depth)
	}
}

// inInterface replaces *v by what an interface holds, or prints that and reports true.
func (p printer) inInterface(t types.Type, v *reflect.Value, depth int) bool {
	_, isInterface := t.Underlying().(*types.Interface)
	if v.Kind() == reflect.Interface {
		*v = v.Elem()
	}
	if !v.IsValid() {
		p.nilInterface(named(t), depth)
		return true
	}
	if !isInterface {
		return false // the interpreter keeps recursive types in interfaces
	}
	p.held(*v, depth+1)
	return true
}

func (p printer) nilInterface(name func() string, depth int) {
	if depth > 0 && p.sharpV() {
		io.WriteString(p.f, name()+"(nil)")
		return
	}
	io.WriteString(p.f, "<nil>")
}

// held prints what an interface holds.
func (p printer) held(v reflect.Value, depth int) {
	o, ok := Of(v.Interface())
	if !ok {
		p.compiled(nil, v, depth)
		return
	}
	ov := reflect.ValueOf(o.V)
	switch {
	case p.methods(o.D, ov):
	case o.D.Type == nil:
		p.compiled(nil, ov, depth)
	default:
		p.value(o.D.Type, ov, depth)
	}
}

// compiled lets fmt print a value whose parts are not of cell types. Within another value fmt
// prints some differently, so there it gets one around it, whose brackets are cut off.
func (p printer) compiled(t types.Type, v reflect.Value, depth int) {
	if v.IsValid() && v.CanInterface() && (p.hidden || isPlainContainer(v.Type())) && holdsInterface(v.Type(), nil) {
		p.parts(v, depth)
		return
	}
	x := value(v)
	var s string
	switch {
	case p.hidden:
		s = fmt.Sprintf(p.format, struct{ x any }{x})
		s = strings.TrimPrefix(s, "struct { x interface {} }")
		s = strings.TrimPrefix(s[1:len(s)-1], "x:")
	case depth > 0:
		s = fmt.Sprintf(p.format, []any{x})
		s = strings.TrimPrefix(s, "[]interface {}")
		s = s[1 : len(s)-1]
	default:
		s = fmt.Sprintf(p.format, x)
	}
	if bad := fmt.Sprintf("%%!%c(", p.verb); v.IsValid() && strings.HasPrefix(s, bad+v.Type().String()+"=") && t != nil {
		s = bad + TypeString(t) + s[len(bad)+len(v.Type().String()):] // a wrong verb tells the type
	}
	io.WriteString(p.f, s)
}

// isPlainContainer tells whether fmt goes through the elements of a value. It would begin anew with each that
// is an Obj and follow pointers without end, where in a compiled program those within others are addresses.
func isPlainContainer(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return t.NumMethod() == 0
	}
	return false
}

func value(v reflect.Value) any {
	switch {
	case !v.IsValid():
		return nil
	case !v.CanInterface():
		return v // fmt prints what a reflect.Value holds
	}
	return v.Interface()
}

func named(t types.Type) func() string { return func() string { return TypeString(t) } }

// list prints n parts between brackets: those of Go syntax for %#v, with the type's name
// before them, else the short ones.
func (p printer) list(name func() string, n int, open, goOpen, end string, part func(int)) {
	sep := " "
	if p.sharpV() {
		io.WriteString(p.f, name())
		open, sep = goOpen, ", "
	}
	io.WriteString(p.f, open)
	for i := range n {
		if i > 0 {
			io.WriteString(p.f, sep)
		}
		part(i)
	}
	io.WriteString(p.f, end)
}

func (p printer) elements(t, elem types.Type, v reflect.Value, depth int) {
	if v.Type().Elem().Kind() == reflect.Uint8 && strings.ContainsRune("sqxX", p.verb) {
		p.compiled(t, v, depth)
		return
	}
	p.sequence(named(t), v, func(x reflect.Value) { p.value(elem, x, depth+1) })
}

// sequence prints an array or a slice.
func (p printer) sequence(name func() string, v reflect.Value, part func(x reflect.Value)) {
	if !p.nilGo(name, v) {
		p.list(name, v.Len(), "[", "{", p.end(), func(i int) { part(v.Index(i)) })
	}
}

// end is the bracket after elements.
func (p printer) end() string {
	if p.sharpV() {
		return "}"
	}
	return "]"
}

func (p printer) fieldName(name string) {
	if p.verb == 'v' && (p.f.Flag('+') || p.f.Flag('#')) {
		io.WriteString(p.f, name+":")
	}
}

// nilGo prints a nil slice or map in Go syntax.
func (p printer) nilGo(name func() string, v reflect.Value) bool {
	if p.sharpV() && v.Kind() != reflect.Array && v.IsNil() {
		io.WriteString(p.f, name()+"(nil)")
		return true
	}
	return false
}

// mapping prints a map.
func (p printer) mapping(name func() string, v reflect.Value, key, elem func(x reflect.Value)) {
	if p.nilGo(name, v) {
		return
	}
	keys := v.MapKeys()
	slices.SortStableFunc(keys, compareKeys)
	p.list(name, len(keys), "map[", "{", p.end(), func(i int) {
		key(keys[i])
		io.WriteString(p.f, ":")
		elem(v.MapIndex(keys[i]))
	})
}

func (p printer) pointer(t, elem types.Type, v reflect.Value, depth int) {
	if p.follow(v, func() { p.value(elem, v.Elem(), depth+1) }) {
		return
	}
	if v.Kind() == reflect.Pointer && depth == 0 && !v.IsNil() {
		switch v.Elem().Kind() {
		case reflect.Array, reflect.Slice, reflect.Struct, reflect.Map:
			io.WriteString(p.f, "&")
			p.value(elem, v.Elem(), depth+1)
			return
		}
	}
	if p.sharpV() {
		fmt.Fprintf(p.f, "(%s)", TypeString(t))
		if v.Kind() == reflect.Pointer && v.IsNil() {
			io.WriteString(p.f, "(nil)")
		} else {
			fmt.Fprintf(p.f, "(%#x)", v.Pointer())
		}
		return
	}
	p.compiled(t, v, 1)
}
