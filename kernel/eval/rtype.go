package eval

import (
	"go/types"
	"reflect"
	"slices"

	"trivium/kernel/symbols/box"
)

// rtype is the compiled type of a type that no cell declares, nil if there is none to be had.
func (s *Session) rtype(t types.Type) reflect.Type {
	if r := s.standIn(t); r != nil {
		return r
	}
	if isCellType(t) {
		return nil
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return basicRTypes[t.Kind()]
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return errorRType
		}
		name := t.Obj().Name()
		if !t.Obj().Exported() {
			return s.hiddenType(t)
		}
		if t.TypeArgs().Len() > 0 {
			if sig, ok := t.Underlying().(*types.Signature); ok {
				return s.rtype(sig)
			}
			name = box.Instance(name, slices.Collect(t.TypeArgs().Types())...)
		}
		path := t.Obj().Pkg().Path()
		s.use(path)
		if v, ok := s.table(path)[name]; ok && v.Kind() == reflect.Pointer {
			return v.Type().Elem()
		}
		return nil
	case *types.Interface:
		if t.NumMethods() == 0 {
			return anyRType
		}
		return nil
	case *types.Signature:
		in, ok := s.rtypes(t.Params())
		out, ok2 := s.rtypes(t.Results())
		if !ok || !ok2 {
			return nil
		}
		return reflect.FuncOf(in, out, t.Variadic())
	case *types.Map:
		if k, e := s.rtype(t.Key()), s.rtype(t.Elem()); k != nil && e != nil {
			return reflect.MapOf(k, e)
		}
		return nil
	case *types.Struct:
		var fields []reflect.StructField
		for i := range t.NumFields() {
			ft := s.rtype(t.Field(i).Type())
			if ft == nil {
				return nil
			}
			fields = append(fields, reflect.StructField{Name: t.Field(i).Name(), Type: ft, Tag: reflect.StructTag(t.Tag(i))})
		}
		return reflect.StructOf(fields)
	case *types.Pointer:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.PointerTo(e)
		}
	case *types.Slice:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.SliceOf(e)
		}
	case *types.Array:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.ArrayOf(int(t.Len()), e)
		}
	case *types.Chan:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.ChanOf(chanDirs[t.Dir()], e)
		}
	}
	return nil
}

// standIn is the compiled type that stands for all instances of a compiled generic type, such as
// atomic.Pointer[T], nil if there is none. Its methods take and give any for T and *T.
func (s *Session) standIn(t types.Type) reflect.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeArgs().Len() == 0 || n.Obj().Pkg() == nil || isMain(n.Obj().Pkg()) {
		return nil
	}
	r, _ := s.opt.Symbols.GenericType(n.Obj().Pkg().Path(), n.Obj().Name())
	return r
}

func (s *Session) rtypes(t *types.Tuple) (l []reflect.Type, ok bool) {
	for v := range t.Variables() {
		r := s.rtype(v.Type())
		if r == nil {
			return nil, false
		}
		l = append(l, r)
	}
	return l, true
}

var basicRTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](), types.Int: intRType,
	types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](), types.Uint32: reflect.TypeFor[uint32](),
	types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](), types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
}
