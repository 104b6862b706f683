package eval

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"trivium/kernel/symbols/box"
)

func isErrorType(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// How much of a value is written. A value in a notebook is looked at, not processed further.
const (
	maxElements = 100
	maxText     = 10000
	maxDepth    = 6
)

// render writes a value readably: as %+v does, but cut at a sensible length, with one line per row
// where the elements are lists themselves. A value that prints itself does.
func (s *Session) render(t types.Type, v any) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("%s (its method panicked: %v)", typeString(t), r)
		}
	}()
	var b strings.Builder
	if o, ok := box.Of(v); ok {
		s.write(&b, o.D.Type, reflect.ValueOf(o.V), o, 0)
	} else {
		s.write(&b, t, reflect.ValueOf(v), v, 0)
	}
	text = b.String()
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

func (s *Session) write(b *strings.Builder, t types.Type, v reflect.Value, whole any, depth int) {
	if b.Len() > maxText {
		return
	}
	if !v.IsValid() {
		b.WriteString("<nil>")
		return
	}
	if v.Kind() == reflect.Func {
		if v.IsNil() {
			b.WriteString("<nil>")
		} else {
			b.WriteString(typeString(t))
		}
		return
	}
	if s.printsItself(t, whole) {
		fmt.Fprintf(b, "%v", whole) // + would put a sign before a big number
		return
	}
	if endless(v) {
		fmt.Fprintf(b, "%s that contains itself", typeString(t))
		return
	}
	if depth > maxDepth {
		plus(b, whole)
		return
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		s.writeList(b, t, v, depth)
	case reflect.Map:
		if v.Len() <= maxElements {
			plus(b, whole)
			return
		}
		fmt.Fprintf(b, "map of %d keys, such as", v.Len())
		for i, k := range v.MapKeys() {
			if i == 10 {
				break
			}
			fmt.Fprintf(b, " %+v:%+v", k, v.MapIndex(k))
		}
	default:
		plus(b, whole)
	}
}

// plus writes a value as %+v does, and what pointers to structs of cells point to.
func plus(b *strings.Builder, v any) {
	if o, ok := box.Of(v); ok {
		box.Deep(b, o, maxDepth, maxText-b.Len())
		return
	}
	fmt.Fprintf(b, "%+v", v)
}

// endless tells whether fmt would not come to an end with a value, because a map or slice is within itself.
func endless(v reflect.Value) bool {
	e := endlessness{left: 100_000}
	return e.within(v)
}

type endlessness struct {
	left int       // values to look at: larger ones are slow enough to print
	path []uintptr // of the maps and slices within which the next is
}

func (e *endlessness) within(v reflect.Value) bool {
	if e.left--; e.left < 0 {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return false
		}
		if v.CanInterface() {
			if o, ok := box.Of(v.Interface()); ok {
				return e.within(reflect.ValueOf(o.V))
			}
		}
		return e.within(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if e.within(v.Field(i)) {
				return true
			}
		}
	case reflect.Array:
		return e.elements(v)
	case reflect.Slice, reflect.Map:
		if v.Len() == 0 || isBasicKind(v.Type().Elem().Kind()) {
			return false
		}
		if slices.Contains(e.path, v.Pointer()) {
			return true
		}
		e.path = append(e.path, v.Pointer())
		defer func() { e.path = e.path[:len(e.path)-1] }()
		return e.elements(v)
	}
	return false
}

func (e *endlessness) elements(v reflect.Value) bool {
	for _, x := range v.Seq2() {
		if e.within(x) {
			return true
		}
	}
	return false
}

// printsItself tells whether a value has a method that fmt would call.
func (s *Session) printsItself(t types.Type, v any) bool {
	if o, ok := box.Of(v); ok {
		for _, m := range []string{"Format", "Error", "String"} {
			if o.D.Method(m) != nil {
				return true
			}
		}
		return false
	}
	switch v.(type) {
	case fmt.Formatter, error, fmt.Stringer:
		return true
	}
	return false
}

func (s *Session) writeList(b *strings.Builder, t types.Type, v reflect.Value, depth int) {
	elem := elemType(t)
	rows := v.Type().Elem().Kind() == reflect.Slice || v.Type().Elem().Kind() == reflect.Array
	b.WriteByte('[')
	for i := range v.Len() {
		if i == maxElements || b.Len() > maxText {
			fmt.Fprintf(b, " … %d in all", v.Len())
			break
		}
		if i > 0 {
			if rows {
				b.WriteString("\n" + strings.Repeat(" ", depth+1))
			} else {
				b.WriteByte(' ')
			}
		}
		e := v.Index(i)
		var whole any = e.Interface()
		et := elem
		if o, ok := box.Of(whole); ok {
			et, e = o.D.Type, reflect.ValueOf(o.V)
		} else if e.Kind() == reflect.Interface {
			e = e.Elem()
		} else if et != nil && isCellType(et) {
			if d := s.findDesc(et); d != nil {
				whole = box.Obj{D: d, V: whole}
			}
		}
		if et == nil {
			fmt.Fprintf(b, "%+v", whole)
			continue
		}
		s.write(b, et, e, whole, depth+1)
	}
	b.WriteByte(']')
}

func elemType(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	}
	return nil
}
