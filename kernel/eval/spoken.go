package eval

import (
	"encoding/xml"
	"go/types"
	"reflect"
)

// Package encoding/xml asks a value for the method MarshalXML or MarshalText. In the place of a value of a
// cell's type that has one it is given a spoken one, which calls it.

type spokenText struct{ text func() ([]byte, error) }

func (s spokenText) MarshalText() ([]byte, error) { return s.text() }

type spokenXML struct {
	write func(*xml.Encoder, xml.StartElement) error
}

func (s spokenXML) MarshalXML(e *xml.Encoder, start xml.StartElement) error { return s.write(e, start) }

func isSpoken(x any) bool {
	switch x.(type) {
	case spokenText, spokenXML:
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
