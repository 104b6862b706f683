package eval

import (
	"context"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Packages of the standard library, each as a cell, run their own tests, the next one. go test takes those in front;
// where TRIVIUM_GO_TESTS is "all" the others follow.
var libraryFast = []string{"container/heap", "container/list", "container/ring", "encoding/hex", "text/tabwriter", "text/template/parse"}

var librarySlow = []string{
	"encoding/ascii85", "encoding/csv", "encoding/base32", "encoding/pem", "go/build/constraint", "go/constant", "go/format", "html", "math/cmplx", "mime/quotedprintable", "net/mail",
	"testing/iotest", "text/scanner",
}

// A library is what files of a package are as a cell.
type library struct {
	source string
	tests  []string
}

// readLibrary puts files together: imports come first, and the name of the package itself goes, also where its tests
// are in another package.
func readLibrary(t *testing.T, pkg string, files []string) (l library) {
	self := regexp.MustCompile(`\b` + path.Base(pkg) + `\.`)
	imports := ""
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, 0)
		if err != nil {
			t.Fatal(err)
		}
		text := func(n ast.Node) string { return string(b[n.Pos()-f.FileStart : n.End()-f.FileStart]) }
		cut := func(n ast.Node) { blank(b, int(n.Pos()-f.FileStart), int(n.End()-f.FileStart)) }
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch name := d.Name.Name; {
				case d.Recv != nil:
				case strings.HasPrefix(name, "Example"), strings.HasPrefix(name, "Benchmark"), strings.HasPrefix(name, "Fuzz"):
					cut(d)
				case strings.HasPrefix(name, "Test"):
					l.tests = append(l.tests, name)
				}
			case *ast.GenDecl:
				if d.Tok == token.IMPORT {
					for _, sp := range d.Specs {
						if !strings.HasSuffix(text(sp), `"`+pkg+`"`) { // it may be imported by a dot
							imports += "import " + text(sp) + "\n"
						}
					}
					cut(d)
				}
			}
		}
		l.source += string(b) + "\n"
	}
	if len(l.tests) > 0 {
		l.source = self.ReplaceAllString(l.source, "")
	}
	l.source = imports + l.source
	return l
}

func TestLibrary(t *testing.T) {
	list := libraryFast
	if os.Getenv("TRIVIUM_GO_TESTS") == "all" {
		list = append(list[:len(list):len(list)], librarySlow...)
	}
	n := 0
	for _, pkg := range list {
		t.Run(pkg, func(t *testing.T) { n += runLibrary(t, pkg) })
	}
	t.Logf("%d tests of %d packages", n, len(list))
}

// runLibrary runs the tests of a package and gives their number.
func runLibrary(t *testing.T, pkg string) int {
	dir := filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(pkg))
	p, err := build.Default.ImportDir(dir, 0)
	if err != nil {
		t.Skipf("the Go distribution's source is not here: %v", err)
	}
	t.Chdir(dir)
	s, n := newSession(t), 1
	run := func(source string) string {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		return capture(t, func() {
			if err := s.Run(ctx, Cell{n, source}).Err; err != nil {
				t.Errorf("cell %d: %v", n, err)
			}
			n++
		})
	}
	run(readLibrary(t, pkg, p.GoFiles).source)
	tests := 0
	for _, files := range [][]string{p.TestGoFiles, p.XTestGoFiles} {
		l := readLibrary(t, pkg, files)
		run(l.source)
		for _, name := range l.tests {
			tests++
			got := run(`import "testing"
fmt.Println("ok:", testing.RunTests(func(pattern, name string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "` + name + `", F: ` + name + `}}))`)
			if !strings.HasSuffix(got, "ok: true") {
				t.Errorf("%s:\n%s", name, got)
			}
		}
	}
	return tests
}
