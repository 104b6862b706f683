package eval

import (
	"fmt"
	"go/ast"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"sync"

	"trivium/kernel/symbols/box"
)

// A cellType is what reflect.TypeOf gives for a type declared in a cell: the type by which yaegi
// represents it, with the name, the fields and the parts that it has in Go. What else package
// reflect would tell of it is not known, so that asking panics. Equal types are equal.
type cellType struct {
	reflect.Type
	*typeInfo
}

type typeInfo struct {
	s *Session
	t types.Type
}

// cellTypes holds one typeInfo for identical types, by typeKey.
type cellTypes struct{ m sync.Map }

// typeOfBox is reflect.TypeOf of a value of a cell's type.
func (s *Session) typeOfBox(o box.Obj) reflect.Type {
	if o.D.Type == nil {
		return reflect.TypeOf(o.V)
	}
	return s.reflected(o.D.Type, reflect.TypeOf(o.V))
}

func (s *Session) reflected(t types.Type, rt reflect.Type) reflect.Type {
	if !isCellType(t) {
		return rt
	}
	s.objMu.Lock()
	key := fmt.Sprint(types.TypeString(t, nil))
	s.objMu.Unlock()
	for n := 0; ; n++ { // types of one name that were declared again are others
		v, _ := s.cellTypes.m.LoadOrStore(fmt.Sprint(key, n), &typeInfo{s, t})
		if info := v.(*typeInfo); types.Identical(info.t, t) {
			return cellType{rt, info}
		}
	}
}

// reflectOverrides are the functions of package reflect that cells' types and values may be given to.
func (s *Session) reflectOverrides() map[string]any {
	unknown := func(name, of string) string {
		return "reflect." + name + " of " + of + ", a type declared in a cell, is not available"
	}
	other := func(name string, t reflect.Type) reflect.Type {
		if c, ok := t.(cellType); ok {
			panic(unknown(name, c.String()))
		}
		return t
	}
	pointer := func(t reflect.Type) reflect.Type {
		if c, ok := t.(cellType); ok {
			return s.reflected(types.NewPointer(c.t), reflect.PointerTo(c.Type))
		}
		return reflect.PointerTo(t)
	}
	return map[string]any{
		"TypeOf": func(x any) reflect.Type {
			if o, ok := box.Of(x); ok {
				return s.typeOfBox(o)
			}
			return reflect.TypeOf(x)
		},
		"ValueOf": func(x any) reflect.Value {
			if o, ok := box.Of(x); ok {
				panic(unknown("ValueOf", o.D.Name))
			}
			return reflect.ValueOf(x)
		},
		"Swapper": func(list any) func(i, j int) {
			if o, ok := box.Of(list); ok {
				list = o.V
			}
			return reflect.Swapper(list)
		},
		"PointerTo": pointer,
		"PtrTo":     pointer,
		"SliceOf": func(t reflect.Type) reflect.Type {
			if c, ok := t.(cellType); ok {
				return s.reflected(types.NewSlice(c.t), reflect.SliceOf(c.Type))
			}
			return reflect.SliceOf(t)
		},
		"New":       func(t reflect.Type) reflect.Value { return reflect.New(other("New", t)) },
		"Zero":      func(t reflect.Type) reflect.Value { return reflect.Zero(other("Zero", t)) },
		"MakeSlice": func(t reflect.Type, n, c int) reflect.Value { return reflect.MakeSlice(other("MakeSlice", t), n, c) },
		"MakeMap":   func(t reflect.Type) reflect.Value { return reflect.MakeMap(other("MakeMap", t)) },
		"MakeFunc": func(t reflect.Type, f func([]reflect.Value) []reflect.Value) reflect.Value {
			return reflect.MakeFunc(other("MakeFunc", t), f)
		},
		"MapOf":   func(k, e reflect.Type) reflect.Type { return reflect.MapOf(other("MapOf", k), other("MapOf", e)) },
		"ArrayOf": func(n int, e reflect.Type) reflect.Type { return reflect.ArrayOf(n, other("ArrayOf", e)) },
	}
}

func (c cellType) String() string { return box.TypeString(c.t) }

func (c cellType) Name() string {
	n, ok := types.Unalias(c.t).(*types.Named)
	if !ok {
		return ""
	}
	_, name, _ := strings.Cut(box.TypeString(n), ".")
	return name
}

func (c cellType) PkgPath() string {
	if n, ok := types.Unalias(c.t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path()
	}
	return ""
}

func (c cellType) Comparable() bool { return types.Comparable(c.t) }

func (c cellType) NumMethod() int {
	n := 0
	for m := range types.NewMethodSet(c.t).Methods() {
		if m.Obj().Exported() {
			n++
		}
	}
	return n
}

func (c cellType) Elem() reflect.Type {
	u, ok := c.t.Underlying().(interface{ Elem() types.Type })
	if !ok {
		return c.Type.Elem() // panics as reflect does
	}
	return c.s.reflected(u.Elem(), c.Type.Elem())
}

func (c cellType) Key() reflect.Type {
	m, ok := c.t.Underlying().(*types.Map)
	if !ok {
		return c.Type.Key()
	}
	return c.s.reflected(m.Key(), c.Type.Key())
}

func (c cellType) Field(i int) reflect.StructField {
	st, ok := c.t.Underlying().(*types.Struct)
	if !ok || i < 0 || i >= st.NumFields() {
		return c.Type.Field(i)
	}
	f, v := c.Type.Field(i), st.Field(i)
	f.Name, f.Anonymous, f.PkgPath = v.Name(), v.Embedded(), ""
	if !v.Exported() {
		f.PkgPath = "main"
	}
	f.Tag, f.Type = reflect.StructTag(st.Tag(i)), c.s.reflected(v.Type(), f.Type)
	return f
}

func (c cellType) FieldByName(name string) (reflect.StructField, bool) {
	if st, ok := c.t.Underlying().(*types.Struct); ok {
		for i := range st.NumFields() {
			if st.Field(i).Name() == name {
				return c.Field(i), true
			}
		}
		return reflect.StructField{}, false
	}
	return c.Type.FieldByName(name)
}

func (c cellType) unknown(method string) string {
	return "reflect.Type." + method + " of " + c.String() + ", a type declared in a cell, is not available"
}

// Method and MethodByName tell the name and the type of a method; there is no function to call it by.
func (c cellType) Method(i int) reflect.Method {
	var list []types.Object
	for m := range types.NewMethodSet(c.t).Methods() {
		if m.Obj().Exported() {
			list = append(list, m.Obj())
		}
	}
	if i < 0 || i >= len(list) {
		panic("reflect: Method index out of range")
	}
	slices.SortFunc(list, func(a, b types.Object) int { return strings.Compare(a.Name(), b.Name()) })
	f := list[i].(*types.Func)
	m := reflect.Method{Name: f.Name(), Index: i}
	sig := f.Signature()
	params := []*types.Var{types.NewParam(f.Pos(), f.Pkg(), "", c.t)}
	for v := range sig.Params().Variables() {
		params = append(params, v)
	}
	full := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
	if r := c.s.shape(full); r != nil {
		m.Type = c.s.reflected(full, r)
	}
	return m
}

func (c cellType) MethodByName(name string) (reflect.Method, bool) {
	for i := range c.NumMethod() {
		if m := c.Method(i); m.Name == name {
			return m, true
		}
	}
	return reflect.Method{}, false
}

func (c cellType) In(i int) reflect.Type {
	return c.part(c.t.Underlying().(*types.Signature).Params(), i, c.Type.In)
}
func (c cellType) Out(i int) reflect.Type {
	return c.part(c.t.Underlying().(*types.Signature).Results(), i, c.Type.Out)
}

func (c cellType) part(of *types.Tuple, i int, as func(int) reflect.Type) reflect.Type {
	return c.s.reflected(of.At(i).Type(), as(i))
}

func (c cellType) Implements(reflect.Type) bool           { panic(c.unknown("Implements")) }
func (c cellType) AssignableTo(reflect.Type) bool         { panic(c.unknown("AssignableTo")) }
func (c cellType) ConvertibleTo(reflect.Type) bool        { panic(c.unknown("ConvertibleTo")) }
func (c cellType) FieldByIndex([]int) reflect.StructField { panic(c.unknown("FieldByIndex")) }
func (c cellType) CanSeq() bool                           { panic(c.unknown("CanSeq")) }
func (c cellType) CanSeq2() bool                          { panic(c.unknown("CanSeq2")) }
func (c cellType) FieldByNameFunc(func(string) bool) (reflect.StructField, bool) {
	panic(c.unknown("FieldByNameFunc"))
}

// knownOfTypes are the methods that a cellType answers.
var knownOfTypes = map[string]bool{"String": true, "Name": true, "PkgPath": true, "Kind": true, "Comparable": true, "NumMethod": true, "NumField": true, "Field": true, "FieldByName": true, "Elem": true, "Key": true, "Len": true, "Size": true, "NumIn": true, "NumOut": true, "IsVariadic": true, "Method": true, "MethodByName": true, "In": true, "Out": true}

// Why reflection about a type declared in a cell is refused.
const (
	typeOfCell     = " of a type declared in a cell is not available"
	typeOfCellHint = "the interpreter represents such types by others; fmt's %T and %+v and package encoding/json know them"
)

// markTypeOf finds the calls of reflect.TypeOf of which only what a cellType knows is asked, or which are
// compared, or given to a variable: what such a one does not know it says when it is asked.
func (l *lowerer) markTypeOf(root ast.Node) {
	asked := func(list ...ast.Expr) {
		for _, e := range list {
			if ce, ok := ast.Unparen(e).(*ast.CallExpr); ok {
				l.typeAsked[ce] = true
			}
		}
	}
	if l.callsByReflection(root) {
		return
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if knownOfTypes[n.Sel.Name] {
				asked(n.X)
			}
		case *ast.BinaryExpr:
			asked(n.X, n.Y)
		case *ast.AssignStmt:
			asked(n.Rhs...)
		case *ast.ValueSpec:
			asked(n.Values...)
		}
		return true
	})
}

// callsByReflection tells whether the function of a reflect.Method is asked for, which a cellType has not.
func (l *lowerer) callsByReflection(root ast.Node) (found bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		if se, ok := n.(*ast.SelectorExpr); ok && se.Sel.Name == "Func" {
			if t := l.info.TypeOf(se.X); t != nil && typeString(t) == "reflect.Method" {
				found = true
			}
		}
		return !found
	})
	return found
}
