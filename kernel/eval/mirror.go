package eval

import (
	"fmt"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"trivium/kernel/eval/mirror"
	"trivium/kernel/symbols/box"
)

// Yaegi represents a cell's type by one without name and methods. Compiled code that looks into values by reflection, as
// package reflect itself, templates and encoders do, is shown values of another type that lies in memory in the same way and is what the Go
// compiler would have made: the cell type's mirror. A pointer to a value of the one type is a pointer to one of the other.
//
// Interfaces are what remains different. In them a cell's value is in a box, which compiled code shall not see: what is shown
// is a copy where there are boxes in it (see [Session.unboxed]). And an interface that a cell declares is any in yaegi,
// and an any with its name in a mirror, as one with methods would lie in memory otherwise.

// mirrors are the types that are shown for those of cells.
type mirrors struct {
	mu    sync.Mutex
	types map[string]reflect.Type // by typeKey
	back  sync.Map                // reflect.Type -> *mirrored
	mute  string                  // a method that could not be made, "" if all could
	why   string                  // what else has kept a type from being made
}

// A mirrored type is what a mirror was made of.
type mirrored struct {
	t       types.Type
	raw     reflect.Type // by which yaegi represents it
	methods sync.Once    // has the descriptor know those of pointers
}

// mirror gives the type that compiled code is shown for a cell's type, nil if there is none.
func (s *Session) mirror(t types.Type) reflect.Type { return s.mirrorFor(t, false) }

// mirrorFor gives another mirror to what decodes into it, where there are interfaces of cells: see decode.go.
func (s *Session) mirrorFor(t types.Type, decodes bool) (r reflect.Type) {
	m := &s.mirrors
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &mirrorer{s, decodes}
	if r, ok := m.types[w.key(t)]; ok {
		return r
	}
	if !mirror.Works() {
		return nil
	}
	m.mute, m.why = "", ""
	before := maps.Clone(m.types)
	defer func() {
		if v := recover(); v != nil { // package reflect panics on what it cannot make
			m.why = fmt.Sprint(v)
			r = nil
		}
		if r == nil || m.mute != "" { // some types may not be complete
			m.types = before
		}
	}()
	if m.types == nil {
		m.types = map[string]reflect.Type{}
	}
	r = w.of(t)
	if m.mute != "" {
		return nil
	}
	return r
}

// forget has the mirror of a type that has got a method made anew, and those of the types that lead to it. What compiled code
// has looked up of a type, it does not look up again, so that the method cannot be added to the old one.
func (m *mirrors) forget(s *Session, t types.Type) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := s.typeKey(t)
	if m.types[key] == nil && m.types["decoded "+key] == nil {
		return
	}
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	key = s.typeKey(t)
	maps.DeleteFunc(m.types, func(_ string, r reflect.Type) bool {
		of, ok := m.back.Load(r)
		return !ok || s.leadsTo(of.(*mirrored).t, key, map[string]bool{})
	})
}

// leadsTo tells whether a type is one with the key to, or mentions it in its parts and methods.
func (s *Session) leadsTo(t types.Type, to string, seen map[string]bool) bool {
	key := s.typeKey(t)
	if key == to || !isCellType(t) || seen[key] {
		return key == to
	}
	seen[key] = true
	any := func(of *types.Tuple) bool {
		for v := range of.Variables() {
			if s.leadsTo(v.Type(), to, seen) {
				return true
			}
		}
		return false
	}
	for sel := range types.NewMethodSet(t).Methods() {
		if f, ok := sel.Obj().(*types.Func); ok && (any(f.Signature().Params()) || any(f.Signature().Results())) {
			return true
		}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && speaksByPointer(n) && s.leadsTo(types.NewPointer(n), to, seen) {
		return true
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if s.leadsTo(f.Type(), to, seen) {
				return true
			}
		}
	case *types.Map:
		return s.leadsTo(u.Key(), to, seen) || s.leadsTo(u.Elem(), to, seen)
	case *types.Signature:
		return any(u.Params()) || any(u.Results())
	case interface{ Elem() types.Type }:
		return s.leadsTo(u.Elem(), to, seen)
	}
	return false
}

type mirrorer struct {
	s       *Session
	decodes bool
}

func (m *mirrorer) key(t types.Type) string {
	if m.decodes {
		return "decoded " + m.s.typeKey(t)
	}
	return m.s.typeKey(t)
}

func (m *mirrorer) of(t types.Type) reflect.Type {
	t = types.Unalias(t)
	if ifaceKind(t) == compiledIface || !isCellType(t) {
		return m.s.rtype(t)
	}
	key := m.key(t)
	if r, ok := m.s.mirrors.types[key]; ok {
		return r
	}
	if n, ok := t.(*types.Named); ok {
		return m.named(n, key)
	}
	var r reflect.Type
	switch u := t.(type) {
	case *types.Interface:
		return m.iface(t, key, "")
	case *types.Struct:
		return m.made(t, key, "", nil)
	case *types.Pointer:
		r = reflect.PointerTo(m.of(u.Elem()))
	case *types.Slice:
		r = reflect.SliceOf(m.of(u.Elem()))
	case *types.Array:
		r = reflect.ArrayOf(int(u.Len()), m.of(u.Elem()))
	case *types.Chan:
		r = reflect.ChanOf(chanDirs[u.Dir()], m.of(u.Elem()))
	case *types.Map:
		r = reflect.MapOf(m.of(u.Key()), m.of(u.Elem()))
		mirror.HashAs(r, m.s.shape(t))
	case *types.Signature:
		in, out := m.all(u.Params()), m.all(u.Results())
		r = reflect.FuncOf(in, out, u.Variadic())
	}
	m.keep(t, key, r)
	return r
}

func (m *mirrorer) all(of *types.Tuple) (list []reflect.Type) {
	for v := range of.Variables() {
		list = append(list, m.of(v.Type()))
	}
	return list
}

func (m *mirrorer) keep(t types.Type, key string, r reflect.Type) {
	raw := m.s.shape(t)
	if raw == nil || raw.Size() != r.Size() {
		panic("no type of the same layout")
	}
	m.s.mirrors.types[key] = r
	m.s.mirrors.back.Store(r, &mirrored{t: t, raw: raw})
	box.Mirror(r, m.s.taken)
}

// named makes the mirror of a type with a name, and that of pointers to it, which have methods too.
func (m *mirrorer) named(t *types.Named, key string) reflect.Type {
	if types.IsInterface(t) {
		return m.iface(t, key, t.Obj().Pkg().Path())
	}
	var p *mirror.Made
	pt := types.NewPointer(t)
	pms := m.methods(pt)
	r := m.made(t, key, t.Obj().Pkg().Path(), func(made *mirror.Made) {
		p = mirror.New(reflect.PointerTo(m.s.shape(t)), "*"+box.TypeString(t), "", len(pms))
		made.SetPointer(p)
		p.SetElem(made.Type)
		m.keep(pt, m.key(pt), p.Type)
	})
	m.setMethods(p, pt, pms)
	return r
}

// iface makes the mirror of an interface.
func (m *mirrorer) iface(t types.Type, key, pkg string) reflect.Type {
	r := mirror.New(anyRType, box.TypeString(t), pkg, 0)
	if m.decodes && ifaceKind(t) == cellIface {
		m.closedInterface(r, t)
	}
	m.keep(t, key, r.Type)
	return r.Type
}

// made makes the mirror of a type that package reflect cannot make.
func (m *mirrorer) made(t types.Type, key, pkg string, first func(*mirror.Made)) reflect.Type {
	methods := m.methods(t)
	r := mirror.New(m.s.shape(t), box.TypeString(t), pkg, len(methods))
	m.keep(t, key, r.Type)
	if first != nil {
		first(r)
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if m.s.standIn(t) != nil { // its fields are those of the type that stands for all instances
			break
		}
		fields := make([]mirror.Field, u.NumFields())
		for i := range fields {
			f := u.Field(i)
			fields[i] = mirror.Field{Name: f.Name(), Tag: u.Tag(i), Type: m.of(f.Type()), Embedded: f.Embedded()}
		}
		r.SetFields("main", fields)
	case *types.Map:
		r.SetKey(m.of(u.Key()))
		r.SetElem(m.of(u.Elem()))
	case *types.Signature:
		r.SetSignature(append(m.all(u.Params()), m.all(u.Results())...))
	case interface{ Elem() types.Type }:
		r.SetElem(m.of(u.Elem()))
	}
	m.setMethods(r, t, methods)
	return r.Type
}

// methods gives the methods that a mirror has, in the order of their names.
func (m *mirrorer) methods(t types.Type) (list []*types.Func) {
	for sel := range types.NewMethodSet(t).Methods() {
		f, ok := sel.Obj().(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		d, _ := m.s.speaker(t, f.Name())
		switch {
		case d != nil:
			list = append(list, f)
		case isMain(f.Pkg()):
			m.s.mirrors.mute = box.TypeString(t) + "." + f.Name()
		}
	}
	slices.SortFunc(list, func(a, b *types.Func) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

// speaker gives the descriptor that has a method of a type: its own, or for a pointer that of the values it points to.
func (s *Session) speaker(t types.Type, method string) (d *box.Desc, byValue bool) {
	if d = s.findDesc(t); d != nil && d.Method(method) != nil {
		return d, false
	}
	if p, ok := t.(*types.Pointer); ok {
		if d = s.findDesc(p.Elem()); d != nil && d.Method(method) != nil {
			return d, true
		}
	}
	return nil, false
}

func (m *mirrorer) setMethods(r *mirror.Made, t types.Type, list []*types.Func) {
	for i, f := range list {
		sig := f.Signature()
		sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
		name, s := f.Name(), m.s
		d, byValue := s.speaker(t, name)
		err := r.SetMethod(i, mirror.Method{Name: name, Type: m.of(sig), Call: func(args []reflect.Value) []reflect.Value {
			recv := args[0]
			if recv.Kind() == reflect.Pointer {
				defer s.renew(recv)
			}
			recv = s.take(recv, s.rawType(recv.Type()))
			if byValue {
				if recv.IsNil() {
					rtNilReceiver(d.Name+"."+name, strings.TrimPrefix(d.Name, "main."))
				}
				recv = recv.Elem()
			}
			return s.callShown(reflect.ValueOf(d.Method(name)), append([]reflect.Value{asType(recv.Interface(), anyRType)}, args[1:]...), r.Type.Method(i).Type, 1)
		}})
		if err != nil {
			panic("there are too many types with methods by now, %reset starts with none")
		}
	}
}

var chanDirs = map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}

// mirroredType gives what a mirror was made of, nil if it is none. Package reflect may have made it of one.
func (s *Session) mirroredType(r reflect.Type) *mirrored {
	if m, ok := s.mirrors.back.Load(r); ok {
		return m.(*mirrored)
	}
	if r.Name() != "" || r.Kind() == reflect.Struct || r.Kind() == reflect.Interface {
		return nil
	}
	t := s.composed(r)
	if t == nil || !isCellType(t) {
		s.mirrors.back.Store(r, (*mirrored)(nil))
		return nil
	}
	m := &mirrored{t: t, raw: s.shape(t)}
	if m.raw == nil {
		return nil
	}
	if r.Kind() == reflect.Map {
		mirror.HashAs(r, m.raw)
	}
	s.mirrors.back.Store(r, m)
	box.Mirror(r, s.taken)
	return m
}

// composed gives the type of a cell that a type made of mirrors stands for, nil if there is none in it.
func (s *Session) composed(r reflect.Type) types.Type {
	part := func(r reflect.Type) types.Type {
		if m := s.mirroredType(r); m != nil {
			return m.t
		}
		return s.goType(r)
	}
	if r.Kind() == reflect.Func {
		var in, out []*types.Var
		for i := range r.NumIn() {
			in = append(in, types.NewParam(0, nil, "", part(r.In(i))))
		}
		for i := range r.NumOut() {
			out = append(out, types.NewParam(0, nil, "", part(r.Out(i))))
		}
		for _, v := range append(in, out...) {
			if v.Type() == nil {
				return nil
			}
		}
		return types.NewSignatureType(nil, nil, nil, types.NewTuple(in...), types.NewTuple(out...), r.IsVariadic())
	}
	var e types.Type
	switch r.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan, reflect.Map:
		e = part(r.Elem())
	}
	if e == nil {
		return nil
	}
	switch r.Kind() {
	case reflect.Pointer:
		return types.NewPointer(e)
	case reflect.Slice:
		return types.NewSlice(e)
	case reflect.Array:
		return types.NewArray(e, int64(r.Len()))
	case reflect.Map:
		if k := part(r.Key()); k != nil {
			return types.NewMap(k, e)
		}
	case reflect.Chan:
		for to, dir := range chanDirs {
			if dir == r.ChanDir() {
				return types.NewChan(to, e)
			}
		}
	}
	return nil
}

// goType gives the type of a compiled package that r is.
func (s *Session) goType(r reflect.Type) types.Type {
	if r == errorRType {
		return types.Universe.Lookup("error").Type()
	}
	if r.Name() != "" && r.PkgPath() != "" {
		pkg, err := s.imp.Import(r.PkgPath())
		if err != nil {
			return nil
		}
		if o, ok := pkg.Scope().Lookup(r.Name()).(*types.TypeName); ok {
			return o.Type()
		}
		return nil
	}
	for k, b := range basicRTypes {
		if b == r {
			return types.Typ[k]
		}
	}
	if r == anyRType {
		return anyType
	}
	return s.composed(r)
}

// rawType gives the type by which yaegi represents what compiled code is shown a type for.
func (s *Session) rawType(r reflect.Type) reflect.Type {
	if m := s.mirroredType(r); m != nil {
		return m.raw
	}
	return r
}

// retype gives a copy of a value as one of a type that lies in memory in the same way.
func retype(v reflect.Value, to reflect.Type) reflect.Value {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return reflect.NewAt(to, p.UnsafePointer()).Elem()
}

// settable gives a field that is not exported as one that is.
func settable(v reflect.Value) reflect.Value {
	if v.CanInterface() || !v.CanAddr() {
		return v
	}
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}
