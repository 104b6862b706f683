package eval

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trivium/kernel/symbols"
)

// The examples of the Go distribution and of gonum are Go as people write it and paste it into
// cells. Each is run in two ways: its file's declarations as a cell and a call of it as the next,
// and, in a session of its own, the file's other declarations and then the statements of its body.
// What it prints is compared with its comment, as go test does. All of them take some minutes and
// run where TRIVIUM_GO_TESTS is "all"; it may also hold names such as "sort/example_test.go".

// exampleSample is how many files are passed over for one that go test runs.
const exampleSample = 8

// exampleLimit is for one example; the slowest of them takes a second.
const exampleLimit = 30 * time.Second

// An exampleFile is a file with examples whose output is known.
type exampleFile struct {
	name, path string
	src        string // without the examples that are left out
	syntax     *ast.File
	examples   []*doc.Example
	leftOut    map[string]int // how many are, by the reason
}

// exampleRoots are the directories with examples.
func exampleRoots(t *testing.T) (roots []string) {
	src := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(src); err != nil {
		t.Skipf("the Go distribution's source is not here: %v", err)
	}
	roots = append(roots, src)
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "gonum.org/v1/gonum").Output()
	if dir := strings.TrimSpace(string(out)); err == nil && dir != "" {
		roots = append(roots, dir)
	}
	return roots
}

// exampleFiles finds them; names are relative to their root.
func exampleFiles(t *testing.T) (files []*exampleFile) {
	for _, root := range exampleRoots(t) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "testdata" || d.Name() == "vendor" || d.Name() == "cmd" || d.Name() == "internal") {
				return fs.SkipDir
			}
			if ok, _ := filepath.Match("*_test.go", d.Name()); !ok {
				return nil
			}
			f, err := readExamples(path)
			if err == nil && len(f.examples)+len(f.leftOut) > 0 {
				f.name, _ = filepath.Rel(root, path)
				f.name = filepath.ToSlash(f.name)
				files = append(files, f)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func readExamples(path string) (*exampleFile, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &exampleFile{path: path, src: string(src), leftOut: map[string]int{}}
	if !strings.Contains(f.src, "func Example") {
		return f, nil
	}
	if f.syntax, err = parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments); err != nil {
		return nil, err
	}
	examples := map[string]*doc.Example{}
	for _, e := range doc.Examples(f.syntax) {
		if e.Output != "" || e.EmptyOutput {
			examples["Example"+e.Name] = e
			f.examples = append(f.examples, e)
		}
	}
	slices.SortFunc(f.examples, func(a, b *doc.Example) int { return a.Order - b.Order })
	f.leaveOut(examples)
	return f, nil
}

// leaveOut takes the examples out that cannot be cells, and the imports of what cells cannot import; all of them
// where other declarations need that.
func (f *exampleFile) leaveOut(examples map[string]*doc.Example) {
	all := ""
	if ok, err := build.Default.MatchFile(filepath.Split(f.path)); !ok || err != nil {
		all = "not built here"
	} else if strings.Contains(f.src, "\n//go:embed") {
		all = "embeds files"
	}
	b, why := []byte(f.src), map[string]string{} // what no cell knows, by name
	cut := func(n ast.Node) { blank(b, int(n.Pos()-f.syntax.FileStart), int(n.End()-f.syntax.FileStart)) }
	known := map[string]bool{}
	for _, sp := range f.syntax.Imports {
		path, _ := strconv.Unquote(sp.Path.Value)
		name := symbols.All.Name(path)
		if name == "" {
			cut(sp)
			name = filepath.Base(path)
			why[name] = "package " + path
		}
		if sp.Name != nil {
			why[sp.Name.Name] = why[name]
			name = sp.Name.Name
		}
		known[name] = true
		if name == "." {
			for _, n := range importedNames(path) {
				known[n] = true
			}
		}
	}
	for _, id := range f.syntax.Unresolved {
		switch {
		case known[id.Name] || types.Universe.Lookup(id.Name) != nil:
		case strings.HasSuffix(f.syntax.Name.Name, "_test"):
			why[id.Name] = "declarations of another file"
		default:
			why[id.Name] = "within its package"
		}
	}
	for _, d := range f.syntax.Decls {
		reason := all
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Obj == nil && why[id.Name] != "" && slices.Contains(f.syntax.Unresolved, id) {
				reason = why[id.Name]
			}
			return true
		})
		if reason == "" {
			continue
		}
		fd := exampleFunc(d)
		if fd == nil {
			all = reason
			break
		}
		cut(d)
		if e := examples[fd.Name.Name]; e != nil {
			f.leftOut[reason]++
			f.examples = slices.DeleteFunc(f.examples, func(x *doc.Example) bool { return x == e })
		}
	}
	if all != "" && len(f.examples) > 0 {
		f.leftOut[all] += len(f.examples)
		f.examples = nil
	}
	f.src = string(b)
}

// importedNames are those that a dot import gives.
func importedNames(path string) (names []string) {
	if p, err := newImporter(symbols.All).Import(path); err == nil {
		names = p.Scope().Names()
	}
	return names
}

// without is the file without its examples but for one.
func (f *exampleFile) without(keep string) string {
	b := []byte(f.src)
	for _, d := range f.syntax.Decls {
		if fd := exampleFunc(d); fd != nil && fd.Name.Name != keep {
			blank(b, int(d.Pos()-f.syntax.FileStart), int(d.End()-f.syntax.FileStart))
		}
	}
	return string(b)
}

// exampleFunc gives a declaration that is an example, else nil.
func exampleFunc(d ast.Decl) *ast.FuncDecl {
	fd, ok := d.(*ast.FuncDecl)
	if !ok || fd.Recv != nil || !strings.HasPrefix(fd.Name.Name, "Example") {
		return nil
	}
	return fd
}

// body is what stands in the braces of an example, and the number of lines before it.
func (f *exampleFile) body(name string) (text string, above int) {
	for _, d := range f.syntax.Decls {
		if fd := exampleFunc(d); fd != nil && fd.Name.Name == name {
			start := int(fd.Body.Lbrace + 1 - f.syntax.FileStart)
			return f.src[start : fd.Body.Rbrace-f.syntax.FileStart], strings.Count(f.src[:start], "\n")
		}
	}
	return "", 0
}

// run runs cells that end with an example and says what became of it. The lines of the example are those of
// the cell n but for so many.
func (f *exampleFile) run(t *testing.T, s *Session, e *doc.Example, n, above int, cells ...string) string {
	var failed error
	got := capture(t, func() {
		ctx, cancel := context.WithTimeout(context.Background(), exampleLimit)
		defer cancel()
		for i, c := range cells {
			if failed = s.Run(ctx, Cell{n + i, c}).Err; failed != nil { // a last value is shown, which is not what is compared
				return
			}
		}
	})
	want := strings.ReplaceAll(e.Output, f.syntax.Name.Name+".", "main.") // what %T says of its types
	want = regexp.MustCompile(regexp.QuoteMeta(filepath.Base(f.path))+`:(\d+)`).ReplaceAllStringFunc(want, func(place string) string {
		line, _ := strconv.Atoi(place[strings.LastIndex(place, ":")+1:])
		return fmt.Sprintf("Cell [%d]:%d", n+max(len(cells)-2, 0)+b2i(above > 0), line-above)
	})
	want = strings.TrimSpace(want)
	if e.Unordered {
		got, want = sortedLines(got), sortedLines(want)
	}
	line := func(format string, args ...any) string {
		text := []rune(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " / "))
		return string(text[:min(len(text), 600)])
	}
	switch _, compile := failed.(*CompileError); {
	case compile:
		return line("refused: %v", failed)
	case failed != nil:
		return line("error: %v", failed)
	case got != want:
		return line("wrong output: %s", firstDiff(got, want))
	}
	return "right"
}

func sortedLines(s string) string {
	l := strings.Split(s, "\n")
	slices.Sort(l)
	return strings.Join(l, "\n")
}

// exampleChild runs the examples of a file from the one of a number on, in the process of a test of its own.
func exampleChild(t *testing.T, path, way, from string) {
	f, err := readExamples(path)
	if err != nil {
		t.Fatal(err)
	}
	os.Args = os.Args[:1]
	t.Chdir(filepath.Dir(path))
	first, _ := strconv.Atoi(from)
	whole := newSession(t)
	if way == "called" && whole.Run(context.Background(), Cell{1, f.src}).Err != nil {
		whole = nil // one of them is refused, or another declaration is
	}
	for _, e := range f.examples[first:] {
		name, result := "Example"+e.Name, ""
		switch {
		case way != "called":
			body, above := f.body(name)
			result = f.run(t, newSession(t), e, 1, above, f.without(""), body)
		case whole != nil:
			result = f.run(t, whole, e, 1, 0, name+"();")
		default:
			result = f.run(t, newSession(t), e, 1, 0, f.without(name), name+"();")
		}
		fmt.Printf("\nresult: %s\n", result)
	}
}

// results runs the examples of a file and gives what became of each.
func (f *exampleFile) results(way string) (list []string) {
	for len(list) < len(f.examples) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(len(f.examples)+1)*exampleLimit)
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestExamples$")
		cmd.Env = append(os.Environ(), "TRIVIUM_GO_FILE="+f.path, "TRIVIUM_GO_WAY="+way, "TRIVIUM_GO_FROM="+strconv.Itoa(len(list)))
		if strings.HasPrefix(f.name, "time/") {
			cmd.Env = append(cmd.Env, "TZ=America/Los_Angeles") // where its tests say they are
		}
		out, err := cmd.CombinedOutput()
		cancel()
		parts := strings.Split(string(out), "\nresult: ")
		for _, p := range parts[1:] {
			result, _, _ := strings.Cut(p, "\n")
			list = append(list, result)
		}
		if len(list) < len(f.examples) { // it went on with the next
			rest := strings.ReplaceAll(parts[len(parts)-1], "\n", " / ")
			list = append(list, fmt.Sprintf("ended: %v: %.400s", err, rest))
		}
	}
	return list
}

func TestExamples(t *testing.T) {
	if path := os.Getenv("TRIVIUM_GO_FILE"); path != "" {
		exampleChild(t, path, os.Getenv("TRIVIUM_GO_WAY"), os.Getenv("TRIVIUM_GO_FROM"))
		return
	}
	names := os.Getenv("TRIVIUM_GO_TESTS")
	files := exampleFiles(t)
	count := map[string]int{}
	for i, f := range files {
		switch {
		case names == "" && i%exampleSample != 0:
			continue
		case names != "" && names != "all" && !strings.Contains(","+names+",", ","+f.name+","):
			continue
		}
		for why, n := range f.leftOut {
			count["left out: "+why] += n
		}
		for _, way := range []string{"called", "as statements"} {
			for j, result := range f.results(way) {
				name := fmt.Sprintf("%s: %s %s", f.name, f.examples[j].Name, way)
				kind, _, _ := strings.Cut(result, ":")
				switch kind {
				case "right":
				case "refused":
					t.Logf("%s: %s", name, result)
				default:
					t.Errorf("%s: %s", name, result)
					kind = "wrong"
				}
				count[way+": "+kind]++
			}
		}
	}
	var lines []string
	for k, n := range count {
		lines = append(lines, fmt.Sprintf("%s: %d", k, n))
	}
	slices.Sort(lines)
	t.Logf("%s", strings.Join(lines, "\n"))
}
