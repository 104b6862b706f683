package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
)

// docIndex maps "", "Name", "Type.Method" and "Type.Field" to signature and documentation.
type docIndex map[string][2]string

// docs packs the documentation of every package, one JSON object each.
func docs(pkgs []*pkg) ([]byte, error) {
	a := newArchive()
	for _, p := range pkgs {
		x, err := docsOf(p)
		if err != nil {
			return nil, fmt.Errorf("documentation of %s: %w", p.ImportPath, err)
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(x); err != nil {
			return nil, err
		}
		if err := a.add(p.ImportPath, b.Bytes()); err != nil {
			return nil, err
		}
	}
	return a.close()
}

func docsOf(p *pkg) (docIndex, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, p.ImportPath)
	if err != nil {
		return nil, err
	}
	x := docIndex{"": {fmt.Sprintf("package %s // import %q", p.Name, p.ImportPath), d.Doc}}
	w := docWriter{x: x, p: p, fset: fset}
	w.values(d.Consts)
	w.values(d.Vars)
	w.funcs("", d.Funcs)
	for _, t := range d.Types {
		w.values(t.Consts)
		w.values(t.Vars)
		w.funcs("", t.Funcs)
		w.funcs(t.Name+".", t.Methods)
		w.typ(t)
	}
	return x, nil
}

type docWriter struct {
	x    docIndex
	p    *pkg
	fset *token.FileSet
}

// values documents constants and variables: each with its own comment, or that of its group.
func (w docWriter) values(l []*doc.Value) {
	for _, v := range l {
		for _, spec := range v.Decl.Specs {
			s := spec.(*ast.ValueSpec)
			text := v.Doc
			if own := comment(s.Doc, s.Comment); own != "" {
				text = own
			}
			for _, id := range s.Names {
				if o := w.p.types.Scope().Lookup(id.Name); o != nil && o.Exported() {
					w.x[id.Name] = [2]string{w.value(o), strings.TrimSpace(text)}
				}
			}
		}
	}
}

func (w docWriter) value(o types.Object) string {
	qualify := types.RelativeTo(w.p.types)
	c, ok := o.(*types.Const)
	if !ok {
		return "var " + o.Name() + " " + types.TypeString(o.Type(), func(p *types.Package) string {
			if p == w.p.types {
				return ""
			}
			return p.Name()
		})
	}
	t := ""
	if b, ok := o.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
		t = types.TypeString(o.Type(), qualify) + " "
	}
	return "const " + o.Name() + " " + t + "= " + c.Val().String()
}

func (w docWriter) funcs(prefix string, l []*doc.Func) {
	for _, f := range l {
		f.Decl.Body, f.Decl.Doc = nil, nil
		w.x[prefix+f.Name] = [2]string{w.print(f.Decl), strings.TrimSpace(f.Doc)}
	}
}

// typ documents a type, its fields and, of an interface, its methods.
func (w docWriter) typ(t *doc.Type) {
	for _, spec := range t.Decl.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok || s.Name.Name != t.Name {
			continue
		}
		switch u := s.Type.(type) {
		case *ast.StructType:
			w.members(t.Name, u.Fields, "field ")
		case *ast.InterfaceType:
			w.members(t.Name, u.Methods, "method ")
		}
		s.Doc, s.Comment = nil, nil
		w.x[t.Name] = [2]string{"type " + w.print(s), strings.TrimSpace(t.Doc)}
	}
}

// members documents fields or methods and takes their comments out of the declaration, which
// is to be short.
func (w docWriter) members(typ string, l *ast.FieldList, kind string) {
	for _, f := range l.List {
		text := comment(f.Doc, f.Comment)
		f.Doc, f.Comment = nil, nil
		for _, id := range f.Names {
			if !id.IsExported() {
				continue
			}
			sig := w.print(f.Type)
			if _, ok := f.Type.(*ast.FuncType); ok && kind == "method " {
				sig = strings.TrimPrefix(sig, "func")
			} else {
				sig = " " + sig
			}
			w.x[typ+"."+id.Name] = [2]string{kind + id.Name + sig, strings.TrimSpace(text)}
		}
	}
}

func (w docWriter) print(n ast.Node) string {
	var b bytes.Buffer
	c := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 4}
	if err := c.Fprint(&b, w.fset, n); err != nil {
		return ""
	}
	return b.String()
}

func comment(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if s := g.Text(); strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}
