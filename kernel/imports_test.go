package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// listed is what `go list -json` tells of a package that matters for the rules.
type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	Deps       []string
}

// within reports whether path is one of the packages or lies below one that ends in "/...".
func within(path string, packages ...string) bool {
	for _, p := range packages {
		if path == p || strings.HasSuffix(p, "/...") && strings.HasPrefix(path+"/", strings.TrimSuffix(p, "...")) {
			return true
		}
	}
	return false
}

// rule says what a group of packages may reach, directly or through others (deps), or import itself (direct).
type rule struct {
	packages []string // those the rule is about
	except   []string // those of them it leaves out
	allow    []string // if not nil: nothing outside the standard library but these and what they bring
	forbid   []string // never these, not through others either
	why      string
}

var rules = []rule{
	{
		packages: []string{"trivium/core/run"}, allow: []string{},
		why: "engine, figures and kernel all rest on core/run, so it rests on the library alone",
	},
	{
		packages: []string{"trivium/core/..."}, except: []string{"trivium/core/run", "trivium/core/tensor/internal/gen"}, // gen writes assembly, at development time
		allow: []string{"trivium/core/...", "golang.org/x/sys/..."},
		why:   "the engine is usable without a notebook and without a picture",
	},
	{
		packages: []string{"trivium/datasets/..."},
		allow:    []string{"trivium/datasets/...", "trivium/core/tensor", "trivium/core/random", "golang.org/x/sys/..."},
		why:      "data are matrices, not a part of any method",
	},
	{
		packages: []string{"trivium/viz/..."},
		allow: []string{"trivium/viz/...", "trivium/core/run", "trivium/core/tensor",
			"gonum.org/v1/...", "golang.org/x/...", "codeberg.org/...", "git.sr.ht/~sbinet/...", "github.com/ajstarks/svgo/...", "github.com/golang/freetype/..."},
		why: "figures draw runs and data; they know no method",
	},
	{
		packages: []string{"trivium/kernel/..."}, except: []string{"trivium/kernel", "trivium/kernel/symbols/..."},
		forbid: []string{"trivium/core/...", "trivium/viz/...", "trivium/datasets/...", "trivium/kernel/symbols"},
		why:    "the kernel runs any Go; only its symbol table and its main package know the engine",
	},
	{
		packages: []string{"trivium/kernel/wire"}, forbid: []string{"net", "trivium/kernel/zmtp", "trivium/kernel/transport"},
		why: "messages are values; sockets are elsewhere",
	},
	{
		packages: []string{"trivium/kernel/zmtp"}, allow: []string{},
		why: "what faces the network is small and ours",
	},
	{
		packages: []string{"trivium/kernel/eval"},
		forbid:   []string{"trivium/kernel/wire", "trivium/kernel/server", "trivium/kernel/transport", "trivium/kernel/link", "trivium/kernel/display"},
		why:      "the evaluator knows no Jupyter message",
	},
}

// TestImports keeps the arrows between packages as they are meant to be: a change of
// the design changes this table first.
func TestImports(t *testing.T) {
	all := goList(t)
	var ours int
	for _, p := range all {
		if !within(p.ImportPath, "trivium/...") {
			continue
		}
		ours++
		for _, r := range rules {
			if !within(p.ImportPath, r.packages...) || within(p.ImportPath, r.except...) {
				continue
			}
			for _, dep := range p.Deps {
				if within(dep, r.forbid...) {
					t.Errorf("%s reaches %s: %s", p.ImportPath, dep, r.why)
				}
			}
			if r.allow == nil {
				continue
			}
			for _, imp := range p.Imports {
				if d, ok := all[imp]; ok && d.Standard || imp == "C" || imp == "unsafe" {
					continue
				}
				if !within(imp, r.allow...) {
					t.Errorf("%s imports %s: %s", p.ImportPath, imp, r.why)
				}
			}
		}
	}
	if ours < 5 {
		t.Fatalf("go list found %d packages of this module: the rules were not checked", ours)
	}
}

func goList(t *testing.T) map[string]listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,Deps", "trivium/...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	all := map[string]listed{}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[p.ImportPath] = p
	}
}
