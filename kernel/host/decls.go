package host

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// declarations are the latest declarations of a session, in the order of their first one.
type declarations struct{ list []declaration }

// declaration is an import, a type, a function, a method, constants or variables.
type declaration struct {
	kind   string   // import, const, type, var, func
	names  []string // that it declares; "T.M" for a method, the path for an import
	source string
}

// add takes the declarations out of a cell that has run. A declaration replaces those of the
// same names.
func (d *declarations) add(cell string) {
	for _, chunk := range chunks(cell) {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+chunk, parser.SkipObjectResolution)
		if err != nil {
			continue // statements
		}
		for _, decl := range f.Decls {
			n := declared(decl)
			n.source = strings.TrimSpace(chunk)
			d.put(n)
		}
	}
}

func (d *declarations) put(n declaration) {
	same := func(o declaration) bool { return slices.Equal(o.names, n.names) }
	if i := slices.IndexFunc(d.list, same); i >= 0 {
		d.list[i] = n
		return
	}
	for _, name := range n.names {
		if n.kind != "import" {
			d.remove(name)
		}
	}
	d.list = append(d.list, n)
}

// remove drops what declares a name, and the methods of a type.
func (d *declarations) remove(name string) {
	d.list = slices.DeleteFunc(d.list, func(o declaration) bool {
		return slices.ContainsFunc(o.names, func(n string) bool {
			return o.kind != "import" && (n == name || strings.HasPrefix(n, name+"."))
		})
	})
}

// file is a Go file of the declarations.
func (d *declarations) file() (string, error) {
	var b strings.Builder
	b.WriteString("package notebook\n\n")
	for _, imports := range []bool{true, false} {
		for _, n := range d.list {
			if (n.kind == "import") == imports {
				b.WriteString(n.source + "\n\n")
			}
		}
	}
	out, err := format.Source([]byte(b.String()))
	return string(out), err
}

// declared tells what a declaration declares.
func declared(decl ast.Decl) (out declaration) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil && len(d.Recv.List) > 0 {
			name = receiver(d.Recv.List[0].Type) + "." + name
		}
		return declaration{kind: "func", names: []string{name}}
	case *ast.GenDecl:
		out.kind = d.Tok.String()
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ImportSpec:
				out.names = append(out.names, s.Path.Value)
			case *ast.TypeSpec:
				out.names = append(out.names, s.Name.Name)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					out.names = append(out.names, n.Name)
				}
			}
		}
	}
	return out
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// chunks splits a cell into its declarations and statements, each with the comments before
// it: they end where Go puts a semicolon outside of all brackets.
func chunks(cell string) (out []string) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(cell))
	var s scanner.Scanner
	s.Init(file, []byte(cell), func(token.Position, string) {}, 0)
	depth, start := 0, 0
	for {
		pos, tok, lit := s.Scan()
		switch tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		case token.SEMICOLON:
			if depth > 0 {
				continue
			}
			end := file.Offset(pos)
			if lit == ";" {
				end++
			}
			out = append(out, cell[start:end])
			start = end
		case token.EOF:
			return out
		}
	}
}
