package eval

import (
	"errors"
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
		{"", "strings.ReplaceEvery(\"a\")", "strings has Replace, ReplaceAll, Replacer"},
		{"", "bytes.Fld(nil)", "bytes has Fields, FieldsFunc, FieldsFuncSeq, FieldsSeq"},
		{"", "strings.ByField(\"a\")", "Tab after \"strings.\" lists what it has"},
		{"y := 1", "x + 1", ""},
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
