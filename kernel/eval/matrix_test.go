package eval

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The matrix: small pieces of code that put every kind of expression (matrix_expr_test.go) into every position
// (matrix_position_test.go) for every type (matrix_types_test.go), run in cells and in a program of the Go
// compiler, which must print the same. Each is the body of a function, the statements of a cell, or the body
// of a generic function with the type for its type parameter.

// A matrixPiece is one of them.
type matrixPiece struct {
	id   string // its name in the program, and what stands before its output
	mode byte   // one of the modes
	body string
}

const (
	inFunction = 'f'
	inCell     = 'c'
	inGeneric  = 'g'
)

// A matrixProgram is the pieces of a type. Its names end in a suffix of its own.
type matrixProgram struct {
	t      matrixType
	suffix string
	decls  string // for the first cell
	pieces []matrixPiece
	funcs  map[string]string // the functions of the pieces, by id
}

// matrixImports are those that pieces need. Cells have them without saying so.
const matrixImports = `import ("cmp"; "errors"; "fmt"; "io"; "maps"; "math"; "net/url"; "slices"; "sort"; "strings"; "sync"; "time")
`

// matrixUses keeps the compiler from finding them unused.
const matrixUses = `var _ = cmp.Less[int]
var _, _, _, _, _, _, _ = errors.New, io.EOF, maps.Keys[map[int]int], math.Pi, url.Parse, slices.Sort[[]int], sort.Ints
var _, _, _ = strings.Clone, sync.OnceFunc, time.Now
`

const matrixRun = `func run(id string, f func()) {
	fmt.Print("\x01", id, "\n")
	reset()
	defer func() { if r := recover(); r != nil { fmt.Println("panicked:", r) } }()
	f()
}
`

// filled puts the names of a type into a text of the matrix.
func (t matrixType) filled(text string, mode byte) string {
	name, h, in, hi := t.text, "H", "In", "HI"
	embedded := in
	if mode == inGeneric {
		name, h, in, hi, embedded = "T", "GH[T]", "GIn[T]", "GHI[T]", "GIn"
	}
	conv := name
	if strings.HasPrefix(conv, "*") || strings.HasPrefix(conv, "func") || strings.Contains(conv, "chan") {
		conv = "(" + conv + ")"
	}
	show := t.show
	if show == "" {
		show = `fmt.Printf("%v %T\n", x, x)`
	}
	v1 := t.v1
	if mode == inGeneric {
		v1 = "v1"
	}
	return strings.NewReplacer("{T}", name, "{C}", conv, "{H}", h, "{In}", in, "{in}", embedded, "{HI}", hi, "{other}", t.other, "{V0}", t.v0, "{V1}", v1, "{show}", show).Replace(text)
}

var (
	operatorBefore = regexp.MustCompile(`(==|!=|<=|>=|&&|\|\||[-+*/%&|^!]|[<>])\s*$`)
	operatorAfter  = regexp.MustCompile(`^\s*(==|!=|<=|>=|&&|\|\||[-+*/%&|^]\s|<<|>>|<\s|>\s)`)
	operatorWithin = regexp.MustCompile(`^[-+!^]|\s(==|!=|&&|\|\||<<|&\^|[-+*/%&|^<>])\s`)
)

// placed puts an expression into a position, in parentheses where it would else be cut up.
func placed(position, expr string, always bool) string {
	parts := strings.Split(position, "@")
	out := parts[0]
	for i, after := range parts[1:] {
		before := parts[i]
		operand := operatorBefore.MatchString(before) && !strings.HasSuffix(strings.TrimSpace(before), "<-") || operatorAfter.MatchString(after)
		selected := after != "" && strings.ContainsRune(".[(", rune(after[0])) && !strings.HasPrefix(after, "...")
		whole := !strings.ContainsAny(expr, " *<-!^+&") || strings.HasPrefix(expr, "(") && strings.HasSuffix(expr, ")") && strings.Count(expr, "(") == 1
		if always || operand && operatorWithin.MatchString(expr) || selected && !whole {
			out += "(" + expr + ")" + after
		} else {
			out += expr + after
		}
	}
	return out
}

// matrixHash decides which pieces a sample has.
func matrixHash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// pieces gives one in share of the pieces of a type, which may not be well-typed yet.
func (t matrixType) pieces(share int, seed string) (list []matrixPiece) {
	modes := []byte{inFunction, inGeneric, inCell}
	if t.bound == "" {
		modes = []byte{inFunction, inCell}
	}
	add := func(k, i int, expr string, j int, position string) {
		if strings.Contains(t.text, "chan") && strings.Contains("*new({T}) {C}(nil) ms[\"none\"]", expr) {
			return // would wait for ever
		}
		for _, mode := range modes {
			id := fmt.Sprintf("t%c%dx%dx%d", mode, k, i, j)
			if matrixHash(seed+t.name+id)%uint32(share) != 0 || mode != inFunction && matrixHash(id+t.name)%2 != 0 {
				continue
			}
			var body string
			for _, always := range []bool{false, true} {
				body = t.filled(placed(position, expr, always), mode)
				if _, err := parser.ParseFile(token.NewFileSet(), "", "package p; func f() { "+body+" }", parser.SkipObjectResolution); err == nil {
					list = append(list, matrixPiece{id, mode, body})
					break
				}
			}
		}
	}
	for i, e := range matrixExprs {
		for j, p := range matrixPositions {
			add(0, i, e, j, p)
		}
	}
	for i, e := range matrixPairs {
		for j, p := range matrixPairPositions {
			add(1, i, e, j, p)
		}
	}
	// those in cells come last, as they do where cells are made of the others
	slices.SortStableFunc(list, func(a, b matrixPiece) int { return cmp.Compare(b2i(a.mode == inCell), b2i(b.mode == inCell)) })
	return list
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (p matrixPiece) function(t matrixType) string {
	if p.mode == inGeneric {
		return fmt.Sprintf("func %s[T %s](v0, v1 T) {\n%s%s\n}\n", p.id, t.bound, matrixLocals, p.body)
	}
	return fmt.Sprintf("func %s() {\n%s\n}\n", p.id, p.body)
}

// called is the call of a piece that prints its output after its id.
func (p matrixPiece) called(suffix string) string {
	if p.mode == inGeneric {
		return fmt.Sprintf("run%s(%q, func() { %s(v0%[1]s, v1%[1]s) })\n", suffix, p.id, p.id)
	}
	return fmt.Sprintf("run%s(%q, %s)\n", suffix, p.id, p.id)
}

// matrixProgramOf makes the program of a type of those of its pieces that are well-typed.
func matrixProgramOf(t testing.TB, s *Session, typ matrixType, number int, pieces []matrixPiece) *matrixProgram {
	decls := typ.decls + typ.filled(matrixDecls, inFunction) + matrixRun
	if typ.bound != "" {
		decls += matrixGenerics
	}
	for {
		fset := token.NewFileSet()
		head := "package main\n" + matrixImports + matrixUses + decls
		var src strings.Builder
		src.WriteString(head)
		var starts []int
		for _, p := range pieces {
			starts = append(starts, src.Len())
			src.WriteString(p.function(typ))
		}
		f, err := parser.ParseFile(fset, "m.go", src.String(), parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", typ.name, err)
		}
		bad := map[int]bool{}
		conf := types.Config{Importer: s.imp, GoVersion: "go1.26", Error: func(err error) {
			e := err.(types.Error)
			at := fset.Position(e.Pos).Offset
			i, found := slices.BinarySearch(starts, at)
			if !found {
				i--
			}
			if i < 0 {
				t.Fatalf("%s: %v", typ.name, err)
			}
			bad[i] = true
		}}
		conf.Check("main", fset, []*ast.File{f}, nil)
		if len(bad) == 0 {
			return renamedMatrix(t, s, typ, number, decls, pieces)
		}
		var good []matrixPiece
		for i, p := range pieces {
			if !bad[i] {
				good = append(good, p)
			}
		}
		pieces = good
	}
}

// renamedMatrix gives the names of a program a suffix, so that many fit in one session and in one package.
func renamedMatrix(t testing.TB, s *Session, typ matrixType, number int, decls string, pieces []matrixPiece) *matrixProgram {
	const end = "\nfunc matrixEnds() {}\n"
	var b strings.Builder
	b.WriteString("package main\n" + matrixImports + decls + end)
	for _, p := range pieces {
		b.WriteString(p.function(typ))
	}
	m := &matrixProgram{t: typ, suffix: fmt.Sprintf("_%d", number), funcs: map[string]string{}}
	src := ownNames(t, s, b.String(), m.suffix)
	_, m.decls, _ = strings.Cut(src, matrixImports)
	m.decls, _, _ = strings.Cut(m.decls, "\nfunc matrixEnds")
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "m.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	bodies := map[string]string{}
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok {
			m.funcs[fd.Name.Name] = src[at(fd.Pos()):at(fd.End())]
			bodies[fd.Name.Name] = src[at(fd.Body.Lbrace)+1 : at(fd.Body.Rbrace)]
		}
	}
	for _, p := range pieces {
		m.pieces = append(m.pieces, matrixPiece{p.id + m.suffix, p.mode, bodies[p.id+m.suffix]})
	}
	return m
}

var matrixErrorAt = regexp.MustCompile(`(?m)^\./m(\d+)\.go:(\d+):`)

// compiledMatrix runs the programs of types with the Go compiler, all in one build, and gives what each piece
// printed. Pieces at which the compiler fails are dropped.
func compiledMatrix(t testing.TB, list []*matrixProgram) map[string]string {
	dir := t.TempDir()
	write := func(name, src string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module cases\n\ngo 1.26\n")
	for {
		main := "package main\nfunc main() {\n"
		var lines [][]int // on which the pieces of each program begin
		for i, m := range list {
			var b strings.Builder
			b.WriteString("package main\n" + matrixImports + matrixUses + m.decls + "\n")
			var at []int
			n := strings.Count(b.String(), "\n") + 1
			for _, p := range m.pieces {
				at = append(at, n)
				b.WriteString(m.funcs[p.id] + "\n")
				n += strings.Count(m.funcs[p.id], "\n") + 1
			}
			lines = append(lines, at)
			fmt.Fprintf(&b, "func all%s() {\n", m.suffix)
			main += "all" + m.suffix + "()\n"
			for _, p := range m.pieces {
				b.WriteString(p.called(m.suffix))
			}
			write(fmt.Sprintf("m%d.go", i), b.String()+"}\n")
		}
		write("main.go", main+"}\n")
		build := exec.Command("go", "build", "-gcflags=-l -N -e", "-ldflags=-s -w", "-o", filepath.Join(dir, "bin"), ".")
		build.Dir = dir
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := build.CombinedOutput()
		if err == nil {
			break
		}
		errors := matrixErrorAt.FindAllSubmatch(out, -1)
		if len(errors) == 0 {
			t.Fatalf("go build: %v\n%.3000s", err, out)
		}
		for _, e := range errors {
			i, _ := strconv.Atoi(string(e[1]))
			line, _ := strconv.Atoi(string(e[2]))
			k, found := slices.BinarySearch(lines[i], line)
			if !found {
				k--
			}
			t.Logf("the compiler fails: %.200s\n%s", out, list[i].pieces[k].body)
			list[i].pieces = slices.Delete(list[i].pieces, k, k+1)
			break
		}
	}
	run := exec.Command(filepath.Join(dir, "bin"))
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%.2000s\n%s", err, stderr.String(), out[max(0, len(out)-500):])
	}
	return matrixOutputs(string(out))
}

var matrixAddresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// matrixOutputs cuts what pieces printed apart.
func matrixOutputs(out string) map[string]string {
	m := map[string]string{}
	for _, s := range strings.Split(out, "\x01")[1:] {
		id, text, _ := strings.Cut(s, "\n")
		m[id] = strings.TrimSpace(matrixAddresses.ReplaceAllString(indexNumbers.ReplaceAllString(text, "$1"), "0x"))
	}
	return m
}

// evaluatedMatrix runs the program of a type in cells, and gives what each piece printed, or why it was refused.
func evaluatedMatrix(t testing.TB, s *Session, m *matrixProgram, number *int) (outputs, refused map[string]string) {
	refused = map[string]string{}
	cell := func(src string) error {
		*number++
		return run(t, s, *number, src).Err
	}
	out := capture(t, func() {
		if err := cell(m.decls); err != nil {
			t.Fatalf("%s: %v", m.t.name, err)
		}
		var batch []matrixPiece
		var declare func(list []matrixPiece)
		declare = func(list []matrixPiece) {
			var decls, calls strings.Builder
			for _, p := range list {
				decls.WriteString(m.funcs[p.id] + "\n")
				calls.WriteString(p.called(m.suffix))
			}
			err := cell(decls.String())
			if err != nil && len(list) == 1 {
				refused[list[0].id] = err.Error()
				return
			}
			if err != nil {
				declare(list[:len(list)/2])
				declare(list[len(list)/2:])
				return
			}
			if err := cell(calls.String()); err != nil {
				fmt.Println("the cell of the calls:", err)
			}
		}
		for _, p := range m.pieces {
			if p.mode != inCell {
				if batch = append(batch, p); len(batch) == 40 {
					declare(batch)
					batch = nil
				}
			}
		}
		if len(batch) > 0 {
			declare(batch)
		}
		for _, p := range m.pieces {
			if p.mode != inCell {
				continue
			}
			switch err := cell(fmt.Sprintf("fmt.Print(\"\\x01%s\\n\")\nreset%s()\n%s", p.id, m.suffix, p.body)).(type) {
			case nil:
			case *PanicError:
				fmt.Println("panicked:", err.Text)
			case *CompileError:
				refused[p.id] = err.Error()
			default:
				refused[p.id] = err.Error()
			}
		}
	})
	return matrixOutputs(out), refused
}

// compareMatrix compares the pieces of types both ways.
func compareMatrix(t *testing.T, list []*matrixProgram) (right, refused, wrong int) {
	want := compiledMatrix(t, list)
	s := newSession(t)
	number := 0
	why := map[string]int{}
	for _, m := range list {
		got, no := evaluatedMatrix(t, s, m, &number)
		for _, p := range m.pieces {
			text, isRefused := no[p.id]
			switch {
			case isRefused:
				refused++
				first, _, _ := strings.Cut(text, "\n")
				if why[first]++; why[first] == 1 || strings.Contains(text, "internal") {
					t.Logf("%s: refused: %s\n%s", m.t.name, first, p.body)
				}
			case got[p.id] == want[p.id]:
				right++
			default:
				wrong++
				body := p.body
				if _, after, ok := strings.Cut(body, "showa, ms\n"); ok {
					body = after
				}
				if i := strings.LastIndexByte(strings.TrimSpace(body), '\n'); p.mode == inGeneric && i > 0 {
					body = body[i+1:]
				}
				t.Errorf("%s: %s: %s\n%s", m.t.name, p.id, strings.TrimSpace(body), firstDiff(got[p.id], want[p.id]))
				if dir := os.Getenv("TRIVIUM_KEEP"); dir != "" {
					text := fmt.Sprintf("## %s %s\n%s\n---\n%s\n---\n%s\n", m.t.name, p.id, m.decls, m.funcs[p.id], p.id)
					os.WriteFile(filepath.Join(dir, "matrix-"+p.id+".txt"), []byte(text), 0o644)
				}
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(why)) {
		t.Logf("refused %d times: %s", why[text], text)
	}
	return
}

// TestMatrix compares a sample that is the same every time: one in 2400 of the matrix.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with the Go compiler")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no Go compiler here")
	}
	s := newSession(t)
	var list []*matrixProgram
	for i, typ := range matrixTypes {
		if pieces := typ.pieces(2400, "sample"); len(pieces) > 0 {
			if m := matrixProgramOf(t, s, typ, i, pieces); len(m.pieces) > 0 {
				list = append(list, m)
			}
		}
	}
	right, refused, wrong := compareMatrix(t, list)
	t.Logf("right %d, refused %d, wrong %d", right, refused, wrong)
}

// TestReproduceMatrix compares one in TRIVIUM_MATRIX of the matrix (8 if that is not set), of the
// types whose names match TRIVIUM_TYPES, a sample for each TRIVIUM_SEED.
func TestReproduceMatrix(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") == "" {
		t.Skip("TRIVIUM_REPRODUCE is not set")
	}
	share := 8
	if n, err := strconv.Atoi(os.Getenv("TRIVIUM_MATRIX")); err == nil {
		share = n
	}
	chosen := regexp.MustCompile(os.Getenv("TRIVIUM_TYPES"))
	right, refused, wrong := 0, 0, 0
	var list []*matrixProgram
	size := 0
	compare := func() {
		a, b, c := compareMatrix(t, list)
		right, refused, wrong = right+a, refused+b, wrong+c
		fmt.Fprintf(os.Stderr, "to %s: right %d, refused %d, wrong %d\n", list[len(list)-1].t.name, a, b, c)
		list, size = nil, 0
		debug.FreeOSMemory()
	}
	s := newSession(t)
	for i, typ := range matrixTypes {
		if !chosen.MatchString(typ.name) {
			continue
		}
		m := matrixProgramOf(t, s, typ, i, typ.pieces(share, os.Getenv("TRIVIUM_SEED")))
		if len(m.pieces) == 0 {
			continue
		}
		if list, size = append(list, m), size+len(m.pieces); size > 4000 {
			compare()
		}
	}
	if len(list) > 0 {
		compare()
	}
	t.Logf("right %d, refused %d, wrong %d", right, refused, wrong)
}
