package eval

import (
	"encoding"
	"flag"
	"go/types"
	htmltemplate "html/template"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/template"
	"unsafe"
	"weak"

	"trivium/kernel/symbols/box"
)

// view gives a value of a cell as compiled code that looks into it is to see it: with the type that it has in Go.
// What pointers, slices and maps in it lead to is shared with the cell, boxes and all.
func (s *Session) view(x any) any {
	o, ok := box.Of(x)
	if !ok || o.D == nil || o.D.Type == nil {
		return x
	}
	t := s.typeOf(o.D.Type)
	if reflect.TypeOf(x) == t {
		return x
	}
	return retype(reflect.ValueOf(o.V), t).Interface()
}

// noMirror says why a type has no mirror.
func (s *Session) noMirror(name string) string {
	s.mirrors.mu.Lock()
	defer s.mirrors.mu.Unlock()
	if m := s.mirrors.mute; m != "" {
		return "reflection cannot be shown " + name + ", a type declared in a cell, as " + m + " is not ready to be called by compiled code"
	}
	return "reflection cannot be shown " + name + ", a type declared in a cell: " + s.mirrors.why
}

// unboxed is view, and copies of what leads to boxes, without boxes. A method that is called of a copy behind a pointer is
// called of what it was copied from.
func (s *Session) unboxed(x any) any { return s.shower("").any(x) }

// unboxedFor is unboxed for a package that does not look at everything.
func (s *Session) unboxedFor(format string) func(any) any {
	return func(x any) any { return s.shower(format).any(x) }
}

func (s *Session) shower(format string) *shower {
	return &shower{s: s, format: format, copies: map[shownKey]reflect.Value{}, known: map[shownKey]bool{}}
}

// A shower shows the parts of one value.
type shower struct {
	s      *Session
	format string                     // as which it is encoded: "json", "xml", "gob" or templates, "" if all of it may be looked at
	copies map[shownKey]reflect.Value // of what pointers, slices and maps lead to
	known  map[shownKey]bool          // whether that leads to boxes, which is asked again at each level
}

const templates = "template"

// follows tells whether what a field leads to is looked at. What is not may be changed by goroutines meanwhile.
func (w *shower) follows(f reflect.StructField) bool {
	switch {
	case w.format != templates:
		return encoded(f, w.format)
	case f.IsExported() || f.Anonymous:
		return true
	}
	t := f.Type // is printed with the whole, as an address if it is a pointer
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t.Kind() != reflect.Pointer
}

// encoded tells whether packages that encode as a format, or decode from it, look at a field; those of no format look at all.
func encoded(f reflect.StructField, format string) bool {
	return format == "" || (f.IsExported() || f.Anonymous) && f.Tag.Get(format) != "-"
}

type shownKey struct {
	p unsafe.Pointer
	n int
	t reflect.Type
}

func (w *shower) any(x any) any {
	if x == nil {
		return nil
	}
	if _, ok := box.Of(x); ok {
		if v := w.s.view(x); v != nil {
			return w.value(reflect.ValueOf(v)).Interface()
		}
		return nil
	}
	return w.value(reflect.ValueOf(x)).Interface()
}

// value shows a value that is of a mirror, or of a compiled type, but for the boxes in it.
func (w *shower) value(v reflect.Value) reflect.Value {
	if seen := map[shownKey]bool{}; !w.boxed(v, seen) {
		for k := range seen {
			w.known[k] = false
		}
		return v
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Interface:
		r := reflect.New(t).Elem()
		r.Set(reflect.ValueOf(w.any(v.Elem().Interface())))
		return r
	case reflect.Pointer:
		k := keyOf(v)
		if c, ok := w.copies[k]; ok {
			return c
		}
		c := reflect.New(t.Elem())
		if c.Type() != t {
			c = c.Convert(t)
		}
		w.copies[k] = c
		w.s.stands(c, v)
		c.Elem().Set(w.value(v.Elem()))
		return c
	case reflect.Struct:
		c := reflect.New(t).Elem()
		c.Set(v)
		for i := range t.NumField() {
			if f := settable(c.Field(i)); f.CanSet() && w.follows(t.Field(i)) {
				f.Set(w.value(f))
			}
		}
		return c
	case reflect.Array:
		c := reflect.New(t).Elem()
		for i := range t.Len() {
			c.Index(i).Set(w.value(v.Index(i)))
		}
		return c
	case reflect.Slice:
		k := keyOf(v)
		if c, ok := w.copies[k]; ok {
			return c
		}
		c := reflect.MakeSlice(t, v.Len(), v.Len())
		w.copies[k] = c
		for i := range v.Len() {
			c.Index(i).Set(w.value(v.Index(i)))
		}
		return c
	case reflect.Map:
		k := keyOf(v)
		if c, ok := w.copies[k]; ok {
			return c
		}
		c := reflect.MakeMapWithSize(t, v.Len())
		w.copies[k] = c
		for it := v.MapRange(); it.Next(); {
			c.SetMapIndex(w.value(it.Key()), w.value(it.Value()))
		}
		return c
	case reflect.Func:
		if !v.IsNil() && exchanges(v.Type()) {
			return w.s.showFunc(v)
		}
	}
	return v
}

func keyOf(v reflect.Value) shownKey {
	k := shownKey{p: v.UnsafePointer(), t: v.Type()}
	if v.Kind() == reflect.Slice {
		k.n = v.Len()
	}
	return k
}

// boxed tells whether a value leads to a box, or to a function that may be given or may give one.
func (w *shower) boxed(v reflect.Value, seen map[shownKey]bool) bool {
	if !mayBeBoxed(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return false
		}
		e := v.Elem()
		if e.CanInterface() {
			if box.IsBox(e.Interface()) {
				return true
			}
		}
		return w.boxed(e, seen)
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() {
			return false
		}
		k := keyOf(v)
		if b, ok := w.known[k]; ok || seen[k] {
			return b
		}
		seen[k] = true
		if w.boxedBehind(v, seen) {
			w.known[k] = true
			return true
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if !w.follows(v.Type().Field(i)) {
				continue
			}
			if !f.CanInterface() && !f.CanAddr() {
				c := reflect.New(v.Type()).Elem()
				c.Set(v)
				f = c.Field(i)
			}
			if w.boxed(settable(f), seen) {
				return true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if w.boxed(v.Index(i), seen) {
				return true
			}
		}
	case reflect.Func:
		return !v.IsNil()
	}
	return false
}

// boxedBehind is boxed of what a pointer, a slice or a map leads to.
func (w *shower) boxedBehind(v reflect.Value, seen map[shownKey]bool) bool {
	switch v.Kind() {
	case reflect.Pointer:
		return w.boxed(v.Elem(), seen)
	case reflect.Slice:
		for i := range v.Len() {
			if w.boxed(v.Index(i), seen) {
				return true
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if w.boxed(it.Key(), seen) || w.boxed(it.Value(), seen) {
				return true
			}
		}
	}
	return false
}

// mayBeBoxed tells whether values of a type may lead to boxes where they can be copied: structs of compiled packages are theirs.
func mayBeBoxed(t reflect.Type) bool {
	if b, ok := boxedTypes.Load(t); ok {
		return b.(bool)
	}
	b := leads(t, map[reflect.Type]bool{})
	boxedTypes.Store(t, b)
	return b
}

var boxedTypes sync.Map

func leads(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return leads(t.Elem(), seen)
	case reflect.Map:
		return leads(t.Key(), seen) || leads(t.Elem(), seen)
	case reflect.Struct:
		if t.PkgPath() != "" && t.PkgPath() != "main" {
			return false
		}
		for i := range t.NumField() {
			if leads(t.Field(i).Type, seen) {
				return true
			}
		}
	case reflect.Func:
		return leadsFunc(t, seen)
	}
	return false
}

// exchanges tells whether a function is given or gives interfaces.
func exchanges(t reflect.Type) bool { return leadsFunc(t, map[reflect.Type]bool{}) }

func leadsFunc(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t.PkgPath() != "" && t.PkgPath() != "main" {
		return false
	}
	for i := range t.NumIn() {
		if leads(t.In(i), seen) {
			return true
		}
	}
	for i := range t.NumOut() {
		if leads(t.Out(i), seen) {
			return true
		}
	}
	return false
}

// showFunc gives a function as compiled code calls it: what it gives is shown, what it is given is the cell's.
func (s *Session) showFunc(f reflect.Value) reflect.Value {
	raw := retype(f, s.rawType(f.Type()))
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value { return s.callShown(raw, args, f.Type(), 0) })
}

// callShown calls a function of a cell with what compiled code gives it. Shown is the function's type for compiled code, the first
// arguments are the cell's already.
func (s *Session) callShown(f reflect.Value, args []reflect.Value, shown reflect.Type, first int) []reflect.Value {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil { // the caller may recover and say what from, as templates do
			s.tracer.note()
			panic(s.goValue(v))
		}
	}()
	args = slices.Clone(args)
	for i := first; i < len(args); i++ {
		args[i] = s.take(args[i], f.Type().In(i))
	}
	var results []reflect.Value
	if f.Type().IsVariadic() {
		results = f.CallSlice(args)
	} else {
		results = f.Call(args)
	}
	for i, r := range results {
		w := s.shower(templates)
		if r.Type() != shown.Out(i) {
			r = retype(r, shown.Out(i))
		}
		results[i] = w.value(r)
	}
	returned = true
	return results
}

// panicked gives for what a function of a cell has panicked with, and a package has recovered from, what a compiled one would
// have panicked with.
func (s *Session) panicked(v any) any {
	s.tracer.note()
	defer s.tracer.take()
	return s.goValue(v)
}

// take gives what compiled code has as the cell's, of the type to by which yaegi represents it.
func (s *Session) take(v reflect.Value, to reflect.Type) reflect.Value {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = s.origin(v)
	}
	if v.Type() != to {
		if v.Kind() == reflect.Interface && to.Kind() == reflect.Interface {
			return asType(s.cells(v.Interface(), to), to)
		}
		v = retype(v, to)
	}
	switch {
	case v.Kind() == reflect.Interface && !v.IsNil():
		return asType(s.cells(v.Interface(), to), to)
	case !mayBeBoxed(to):
	case v.Kind() == reflect.Slice && to.Elem().Kind() == reflect.Interface:
		if !s.holdsMirror(v) { // else what the function puts into it is lost
			return v
		}
		c := reflect.MakeSlice(to, v.Len(), v.Len())
		for i := range v.Len() {
			c.Index(i).Set(s.take(v.Index(i), to.Elem()))
		}
		return c
	case v.Kind() == reflect.Struct && to.PkgPath() == "":
		c := reflect.New(to).Elem()
		c.Set(v)
		for i := range to.NumField() {
			if f := settable(c.Field(i)); f.CanSet() {
				f.Set(s.take(f, f.Type()))
			}
		}
		return c
	}
	return v
}

// holdsMirror tells whether an element of a list of interfaces is a cell's value that is not in a box.
func (s *Session) holdsMirror(list reflect.Value) bool {
	for i := range list.Len() {
		e := list.Index(i)
		if e.IsNil() {
			continue
		}
		x := e.Elem().Interface()
		if !box.IsBox(x) && s.mirroredType(reflect.TypeOf(x)) != nil {
			return true
		}
	}
	return false
}

// objOf gives the box of a value of a cell, also of one whose type package reflect has made of a mirror.
func (s *Session) objOf(x any) (box.Obj, bool) {
	if o, ok := box.Of(x); ok || x == nil {
		return o, ok
	}
	return s.taken(x)
}

// cells gives what is in an interface as the cell's interface of type to holds it.
func (s *Session) cells(x any, to reflect.Type) any {
	o, ok := s.objOf(x)
	if !ok {
		return x
	}
	if to.NumMethod() == 0 {
		return s.canonical(o)
	}
	key := to.Name()
	if to.PkgPath() != "" {
		key = to.PkgPath() + "." + key
	}
	if w, ok := s.wrapped(o, key); ok {
		return w
	}
	return x
}

// taken gives the box of a value that compiled code was shown.
func (s *Session) taken(x any) (box.Obj, bool) {
	m := s.mirroredType(reflect.TypeOf(x))
	if m == nil {
		return box.Obj{}, false
	}
	d := s.descAt(s.desc(m.t))
	m.methods.Do(func() { s.inherit(d) })
	return box.Obj{D: d, V: s.take(reflect.ValueOf(x), m.raw).Interface()}, true
}

// inherit gives the descriptor of a pointer that no cell has put in an interface the methods of what it points to.
func (s *Session) inherit(d *box.Desc) {
	for m := range types.NewMethodSet(d.Type).Methods() {
		of, byValue := s.speaker(d.Type, m.Obj().Name())
		if !byValue {
			continue
		}
		name := m.Obj().Name()
		d.SetMethod(name, reflect.MakeFunc(reflect.TypeOf(of.Method(name)), func(args []reflect.Value) []reflect.Value {
			p := args[0].Elem()
			if p.IsNil() {
				rtNilReceiver(of.Name+"."+name, strings.TrimPrefix(of.Name, "main."))
			}
			args[0] = asType(p.Elem().Interface(), anyRType)
			if f := reflect.ValueOf(of.Method(name)); f.Type().IsVariadic() {
				return f.CallSlice(args)
			} else {
				return f.Call(args)
			}
		}).Interface())
	}
}

// ---- copies

// origins finds what a copy was made of, by its address.
var origins sync.Map // uintptr -> *origin

type origin struct {
	of   reflect.Value
	copy weak.Pointer[byte] // another value may come to lie where the copy was before the cleanup runs
}

// stands notes that compiled code is shown one pointer for another.
func (s *Session) stands(shown, for_ reflect.Value) {
	at := uintptr(shown.UnsafePointer())
	if shown.Type().Elem().Size() == 0 { // all lie at one address
		return
	}
	p := (*byte)(shown.UnsafePointer())
	o := &origin{for_, weak.Make(p)}
	origins.Store(at, o)
	runtime.AddCleanup(p, func(o *origin) { origins.CompareAndDelete(at, o) }, o)
}

// origin gives the pointer for which compiled code was shown another.
func (s *Session) origin(p reflect.Value) reflect.Value {
	found, ok := origins.Load(uintptr(p.UnsafePointer()))
	if !ok {
		return p
	}
	if o := found.(*origin); o.of.Type() == p.Type() && o.copy.Value() == (*byte)(p.UnsafePointer()) {
		return o.of
	}
	return p
}

// renew makes what compiled code is shown behind a pointer again what it is a copy of, after a method that may have changed that.
func (s *Session) renew(p reflect.Value) {
	if p.IsNil() {
		return
	}
	if o := s.origin(p); o.UnsafePointer() != p.UnsafePointer() {
		w := s.shower(templates)
		w.copies[keyOf(o)] = p
		p.Elem().Set(w.value(o.Elem()))
	}
}

// ---- what compiled code is given

// foreign tells whether a package is neither of the standard library nor known to leave values as they are.
func (s *Session) foreign(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") && !strings.HasPrefix(path, "gonum.org/v1/")
}

// rtForeign gives a value to a function of a third-party package, which may look into it by reflection and may fill what it points to: a
// pointer stays one to the cell's value, in which boxes are opened.
func (s *Session) rtForeign(x any) any {
	if o, ok := box.Of(x); !ok || reflect.ValueOf(o.V).Kind() != reflect.Pointer || reflect.ValueOf(o.V).IsNil() {
		return s.unboxed(x)
	}
	v := s.view(x)
	s.open(reflect.ValueOf(v), "")
	return v
}

// given are what makes of a value what a looker is given.
func (s *Session) given() map[looker]func(any) any {
	return map[looker]func(any) any{
		reads: s.unboxed, readsJSON: s.unboxedFor("json"), readsXML: s.unboxedFor("xml"), readsGob: s.unboxedFor("gob"), readsTemplate: s.unboxedFor(templates),
		fills: s.view, either: s.rtForeign, memory: s.rtV,
	}
}

// rtAll gives a list of arguments, f(list...), to a function that is a looker.
func (s *Session) rtAll(how string, list []any) []any {
	give := s.given()[looker(how)]
	out := make([]any, len(list))
	for i, x := range list {
		out[i] = give(x)
	}
	return out
}

// rtTextVar is the method TextVar of a flag.FlagSet, which compares the types of p and value.
func (s *Session) rtTextVar(fs *flag.FlagSet, p encoding.TextUnmarshaler, name string, value encoding.TextMarshaler, usage string) {
	fs.TextVar(s.view(p).(encoding.TextUnmarshaler), name, s.view(value).(encoding.TextMarshaler), usage)
}

// rtFlagVar is the method Var of a flag.FlagSet, which makes a zero value of the type of value.
func (s *Session) rtFlagVar(fs *flag.FlagSet, value flag.Value, name, usage string) {
	if value != nil {
		value = s.view(value).(flag.Value)
	}
	fs.Var(value, name, usage)
}

func (s *Session) rtTextFuncs(t *template.Template, f template.FuncMap) *template.Template {
	return t.Funcs(s.rtFuncs(f))
}
func (s *Session) rtHTMLFuncs(t *htmltemplate.Template, f htmltemplate.FuncMap) *htmltemplate.Template {
	return t.Funcs(s.rtFuncs(f))
}

// rtFuncs gives the functions that a template calls.
func (s *Session) rtFuncs(list map[string]any) map[string]any {
	out := map[string]any{}
	for name, f := range list {
		if v := reflect.ValueOf(s.view(f)); v.Kind() == reflect.Func && !v.IsNil() {
			f = s.showFunc(v).Interface()
		}
		out[name] = f
	}
	return out
}

// show is unboxed for what has a box to look into.
func (s *Session) show(o box.Obj) (x any, err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case plainError:
			err = e
		default:
			panic(e)
		}
	}()
	return s.shower(templates).any(s.canonical(o)), nil
}
