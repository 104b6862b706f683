package eval

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// What the text before the cursor means: its types, found by checking it as a cell.

// words are the names that a source declares with := or after var, const, type and func.
func words(src string) (l []string) {
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	var sc scanner.Scanner
	sc.Init(file, []byte(src), func(token.Position, string) {}, 0)
	var run []string
	var prev token.Token
	for {
		_, tok, lit := sc.Scan()
		switch {
		case tok == token.EOF:
			return l
		case tok == token.IDENT:
			if prev == token.VAR || prev == token.CONST || prev == token.TYPE || prev == token.FUNC {
				l = append(l, lit)
			}
			if prev != token.COMMA {
				run = nil
			}
			run = append(run, lit)
		case tok == token.DEFINE:
			l = append(l, run...)
			run = nil
		case tok != token.COMMA:
			run = nil
		}
		prev = tok
	}
}

// packageNamed gives the path of the package that a name stands for in the cell.
func (s *Session) packageNamed(src, name string) string {
	if !token.IsIdentifier(name) || s.scope.objs[name] != nil {
		return ""
	}
	if p, err := parse(token.NewFileSet(), Cell{1, src}); err == nil {
		if p.declared()[name] {
			return ""
		}
		if path := s.path(p, name); path != "" {
			return path
		}
	}
	for _, line := range strings.Split(src, "\n") {
		if i := strings.IndexByte(line, '"'); i >= 0 && strings.Count(line, `"`) == 2 {
			path := line[i+1 : strings.LastIndexByte(line, '"')]
			if s.opt.Symbols.Name(path) == name && strings.Contains(src, "import") {
				return path
			}
		}
	}
	if path := s.scope.imports[name]; path != "" {
		return path
	}
	if l := s.imp.named(name); len(l) > 0 && !slices.Contains(words(src), name) {
		return l[0]
	}
	return ""
}

// typeOfText gives the type of an expression at the end of a source that may have errors: what
// comes before is checked as far as it can be.
func (s *Session) typeOfText(before, expr string) (t types.Type, isType bool) {
	if _, err := parser.ParseExpr(expr); err != nil {
		return nil, false
	}
	// The cell so far, less the statement being typed, with open blocks closed. The statement begins after a
	// semicolon or brace of its line, or with the line.
	line := strings.LastIndexByte(strings.TrimRight(before, "\n"), '\n') + 1
	var cuts []int
	for i := len(before); i > line && len(cuts) < 3; i-- {
		if b := before[i-1]; b == ';' || b == '{' {
			cuts = append(cuts, i)
		}
	}
	const probe = "probeʹ"
	asked := "\n_ = " + probe + "(" + expr + ")\n"
	for _, cut := range append(cuts, line) {
		if t, isType := s.probe(before[:cut]+asked+closers(before[:cut]), probe); t != nil {
			return t, isType
		}
	}
	return s.probe(asked, probe)
}

// closers are the brackets that close those that a source leaves open.
func closers(src string) string {
	var open []byte
	for i := range len(src) {
		switch b := src[i]; b {
		case '{':
			open = append(open, '}')
		case '(':
			open = append(open, ')')
		case '}', ')':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	slices.Reverse(open)
	return string(open)
}

// probe checks a source in which probe(x) occurs, and gives the type of x.
func (s *Session) probe(src, probe string) (t types.Type, isType bool) {
	defer func() { _ = recover() }() // go/types on a half-written cell; nothing depends on it
	fset := token.NewFileSet()
	p, cerr := parse(fset, Cell{1, src})
	if cerr != nil {
		return nil, false
	}
	saved := s.fset
	s.fset = fset
	defer func() { s.fset = saved }()
	imports, _, cerr := s.imports(p)
	if cerr != nil {
		return nil, false
	}
	vars, cerr := s.promote(p)
	if cerr != nil {
		return nil, false
	}
	s.scope.fill(p.declared(), p, vars)
	info := newInfo()
	conf := &types.Config{Importer: s.imp, GoVersion: "go1.26", Error: func(error) {}}
	file := &ast.File{Package: p.body.Pos(), Name: ast.NewIdent("main")}
	file.Decls = append(append(append(append(file.Decls, imports...), p.decls...), vars...), p.body)
	pkg := types.NewPackage("main", "main")
	for _, n := range s.scope.pkg.Scope().Names() {
		pkg.Scope().Insert(s.scope.pkg.Scope().Lookup(n))
	}
	types.NewChecker(conf, fset, pkg, info).Files([]*ast.File{file})
	ast.Inspect(file, func(n ast.Node) bool {
		if ce, ok := n.(*ast.CallExpr); ok && len(ce.Args) == 1 {
			if id, ok := ce.Fun.(*ast.Ident); ok && id.Name == probe {
				if tv, ok := info.Types[ce.Args[0]]; ok && tv.Type != types.Typ[types.Invalid] {
					t, isType = tv.Type, tv.IsType()
				}
			}
		}
		return true
	})
	return t, isType
}
