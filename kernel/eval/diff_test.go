package eval

import (
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "run the cases of testdata with the Go compiler and record what they print")

// A diffCase is a sequence of cells with what the Go compiler makes of them: testdata/*.txt
// holds "## name", cells separated by "---", and "=== want" before the output.
type diffCase struct {
	name, want string
	cells      []string
	refused    bool // "=== refused": the text of the refusal
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
		for _, x := range strings.Split(body, "\n---\n") {
			if strings.TrimSpace(x) != "" {
				c.cells = append(c.cells, strings.Trim(x, "\n"))
			}
		}
		list = append(list, c)
	}
	return list
}

func writeCases(t testing.TB, file string, list []diffCase) {
	var b strings.Builder
	for _, c := range list {
		kind := "want"
		if c.refused {
			kind = "refused"
		}
		fmt.Fprintf(&b, "## %s\n%s\n=== %s\n%s\n\n", c.name, strings.Join(c.cells, "\n---\n"), kind, c.want)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// program writes the cells as one Go program: declarations at the top level, statements in main.
func (c diffCase) program(t testing.TB, s *Session) string {
	var decls, stmts, imports strings.Builder
	seen := map[string]bool{}
	defined := map[string]bool{}
	for _, src := range c.cells {
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
	return "package main\n" + imports.String() + decls.String() + "func main() {\n" + stmts.String() + "}\n"
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
	files, _ := filepath.Glob("testdata/*.txt")
	right, refused, wrong := 0, 0, 0
	for _, file := range files {
		cases := readCases(t, file)
		if *update {
			regenerate(t, cases)
			writeCases(t, file, cases)
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

var compilerPath = regexp.MustCompile(`(?m)^# .*\n`)

// regenerate runs the programs of the cases with the Go compiler, a few at a time in one build.
func regenerate(t testing.TB, cases []diffCase) {
	s := newSession(t)
	dir := t.(*testing.T).TempDir()
	os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module cases\n\ngo 1.26\n"), 0o644)
	var todo []int
	for i, c := range cases {
		if c.refused {
			continue
		}
		todo = append(todo, i)
		sub := filepath.Join(dir, fmt.Sprintf("c%d", i))
		os.MkdirAll(sub, 0o755)
		os.WriteFile(filepath.Join(sub, "main.go"), []byte(c.program(t, s)), 0o644)
	}
	if len(todo) == 0 {
		return
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "bin")+"/", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, compilerPath.ReplaceAll(out, nil))
	}
	for _, i := range todo {
		out, err := exec.Command(filepath.Join(dir, "bin", fmt.Sprintf("c%d", i))).Output()
		if err != nil {
			t.Fatalf("%s: %v", cases[i].name, err)
		}
		cases[i].want = strings.TrimSpace(string(out))
	}
}
