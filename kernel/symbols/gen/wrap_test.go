package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestWriteWrapper: the text of a wrapper, for the forms of methods that the packages at hand
// do not all have.
func TestWriteWrapper(t *testing.T) {
	const src = `package p
type I interface {
	Log(format string, args ...any) (n int, err error)
	None()
}
type Hidden interface { Take(struct{ x int }) }
type Own interface { M(hidden) }
type hidden int
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check("p", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	it := func(name string) *types.Interface {
		return p.Scope().Lookup(name).Type().Underlying().(*types.Interface)
	}
	var b bytes.Buffer
	writeWrapper(&b, newSource(), "w_I", methodsOf(it("I")))
	for _, want := range []string{
		`func (w w_I) Log(a0 string, a1 ...any) (int, error) { return box.M(w.Obj, "Log").(func(any, string, ...any) (int, error))(w.Obj.V, a0, a1...) }`,
		`func (w w_I) None()  { box.M(w.Obj, "None").(func(any) )(w.Obj.V) }`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in%s", want, b.String())
		}
	}
	for name, want := range map[string]string{
		"I": "", "Hidden": "a struct with the field x", "Own": "p.hidden, a type that other packages cannot name",
	} {
		if why := cannotWrap(it(name)); !strings.Contains(why, want) || want == "" && why != "" {
			t.Errorf("%s cannot be wrapped because it %q, want %q", name, why, want)
		}
	}
}
