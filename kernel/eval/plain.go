package eval

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"go/types"
	"reflect"

	"trivium/kernel/symbols/box"
)

// rtPlain gives a value of a cell type to compiled code that looks into it by reflection.
func (s *Session) rtPlain(id int, v any) any {
	d := s.descAt(id)
	return s.plain(d.Type, reflect.ValueOf(v))
}

// plain makes of a value as yaegi has it one in which reflection finds what it would find in a
// compiled program: the exported fields with their tags, embedded structs flattened by
// being embedded, and interfaces that marshal themselves.
func (s *Session) plain(t types.Type, v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		if o, ok := box.Of(v.Interface()); ok {
			return s.plainObj(o)
		}
		return v.Interface()
	}
	if !isCellType(t) {
		return v.Interface()
	}
	if d := s.findDesc(t); d != nil && (d.Method("MarshalJSON") != nil || d.Method("MarshalText") != nil) {
		return s.plainObj(box.Obj{D: d, V: v.Interface()})
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return nil
		}
		return s.plain(u.Elem(), v.Elem())
	case *types.Struct:
		var fields []reflect.StructField
		var vals []any
		for i := range u.NumFields() {
			f := u.Field(i)
			if !f.Exported() && !f.Embedded() {
				continue
			}
			x := s.plain(f.Type(), v.Field(i))
			sf := reflect.StructField{Name: f.Name(), Type: anyRType, Tag: reflect.StructTag(u.Tag(i))}
			if x != nil {
				sf.Type = reflect.TypeOf(x)
			}
			if f.Embedded() {
				if sf.Type.Kind() != reflect.Struct || sf.Type.NumMethod() > 0 {
					if !f.Exported() {
						continue
					}
				} else if sf.Tag.Get("json") == "" {
					ev := reflect.ValueOf(x) // the fields of an embedded struct are those of the outer one
					for j := range ev.NumField() {
						if !hasField(u, ev.Type().Field(j).Name) {
							fields = append(fields, ev.Type().Field(j))
							vals = append(vals, ev.Field(j).Interface())
						}
					}
					continue
				}
			}
			fields, vals = append(fields, sf), append(vals, x)
		}
		r := reflect.New(reflect.StructOf(fields)).Elem()
		for i, x := range vals {
			if x != nil {
				r.Field(i).Set(reflect.ValueOf(x))
			}
		}
		return r.Interface()
	case *types.Slice:
		if v.IsNil() {
			return nil
		}
		return s.plainList(u.Elem(), v)
	case *types.Array:
		return s.plainList(u.Elem(), v)
	case *types.Map:
		if v.IsNil() {
			return nil
		}
		if isCellType(u.Elem()) {
			m := reflect.MakeMap(reflect.MapOf(v.Type().Key(), anyRType))
			for it := v.MapRange(); it.Next(); {
				m.SetMapIndex(it.Key(), asType(s.plain(u.Elem(), it.Value()), anyRType))
			}
			return m.Interface()
		}
	}
	return v.Interface()
}

func (s *Session) plainList(elem types.Type, v reflect.Value) any {
	if !isCellType(elem) || v.Type().Elem().Kind() == reflect.Uint8 {
		return v.Interface()
	}
	l := make([]any, v.Len())
	for i := range l {
		l[i] = s.plain(elem, v.Index(i))
	}
	return l
}

// plainObj gives what is in a box; one that marshals itself stays one.
func (s *Session) plainObj(o box.Obj) any {
	if f, ok := o.D.Method("MarshalJSON").(func(any) ([]byte, error)); ok {
		return marshaler(func() ([]byte, error) { return f(o.V) })
	}
	if f, ok := o.D.Method("MarshalText").(func(any) ([]byte, error)); ok {
		return marshaler(func() ([]byte, error) {
			b, err := f(o.V)
			if err != nil {
				return nil, err
			}
			return json.Marshal(string(b))
		})
	}
	return s.plain(o.D.Type, reflect.ValueOf(o.V))
}

// rtMarshalXML is xml.MarshalIndent with a name for the outermost element.
func rtMarshalXML(name string, v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := xml.NewEncoder(&b)
	if prefix != "" || indent != "" {
		e.Indent(prefix, indent)
	}
	if err := e.EncodeElement(v, xml.StartElement{Name: xml.Name{Local: name}}); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type marshaler func() ([]byte, error)

func (m marshaler) MarshalJSON() ([]byte, error) { return m() }

func hasField(t *types.Struct, name string) bool {
	for f := range t.Fields() {
		if f.Name() == name {
			return true
		}
	}
	return false
}
