package eval

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
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
			if l.s.knotted(t) {
				return l.compiledType(t)
			}
			return l.typ(t.Underlying())
		case t.TypeArgs().Len() > 0:
			if _, isFunc := t.Underlying().(*types.Signature); isFunc && t.NumMethods() == 0 { // iter.Seq
				return l.typ(t.Underlying())
			}
			if e := l.instanceExport(o, slices.Collect(t.TypeArgs().Types())); e != nil {
				return e
			}
			if r := l.s.standIn(t); r != nil {
				name := "Type_" + mangle(ifaceKey(t))
				l.s.exportValue(name, reflect.Zero(reflect.PointerTo(r)).Interface())
				return l.sel(l.id(rtName), name)
			}
			l.refuse(l.pos, "the generic type "+typeString(t)+" is not available in cells", "the interpreter has compiled types only")
		case !o.Exported():
			if r := l.s.hiddenType(t); r != nil {
				name := "Hidden_" + mangle(ifaceKey(t))
				l.s.exportValue(name, reflect.Zero(reflect.PointerTo(r)).Interface())
				return l.sel(l.id(rtName), name)
			}
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
		if l.s.knottedStruct(t) {
			return l.compiledType(t)
		}
		return l.structType(t)
	case *types.Interface:
		return l.id("any")
	case *types.TypeParam:
		l.refuse(l.pos, "type parameter "+t.String()+" outside its function", "")
	}
	return l.id("any")
}

// structType gives the type of a struct with its fields.
func (l *lowerer) structType(t *types.Struct) ast.Expr {
	fl := &ast.FieldList{Opening: l.pos, Closing: l.pos}
	for i := range t.NumFields() {
		f := t.Field(i)
		field := &ast.Field{Names: []*ast.Ident{l.id(fieldName(f, i))}, Type: l.typ(f.Type())}
		if tag := t.Tag(i); tag != "" {
			field.Tag = &ast.BasicLit{ValuePos: l.pos, Kind: token.STRING, Value: strconv.Quote(tag)}
		}
		fl.List = append(fl.List, field)
		if f.Pkg() != nil && !isMain(f.Pkg()) && !f.Exported() {
			l.refuse(l.pos, "a type declared as a copy of a compiled struct with unexported fields is not available in cells", "embed the struct, or hold it in a field")
		}
	}
	return &ast.StructType{Struct: l.pos, Fields: fl}
}

// field names a field of a struct; an embedded one is an ordinary field in the output.
func (l *lowerer) field(t types.Type, f *types.Var, index int) string {
	if st, ok := types.Unalias(t).(*types.Struct); ok && l.s.knottedStruct(st) {
		return yaegiField(st, index)
	}
	return fieldName(f, index)
}

func fieldName(f *types.Var, index int) string {
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
func (l *lowerer) compiledType(t types.Type) ast.Expr {
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
	name, _, _ := strings.Cut(t.Obj().Name(), "[") // see ownTypes
	n := l.s.scope.generation(name)
	l.types[key], l.structs[n] = n, t
	under := l.structType(t.Underlying().(*types.Struct))
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
