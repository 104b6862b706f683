package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// anyJSON draws a JSON value, small, with the strings that are hard to keep.
func anyJSON(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.IntRange(-1e9, 1e9).AsAny(),
		rapid.Just[any](json.Number("1.0")), rapid.Just[any](json.Number("1e-07")), rapid.Just[any](json.Number("123456789012345678901")),
		anyText().AsAny())
	if depth == 0 {
		return leaf
	}
	sub := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(depth - 1) })
	return rapid.OneOf(leaf, rapid.SliceOfN(sub, 0, 3).AsAny(), rapid.MapOfN(anyText(), sub, 0, 3).AsAny())
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{"", "\n", "a\nb", "a\r\n", "\x1b[31mred", "<a href=\"x\">&amp;</a>", "ü€😀\u2028", "\\\"", "\x00\x7f"}), rapid.String())
}

func drawNotebook(t *rapid.T) map[string]any {
	extra := func(m map[string]any) map[string]any {
		if rapid.Bool().Draw(t, "extra") {
			m["x_unknown"] = anyJSON(2).Draw(t, "unknown")
		}
		return m
	}
	multi := rapid.OneOf(anyText().AsAny(), rapid.SliceOfN(anyText(), 0, 4).AsAny())
	var cells []any = []any{}
	for i := range rapid.IntRange(0, 5).Draw(t, "cells") {
		kind := rapid.SampledFrom([]string{Code, Markdown, Raw}).Draw(t, "kind")
		c := extra(map[string]any{
			"cell_type": kind, "id": "cell-" + string(rune('a'+i)), "source": multi.Draw(t, "source"),
			"metadata": extra(map[string]any{"tags": []string{"a", "b"}}),
		})
		if kind == Code {
			c["execution_count"] = rapid.SampledFrom([]any{nil, 1, 77}).Draw(t, "count")
			c["outputs"] = rapid.SampledFrom([]any{
				[]any{},
				[]any{map[string]any{"output_type": "stream", "name": "stdout", "text": multi.Draw(t, "text")}},
				[]any{map[string]any{"output_type": "display_data", "metadata": map[string]any{}, "data": map[string]any{"text/plain": "x", "application/json": anyJSON(2).Draw(t, "data")}}},
				[]any{extra(map[string]any{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []string{"t"}})},
			}).Draw(t, "outputs")
		}
		cells = append(cells, c)
	}
	return extra(map[string]any{"cells": cells, "metadata": extra(map[string]any{}), "nbformat": 4, "nbformat_minor": 5})
}

// A notebook in Jupyter's own form comes out byte for byte; in any other layout of JSON it comes
// out with the same value.
func TestReadWriteKeepsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := drawNotebook(t)
		var jupyter bytes.Buffer // what python's json.dumps(indent=1, sort_keys=True) gives
		enc := json.NewEncoder(&jupyter)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		if err := enc.Encode(value); err != nil {
			t.Fatal(err)
		}
		if got := rewrite(t, jupyter.Bytes()); !bytes.Equal(got, jupyter.Bytes()) {
			t.Fatalf("rewritten notebook differs:\n%s", cmp.Diff(jupyter.String(), string(got)))
		}
		compact, _ := json.Marshal(value)
		if d := cmp.Diff(decoded(t, compact), decoded(t, rewrite(t, compact))); d != "" {
			t.Fatal(d)
		}
	})
}

func rewrite(t rapid.TB, data []byte) []byte {
	nb, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	var out bytes.Buffer
	if err := nb.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func decoded(t rapid.TB, data []byte) any {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// Cells of nbformat 4.0 get ids that are valid, unique and the same each time.
func TestWriteAddsIDs(t *testing.T) {
	const old = `{"nbformat":4,"nbformat_minor":0,"metadata":{},"cells":[
		{"cell_type":"markdown","metadata":{},"source":"same"},
		{"cell_type":"markdown","metadata":{},"source":"same","id":"not valid!"},
		{"cell_type":"markdown","metadata":{},"source":"a","id":"twice"},
		{"cell_type":"markdown","source":"b","id":"twice"},
		{"cell_type":"code","metadata":{},"source":"c"}]}`
	first, second := rewrite(t, []byte(old)), rewrite(t, []byte(old))
	if !bytes.Equal(first, second) {
		t.Error("two readings get different ids")
	}
	var nb struct {
		Minor int `json:"nbformat_minor"`
		Cells []map[string]any
	}
	if err := json.Unmarshal(first, &nb); err != nil {
		t.Fatal(err)
	}
	seen := map[any]bool{}
	for i, c := range nb.Cells {
		id, _ := c["id"].(string)
		if !validID.MatchString(id) || seen[id] {
			t.Errorf("cell %d: id %q is not valid or not unique", i, id)
		}
		seen[id] = true
		if c["metadata"] == nil {
			t.Errorf("cell %d: no metadata", i)
		}
	}
	if nb.Minor != 5 || nb.Cells[4]["outputs"] == nil {
		t.Errorf("nbformat_minor %d, outputs %v; 4.5 wants both", nb.Minor, nb.Cells[4]["outputs"])
	}
}

func TestReadErrors(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"empty":               {" \n", "is empty"},
		"not JSON":            {"{\n \"cells\": [\n  oops\n", "line 3, column 3 (byte 16)"},
		"cut off":             {`{"cells": [`, "line 1, column 11"},
		"merge conflict":      {"{\n<<<<<<< HEAD\n", "merge conflict"},
		"a list":              {"[]", "want an object, found a list"},
		"no notebook":         {`{"a": 1}`, `"nbformat" is missing`},
		"nbformat 3":          {`{"nbformat": 3, "worksheets": []}`, "jupyter nbconvert --to notebook --nbformat 4"},
		"nbformat 5":          {`{"nbformat": 5, "cells": []}`, "newer"},
		"nbformat as text":    {`{"nbformat": "4"}`, "want the number 4"},
		"no cells":            {`{"nbformat": 4}`, "has no cells"},
		"cells is an object":  {`{"nbformat": 4, "cells": {}}`, "has no cells"},
		"cell is a number":    {`{"nbformat": 4, "cells": [7]}`, "cell 1: want an object, found a number"},
		"unknown cell":        {`{"nbformat": 4, "cells": [{"cell_type":"chart","source":""}]}`, `"chart"`},
		"no source":           {`{"nbformat": 4, "cells": [{"cell_type":"code"}]}`, `"source" is nothing`},
		"unknown output kind": {`{"nbformat": 4, "cells": [{"cell_type":"code","source":"","outputs":[{"output_type":"smell"}]}]}`, `output 1: output_type "smell"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.in))
			if fe := (*FormatError)(nil); !errors.As(err, &fe) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want a FormatError with %q", err, c.want)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	for source, want := range map[string]string{
		"text\n\n## A *b* **c** `d` [e](http://f) ##\n": "A b c d e",
		"# a * b * c, snake_case_name":                  "a * b * c, snake_case_name",
		"#hash\n```\n# code\n```\n### real":             "real",
		"# $O(n)$ steps":                                "O(n) steps",
		"no heading":                                    "",
	} {
		if got := New(NewCell(Code, "# no"), NewCell(Markdown, source)).Title(); got != want {
			t.Errorf("%q: title %q, want %q", source, got, want)
		}
	}
}

func TestCheckLanguage(t *testing.T) {
	for meta, ok := range map[string]bool{
		`{}`:                               true,
		`{"kernelspec":{"language":"go"}}`: true,
		`{"language_info":{"name":"Go"}}`:  true,
		`{"kernelspec":{"language":"python","name":"python3"}}`:            false,
		`{"kernelspec":{"language":"go"},"language_info":{"name":"rust"}}`: false,
	} {
		nb, err := Read(strings.NewReader(`{"nbformat":4,"cells":[],"metadata":` + meta + `}`))
		if err != nil {
			t.Fatal(err)
		}
		err = nb.CheckLanguage("go")
		if le := (*LanguageError)(nil); (err == nil) != ok || err != nil && !errors.As(err, &le) {
			t.Errorf("metadata %s: error %v, want one: %v", meta, err, !ok)
		}
	}
}

func TestWriteFileKeepsOldFileOnFailure(t *testing.T) {
	name := filepath.Join(t.TempDir(), "nb.ipynb")
	if err := New(NewCell(Markdown, "# one")).WriteFile(name); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(name)
	broken := New(NewCell(Code, "1"))
	broken.Cells[0].Outputs = []*Output{{Kind: DisplayData, Data: map[string]json.RawMessage{"application/json": json.RawMessage("{")}}}
	if err := broken.WriteFile(name); err == nil {
		t.Error("an output that is no JSON was written")
	}
	after, err := os.ReadFile(name)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed (%v)", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), ".trivium-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Jupyter's own library accepts what is written and would write the same bytes.
func TestNbformatAgrees(t *testing.T) {
	const python = "/usr/bin/python3"
	if out, err := exec.Command(python, "-c", "import nbformat").CombinedOutput(); err != nil {
		missing(t, "python3-nbformat is not installed: %v %s", err, out)
	}
	nb := New(NewCell(Markdown, "# Title\n\ntext"), NewCell(Code, "fmt.Println(1)\n1"), NewCell(Raw, "raw"), NewCell(Code, ""))
	nb.Cells[1].Count = 3
	nb.Cells[1].Outputs = []*Output{
		{Kind: Stream, Name: "stdout", Text: "1\n\x1b[31mü\x1b[0m \xff\n"},
		{Kind: DisplayData, Data: map[string]json.RawMessage{
			"text/plain": json.RawMessage(`"a\nb"`), "image/svg+xml": json.RawMessage(`"<svg>\n</svg>"`),
			"image/png": json.RawMessage(`"iVBO"`), "application/json": json.RawMessage(`{"a":[1,2.5]}`)},
			Metadata: json.RawMessage(`{"image/png":{"width":10,"height":20}}`)},
		{Kind: ExecuteResult, Count: 3, Data: map[string]json.RawMessage{"text/plain": json.RawMessage(`"1"`)}},
		{Kind: Error, EName: "Panic", EValue: "boom", Traceback: []string{"Cell [1]\n", "boom"}},
	}
	name := filepath.Join(t.TempDir(), "nb.ipynb")
	if err := nb.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", `
import nbformat, sys
text = open(sys.argv[1], encoding="utf8").read()
nb = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
nbformat.validate(nb)
assert (nb.nbformat, nb.nbformat_minor) == (4, 5), nb.nbformat_minor
assert nbformat.writes(nb) + "\n" == text, nbformat.writes(nb)
`, name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// missing skips a test whose tool is absent; in CI every tool has to be there.
func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("TRIVIUM_CI") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
