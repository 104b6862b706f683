// Package table is the form of the generated symbol tables.
//
// A table is static data: names beside functions, pointers and constants that the linker
// fills in. Nothing runs when the program starts, and only [Package.Exports] makes the
// reflect values of a package, when a cell first imports it.
package table

import (
	"go/constant"
	"go/token"
	"reflect"

	"trivium/kernel/symbols/box"
)

// Package is what a cell can reach of one package.
type Package struct {
	Path, Name string
	Values     []Symbol  // functions and typed constants
	Vars       []Symbol  // pointers to variables
	Types      []Symbol  // nil pointers to the types
	Consts     []Const   // untyped constants
	Wrappers   []Wrapper // how a cell's type becomes one of the package's interfaces
	Refused    []Refusal // the interfaces that it cannot become
}

// Symbol is an exported name and what it stands for.
type Symbol struct {
	Name string
	V    any
}

// Const is an untyped constant, exact: math.Pi has more digits than a float64.
type Const struct {
	Name string
	Kind token.Token // token.INT, FLOAT, STRING
	Text string      // as a Go literal
}

// Wrapper makes of a cell's value a value that implements the interface named by Key.
type Wrapper struct {
	Key string // "io.Reader"
	Of  func(box.Obj) any
}

// Refusal says why there is no wrapper for the interface named by Key.
type Refusal struct {
	Key, Why string // "reflect.Type", "has the unexported method common"
}

// Exports gives the package in the form yaegi's Use takes. The map is fresh.
func (p *Package) Exports() map[string]reflect.Value {
	m := make(map[string]reflect.Value, len(p.Values)+len(p.Vars)+len(p.Types)+len(p.Consts))
	for _, s := range p.Values {
		m[s.Name] = reflect.ValueOf(s.V)
	}
	for _, s := range p.Types {
		m[s.Name] = reflect.ValueOf(s.V)
	}
	for _, s := range p.Vars {
		m[s.Name] = reflect.ValueOf(s.V).Elem() // addressable: cells can assign to it
	}
	for _, c := range p.Consts {
		m[c.Name] = reflect.ValueOf(constant.MakeFromLiteral(c.Text, c.Kind, 0))
	}
	return m
}
