package eval

import (
	"errors"
	"strings"
	"testing"
)

// TestHints asks for the words that help with each kind of slip.
func TestHints(t *testing.T) {
	for _, c := range []struct{ before, src, want string }{
		{"", "total := 0\ntotl++", "did you mean total?"},
		{"", "func f(count int) int { return cont }", "did you mean count?"},
		{"var counter int", "conter++", "did you mean counter?"},
		{"", "strings.ToUper(\"a\")", "did you mean ToUpper?"},
		{"", "time.Time{Secs: 1}", "it has no fields that a cell can name"},
		{"", "http.Client{Timeuot: 1}", "did you mean Timeout?"},
		{"", "url.URL{Zzzzz: 1}", "it has Scheme, Opaque, User, Host, Path, Fragment, RawQuery, RawPath, RawFragment, ForceQuery, OmitHost"},
		{"type point struct{ x, y int }", "point{z1: 1}", "it has x, y"},
		{"type point struct{ left int }", "point{}.lefft", "did you mean left?"},
		{"", "var b strings.Builder\nb.WriteStrin(\"a\")", "did you mean WriteString?"},
		{"", "x := 1\nx := 2", "the variable exists: = gives it another value"},
		{"", "var s []int\ns.append(1)", "s = append(s, x) appends to a slice"},
		{"", "while true {}", "the loop of Go is for: for condition { … }"},
		{"", "int x = 5", "the type comes after the name: var x int = 5, or x := 5"},
		{"", "fmt.Printl(1)", "did you mean Println?"},
		{"", "fmt.Println(1\nx := 2", "a ) is missing, or a comma at the end of the line"},
		{"", "[]int{\n\t1,\n\t2\n}", "each line ends in a comma, or in the } that closes"},
		{"", "strings.ReplaceEvery(\"a\")", "strings has Replace, ReplaceAll, Replacer"},
		{"", "bytes.Fld(nil)", "bytes has Fields, FieldsFunc, FieldsFuncSeq, FieldsSeq"},
		{"", "strings.ByField(\"a\")", "Tab after \"strings.\" lists what it has"},
		{"y := 1", "x + 1", ""},
		{"", "type Person struct{ Name string }\nPerson{Nme: \"x\"}", "did you mean Name?"},
		{"", "n := strconv.Atoi(\"5\")", "x, err := f() takes both values, x, _ := f() drops the second"},
		{"", "strconv.Atoi(\"5\") + 1", "x, err := f() takes the values first"},
		{"x := 3", "time.Sleep(x * time.Second)", "time.Duration(n) * time.Second makes a duration of a number"},
		{"x := 3", "math.Sqrt(x)", "float64(x) converts it"},
		{"type P struct{ X int }\nm := map[string]P{}", "m[\"a\"].X = 1", "v := m[k]; v.Field = x; m[k] = v, or let the map hold pointers"},
		{"x := 3", "y := x > 2 ? 1 : 0", "there is no ?: in Go: if condition { … } else { … }"},
		{"", "s := 'hello'", "a string stands in double quotes, a single character in single ones"},
		{"x := 3", "if (x == 3) fmt.Println(x)", "what it does stands in braces: if x > 0 { … }"},
		{"", "for i := 0; i < 3; i++ fmt.Println(i)", "what it does stands in braces: if x > 0 { … }"},
		{"", "func outer() { func inner() {} }", "a function within a function is a value: name := func() { … }"},
		{"", "type T struct { a int, b int }", "each field stands on a line of its own, or behind a ;"},
		{"x := 3.5", "y := (int) x", "a conversion is written int(x)"},
		{"x := 3", "++x", "x++ is a statement by itself and has no value"},
		{"x := 3", "y := x++", "x++ is a statement by itself and has no value"},
		{"x := 3", "if x > 3 { x = 1 }\nelse { x = 2 }", "} else { stands on the line of the closing brace"},
		{"s := []int{1}", "foreach (x, s) {}", "for i := range 10 { … } counts, for i, x := range list { … } goes through a list"},
		{"", "1, 2", "one value a line, or fmt.Println(a, b) for several"},
		{"", "nil", "nil has no type by itself: any(nil), []int(nil)"},
		{"", "var p Person", ""},
		{"", "fmt.Println(1)\n%who", "a line that starts with % is a command: put it above the Go of the cell, or into a cell of its own"},
	} {
		s := newSession(t)
		if c.before != "" {
			run(t, s, 1, c.before)
		}
		var e *CompileError
		if out := run(t, s, 2, c.src); !errors.As(out.Err, &e) {
			t.Errorf("%s: %v, want an error of the cell", c.src, out.Err)
			continue
		}
		if len(e.Diagnostics) != 1 || e.Diagnostics[0].Hint != c.want {
			t.Errorf("%s: %+v\nwant the hint %q and nothing else", c.src, e.Diagnostics, c.want)
		}
	}
}

// TestSoftErrors gives cells that go/types complains about softly. Of these complaints only those about what
// is not used are warnings.
func TestSoftErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"x := 3.5\nfor range x {}", "cannot range over x"},
		{"var p *[]int\nfor i := range p { _ = i }", "cannot range over p"},
		{"func f() { x := 1; x := 2; _ = x }", "no new variables on left side of :="},
		{"for i := 0; i < 3; j := 3 { _ = i }", "cannot declare in post statement"},
		{"for i, j := range 10 { _, _ = i, j }", "permits only one iteration variable"},
		{"var c comparable", "outside a type constraint"},
		{"type N interface{ ~int | int }", "overlapping terms"},
		{"type G[T ~int] struct{ x T }\nvar g G[string]", "string does not satisfy ~int"},
		{"func First[S ~[]E, E any](s S) {}\nFirst(nil)", "cannot infer S (declared at Cell [1], line 1)"},
		{"var domain struct{ a int }\ndomain.z", "domain.z undefined"},
		{"one := 1\nfmt.Println(one + nope)\none.Foo()", "line 2: undefined: nope"},
	} {
		var e *CompileError
		if out := run(t, newSession(t), 1, c.src); !errors.As(out.Err, &e) || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.src, out.Err, c.want)
		}
	}
	out := run(t, newSession(t), 1, "package main\nimport \"fmt\"\nfunc main() { fmt.Println(1) }")
	if len(out.Warnings) != 1 || out.Warnings[0].Hint != "main() on a line below runs it" {
		t.Errorf("a program is copied into a cell: %v", out.Warnings)
	}
}
