package eval

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"go/types"
	"log/slog"
	"reflect"
	"strings"
	"text/template"

	"trivium/kernel/symbols/box"
)

// rtPlain gives a value of a cell type to compiled code that looks into it by reflection.
func (s *Session) rtPlain(looker string, id int, v any) any {
	return (&plainer{s: s, f: lookers[looker]}).plain(s.descAt(id).Type, reflect.ValueOf(v))
}

// rtOpen gives such code a value in which there may be boxes.
func (s *Session) rtOpen(looker string, v any) any {
	return (&plainer{s: s, f: lookers[looker]}).open(reflect.ValueOf(v))
}

// A plainer makes of values as yaegi has them some in which reflection finds what it would find in a
// compiled program: the exported fields with their tags, embedded structs flattened by being embedded.
type plainer struct {
	s     *Session
	f     *looker
	depth int
}

const deepest = 200 // what is deeper contains itself

func (p *plainer) enter() func() {
	if p.depth++; p.depth > deepest {
		panic(plainError(p.f.name + " cannot be given a value of types declared in cells that contains itself"))
	}
	return func() { p.depth-- }
}

func (p *plainer) plain(t types.Type, v reflect.Value) any {
	defer p.enter()()
	if !v.IsValid() {
		return nil
	}
	if v.Kind() == reflect.Interface || !isCellType(t) {
		return p.open(v)
	}
	if x := p.spoken(t, v); x != nil {
		return x
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if v.Kind() != reflect.Pointer || v.IsNil() {
			return nil
		}
		return p.plain(u.Elem(), v.Elem())
	case *types.Struct:
		return p.structure(u, v)
	case *types.Slice:
		if v.IsNil() {
			return nil
		}
		return p.list(u.Elem(), v)
	case *types.Array:
		return p.list(u.Elem(), v)
	case *types.Map:
		if v.IsNil() {
			return nil
		}
		m := reflect.MakeMap(reflect.MapOf(v.Type().Key(), anyRType))
		for it := v.MapRange(); it.Next(); {
			m.SetMapIndex(it.Key(), asType(p.plain(u.Elem(), it.Value()), anyRType))
		}
		return m.Interface()
	}
	return v.Interface()
}

func (p *plainer) structure(u *types.Struct, v reflect.Value) any {
	var fields []reflect.StructField
	var vals []any
	for i := range u.NumFields() {
		f := u.Field(i)
		if !f.Exported() && !f.Embedded() {
			continue
		}
		x := p.attribute(f.Type(), reflect.StructTag(u.Tag(i)), v.Field(i))
		if x == nil {
			x = p.plain(f.Type(), v.Field(i))
		}
		if isSpoken(x) && strings.Contains(reflect.StructTag(u.Tag(i)).Get("xml"), ",omitempty") && emptyXML(v.Field(i)) {
			continue
		}
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
}

func (p *plainer) list(elem types.Type, v reflect.Value) any {
	if v.Type().Elem().Kind() == reflect.Uint8 && (p.f != lookers["xml out"] || speaks(elem) == "") {
		return v.Interface()
	}
	l := make([]any, v.Len())
	for i := range l {
		l[i] = p.plain(elem, v.Index(i))
	}
	return l
}

// open makes the boxes in a compiled value plain.
func (p *plainer) open(v reflect.Value) any {
	defer p.enter()()
	if !v.IsValid() {
		return nil
	}
	if v.Kind() == reflect.Interface {
		return p.open(v.Elem())
	}
	if o, ok := box.Of(v.Interface()); ok {
		if name, method := ownMethod(o.D.Type, p.f.own, map[types.Type]bool{}); name != "" {
			panic(plainError(p.f.name + " cannot call the method " + method + " of " + name + ", a type declared in a cell: " + p.f.way(method)))
		}
		if !p.f.fills {
			return p.plain(o.D.Type, reflect.ValueOf(o.V))
		}
		if p.f.own != nil && !p.f.isGob() && embeds(o.D.Type, map[types.Type]bool{}) {
			panic(plainError(p.f.name + " cannot be given " + o.D.Name + ", a type declared in a cell with embedded fields"))
		}
		return o.V
	}
	if p.f.fills {
		return v.Interface()
	}
	switch v.Kind() {
	case reflect.Map:
		if v.IsNil() || !mayHoldBoxes(v.Type().Elem()) {
			break
		}
		m := reflect.MakeMapWithSize(v.Type(), v.Len())
		for it := v.MapRange(); it.Next(); {
			m.SetMapIndex(it.Key(), asType(p.open(it.Value()), v.Type().Elem()))
		}
		return m.Interface()
	case reflect.Slice:
		if v.IsNil() || !mayHoldBoxes(v.Type().Elem()) {
			break
		}
		l := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			l.Index(i).Set(asType(p.open(v.Index(i)), v.Type().Elem()))
		}
		return l.Interface()
	}
	return v.Interface()
}

func mayHoldBoxes(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return t.NumMethod() == 0
	case reflect.Map, reflect.Slice:
		return t.PkgPath() == "" && mayHoldBoxes(t.Elem())
	}
	return false
}

// rtExecuted says more of the error of a template that finds no method.
func rtExecuted(err error) error {
	if e := (template.ExecError{}); errors.As(err, &e) && strings.Contains(err.Error(), "can't evaluate field") {
		return fmt.Errorf("%w (a template sees the exported fields of a type declared in a cell and not its methods: give it a function that calls the method, by Funcs, or what the method returns)", err)
	}
	return err
}

// rtLogValue gives package slog a value whose method LogValue it finds.
func rtLogValue(x any) any {
	if o, ok := box.Of(x); ok {
		if f, ok := o.D.Method("LogValue").(func(any) slog.Value); ok {
			return logValuer{o, f}
		}
	}
	return x
}

type logValuer struct {
	box.Obj
	value func(any) slog.Value
}

func (v logValuer) LogValue() slog.Value { return v.value(v.V) }

// rtMarshalXML is xml.MarshalIndent with a name for the outermost element.
func rtMarshalXML(name string, v any, prefix, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := xml.NewEncoder(&b)
	if prefix != "" || indent != "" {
		e.Indent(prefix, indent)
	}
	if err := rtEncodeXML(e, name, v); err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// rtEncodeXML is Encode with a name for the outermost element.
func rtEncodeXML(e *xml.Encoder, name string, v any) error {
	if err := e.EncodeElement(v, xml.StartElement{Name: xml.Name{Local: name}}); err != nil {
		return err
	}
	return e.Flush()
}

func hasField(t *types.Struct, name string) bool {
	for f := range t.Fields() {
		if f.Name() == name {
			return true
		}
	}
	return false
}
