package eval

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// comments gives what a cell's comments say of its declarations: of a name, and of the fields and methods
// of a type as Type.Name. The cell is known to parse. Names without a comment have an empty one, as
// what an earlier cell said of them is of something else.
func comments(src string, decls []ast.Decl) map[string]string {
	texts := map[string]string{}
	if len(decls) == 0 || !strings.Contains(src, "//") && !strings.Contains(src, "/*") {
		eachComment(decls, func(name, _ string) { texts[name] = "" })
		return texts
	}
	// A statement's comment must not become that of the declaration below it, so only statements go.
	b := []byte(src)
	chunks, _ := split(src)
	for _, c := range chunks {
		if !c.decl {
			blank(b, c.start, c.end)
			if c.end < len(b) && b[c.end] == ';' {
				b[c.end] = ' '
			}
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+string(b), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return texts
	}
	eachComment(file.Decls, func(name, text string) { texts[name] = text })
	return texts
}

func eachComment(decls []ast.Decl, f func(name, text string)) {
	for _, d := range decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				name = receiver(d) + "." + name
			}
			f(name, d.Doc.Text())
		case *ast.GenDecl:
			for _, sp := range d.Specs {
				switch sp := sp.(type) {
				case *ast.TypeSpec:
					f(sp.Name.Name, firstText(sp.Doc, d.Doc, sp.Comment))
					memberComments(sp, f)
				case *ast.ValueSpec:
					for _, id := range sp.Names {
						f(id.Name, firstText(sp.Doc, sp.Comment, d.Doc))
					}
				}
			}
		}
	}
}

// memberComments goes through the fields of a struct and the methods of an interface.
func memberComments(sp *ast.TypeSpec, f func(name, text string)) {
	var fields *ast.FieldList
	switch t := sp.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields = t.Methods
	default:
		return
	}
	for _, field := range fields.List {
		for _, id := range field.Names {
			f(sp.Name.Name+"."+id.Name, firstText(field.Doc, field.Comment))
		}
	}
}

func firstText(groups ...*ast.CommentGroup) string {
	for _, g := range groups {
		if text := g.Text(); text != "" {
			return text
		}
	}
	return ""
}
