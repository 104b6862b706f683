package eval

import (
	"fmt"
	"go/types"
	"strconv"
	"strings"
)

// A substitution says what stands for type parameters in an instance of a generic function, and
// for the types that the function declares: each instance has its own.
type substitution map[types.Type]types.Type

// substitute replaces the types of a substitution. Types without any of them come back as they are.
func (s *Session) substitute(t types.Type, m substitution) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		if r, ok := m[t]; ok {
			return r
		}
		return t
	case *types.Alias:
		return s.substitute(types.Unalias(t), m)
	case *types.Named:
		if r, ok := m[t]; ok {
			return r
		}
		if t.TypeArgs().Len() == 0 {
			return t
		}
		args, changed := make([]types.Type, t.TypeArgs().Len()), false
		for i := range args {
			args[i] = s.substitute(t.TypeArgs().At(i), m)
			changed = changed || args[i] != t.TypeArgs().At(i)
		}
		if g, ok := m[t.Origin()].(*innerGeneric); ok {
			return g.instance(s, args, m)
		}
		if !changed {
			return t
		}
		r, err := types.Instantiate(s.typeContext, t.Origin(), args, false)
		if err != nil {
			return t
		}
		return r
	case *types.Pointer:
		if e := s.substitute(t.Elem(), m); e != t.Elem() {
			return types.NewPointer(e)
		}
	case *types.Slice:
		if e := s.substitute(t.Elem(), m); e != t.Elem() {
			return types.NewSlice(e)
		}
	case *types.Array:
		if e := s.substitute(t.Elem(), m); e != t.Elem() {
			return types.NewArray(e, t.Len())
		}
	case *types.Chan:
		if e := s.substitute(t.Elem(), m); e != t.Elem() {
			return types.NewChan(t.Dir(), e)
		}
	case *types.Map:
		if k, e := s.substitute(t.Key(), m), s.substitute(t.Elem(), m); k != t.Key() || e != t.Elem() {
			return types.NewMap(k, e)
		}
	case *types.Tuple:
		return s.substituteTuple(t, m)
	case *types.Signature:
		p, r := s.substituteTuple(t.Params(), m), s.substituteTuple(t.Results(), m)
		if p != t.Params() || r != t.Results() || t.TypeParams().Len() > 0 {
			return types.NewSignatureType(t.Recv(), nil, nil, p, r, t.Variadic())
		}
	case *types.Struct:
		fields, tags, changed := make([]*types.Var, t.NumFields()), make([]string, t.NumFields()), false
		for i := range fields {
			f := t.Field(i)
			fields[i], tags[i] = f, t.Tag(i)
			if ft := s.substitute(f.Type(), m); ft != f.Type() {
				fields[i], changed = types.NewField(f.Pos(), f.Pkg(), f.Name(), ft, f.Embedded()), true
			}
		}
		if changed {
			return types.NewStruct(fields, tags)
		}
	case *types.Interface:
		var methods []*types.Func
		changed := false
		for i := range t.NumExplicitMethods() {
			f := t.ExplicitMethod(i)
			sig := s.substitute(f.Type(), m)
			if sig != f.Type() {
				changed = true
				f = types.NewFunc(f.Pos(), f.Pkg(), f.Name(), sig.(*types.Signature))
			}
			methods = append(methods, f)
		}
		var embedded []types.Type
		for i := range t.NumEmbeddeds() {
			e := s.substitute(t.EmbeddedType(i), m)
			changed = changed || e != t.EmbeddedType(i)
			embedded = append(embedded, e)
		}
		if changed {
			return types.NewInterfaceType(methods, embedded).Complete()
		}
	}
	return t
}

func (s *Session) substituteTuple(t *types.Tuple, m substitution) *types.Tuple {
	vars, changed := make([]*types.Var, t.Len()), false
	for i := range vars {
		v := t.At(i)
		vars[i] = v
		if vt := s.substitute(v.Type(), m); vt != v.Type() {
			vars[i], changed = types.NewVar(v.Pos(), v.Pkg(), v.Name(), vt), true
		}
	}
	if !changed {
		return t
	}
	return types.NewTuple(vars...)
}

// typeKey is the same text for two types if and only if they are identical. Unlike a type's
// String it tells apart two generations of one name.
func (s *Session) typeKey(t types.Type) string {
	var b strings.Builder
	s.writeKey(&b, t)
	return b.String()
}

func (s *Session) writeKey(b *strings.Builder, t types.Type) {
	tuple := func(t *types.Tuple) {
		for v := range t.Variables() {
			s.writeKey(b, v.Type())
			b.WriteByte(',')
		}
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		o := t.Obj()
		if isMain(o.Pkg()) {
			fmt.Fprintf(b, "#%d", s.objNumber(t.Origin().Obj()))
		} else if o.Pkg() != nil {
			b.WriteString(o.Pkg().Path() + "." + o.Name())
		} else {
			b.WriteString(o.Name())
		}
		if t.TypeArgs().Len() > 0 {
			b.WriteByte('[')
			for a := range t.TypeArgs().Types() {
				s.writeKey(b, a)
				b.WriteByte(',')
			}
			b.WriteByte(']')
		}
	case *types.Pointer:
		b.WriteByte('*')
		s.writeKey(b, t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		s.writeKey(b, t.Elem())
	case *types.Array:
		fmt.Fprintf(b, "[%d]", t.Len())
		s.writeKey(b, t.Elem())
	case *types.Chan:
		fmt.Fprintf(b, "chan%d ", t.Dir())
		s.writeKey(b, t.Elem())
	case *types.Map:
		b.WriteString("map[")
		s.writeKey(b, t.Key())
		b.WriteByte(']')
		s.writeKey(b, t.Elem())
	case *types.Signature:
		b.WriteString("func(")
		tuple(t.Params())
		if t.Variadic() {
			b.WriteString("...")
		}
		b.WriteString(")(")
		tuple(t.Results())
		b.WriteByte(')')
	case *types.Struct:
		b.WriteString("struct{")
		for i := range t.NumFields() {
			f := t.Field(i)
			if f.Embedded() {
				b.WriteByte('!')
			}
			b.WriteString(f.Id() + " ")
			s.writeKey(b, f.Type())
			b.WriteString(" " + strconv.Quote(t.Tag(i)) + ";")
		}
		b.WriteByte('}')
	case *types.Interface:
		b.WriteString("interface{")
		for m := range t.Methods() {
			b.WriteString(m.Id())
			s.writeKey(b, m.Type())
			b.WriteByte(';')
		}
		b.WriteByte('}')
	case *types.Tuple:
		tuple(t)
	default:
		b.WriteString(t.String())
	}
}

// objNumber tells objects of one name apart.
func (s *Session) objNumber(o types.Object) int {
	s.objMu.Lock()
	defer s.objMu.Unlock()
	n, ok := s.objID[o]
	if !ok {
		n = len(s.objID) + 1
		s.objID[o] = n
	}
	return n
}
