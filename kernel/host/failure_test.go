package host

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"trivium/kernel/eval"
	"trivium/kernel/link"
	"trivium/kernel/nb"
)

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestFailure(t *testing.T) {
	cell := link.RunCell{N: 3, Source: "x := 1\n\ty := z"}
	for name, c := range map[string]struct {
		err         error
		interrupted bool
		name, value string
		trace       string
	}{
		"compile": {&eval.CompileError{Diagnostics: []eval.Diagnostic{{Cell: 3, Line: 2, Col: 7, Text: "undefined: z", Source: "\ty := z", Hint: "did you mean x?"}}}, false,
			"CompileError", "Cell [3], line 2: undefined: z", "Cell [3], line 2: undefined: z\n    \ty := z\n    \t     ^\n    did you mean x?"},
		"panic": {&eval.PanicError{Text: "boom", Cell: 3, Trace: []eval.Frame{{Func: "f", Cell: 3, Line: 2}, {Cell: 1, Line: 9}}}, false,
			"panic", "boom (Cell [3], line 2 in f)", "panic: boom\nCell [3], line 2 in f\n    \ty := z\nCell [1], line 9"},
		"exit":      {&eval.ExitError{Code: 3}, false, "Exit", "exit status 3", "exit status 3: the cell ended itself by os.Exit or log.Fatal; all variables are kept"},
		"value":     {&eval.ValueError{Value: errors.New("no file")}, false, "error", "no file", "error: no file\nCell [3]: its last value is this error"},
		"interrupt": {eval.ErrInterrupted, true, "Interrupted", "Cell [3] was interrupted", "Interrupted: Cell [3]"},
		"await":     {&eval.PanicError{Value: nb.ErrInterrupted, Text: nb.ErrInterrupted.Error()}, true, "Interrupted", "Cell [3] was interrupted", "Interrupted: Cell [3]"},
		"internal":  {&eval.InternalError{Text: "nil node"}, false, "InternalError", "internal error of the kernel: nil node", "InternalError: internal error of the kernel: nil node"},
	} {
		f := failure(c.err, cell, c.interrupted)
		trace := colours.ReplaceAllString(strings.Join(f.Traceback, "\n"), "")
		if f.Name != c.name || f.Value != c.value || trace != c.trace || f.Interrupted != (f.Name == "Interrupted") {
			t.Errorf("%s: %s: %s\n%s\nwant %s: %s\n%s", name, f.Name, f.Value, trace, c.name, c.value, c.trace)
		}
	}
	var many []eval.Diagnostic
	for range 30 {
		many = append(many, eval.Diagnostic{Cell: 1, Line: 1, Text: "x"})
	}
	if tb := failure(&eval.CompileError{Diagnostics: many}, cell, false).Traceback; len(tb) != 11 || tb[10] != "… and 20 more" {
		t.Errorf("30 errors: %q", tb)
	}
}

func TestCompleteMagic(t *testing.T) {
	c, ok := completeMagic(link.Query{Source: "x\n%he", Offset: 5})
	if !ok || c.Start != 2 || c.End != 5 || len(c.Items) != 1 || c.Items[0].Text != "%help" {
		t.Errorf("got %+v", c)
	}
	for _, src := range []string{"x", "a % b", "%time fm"} {
		if c, ok := completeMagic(link.Query{Source: src, Offset: len(src)}); ok {
			t.Errorf("%q: %+v", src, c)
		}
	}
}

func TestInspectMagic(t *testing.T) {
	d, ok := inspectMagic(link.Query{Source: "x\n%time f()\ny", Offset: 5})
	if text := d.Data["text/plain"]; !ok || !d.Found || !strings.Contains(text, "how long") {
		t.Errorf("got %+v", d)
	}
	for _, src := range []string{"x", "a %time", "%nothing"} {
		if d, ok := inspectMagic(link.Query{Source: src, Offset: 1}); ok {
			t.Errorf("%q: %+v", src, d)
		}
	}
}

func TestWorthShowing(t *testing.T) {
	text := func(kinds string) string { // one letter per value: i an int, s a string, n a nil error, e an error
		var in []eval.Value
		for _, k := range kinds {
			in = append(in, map[rune]eval.Value{
				'i': {V: 5, Type: "int"}, 's': {V: "x", Type: "string"}, 'n': {Type: "error"}, 'e': {V: errors.New("x"), Type: "error"},
			}[k])
		}
		var out strings.Builder
		for _, v := range worthShowing(in) {
			out.WriteString(v.Type[:1])
		}
		return out.String()
	}
	for kinds, want := range map[string]string{"": "", "n": "", "in": "", "sn": "s", "isn": "is", "i": "i", "se": "se", "ni": "ei"} {
		if got := text(kinds); got != want {
			t.Errorf("%q: shown %q, want %q", kinds, got, want)
		}
	}
}

func TestImportHint(t *testing.T) {
	for path, want := range map[string]string{
		"github.com/janpfeifer/gonb/gonbui/widgets": "nb.Interact",
		"example.com/some/module":                   "%get MODULE",
		"fmmt":                                      "",
		"example.com":                               "",
	} {
		got := importHint(eval.Diagnostic{Text: "package " + path + " is not available in this kernel"})
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	near := eval.Diagnostic{Text: "package gonum.org/v1/plo is not available in this kernel", Hint: "did you mean gonum.org/v1/plot?"}
	if got := importHint(near); got != "" {
		t.Errorf("a path that is nearly right: %q", got)
	}
}
