package eval

import (
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"go/types"
	"reflect"
	"strings"

	"trivium/kernel/eval/mirror"
	"trivium/kernel/symbols/box"
)

// What decodes into values of cells is given pointers to their mirrors. An interface in them may hold a pointer that is to be
// decoded into, so that boxes are opened before, in their places, and closed afterwards. Interfaces of cells, which are any in mirrors, are
// not decoded into by package json in Go, and so not here: a pointer to one has a method which says so.

// rtFill calls a function that decodes into what v points to.
func (s *Session) rtFill(function string, source, v, start any) error {
	into := v
	if o, ok := box.Of(v); ok && o.D.Type != nil {
		t := s.decodable(o.D.Type)
		if t == nil {
			panic(plainError(s.noMirror(o.D.Name)))
		}
		into = retype(reflect.ValueOf(o.V), t).Interface()
	}
	format, _, _ := strings.Cut(function, ".")
	s.open(reflect.ValueOf(into), format)
	defer s.close(reflect.ValueOf(into), format)
	return decodeFrom(function, source, start, into)
}

func decodeFrom(function string, source, start, into any) error {
	switch function {
	case "json.Unmarshal":
		return json.Unmarshal(bytesOf(source), into)
	case "json.Decode":
		return source.(*json.Decoder).Decode(into)
	case "xml.Unmarshal":
		return xml.Unmarshal(bytesOf(source), into)
	case "xml.Decode":
		return source.(*xml.Decoder).Decode(into)
	case "xml.DecodeElement":
		el, _ := start.(*xml.StartElement)
		return source.(*xml.Decoder).DecodeElement(into, el)
	case "gob.Decode":
		return source.(*gob.Decoder).Decode(into)
	}
	panic("eval: " + function)
}

func bytesOf(x any) []byte {
	if b, ok := x.([]byte); ok {
		return b
	}
	return reflect.ValueOf(x).Bytes()
}

// decodable gives the type that what decodes into a cell's type is shown for it.
func (s *Session) decodable(t types.Type) reflect.Type {
	if leadsToInterface(t, map[types.Type]bool{}) {
		return s.mirrorFor(t, true)
	}
	return s.mirror(t)
}

// leadsToInterface tells whether there is an interface of a cell with methods in a type.
func leadsToInterface(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] || !isCellType(t) {
		return false
	}
	seen[t] = true
	if types.IsInterface(t) {
		return ifaceKind(t) == cellIface
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if leadsToInterface(f.Type(), seen) {
				return true
			}
		}
	case *types.Map:
		return leadsToInterface(u.Key(), seen) || leadsToInterface(u.Elem(), seen)
	case interface{ Elem() types.Type }:
		return leadsToInterface(u.Elem(), seen)
	}
	return false
}

// closedInterface makes an interface of a cell that package json cannot decode into.
func (m *mirrorer) closedInterface(r *mirror.Made, t types.Type) {
	p := mirror.New(reflect.PointerTo(anyRType), "*"+box.TypeString(t), "", 1)
	r.SetPointer(p)
	p.SetElem(r.Type)
	s := m.s
	err := p.SetMethod(0, mirror.Method{Name: "UnmarshalJSON", Type: reflect.TypeFor[func([]byte) error](), Call: func(args []reflect.Value) []reflect.Value {
		place, data := (*any)(args[0].UnsafePointer()), args[1].Bytes()
		return []reflect.Value{asType(s.decodeClosed(place, data, t), errorRType)}
	}})
	if err != nil {
		panic(err)
	}
}

// decodeClosed decodes into what an interface of a cell holds, if it holds a pointer.
func (s *Session) decodeClosed(place *any, data []byte, t types.Type) error {
	text := strings.TrimSpace(string(data))
	if text == "null" {
		*place = nil
		return nil
	}
	if v := reflect.ValueOf(*place); v.Kind() == reflect.Pointer && !v.IsNil() {
		return json.Unmarshal(data, *place)
	}
	kind := "number"
	for begin, name := range map[string]string{"{": "object", "[": "array", `"`: "string", "t": "bool", "f": "bool"} {
		if strings.HasPrefix(text, begin) {
			kind = name
		}
	}
	return &json.UnmarshalTypeError{Value: kind, Type: s.typeOf(t)}
}

// ---- boxes in their places

// open puts what is in boxes in the places of the boxes, in all that a pointer leads to, or that what decodes a
// format gets to. Nothing else is written to, as it may be shared with goroutines.
func (s *Session) open(v reflect.Value, format string) {
	(&places{map[shownKey]bool{}, format, func(x any, _ reflect.Type) any {
		if o, ok := box.Of(x); ok && o.D.Type != nil {
			if t := s.decodable(o.D.Type); t != nil {
				return retype(reflect.ValueOf(o.V), t).Interface()
			}
		}
		return x
	}}).visit(v)
}

// close puts what compiled code has left of a cell's types in interfaces in boxes.
func (s *Session) close(v reflect.Value, format string) {
	(&places{map[shownKey]bool{}, format, s.cells}).visit(v)
}

// places visits the interfaces that something leads to.
type places struct {
	seen   map[shownKey]bool
	format string                          // of what decodes, "" if all fields are looked at
	put    func(x any, t reflect.Type) any // what is to be in an interface of type t in place of x
}

// visit tells whether it has changed v itself.
func (p *places) visit(v reflect.Value) (changed bool) {
	if !v.IsValid() || !mayBeBoxed(v.Type()) {
		return false
	}
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return false
		}
		was := v.Elem().Interface()
		if x := p.put(was, v.Type()); reflect.TypeOf(x) != reflect.TypeOf(was) {
			v.Set(asType(x, v.Type()))
			changed = true
		}
		p.visit(v.Elem())
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if v.IsNil() || p.seen[keyOf(v)] {
			return false
		}
		p.seen[keyOf(v)] = true
		switch v.Kind() {
		case reflect.Pointer:
			p.visit(v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				p.visit(v.Index(i))
			}
		case reflect.Map:
			for it := v.MapRange(); it.Next(); {
				e := reflect.New(v.Type().Elem()).Elem()
				e.Set(it.Value())
				if p.visit(e) {
					v.SetMapIndex(it.Key(), e)
				}
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !encoded(v.Type().Field(i), p.format) {
				continue
			}
			if f := settable(v.Field(i)); f.CanSet() && p.visit(f) {
				changed = true
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			if p.visit(v.Index(i)) {
				changed = true
			}
		}
	}
	return changed
}
