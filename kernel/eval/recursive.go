package eval

import (
	"fmt"
	"go/types"
	"reflect"
	"sync/atomic"
	"unsafe"
)

// Types that contain themselves cannot be made by package reflect, by which yaegi makes all its
// types. It patches them together where a struct points to itself, but mixes them up where
// two structs point to each other in several ways, and for other recursive types it has
// nothing. So they are made here: first with placeholders of the same layout in place of
// whatever leads back, then with the real types written over the placeholders.
//
// Yaegi is told the structs after it has compiled their declarations (see [Session.teach]); a
// type that is no struct and contains itself other than through one that has a name, such as
// type T map[string]T, is a compiled type to it.

// cyclic tells whether a type declared in a cell contains itself, at whatever depth.
func (s *Session) cyclic(t *types.Named) bool { return s.contains(t, false) }

// knotted tells whether a type that is no struct contains itself where no struct with a name comes between: what
// it is declared as, written out, would have no end.
func (s *Session) knotted(t *types.Named) bool {
	return !isStruct(t) && s.contains(t, true)
}

// knottedStruct tells whether a struct without a name is part of such a type, or has one in it: it is a compiled type to yaegi then, as
// that is.
func (s *Session) knottedStruct(t *types.Struct) bool {
	return mentionsType(t, func(t types.Type) bool {
		n, ok := t.(*types.Named)
		return ok && isMain(n.Obj().Pkg()) && !types.IsInterface(n) && s.knotted(n)
	}, 0)
}

func isStruct(t types.Type) bool { _, ok := t.Underlying().(*types.Struct); return ok }

func (s *Session) contains(t *types.Named, direct bool) bool {
	self := s.typeKey(t)
	key := self
	if direct {
		key += " directly"
	}
	s.cyclesMu.Lock()
	c, ok := s.cycles[key]
	s.cyclesMu.Unlock()
	if ok {
		return c
	}
	seen := map[string]bool{}
	var reaches func(x types.Type) bool
	reaches = func(x types.Type) bool {
		return mentionsType(x, func(x types.Type) bool {
			n, ok := x.(*types.Named)
			if !ok || !isMain(n.Obj().Pkg()) || types.IsInterface(n) {
				return false
			}
			k := s.typeKey(n)
			if k == self {
				return true
			}
			if direct && isStruct(n) {
				return false
			}
			if seen[k] {
				return false
			}
			seen[k] = true
			return reaches(n.Underlying())
		}, 0)
	}
	c = reaches(t.Underlying())
	s.cyclesMu.Lock()
	s.cycles[key] = c
	s.cyclesMu.Unlock()
	return c
}

func (s *Session) mentionsCyclic(t types.Type) bool {
	return mentionsType(t, func(t types.Type) bool {
		n, ok := t.(*types.Named)
		return ok && isMain(n.Obj().Pkg()) && !types.IsInterface(n) && s.cyclic(n)
	}, 0)
}

// A shaper makes the types that yaegi represents Go types by.
type shaper struct {
	s    *Session
	late []func() // puts real types in the place of placeholders
}

// shape gives the type by which yaegi represents a type, nil if it has none.
func (s *Session) shape(t types.Type) (r reflect.Type) {
	s.shapeMu.Lock()
	defer s.shapeMu.Unlock()
	b := &shaper{s: s}
	defer func() {
		if v := recover(); v != nil { // package reflect panics on what it cannot make
			r = nil
		}
	}()
	r = b.real(t)
	for len(b.late) > 0 {
		list := b.late
		b.late = nil
		for _, f := range list {
			f()
		}
	}
	return r
}

func (b *shaper) real(t types.Type) reflect.Type { return b.compose(t, b.real) }

// compose makes a type of the types of its parts.
func (b *shaper) compose(t types.Type, of func(types.Type) reflect.Type) reflect.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		switch {
		case !isMain(t.Obj().Pkg()):
			if _, isFunc := t.Underlying().(*types.Signature); isFunc && isCellType(t) { // such as iter.Seq
				break
			}
			return b.s.rtype(t)
		case types.IsInterface(t):
			return anyRType
		case isStruct(t) && b.s.cyclic(t), b.s.knotted(t):
			return b.named(t)
		}
		return of(t.Underlying())
	case *types.Pointer:
		return reflect.PointerTo(of(t.Elem()))
	case *types.Slice:
		return reflect.SliceOf(of(t.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(t.Len()), of(t.Elem()))
	case *types.Chan:
		return reflect.ChanOf(chanDirs[t.Dir()], of(t.Elem()))
	case *types.Map:
		return reflect.MapOf(of(t.Key()), of(t.Elem()))
	case *types.Signature:
		var in, out []reflect.Type
		for v := range t.Params().Variables() {
			in = append(in, of(v.Type()))
		}
		for v := range t.Results().Variables() {
			out = append(out, of(v.Type()))
		}
		return reflect.FuncOf(in, out, t.Variadic())
	case *types.Struct:
		fields := make([]reflect.StructField, t.NumFields())
		for i := range fields {
			fields[i] = reflect.StructField{Name: yaegiField(t, i), Type: of(t.Field(i).Type()), Tag: reflect.StructTag(t.Tag(i))}
		}
		return reflect.StructOf(fields)
	case *types.Interface:
		return anyRType
	}
	return b.s.rtype(t)
}

// yaegiField is what yaegi calls a field: every field is exported.
func yaegiField(t *types.Struct, i int) string {
	f := t.Field(i)
	switch {
	case f.Name() == "_":
		return "Xblankʹ" + itoa(i)
	case f.Exported():
		return f.Name()
	}
	return "X" + f.Name()
}

// named makes a recursive type.
func (b *shaper) named(t *types.Named) reflect.Type {
	key := b.s.typeKey(t)
	if r, ok := b.s.shapes[key]; ok {
		return r
	}
	under := t.Underlying()
	var places []part // in the order of the type's parts
	r := b.compose(under, func(x types.Type) reflect.Type {
		p := b.layout(x)
		places = append(places, part{p, x})
		return p
	})
	b.s.shapes[key] = r
	b.late = append(b.late, func() {
		if r.Kind() == reflect.Struct {
			for i, p := range places {
				setFieldType(r, i, b.real(p.is))
			}
			return
		}
		for _, p := range places {
			if is := b.real(p.is); is != p.has {
				setPart(r, p.has, is)
			}
		}
	})
	return r
}

type part struct {
	has reflect.Type // the placeholder
	is  types.Type
}

type placeholder struct{}

var placeholders atomic.Int64

// hole gives a type that nothing else has, so that no type made of it is one that package
// reflect has made before.
func hole() reflect.Type {
	return reflect.ArrayOf(int(placeholders.Add(1)), reflect.TypeFor[placeholder]())
}

// layout gives a type that lies in memory and compares like t, made without the recursive types
// that t leads to.
func (b *shaper) layout(t types.Type) reflect.Type {
	if !b.s.mentionsCyclic(t) {
		return b.real(t)
	}
	switch u := types.Unalias(t).(type) {
	case *types.Named:
		if _, isStruct := u.Underlying().(*types.Struct); isStruct {
			return b.real(t)
		}
		return b.layoutOf(u.Underlying())
	default:
		return b.layoutOf(u)
	}
}

func (b *shaper) layoutOf(t types.Type) reflect.Type {
	switch t.(type) {
	case *types.Pointer:
		return reflect.PointerTo(hole())
	case *types.Slice:
		return reflect.SliceOf(hole())
	case *types.Chan:
		return reflect.ChanOf(reflect.BothDir, hole())
	case *types.Map:
		return reflect.MapOf(intRType, hole())
	case *types.Signature:
		return reflect.FuncOf([]reflect.Type{hole()}, nil, false)
	}
	return b.compose(t, b.layout)
}

// ---- what package reflect has no function for

// These mirror the beginnings of the types of internal/abi, which have been so since Go 1.20.
const sizeofType = 48

type structType struct {
	_      [sizeofType]byte
	_      *byte
	fields []struct {
		name   *byte
		typ    unsafe.Pointer
		offset uintptr
	}
}

// typePointer gives the address of a type's description.
func typePointer(t reflect.Type) unsafe.Pointer {
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]
}

// setFieldType replaces the type of a field by one of the same layout.
func setFieldType(t reflect.Type, i int, to reflect.Type) {
	st := (*structType)(typePointer(t))
	if len(st.fields) != t.NumField() || st.fields[i].typ != typePointer(t.Field(i).Type) {
		panic(fmt.Sprintf("eval: package reflect of this Go version has another form of %v", t))
	}
	st.fields[i].typ = typePointer(to)
}

// setPart replaces a part of a type made of others: an element, a key, parameters or results.
func setPart(t, from, to reflect.Type) {
	words := 1
	switch t.Kind() {
	case reflect.Map:
		words = 2
	case reflect.Func:
		words = 1 + t.NumIn() + t.NumOut()
	case reflect.Array:
		words = 2
	}
	found := false
	for i := range words {
		w := (*unsafe.Pointer)(unsafe.Add(typePointer(t), sizeofType+i*int(unsafe.Sizeof(uintptr(0)))))
		switch {
		case *w == typePointer(from):
			*w, found = typePointer(to), true
		case t.Kind() == reflect.Array && i == 1:
			*w = typePointer(reflect.SliceOf(to))
		}
	}
	if !found {
		panic(fmt.Sprintf("eval: package reflect of this Go version has another form of %v", t))
	}
}
