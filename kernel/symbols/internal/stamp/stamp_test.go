package stamp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const source = `// Package a is one.
package a

// F does it.
func F(x int) int { return x }

type T struct {
	A int
	b string
}

func (t *T) M() {}
func (t *T) hidden() {}
func other() {}

const C = 1

var V = []int{1}
`

// TestExports changes a package in one place and looks whether its hash does.
func TestExports(t *testing.T) {
	hash := func(src string) string {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		h, err := exports(dir)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	was := hash(source)
	for name, c := range map[string]struct {
		old, new string
		differs  bool
	}{
		"nothing":              {"", "", false},
		"comment":              {"F does it", "F does it well", false},
		"body":                 {"return x", "return x + 1", false},
		"layout":               {"(x int) int {", "(\n\tx int,\n) int {\n", false},
		"unexported field":     {"b string", "c float64", false},
		"unexported method":    {"hidden()", "concealed(x int)", false},
		"unexported function":  {"func other() {}", "", false},
		"receiver's name":      {"(t *T) M", "(x *T) M", false},
		"parameter":            {"(x int) int", "(x int, y ...int) int", true},
		"parameter's name":     {"(x int) int { return x }", "(n int) int { return n }", true},
		"result":               {"int { return x }", "(int, error) { return x, nil }", true},
		"field":                {"A int", "A int64", true},
		"tag":                  {"A int", "A int `json:\"a\"`", true},
		"method":               {"M() {}", "M() {}\nfunc (T) N() {}", true},
		"pointer receiver":     {"(t *T) M", "(t T) M", true},
		"constant":             {"C = 1", "C = 2", true},
		"type of a variable":   {"[]int{1}", "[]int32{1}", true},
		"package's name":       {"package a", "package b", true},
		"new name":             {"const C", "const D, C = 1, 1\nconst E", true},
		"name that disappears": {"var V = []int{1}", "", true},
	} {
		src := strings.Replace(source, c.old, c.new, 1)
		if (hash(src) != was) != c.differs {
			t.Errorf("%s: hash differs: %v, want %v", name, !c.differs, c.differs)
		}
	}
	moved := t.TempDir()
	i := strings.Index(source, "type T")
	for name, src := range map[string]string{"b.go": source[:i], "a.go": "package a\n" + source[i:], "a_test.go": "package a\nfunc Test() {}"} {
		if err := os.WriteFile(filepath.Join(moved, name), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if h, err := exports(moved); err != nil || h != was {
		t.Errorf("in two files: %s, %v, want %s", h, err, was)
	}
	if h, err := exports(t.TempDir()); h != "" || err != nil {
		t.Errorf("of an empty folder: %q, %v", h, err)
	}
}

func TestOf(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                 "module trivium\n\nrequire gonum.org/v1/plot v0.17.0\nrequire (\n\tgonum.org/v1/gonum v0.16.0 // indirect\n\tgolang.org/x/sys v0.1.0\n)\n",
		"core/a/a.go":            source,
		"core/a/internal/b/b.go": "package b",
		"core/cmd/main.go":       "package main",
		"kernel/nb/nb.go":        "package nb",
		"kernel/wire/wire.go":    "package wire",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Of(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Own) != 2 || s.Own["trivium/core/a"] == "" || s.Own["trivium/kernel/nb"] == "" {
		t.Errorf("own packages %v, want core/a and kernel/nb", s.Own)
	}
	if len(s.Modules) != 2 || s.Modules["gonum.org/v1/gonum"] != "v0.16.0" || s.Modules["gonum.org/v1/plot"] != "v0.17.0" {
		t.Errorf("modules %v", s.Modules)
	}
	if _, err := Of(t.TempDir()); err == nil || !strings.Contains(err.Error(), "go.mod") {
		t.Errorf("of a folder that is no module: %v", err)
	}
}

func TestChanged(t *testing.T) {
	was := Stamp{"go1.26.8", map[string]string{"m": "v1.0.0"}, map[string]string{"a": "1", "b": "2"}}
	for name, c := range map[string]struct {
		now     Stamp
		changed string // within the only line
		patch   bool
	}{
		"same":    {was, "", false},
		"patch":   {Stamp{"go1.26.9", was.Modules, was.Own}, "", true},
		"minor":   {Stamp{"go1.27.0", was.Modules, was.Own}, "Go is go1.27.0, the tables are of go1.26.8", false},
		"module":  {Stamp{was.Go, map[string]string{"m": "v1.1.0"}, was.Own}, "module m is v1.1.0, the tables are of v1.0.0", false},
		"package": {Stamp{was.Go, was.Modules, map[string]string{"a": "1", "b": "3"}}, "package b exports other names", false},
		"gone":    {Stamp{was.Go, was.Modules, map[string]string{"a": "1"}}, "package b is in the tables and is gone", false},
		"new":     {Stamp{was.Go, was.Modules, map[string]string{"a": "1", "b": "2", "c": "3"}}, "package c is not in the tables", false},
	} {
		why := was.Changed(c.now)
		if c.changed == "" && len(why) > 0 || c.changed != "" && (len(why) != 1 || !strings.Contains(why[0], c.changed)) {
			t.Errorf("%s: changed %q, want %q", name, why, c.changed)
		}
		if (was.Patch(c.now) != "") != c.patch {
			t.Errorf("%s: patch %q, want one: %v", name, was.Patch(c.now), c.patch)
		}
	}
}
