package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
)

// pkg is one package that cells may import: what go list tells of it and its types.
type pkg struct {
	ImportPath, Name, Dir, Export string
	GoFiles, Imports              []string
	Standard, DepOnly             bool
	Error                         *struct{ Err string }

	types *types.Package
	group *group
}

// load gives the packages of all groups.
func load(root string, flags ...string) ([]*pkg, error) {
	all, err := listAll(root, flags...)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p *pkg) bool { return p.group == nil })
	slices.SortFunc(all, func(a, b *pkg) int { return bytes.Compare([]byte(a.ImportPath), []byte(b.ImportPath)) })
	return all, nil
}

// listAll lists the packages of all groups with everything they depend on, compiles what is not
// in the build cache, and reads all export data into one universe: one pass for everything,
// where an importer per package would read the same dependencies again and again.
func listAll(root string, flags ...string) ([]*pkg, error) {
	args := append([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Name,Dir,Export,GoFiles,Imports,Standard,DepOnly,Error"}, flags...)
	for _, g := range groups {
		args = append(args, g.patterns...)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = root
	// The tables must compile on every platform and not depend on a C compiler.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	fset := token.NewFileSet()
	seen := map[string]*types.Package{"unsafe": types.Unsafe}
	var all []*pkg
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		p := new(pkg)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		g, reason := choose(p)
		if p.Error != nil || p.Export == "" {
			if g != nil && reason == "" {
				fmt.Fprintf(os.Stderr, "left out: %s %s\n", p.ImportPath, trouble(p))
			}
			continue
		}
		// Dependencies come first in the list, so what a package imports is complete before it.
		if p.types, err = readExport(p, fset, seen); err != nil {
			return nil, err
		}
		if reason == "" && g != nil {
			p.group = g
		}
		all = append(all, p)
	}
	return all, nil
}

// trouble says why go list gives no types of a package.
func trouble(p *pkg) string {
	switch {
	case strings.HasSuffix(p.ImportPath, "/..."):
		return "matches no packages"
	case p.Error != nil:
		return "does not compile: " + strings.TrimSpace(p.Error.Err)
	}
	return "has no export data"
}

func readExport(p *pkg, fset *token.FileSet, seen map[string]*types.Package) (*types.Package, error) {
	f, err := os.Open(p.Export)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	//lint:ignore SA1019 the files that go list gives are archives until Go 1.28, which Read does not take
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", p.ImportPath, err)
	}
	t, err := gcexportdata.Read(r, fset, seen, p.ImportPath)
	if err != nil {
		return nil, fmt.Errorf("export data of %s: %w", p.ImportPath, err)
	}
	return t, nil
}
