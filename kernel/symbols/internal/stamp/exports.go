package stamp

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// exports hashes what the package in a folder exports, "" if there is none. Which files are
// the package's does not depend on the machine that asks.
func exports(dir string) (string, error) {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = "linux", "amd64", false
	p, err := c.ImportDir(dir, 0)
	if none := (*build.NoGoError)(nil); errors.As(err, &none) || err == nil && p.Name == "main" {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("stamp: %w", err)
	}
	decls := []string{"package " + p.Name}
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return "", fmt.Errorf("stamp: %w", err)
		}
		ast.FileExports(f)
		for _, d := range f.Decls {
			if s := text(d); s != "" {
				decls = append(decls, s)
			}
		}
	}
	slices.Sort(decls[1:]) // a declaration that moves to another file is the same
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(decls, "\n"))))[:16], nil
}

// text is a declaration without what does not show outside the package. It does not depend on
// the layout of the source, whose positions the printer is not told.
func text(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		d.Body = nil
		if d.Recv != nil { // its name says nothing
			for _, r := range d.Recv.List {
				r.Names = nil
			}
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT {
			return ""
		}
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR && v.Type != nil {
				v.Values = nil
			}
		}
	}
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), d); err != nil {
		return err.Error()
	}
	return b.String()
}
