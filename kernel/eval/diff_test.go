package eval

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.String("update", "", "run the cases of testdata with the Go compiler and record what they print: \"all\", or \"missing\" for those without a record")

var casesIn = flag.String("cases", "*.txt", "which files of testdata to run or record")

// A diffCase is a sequence of cells with what the Go compiler makes of them: testdata/*.txt
// holds "## name", cells separated by "---", and "=== want" before the output. Where cells declare
// something again, which no program can, "=== go" comes between with what the program is instead.
type diffCase struct {
	name, want string
	cells      []string
	compiled   []string // for the compiler, if not the cells
	refused    bool     // "=== refused": the text of the refusal
}

func readCases(t testing.TB, file string) (list []diffCase) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strings.Split("\n"+string(b), "\n## ")[1:] {
		name, body, _ := strings.Cut(s, "\n")
		c := diffCase{name: name}
		body, c.want, _ = strings.Cut("\n"+body+"\n", "\n=== want\n")
		if b2, w, ok := strings.Cut(body, "\n=== refused\n"); ok {
			body, c.want, c.refused = b2, w, true
		}
		c.want = strings.TrimSpace(c.want)
		body, program, _ := strings.Cut(body+"\n", "\n=== go\n")
		c.cells, c.compiled = cutCells(body), cutCells(program)
		list = append(list, c)
	}
	return list
}

func cutCells(s string) (cells []string) {
	for _, x := range strings.Split("\n"+s+"\n", "\n---\n") {
		if strings.TrimSpace(x) != "" {
			cells = append(cells, strings.Trim(x, "\n"))
		}
	}
	return cells
}

func writeCases(t testing.TB, file string, list []diffCase) {
	var b strings.Builder
	for _, c := range list {
		kind := "want"
		if c.refused {
			kind = "refused"
		}
		program := ""
		if len(c.compiled) > 0 {
			program = "=== go\n" + strings.Join(c.compiled, "\n---\n") + "\n"
		}
		fmt.Fprintf(&b, "## %s\n%s\n%s=== %s\n%s\n\n", c.name, strings.Join(c.cells, "\n---\n"), program, kind, c.want)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// program writes the cells as a Go program: declarations at the top level, statements in Main.
func (c diffCase) program(t testing.TB, s *Session) string {
	var decls, stmts, imports strings.Builder
	seen := map[string]bool{}
	defined := map[string]bool{}
	cells := c.cells
	if len(c.compiled) > 0 {
		cells = c.compiled
	}
	for _, src := range cells {
		chunks, _ := split(src)
		p, cerr := parse(token.NewFileSet(), Cell{1, src})
		if cerr != nil {
			t.Fatalf("%s: %v", c.name, cerr)
		}
		members, _ := p.selected()
		for name, m := range members {
			if path := s.path(p, name); path != "" {
				seen[path] = true
			} else if l := s.having(s.imp.named(name), m); len(l) == 1 {
				seen[l[0]] = true
			}
		}
		for _, sp := range p.imports {
			seen[strings.Trim(sp.Path.Value, `"`)] = true
		}
		mixed := slices.ContainsFunc(chunks, func(c chunk) bool { return c.decl })
		started := false
		for _, ch := range chunks {
			text := src[ch.start:ch.end]
			switch {
			case strings.HasPrefix(text, "import"):
			case ch.decl, mixed && !started && strings.HasPrefix(text, "var "): // functions may use the variables
				decls.WriteString(text + "\n")
			default:
				started = true
				stmts.WriteString("\t" + text + "\n")
			}
		}
		for _, st := range p.body.Body.List {
			for _, id := range defines(st) {
				defined[id.Name] = true
			}
		}
	}
	for n := range defined {
		stmts.WriteString("\t_ = " + n + "\n")
	}
	for path := range seen {
		fmt.Fprintf(&imports, "import %q\n", path)
	}
	return "package main\n" + imports.String() + decls.String() + "func Main() {\n" + stmts.String() + "}\n"
}

// capture gives what f prints to the standard output.
func capture(t testing.TB, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = w
	got := make(chan string)
	go func() { b, _ := io.ReadAll(r); got <- string(b) }()
	func() {
		defer func() { os.Stdout = was; w.Close() }()
		f()
	}()
	return strings.TrimSpace(<-got)
}

// TestAgainstCompiler runs the cases and compares what they print with what the Go
// compiler's program printed, line by line.
func TestAgainstCompiler(t *testing.T) {
	files, _ := filepath.Glob("testdata/" + *casesIn)
	right, refused, wrong := 0, 0, 0
	for _, file := range files {
		cases := readCases(t, file)
		switch {
		case *update != "":
			regenerate(t, cases, *update == "all")
			writeCases(t, file, cases)
		case os.Getenv("TRIVIUM_CI") != "" && !testing.Short():
			now := slices.Clone(cases)
			regenerate(t, now, true)
			for i, c := range now {
				if c.want != cases[i].want {
					t.Errorf("%s: %s: the record is not what the compiler gives; run go test -update all\n%s", file, c.name, firstDiff(cases[i].want, c.want))
				}
			}
		}
		for _, c := range cases {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+c.name, func(t *testing.T) {
				s := newSession(t)
				var errs []string
				got := capture(t, func() {
					for i, src := range c.cells {
						if out := run(t, s, i+1, src); out.Err != nil {
							errs = append(errs, out.Err.Error())
						}
					}
				})
				switch {
				case c.refused:
					refused++
					if len(errs) == 0 || !strings.Contains(errs[0], c.want) {
						t.Errorf("not refused with %q: %v\nprinted %s", c.want, errs, got)
					}
				case got == c.want && len(errs) == 0:
					right++
				default:
					wrong++
					t.Errorf("differs:\n%s\nerrors: %s", firstDiff(got, c.want), strings.Join(errs, "\n"))
				}
			})
		}
	}
	t.Logf("right %d, refused %d, wrong %d", right, refused, wrong)
}

func firstDiff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\n got  %s\n want %s", i+1, a, b)
		}
	}
	return "same output"
}

// ownNames gives the package-level names of a program a suffix, so that many fit in one package.
func ownNames(t testing.TB, s *Session, src, suffix string) string {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "case.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: s.imp, GoVersion: "go1.26", Error: func(error) {}}
	pkg, _ := conf.Check("main", fset, []*ast.File{f}, info)
	own := func(o types.Object) bool {
		v, isVar := o.(*types.Var)
		if isVar && v.Embedded() { // is called as its type
			t := v.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			switch t := t.(type) {
			case *types.Alias:
				o = t.Obj()
			case *types.Named:
				o = t.Obj()
			}
		}
		return o != nil && o.Parent() == pkg.Scope() && o.Name() != "init"
	}
	var at []int
	for _, m := range []map[*ast.Ident]types.Object{info.Defs, info.Uses} {
		for id, o := range m {
			if own(o) {
				at = append(at, fset.Position(id.End()).Offset)
			}
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	var b strings.Builder
	from := 0
	for _, i := range at {
		b.WriteString(src[from:i] + suffix)
		from = i
	}
	return b.String() + src[from:]
}

var suffixes = regexp.MustCompile(`ʹ\d+ʹ`)

// regenerate runs the programs of the cases with the Go compiler, all in one build.
func regenerate(t testing.TB, cases []diffCase, all bool) {
	s := newSession(t)
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var list strings.Builder
	var todo []int
	for i, c := range cases {
		if c.refused || c.want != "" && !all {
			continue
		}
		todo = append(todo, i)
		suffix := fmt.Sprintf("ʹ%dʹ", i)
		write(fmt.Sprintf("c%d.go", i), ownNames(t, s, c.program(t, s), suffix))
		fmt.Fprintf(&list, "\tcase \"%d\":\n\t\tMain%s()\n", i, suffix)
	}
	if len(todo) == 0 {
		return
	}
	write("main.go", "package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n"+list.String()+"\t}\n}\n")
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	here := strings.TrimSpace(string(root))
	mod, err := os.ReadFile(filepath.Join(here, "go.mod")) // for gonum
	if err != nil {
		t.Fatal(err)
	}
	sums, _ := os.ReadFile(filepath.Join(here, "go.sum"))
	engine := fmt.Sprintf("\nrequire trivium v0.0.0\n\nreplace trivium => %s\n", here)
	write("go.mod", strings.Replace(string(mod), "module trivium", "module cases", 1)+engine)
	write("go.sum", string(sums))
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "bin"), ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%.6000s", err, out)
		return
	}
	for _, i := range todo {
		out, err := exec.Command(filepath.Join(dir, "bin"), fmt.Sprint(i)).Output()
		if err != nil {
			t.Errorf("%s: %v", cases[i].name, err)
			continue
		}
		cases[i].want = strings.TrimSpace(suffixes.ReplaceAllString(string(out), ""))
	}
}
