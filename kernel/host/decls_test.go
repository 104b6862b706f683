package host

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

func TestDeclarations(t *testing.T) {
	var d declarations
	d.add("import \"fmt\"\nx := 1\n// T is a type.\ntype T struct {\n\tA int; B string\n}\nfmt.Println(x)\nfunc (t *T) M() int { for i := 0; i < 3; i++ {}; return t.A }")
	d.add("func f() int { return 1 }; const (\n\ta = iota\n\tb\n)\nfunc() { println(1) }()\nvar y, z = 1, 2")
	d.add("func f() int { return 2 }\nimport \"fmt\"")
	var names []string
	for _, n := range d.list {
		names = append(names, n.kind+" "+strings.Join(n.names, ","))
	}
	want := []string{"import \"fmt\"", "type T", "func T.M", "func f", "const a,b", "var y,z"}
	if !slices.Equal(names, want) {
		t.Errorf("found %q, want %q", names, want)
	}
	text, err := d.file()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil || len(f.Decls) != len(want) {
		t.Errorf("the file: %v\n%s", err, text)
	}
	for has, want := range map[string]bool{"// T is a type.": true, "return 2": true, "return 1": false, "x := 1": false, "println": false} {
		if strings.Contains(text, has) != want {
			t.Errorf("the file has %q: %v, want %v\n%s", has, !want, want, text)
		}
	}
	d.remove("T")
	d.add("type y struct{}") // takes the name of a variable
	names = nil
	for _, n := range d.list {
		names = append(names, n.names...)
	}
	if !slices.Equal(names, []string{`"fmt"`, "f", "a", "b", "y"}) {
		t.Errorf("after removal: %q", names)
	}
}

func TestTimeItWraps(t *testing.T) {
	for code, want := range map[string]string{
		"f(3)":        "nb.Timeit(func() { f(3)\n})",
		"1 + 2":       "nb.Timeit(func() { _ = 1 + 2\n})",
		"len(s)":      "nb.Timeit(func() { _ = len(s)\n})",
		"[]byte(s)":   "nb.Timeit(func() { _ = []byte(s)\n})",
		"<-c":         "nb.Timeit(func() { <-c\n})",
		"a := 1; _=a": "nb.Timeit(func() { a := 1; _=a\n})",
	} {
		rest := code
		if err := timeIt(nil, "", &rest); err != nil || rest != want {
			t.Errorf("%s: %q %v", code, rest, err)
		}
	}
	rest := "\n "
	if timeIt(nil, "", &rest) == nil {
		t.Error("nothing to run is not an error")
	}
}
