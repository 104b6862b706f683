package eval

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
)

// An importer gives the types of compiled packages from their export data.
type importer struct {
	syms Symbols
	fset *token.FileSet
	mu   sync.Mutex
	pkgs map[string]*types.Package
	full map[string]bool // read, not only mentioned by another

	byName map[string][]string // package name -> import paths, made at the first use
}

func newImporter(syms Symbols) *importer {
	return &importer{syms: syms, fset: token.NewFileSet(), pkgs: map[string]*types.Package{}, full: map[string]bool{}}
}

func (im *importer) Import(path string) (*types.Package, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	return im.load(path)
}

func (im *importer) load(path string) (*types.Package, error) {
	if im.full[path] {
		return im.pkgs[path], nil
	}
	switch path {
	case "unsafe":
		return nil, fmt.Errorf("package unsafe is not available in cells: the interpreter's values do not have Go's layout")
	case "C":
		return nil, fmt.Errorf("cgo is not available in cells")
	}
	data, ok := im.syms.ExportData(path)
	if !ok {
		return nil, fmt.Errorf("package %s is not available in this kernel", path)
	}
	p, err := gcexportdata.Read(bytes.NewReader(data), im.fset, im.pkgs, path)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", path, err)
	}
	im.pkgs[path], im.full[path] = p, true
	return p, nil
}

// named gives the known packages of a name.
func (im *importer) named(name string) []string {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.byName == nil {
		im.byName = map[string][]string{}
		for _, path := range im.syms.Packages() {
			n := im.syms.Name(path)
			im.byName[n] = append(im.byName[n], path)
		}
	}
	return im.byName[name]
}

func (im *importer) names() []string {
	im.named("")
	im.mu.Lock()
	defer im.mu.Unlock()
	return slices.Sorted(maps.Keys(im.byName))
}

// imports finds the packages of a cell: those it imports, those of earlier cells, and, for a
// name that is used and declared nowhere, the one known package of that name. It gives the
// import declarations for what the cell mentions and the imports it adds to the session.
func (s *Session) imports(p *parsed) (specs []ast.Decl, added map[string]string, cerr *CompileError) {
	added = map[string]string{}
	var bad []Diagnostic
	for _, sp := range p.imports {
		path, err := strconv.Unquote(sp.Path.Value)
		if err != nil {
			continue
		}
		pkg, err := s.imp.Import(path)
		if err != nil {
			d := p.diagnostic(s.fset.Position(sp.Pos()), err.Error())
			d.Hint = nearest(path, s.opt.Symbols.Packages())
			bad = append(bad, d)
			continue
		}
		name := pkg.Name()
		if sp.Name != nil {
			name = sp.Name.Name
		}
		switch name {
		case "_":
		case ".":
			for _, n := range pkg.Scope().Names() {
				if o := pkg.Scope().Lookup(n); o.Exported() {
					added["."+n] = path
				}
			}
		default:
			added[name] = path
		}
	}
	if bad != nil {
		return nil, nil, &CompileError{bad}
	}

	members, at := p.selected()
	declared := p.declared()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		called, above := strings.CutSuffix(name, old) // the cell declares a variable of that name further down
		path := added[called]
		if path == "" && declared[called] && !above || above && s.scope.objs[called] != nil {
			continue
		}
		if path == "" {
			path = s.scope.imports[called]
		}
		if path == "" && s.scope.objs[called] == nil && types.Universe.Lookup(called) == nil {
			choices := s.having(s.imp.named(called), members[name])
			if len(choices) > 1 {
				d := p.diagnostic(s.fset.Position(at[name]), fmt.Sprintf("several packages are called %s", called))
				var l []string
				for _, c := range choices {
					l = append(l, strconv.Quote(c))
				}
				d.Hint = "import one of them: " + strings.Join(l, ", ")
				bad = append(bad, d)
			}
			if len(choices) == 1 {
				path = choices[0]
				if !above {
					added[name] = path
				}
			}
		}
		if path != "" {
			specs = append(specs, importDecl(name, path, at[name]))
		}
	}
	dots := map[string]bool{}
	for _, id := range slices.Concat(p.free, p.freeTop) {
		path := added["."+id.Name]
		if path == "" {
			path = s.scope.imports["."+id.Name]
		}
		if path != "" && !declared[id.Name] && !dots[path] {
			dots[path] = true
			specs = append(specs, importDecl(".", path, id.Pos()))
		}
	}
	if bad != nil {
		return nil, nil, &CompileError{bad}
	}
	return specs, added, nil
}

// having keeps the packages that have all of the members, or all if none has.
func (s *Session) having(paths []string, members map[string]bool) []string {
	if len(paths) < 2 {
		return paths
	}
	var fit []string
	for _, path := range paths {
		pkg, err := s.imp.Import(path)
		if err != nil {
			continue
		}
		ok := true
		for m := range members {
			ok = ok && pkg.Scope().Lookup(m) != nil
		}
		if ok {
			fit = append(fit, path)
		}
	}
	if fit == nil {
		return paths
	}
	return fit
}

// selected collects the free names before a dot, which may be packages, with what is
// selected from each and where it occurs first.
func (p *parsed) selected() (members map[string]map[string]bool, at map[string]token.Pos) {
	free := map[*ast.Ident]bool{}
	for _, id := range slices.Concat(p.free, p.freeTop) {
		free[id] = true
	}
	members, at = map[string]map[string]bool{}, map[string]token.Pos{}
	visit := func(n ast.Node) bool {
		if se, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := se.X.(*ast.Ident); ok && free[id] {
				if members[id.Name] == nil {
					members[id.Name], at[id.Name] = map[string]bool{}, id.Pos()
				}
				members[id.Name][se.Sel.Name] = true
			}
		}
		return true
	}
	for _, d := range p.decls {
		ast.Inspect(d, visit)
	}
	ast.Inspect(p.body.Body, visit)
	return members, at
}

func importDecl(name, path string, pos token.Pos) ast.Decl {
	return &ast.GenDecl{TokPos: pos, Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{
		Name: &ast.Ident{NamePos: pos, Name: name},
		Path: &ast.BasicLit{ValuePos: pos, Kind: token.STRING, Value: strconv.Quote(path)},
	}}}
}
