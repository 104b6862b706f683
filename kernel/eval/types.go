package eval

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// sub puts the type arguments of the instance being lowered into a type.
func (l *lowerer) sub(t types.Type) types.Type {
	if len(l.subst) == 0 {
		return t
	}
	return l.s.substitute(t, l.subst)
}

// substitute replaces type parameters. Types without any come back as they are.
func (s *Session) substitute(t types.Type, m map[*types.TypeParam]types.Type) types.Type {
	switch t := t.(type) {
	case *types.TypeParam:
		if r, ok := m[t]; ok {
			return r
		}
		return t
	case *types.Alias:
		return s.substitute(types.Unalias(t), m)
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		args, changed := make([]types.Type, t.TypeArgs().Len()), false
		for i := range args {
			args[i] = s.substitute(t.TypeArgs().At(i), m)
			changed = changed || args[i] != t.TypeArgs().At(i)
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

func (s *Session) substituteTuple(t *types.Tuple, m map[*types.TypeParam]types.Type) *types.Tuple {
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

// mentionsType tells whether f holds for a type or one inside it.
func mentionsType(t types.Type, f func(types.Type) bool, depth int) bool {
	if depth > 12 {
		return false
	}
	t = types.Unalias(t)
	if f(t) {
		return true
	}
	in := func(t types.Type) bool { return mentionsType(t, f, depth+1) }
	switch t := t.(type) {
	case *types.Named:
		for x := range t.TypeArgs().Types() {
			if in(x) {
				return true
			}
		}
	case *types.Pointer:
		return in(t.Elem())
	case *types.Slice:
		return in(t.Elem())
	case *types.Array:
		return in(t.Elem())
	case *types.Chan:
		return in(t.Elem())
	case *types.Map:
		return in(t.Key()) || in(t.Elem())
	case *types.Struct:
		for v := range t.Fields() {
			if in(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			if in(v.Type()) {
				return true
			}
		}
		for v := range t.Results().Variables() {
			if in(v.Type()) {
				return true
			}
		}
	}
	return false
}

// isCellType tells whether compiled code cannot see what the type is: its identity mentions a
// type declared in a cell, or it is a struct or interface that yaegi represents by another.
func isCellType(t types.Type) bool {
	return mentionsType(t, func(t types.Type) bool {
		switch t := t.(type) {
		case *types.Named:
			return isMain(t.Obj().Pkg())
		case *types.Struct:
			for f := range t.Fields() {
				if f.Embedded() || !f.Exported() {
					return true
				}
			}
		case *types.Interface:
			return t.NumMethods() > 0
		}
		return false
	}, 0)
}

func hasTypeParam(t types.Type) bool {
	return mentionsType(t, func(t types.Type) bool { _, ok := t.(*types.TypeParam); return ok }, 0)
}

// typ writes a type. Of the types declared in cells only structs and recursive types keep a
// name: yaegi then sees no difference between types that Go code converts between.
func (l *lowerer) typ(t types.Type) ast.Expr {
	switch t := types.Unalias(l.sub(t)).(type) {
	case *types.Basic:
		switch t.Kind() {
		case types.UnsafePointer:
			l.refuse(l.pos, "unsafe.Pointer is not available in cells", "")
		case types.UntypedNil:
			return l.id("any")
		}
		return l.id(types.Default(t).(*types.Basic).Name())
	case *types.Named:
		o := t.Obj()
		switch {
		case o.Pkg() == nil: // error, comparable
			return l.id(o.Name())
		case isMain(o.Pkg()):
			if types.IsInterface(t) {
				return l.id("any")
			}
			if _, isStruct := t.Underlying().(*types.Struct); isStruct {
				return l.id(l.namedType(t))
			}
			if l.s.cyclic(t) {
				return l.compiledType(t)
			}
			return l.typ(t.Underlying())
		case t.TypeArgs().Len() > 0:
			if _, isFunc := t.Underlying().(*types.Signature); isFunc && t.NumMethods() == 0 { // iter.Seq
				return l.typ(t.Underlying())
			}
			l.refuse(l.pos, "the generic type "+typeString(t)+" is not available in cells", "the interpreter has compiled types only")
		case !o.Exported():
			l.refuse(l.pos, "the type "+typeString(t)+" has no name outside its package", "")
			return l.id("any")
		}
		return l.sel(l.id(l.pkg(o.Pkg())), o.Name())
	case *types.Pointer:
		return &ast.StarExpr{Star: l.pos, X: l.typ(t.Elem())}
	case *types.Slice:
		return &ast.ArrayType{Lbrack: l.pos, Elt: l.typ(t.Elem())}
	case *types.Array:
		return &ast.ArrayType{Lbrack: l.pos, Len: &ast.BasicLit{ValuePos: l.pos, Kind: token.INT, Value: strconv.FormatInt(t.Len(), 10)}, Elt: l.typ(t.Elem())}
	case *types.Map:
		return &ast.MapType{Map: l.pos, Key: l.typ(t.Key()), Value: l.typ(t.Elem())}
	case *types.Chan:
		dir := map[types.ChanDir]ast.ChanDir{types.SendRecv: ast.SEND | ast.RECV, types.SendOnly: ast.SEND, types.RecvOnly: ast.RECV}[t.Dir()]
		return &ast.ChanType{Begin: l.pos, Dir: dir, Value: l.typ(t.Elem())}
	case *types.Signature:
		return l.funcType(t)
	case *types.Struct:
		fl := &ast.FieldList{Opening: l.pos, Closing: l.pos}
		for i := range t.NumFields() {
			f := t.Field(i)
			field := &ast.Field{Names: []*ast.Ident{l.id(l.field(f, i))}, Type: l.typ(f.Type())}
			if tag := t.Tag(i); tag != "" {
				field.Tag = &ast.BasicLit{ValuePos: l.pos, Kind: token.STRING, Value: strconv.Quote(tag)}
			}
			fl.List = append(fl.List, field)
			if f.Pkg() != nil && !isMain(f.Pkg()) && !f.Exported() {
				l.refuse(l.pos, "a type declared as a copy of a compiled struct with unexported fields is not available in cells", "embed the struct, or hold it in a field")
			}
		}
		return &ast.StructType{Struct: l.pos, Fields: fl}
	case *types.Interface:
		return l.id("any")
	case *types.TypeParam:
		l.refuse(l.pos, "type parameter "+t.String()+" outside its function", "")
	}
	return l.id("any")
}

// field names a field; an embedded one is an ordinary field in the output.
func (l *lowerer) field(f *types.Var, index int) string {
	if f.Name() == "_" {
		return "blankʹ" + itoa(index)
	}
	return f.Name()
}

func (l *lowerer) funcType(t *types.Signature) *ast.FuncType {
	ft := &ast.FuncType{Func: l.pos, Params: &ast.FieldList{Opening: l.pos, Closing: l.pos}}
	for i := range t.Params().Len() {
		ft.Params.List = append(ft.Params.List, &ast.Field{Type: l.paramType(t, i)})
	}
	if t.Results().Len() > 0 {
		ft.Results = &ast.FieldList{Opening: l.pos, Closing: l.pos}
		for v := range t.Results().Variables() {
			ft.Results.List = append(ft.Results.List, &ast.Field{Type: l.typ(v.Type())})
		}
	}
	return ft
}

func (l *lowerer) paramType(sig *types.Signature, i int) ast.Expr {
	t := sig.Params().At(i).Type()
	if sig.Variadic() && i == sig.Params().Len()-1 {
		if sl, ok := l.sub(t).(*types.Slice); ok {
			return &ast.Ellipsis{Ellipsis: l.pos, Elt: l.typ(sl.Elem())}
		}
	}
	return l.typ(t)
}

// compiledType names a recursive type that is no struct, which is a compiled one to yaegi.
func (l *lowerer) compiledType(t *types.Named) ast.Expr {
	name := "Type" + mangle(l.s.typeKey(t))
	l.s.export(name, func() reflect.Value {
		r := l.s.shape(t)
		if r == nil {
			l.refuse(l.pos, "the recursive type "+typeString(t)+" is not available in cells", "make it a struct with a field of its kind")
			r = anyRType
		}
		return reflect.Zero(reflect.PointerTo(r))
	})
	return l.sel(l.id(rtName), name)
}

// namedType gives the name of a struct in the output, declaring it if this
// is its first use.
func (l *lowerer) namedType(t *types.Named) string {
	key := l.s.typeKey(t)
	if n, ok := l.types[key]; ok {
		return n
	}
	if n, ok := l.s.types[key]; ok {
		return n
	}
	n := l.s.scope.generation(t.Obj().Name())
	l.types[key], l.structs[n] = n, t
	under := l.typ(t.Underlying())
	l.out = append(l.out, &ast.GenDecl{TokPos: l.pos, Tok: token.TYPE, Specs: []ast.Spec{&ast.TypeSpec{Name: l.id(n), Type: under}}})
	return n
}

// typeString writes a type as the compiler's messages do, with packages by name.
func typeString(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if isMain(p) {
			return ""
		}
		return p.Name()
	})
}
