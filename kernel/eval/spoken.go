package eval

import (
	"encoding/xml"
	"go/types"
	"reflect"
	"slices"
	"strings"
)

// Package encoding/xml asks a value for the method MarshalXML, MarshalXMLAttr or MarshalText. In the place of a value of a
// cell's type that has one it is given a spoken one, which calls it.

type spokenText struct{ text func() ([]byte, error) }

func (s spokenText) MarshalText() ([]byte, error) { return s.text() }

type spokenXML struct {
	write func(*xml.Encoder, xml.StartElement) error
}

func (s spokenXML) MarshalXML(e *xml.Encoder, start xml.StartElement) error { return s.write(e, start) }

type spokenAttr struct {
	attr func(xml.Name) (xml.Attr, error)
}

func (s spokenAttr) MarshalXMLAttr(name xml.Name) (xml.Attr, error) { return s.attr(name) }

func isSpoken(x any) bool {
	switch x.(type) {
	case spokenText, spokenXML, spokenAttr:
		return true
	}
	return false
}

// speaks gives the method by which a type or a pointer to it, declared in a cell, is marshalled, "" if it has none.
func speaks(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !isMain(n.Obj().Pkg()) || types.IsInterface(n) {
		return ""
	}
	set := types.NewMethodSet(types.NewPointer(n))
	for _, m := range []string{"MarshalXML", "MarshalText"} {
		if set.Lookup(nil, m) != nil {
			return m
		}
	}
	return ""
}

// spoken gives what stands for v, nil if v has no method that is called: one of a pointer is where v has an address.
func (p *plainer) spoken(t types.Type, v reflect.Value) any {
	m := speaks(t)
	if p.f != lookers["xml out"] || m == "" {
		return nil
	}
	if types.NewMethodSet(t).Lookup(nil, m) == nil {
		if !v.CanAddr() {
			return nil
		}
		t, v = types.NewPointer(t), v.Addr()
	}
	var f any
	if d := p.s.findDesc(t); d != nil {
		f = d.Method(m)
	}
	x := v.Interface()
	switch f := f.(type) {
	case func(any) ([]byte, error):
		return spokenText{func() ([]byte, error) { return f(x) }}
	case func(any, *xml.Encoder, xml.StartElement) error:
		return spokenXML{func(e *xml.Encoder, start xml.StartElement) error { return f(x, e, start) }}
	}
	panic(plainError(p.f.name + " cannot call the method " + m + " of " + typeString(t) + ", a type declared in a cell: " + p.f.way(m)))
}

// attribute gives what stands for the value of a field that is an attribute and has the method MarshalXMLAttr,
// or whose elements have; nil if they have not.
func (p *plainer) attribute(t types.Type, tag reflect.StructTag, v reflect.Value) any {
	_, options, _ := strings.Cut(tag.Get("xml"), ",")
	if p.f != lookers["xml out"] || !slices.Contains(strings.Split(options, ","), "attr") {
		return nil
	}
	if a, ok := p.spokenAttr(t, v); ok {
		return a
	}
	list, ok := t.Underlying().(*types.Slice)
	if !ok || !speaksAttr(list.Elem()) {
		return nil
	}
	var all []spokenAttr
	for i := range v.Len() {
		if a, ok := p.spokenAttr(list.Elem(), v.Index(i)); ok {
			all = append(all, a)
		}
	}
	return all
}

func speaksAttr(t types.Type) bool {
	n, ok := types.Unalias(derefType(t)).(*types.Named)
	return ok && isMain(n.Obj().Pkg()) && !types.IsInterface(n) && types.NewMethodSet(types.NewPointer(n)).Lookup(nil, "MarshalXMLAttr") != nil
}

func (p *plainer) spokenAttr(t types.Type, v reflect.Value) (a spokenAttr, ok bool) {
	if !speaksAttr(t) {
		return a, false
	}
	if types.NewMethodSet(t).Lookup(nil, "MarshalXMLAttr") == nil {
		if !v.CanAddr() {
			return a, false
		}
		t, v = types.NewPointer(t), v.Addr()
	}
	if d := p.s.findDesc(t); d != nil {
		if f, ok := d.Method("MarshalXMLAttr").(func(any, xml.Name) (xml.Attr, error)); ok {
			return spokenAttr{func(name xml.Name) (xml.Attr, error) { return f(v.Interface(), name) }}, true
		}
	}
	panic(plainError(p.f.name + " cannot call the method MarshalXMLAttr of " + typeString(t) + ", a type declared in a cell: " + p.f.way("MarshalXMLAttr")))
}

// emptyXML is what encoding/xml takes for empty.
func emptyXML(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
