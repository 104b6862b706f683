package box

import (
	"cmp"
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// Mentions tells whether the identity of t depends on a type declared in a cell, whose
// package is called main.
func Mentions(t types.Type) bool {
	switch t := t.(type) {
	case *types.Alias:
		return Mentions(types.Unalias(t))
	case *types.Named:
		if p := t.Obj().Pkg(); p != nil && p.Path() == "main" {
			return true
		}
		for a := range t.TypeArgs().Types() {
			if Mentions(a) {
				return true
			}
		}
	case *types.Map:
		return Mentions(t.Key()) || Mentions(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		return Mentions(t.Elem())
	case *types.Struct:
		// Also one without cell types in it: the interpreter renames unexported fields.
		return true
	case *types.Signature:
		for _, l := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range l.Variables() {
				if Mentions(v.Type()) {
					return true
				}
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			if Mentions(m.Type()) {
				return true
			}
		}
	}
	return false
}

// TypeString names a type as package reflect and %T do: packages by name, interface {} for
// any, and blanks within struct { }.
func TypeString(t types.Type) string {
	switch t := t.(type) {
	case *types.Alias:
		return TypeString(types.Unalias(t))
	case *types.Basic:
		switch t.Kind() {
		case types.Uint8:
			return "uint8" // not byte
		case types.Int32:
			return "int32" // not rune
		}
	case *types.Pointer:
		return "*" + TypeString(t.Elem())
	case *types.Slice:
		return "[]" + TypeString(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), TypeString(t.Elem()))
	case *types.Map:
		return "map[" + TypeString(t.Key()) + "]" + TypeString(t.Elem())
	case *types.Interface:
		var l []string
		for m := range t.Methods() {
			l = append(l, m.Name()+strings.TrimPrefix(TypeString(m.Type()), "func"))
		}
		return braces("interface", l)
	case *types.Struct:
		var l []string
		for i := range t.NumFields() {
			s := TypeString(t.Field(i).Type())
			if !t.Field(i).Embedded() {
				s = t.Field(i).Name() + " " + s
			}
			if t.Tag(i) != "" {
				s += fmt.Sprintf(" %q", t.Tag(i))
			}
			l = append(l, s)
		}
		return braces("struct", l)
	case *types.Signature:
		return "func" + signature(t)
	case *types.Named:
		if t.TypeArgs().Len() > 0 { // without spaces, as package reflect has it
			var l []string
			for a := range t.TypeArgs().Types() {
				l = append(l, TypeString(a))
			}
			return qualified(t.Obj()) + "[" + strings.Join(l, ",") + "]"
		}
	}
	return types.TypeString(t, (*types.Package).Name)
}

func qualified(o *types.TypeName) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	return o.Pkg().Name() + "." + o.Name()
}

func braces(kind string, l []string) string {
	if len(l) == 0 {
		return kind + " {}"
	}
	return kind + " { " + strings.Join(l, "; ") + " }"
}

func signature(t *types.Signature) string {
	var in, out []string
	for v := range t.Params().Variables() {
		in = append(in, TypeString(v.Type()))
	}
	if n := len(in); t.Variadic() {
		in[n-1] = "..." + strings.TrimPrefix(in[n-1], "[]")
	}
	for v := range t.Results().Variables() {
		out = append(out, TypeString(v.Type()))
	}
	s := "(" + strings.Join(in, ", ") + ")"
	switch len(out) {
	case 0:
		return s
	case 1:
		return s + " " + out[0]
	}
	return s + " (" + strings.Join(out, ", ") + ")"
}

// compareKeys orders map keys as fmt does.
func compareKeys(a, b reflect.Value) int {
	if o, ok := ofValue(a); ok {
		a = reflect.ValueOf(o.V)
	}
	if o, ok := ofValue(b); ok {
		b = reflect.ValueOf(o.V)
	}
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return 0
	}
	switch {
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.CanUint():
		return cmp.Compare(a.Uint(), b.Uint())
	case a.CanFloat():
		return cmp.Compare(a.Float(), b.Float())
	case a.CanComplex():
		return cmp.Or(cmp.Compare(real(a.Complex()), real(b.Complex())), cmp.Compare(imag(a.Complex()), imag(b.Complex())))
	}
	switch a.Kind() {
	case reflect.String:
		return cmp.Compare(a.String(), b.String())
	case reflect.Bool:
		if a.Bool() == b.Bool() {
			return 0
		}
		if a.Bool() {
			return 1
		}
		return -1
	case reflect.Struct:
		for i := range a.NumField() {
			if c := compareKeys(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	case reflect.Array:
		for i := range a.Len() {
			if c := compareKeys(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case reflect.Pointer, reflect.Chan:
		return cmp.Compare(a.Pointer(), b.Pointer())
	case reflect.Interface:
		return compareKeys(a.Elem(), b.Elem())
	}
	return 0
}

func ofValue(v reflect.Value) (Obj, bool) {
	if v.IsValid() && v.CanInterface() {
		return Of(v.Interface())
	}
	return Obj{}, false
}

// Instance is the name under which a symbol table holds an instance of a generic name:
// "Axpy__float64" for Axpy[float64]. It is an identifier, which the interpreter needs.
func Instance(name string, args ...types.Type) string {
	for _, a := range args {
		name += "__" + strings.Map(func(r rune) rune {
			if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
				return r
			}
			return '_'
		}, TypeString(a))
	}
	return name
}
