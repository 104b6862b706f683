package eval

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Random programs, run as a sequence of cells and as a program of the Go compiler, print the same.
// generate_types_test.go, generate_decl_test.go, generate_expr_test.go and generate_stmt_test.go make
// them, reduce_test.go makes a finding small.

// A genProgram is well-typed and ends. Its names begin with a prefix of its own, so that many
// fit in one Go package.
type genProgram struct {
	seed  uint64
	decls []string // types with their methods, functions
	stmts []string // of its main function
	cuts  []int    // statements before which a new cell begins
}

// prefix is what the program's package-level names begin with.
func (p *genProgram) prefix() string { return fmt.Sprintf("P%d", p.seed) }

// function is the program as Go source without a package clause, called main as given.
func (p *genProgram) function(main string) string {
	return strings.Join(p.decls, "\n") + "\nfunc " + main + "() {\n" + strings.Join(p.stmts, "\n") + "\n}\n"
}

// Functions that are declared again are variables in a program, and declarations in cells.
var (
	variableAgain = regexp.MustCompile(`^var P\d+R\d+ `)
	declaredAgain = regexp.MustCompile(`^(P\d+R\d+) = func\(`)
	callsAgain    = regexp.MustCompile(`^func P\d+R\d+c\(`)
)

// cells cuts the program as a notebook might be.
func (p *genProgram) cells() []string {
	var cells, decls, callers []string
	for _, d := range p.decls {
		switch {
		case variableAgain.MatchString(d):
		case callsAgain.MatchString(d):
			callers = append(callers, d)
		default:
			decls = append(decls, d)
		}
	}
	if len(decls) > 0 && p.seed%3 == 0 { // a cell for each declaration
		cells = append(cells, decls...)
	} else if len(decls) > 0 {
		cells = append(cells, strings.Join(decls, "\n"))
	}
	for _, d := range callers { // with what they call as it is first
		name, _, _ := strings.Cut(strings.TrimPrefix(d, "func "), "c(")
		for _, st := range p.stmts {
			if m := declaredAgain.FindStringSubmatch(st); m != nil && m[1] == name {
				d = declaredAgain.ReplaceAllString(st, "func $1(") + "\n" + d
				break
			}
		}
		cells = append(cells, d)
	}
	cell := ""
	flush := func() {
		if cell != "" {
			cells = append(cells, cell)
		}
		cell = ""
	}
	for i, st := range p.stmts {
		if slices.Contains(p.cuts, i) {
			flush()
		}
		if declaredAgain.MatchString(st) {
			flush()
			cells = append(cells, declaredAgain.ReplaceAllString(st, "func $1("))
			continue
		}
		cell += st + "\n"
	}
	flush()
	return cells
}

var genImports = []string{"cmp", "errors", "fmt", "iter", "maps", "math", "slices", "sort", "strconv", "strings", "sync", "time"}

// imported gives the import declarations that a source needs.
func imported(src string) string {
	var b strings.Builder
	for _, path := range genImports {
		if regexp.MustCompile(`\b` + path + `\.`).MatchString(src) {
			fmt.Fprintf(&b, "import %q\n", path)
		}
	}
	return b.String()
}

// typeChecks tells whether the compiler will take the program.
func (p *genProgram) typeChecks(s *Session) error {
	src := p.function("f")
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", "package main\n"+imported(src+genPrelude)+src+genPrelude, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	_, err = (&types.Config{Importer: s.imp, GoVersion: "go1.26"}).Check("main", fset, []*ast.File{f}, nil)
	return err
}

// compiled runs programs with the Go compiler, all in one build, and gives what each printed. A
// program that ends the process, as by a nil pointer in a goroutine, gives an error.
func compiled(t testing.TB, list []*genProgram) ([]string, error) {
	dir := t.TempDir()
	write := func(name, src string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package main\n"+imported(src)+src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module cases\n\ngo 1.26\n"), 0o644)
	var main strings.Builder
	main.WriteString(genPrelude + "\nfunc main() {\n")
	for i, p := range list {
		name := fmt.Sprintf("main%d", i)
		fmt.Fprintf(&main, "fmt.Print(\"\\x01\")\ntry(\"main\", %s)\n", name)
		write(fmt.Sprintf("p%d.go", i), p.function(name))
	}
	main.WriteString("}\n")
	write("main.go", main.String())
	build := exec.Command("go", "build", "-gcflags=-l -N", "-ldflags=-s -w", "-o", filepath.Join(dir, "bin"), ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%.3000s", err, out)
	}
	run := exec.Command(filepath.Join(dir, "bin"))
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("the compiled programs: %w\n%.2000s", err, stderr.String())
	}
	want := strings.Split(string(out), "\x01")[1:]
	if len(want) != len(list) {
		return nil, fmt.Errorf("%d outputs of %d programs: one has printed what stands between them", len(want), len(list))
	}
	return want, nil
}

// evaluated runs a program as cells in a session of its own. A refusal comes as refused.
func (p *genProgram) evaluated(t testing.TB) (out string, refused error) {
	s := newSession(t)
	out = capture(t, func() {
		n := 0
		for _, src := range append([]string{genPrelude}, p.cells()...) {
			n++
			o := run(t, s, n, src)
			switch e := o.Err.(type) {
			case nil:
			case *CompileError:
				refused = e
				return
			case *PanicError:
				fmt.Println("main panicked:", e.Text)
				return
			default:
				fmt.Println("error:", e)
				return
			}
		}
	})
	return out, refused
}

// A pointer within a value that is printed is different in every run.
var addresses = regexp.MustCompile(`0x[0-9a-f]{8,}`)

func sameOutput(got, want string) bool {
	norm := func(s string) string {
		return strings.TrimSpace(addresses.ReplaceAllString(s, "0x"))
	}
	return norm(got) == norm(want)
}

// compare runs programs both ways and reports differences.
func compareGenerated(t *testing.T, list []*genProgram) (right, refused, wrong int) {
	want, err := compiled(t, list)
	if err != nil && len(list) > 1 { // one of them ends the process: the others are compared all the same
		half := len(list) / 2
		right, refused, wrong = compareGenerated(t, list[:half])
		a, b, c := compareGenerated(t, list[half:])
		return right + a, refused + b, wrong + c
	}
	if err != nil {
		t.Logf("seed %d left out: %v", list[0].seed, err)
		return 0, 0, 0
	}
	for i, p := range list {
		got, err := p.evaluated(t)
		switch {
		case err != nil:
			refused++
			first, _, _ := strings.Cut(err.Error(), "\n")
			t.Logf("seed %d refused: %s", p.seed, first)
			if os.Getenv("TRIVIUM_KEEP") != "" {
				keepFinding(t, p, "refused", err.Error())
			}
		case sameOutput(got, want[i]):
			right++
		default:
			wrong++
			t.Errorf("seed %d differs: %s", p.seed, firstDiff(got, strings.TrimSpace(want[i])))
			if os.Getenv("TRIVIUM_KEEP") != "" {
				keepFinding(t, p, "wrong", firstDiff(got, strings.TrimSpace(want[i])))
			}
		}
	}
	return
}

// keepFinding writes a finding to the directory TRIVIUM_KEEP.
func keepFinding(t *testing.T, p *genProgram, kind, text string) {
	name := filepath.Join(os.Getenv("TRIVIUM_KEEP"), fmt.Sprintf("%s-%d.txt", kind, p.seed))
	if err := os.WriteFile(name, []byte(text+"\n\n"+strings.Join(p.cells(), "\n---\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// generated gives n well-typed programs from a seed on, and the seed after them.
func generated(s *Session, seed uint64, n int) (list []*genProgram, next uint64, dropped []error) {
	for len(list) < n {
		p := generate(seed)
		seed++
		if err := p.typeChecks(s); err != nil {
			dropped = append(dropped, fmt.Errorf("seed %d: %w", p.seed, err))
			continue
		}
		list = append(list, p)
	}
	return list, seed, dropped
}

// TestGenerated compares a small sample that is the same every time.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with the Go compiler")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no Go compiler here")
	}
	list, _, _ := generated(newSession(t), 1, 25)
	right, refused, wrong := compareGenerated(t, list)
	t.Logf("right %d, refused %d, wrong %d", right, refused, wrong)
}

// TestReproduceGenerated goes on for TRIVIUM_GENERATE (a duration, 10 minutes if it is not set) from
// the seed TRIVIUM_SEED, or one of the clock.
func TestReproduceGenerated(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") == "" {
		t.Skip("TRIVIUM_REPRODUCE is not set")
	}
	long := 10 * time.Minute
	if d, err := time.ParseDuration(os.Getenv("TRIVIUM_GENERATE")); err == nil {
		long = d
	}
	seed := uint64(time.Now().Unix()) * 1000
	if n, err := strconv.ParseUint(os.Getenv("TRIVIUM_SEED"), 10, 64); err == nil {
		seed = n
	}
	batch := 200
	if n, err := strconv.Atoi(os.Getenv("TRIVIUM_BATCH")); err == nil {
		batch = n
	}
	s := newSession(t)
	right, refused, wrong, dropped := 0, 0, 0, 0
	began := time.Now()
	for end := time.Now().Add(long); time.Now().Before(end); {
		var list []*genProgram
		var bad []error
		from := seed
		list, seed, bad = generated(s, seed, batch)
		dropped += len(bad)
		if os.Getenv("TRIVIUM_DROPPED") != "" {
			for _, err := range bad {
				t.Log(err)
			}
		}
		a, b, c := compareGenerated(t, list)
		right, refused, wrong = right+a, refused+b, wrong+c
		fmt.Fprintf(os.Stderr, "seeds %d to %d: right %d, refused %d, wrong %d in all, %.0f s\n", from, seed, right, refused, wrong, time.Since(began).Seconds())
		debug.FreeOSMemory()
	}
	t.Logf("programs %d: right %d, refused %d, wrong %d (%d not well-typed)", right+refused+wrong, right, refused, wrong, dropped)
}

// generate makes the program of a seed.
func generate(seed uint64) *genProgram {
	g := newGen(seed)
	g.declarations()
	p := g.p
	for n := 4 + g.r.IntN(6); n > 0; n-- {
		p.stmts = append(p.stmts, g.stmt(2)...)
		if g.r.IntN(6) == 0 {
			p.cuts = append(p.cuts, len(p.stmts))
		}
	}
	p.stmts = append(p.stmts, g.printAll()...)
	return p
}

func newGen(seed uint64) *gen {
	g := &gen{r: rand.New(rand.NewPCG(seed, 7)), p: &genProgram{seed: seed}, composed: map[string]*genType{}, mult: 1}
	g.push()
	g.basics()
	return g
}
