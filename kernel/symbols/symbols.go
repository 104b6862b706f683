// Package symbols holds everything a cell can import, and what is known about it.
//
// Packages are those of the standard library, gonum, gonum/plot and this module. For each
// there are, made by kernel/symbols/gen from the toolchain and the go.mod in use:
//
//   - a table of its exported names for the interpreter ([Table.Exports]),
//   - its export data for go/types ([Table.ExportData]), so that cells are type-checked
//     where no Go toolchain is installed,
//   - its documentation ([Table.Doc]),
//   - a wrapper for each of its interfaces, with which a type declared in a cell implements
//     the interface in compiled code ([Table.Wrapper], [trivium/kernel/symbols/box]).
//
// Generic functions have no value that could stand in a table; [Table.Generic] gives
// adapters that work by reflection.
//
// All of it is static data that costs a process nothing before it is asked for: the kernel
// process, which is the same program as the evaluator, never asks.
//
// A front end takes the packages from [All], puts the tables into an interpreter as
// path/name, and asks for a wrapper wherever a cell converts one of its types to an interface.
//
// # What is where
//
//	gen/              the generator: choose.go says which packages, optional.go which wrappers
//	                  have more methods than their interface
//	internal/std, gonum, plot, own
//	                  the tables and wrappers, generated; internal/table is their form
//	internal/extra    third-party packages of a program that %get built, else empty
//	data/             export data, documentation and the stamp of what they were made from
//	internal/stamp    takes that stamp of a source tree
//	generic/          adapters for generic functions, written by hand
//	box/              a cell's value in compiled code: how it prints, marshals, compares
//
// # Regenerating
//
// Run
//
//	go generate ./kernel/symbols
//
// after a change of the Go toolchain, of a module's version or of an exported name in core,
// viz, datasets or kernel/nb, and commit what it writes. A package of this module that does
// not compile is left out, with a word about it, so that the others can go on. A test of this
// package says when it is due. It looks at a stamp and does not see changes of documentation;
// go run ./kernel/symbols/gen -check makes everything anew and compares, within seconds.
package symbols

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"trivium/kernel/symbols/box"
	"trivium/kernel/symbols/generic"
	"trivium/kernel/symbols/internal/extra"
	"trivium/kernel/symbols/internal/gonum"
	"trivium/kernel/symbols/internal/own"
	"trivium/kernel/symbols/internal/plot"
	"trivium/kernel/symbols/internal/std"
	"trivium/kernel/symbols/internal/table"
)

//go:generate go run ./gen

// Table is a set of packages. Its methods may be called from several goroutines.
type Table struct{}

// All is the table of every package there is.
var All Table

var byPath = sync.OnceValue(func() map[string]*table.Package {
	m := make(map[string]*table.Package, 300)
	for _, group := range [][]*table.Package{std.Packages, gonum.Packages, plot.Packages, own.Packages, extra.Packages} {
		for _, p := range group {
			m[p.Path] = p
		}
	}
	return m
})

// Packages are the import paths, sorted.
func (Table) Packages() []string {
	l := make([]string, 0, len(byPath()))
	for path := range byPath() {
		l = append(l, path)
	}
	slices.Sort(l)
	return l
}

// Name is the name that the package at path has in its package clause, "" if there is no such
// package: Name("math/rand/v2") is "rand".
func (Table) Name(path string) string {
	if p := byPath()[path]; p != nil {
		return p.Name
	}
	return ""
}

// Exports gives the exported names of a package as yaegi's Use takes them: functions and
// typed constants as values, variables addressable, types as nil pointers, untyped constants
// as [go/constant.Value]. Constraint interfaces are missing, and so are generic names but for
// instances over few basic types, which have the names that [box.Instance] gives. Each call
// makes a fresh map, in which the caller may replace entries, as an evaluator replaces
// time.Sleep by one that can be interrupted. The functions of fmt and log that take a format
// are replaced by ones that answer %T for cell types. It is nil if there is no such package.
func (Table) Exports(path string) map[string]reflect.Value {
	p := byPath()[path]
	if p == nil {
		return nil
	}
	m := p.Exports()
	for name, f := range formatting[path] {
		m[name] = reflect.ValueOf(f)
	}
	return m
}

var wrappers = sync.OnceValue(func() map[string]func(box.Obj) any {
	m := make(map[string]func(box.Obj) any, 1000)
	for _, p := range byPath() {
		for _, w := range p.Wrappers {
			m[w.Key] = w.Of
		}
	}
	for _, w := range plot.Universe.Wrappers {
		m[w.Key] = w.Of
	}
	return m
})

// Wrapper gives the function that makes of a cell's value one that implements the interface
// named by key: "io.Reader", "gonum.org/v1/gonum/mat.Matrix", "error", "any", or, for an
// interface type without a name, what types.TypeString(t, nil) gives. The cell's type must
// implement it; its methods are called through [box.Desc]. Of two wrapped values of one
// interface a == b is what it is for the values in them.
//
// The wrapper also has the methods that compiled code asks for beyond the interface, such as
// WriteTo of an io.Reader, if and only if the cell's type has them; which these are says
// gen/optional.go. There is no wrapper for interfaces with unexported methods, which no other
// package can implement.
func (Table) Wrapper(key string) (func(box.Obj) any, bool) {
	f, ok := wrappers()[key]
	return f, ok
}

var refused = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, p := range byPath() {
		for _, r := range p.Refused {
			m[r.Key] = r.Why
		}
	}
	return m
})

// WrapperProblem says why there is no wrapper for an interface, as a text to follow "because
// it": "has the unexported method common". It is "" if there is a wrapper.
func (t Table) WrapperProblem(key string) string {
	if _, ok := t.Wrapper(key); ok {
		return ""
	}
	if why := refused()[key]; why != "" {
		return why
	}
	if strings.Contains(key, "[") {
		return "is an instance of a generic interface, which types of cells cannot be given to"
	}
	return "is not an interface that a function of a known package takes"
}

// Generic gives an adapter for a generic function of the standard library; package
// [trivium/kernel/symbols/generic] says how it is called.
func (Table) Generic(path, name string) (fn any, ok bool) { return generic.Lookup(path, name) }

// GenericType gives the type that stands for all instances of a generic type, such as
// ("sync/atomic", "Pointer").
func (Table) GenericType(path, name string) (reflect.Type, bool) { return generic.Type(path, name) }
