package eval

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// passedOn are functions that recover to look at a panic which goes on, or to have others decide about it, and those that no function
// of a cell is called below.
var passedOn = []string{
	"trivium/kernel/eval.(*Session).panicOf", "trivium/kernel/eval.(*Session).callDeferred", "trivium/kernel/eval.(*layout).valueOf.func",
	"trivium/kernel/eval.(*Session).Call.func", "trivium/kernel/eval.(*Session).Run.func", // below execute
	"trivium/kernel/eval.(*Session).Run", "trivium/kernel/eval.(*Session).compile", "trivium/kernel/eval.(*Session).shape", "trivium/kernel/eval.(*Session).mirrorFor", "trivium/kernel/eval.(*Session).show", "trivium/kernel/eval.(*Session).callShown",
	"trivium/kernel/eval.(*Session).whereIs", "trivium/kernel/eval.(*Session).probe", "trivium/kernel/eval.layoutOf", "trivium/kernel/host.listProcessors",
}

// Tests have goroutines that recover themselves.
func init() {
	ownRecovering = append(ownRecovering, "kernel/eval.TestExplain.func", "kernel/eval.TestLend.func", "kernel/eval.TestWithin.func")
}

// TestRecovering compares the list of our own functions that recover from what they call with the source.
func TestRecovering(t *testing.T) {
	found := map[string]bool{}
	for _, dir := range []string{"core", "viz", "datasets", "kernel/eval", "kernel/symbols", "kernel/display", "kernel/widget", "kernel/host", "kernel/nb"} {
		root := filepath.Join("..", "..", filepath.FromSlash(dir))
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(filepath.Join("..", ".."), filepath.Dir(path))
			for _, decl := range f.Decls {
				if fd, ok := decl.(*ast.FuncDecl); ok && fd.Body != nil {
					recoveringIn(fd.Body, "trivium/"+filepath.ToSlash(rel)+"."+ofType(fd)+fd.Name.Name, found)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range passedOn {
		if !found[name] {
			t.Errorf("%s does not recover", name)
		}
		delete(found, name)
	}
	for name := range found {
		if !recovers(name) {
			t.Errorf("%s recovers and is not in the list", name)
		}
	}
	for _, name := range ownRecovering {
		if !found["trivium/"+name] && !strings.HasPrefix(name, "kernel/eval.Test") {
			t.Errorf("%s is in the list and does not recover", name)
		}
	}
}

func ofType(fd *ast.FuncDecl) string {
	if fd.Recv == nil {
		return ""
	}
	switch x := fd.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			return "(*" + id.Name + ")."
		}
	case *ast.Ident:
		return x.Name + "."
	}
	return "?."
}

// recoveringIn finds functions that defer one that recovers. Those in others are called as the run-time system does.
func recoveringIn(body ast.Node, name string, found map[string]bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			recoveringIn(n.Body, name+".func", found)
			return false
		case *ast.DeferStmt:
			switch f := n.Call.Fun.(type) {
			case *ast.FuncLit:
				if callsRecover(f.Body) {
					found[name] = true
				}
			case *ast.Ident:
				found[name] = found[name] || f.Name == "Catch"
			case *ast.SelectorExpr:
				if f.Sel.Name == "Catch" || f.Sel.Name == "recovered" {
					found[name] = true
				}
			}
			return false
		}
		return true
	})
	if !found[name] {
		delete(found, name)
	}
}

func callsRecover(body ast.Node) bool {
	calls := false
	ast.Inspect(body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok {
				calls = calls || id.Name == "recover"
			}
		}
		return !calls
	})
	return calls
}
