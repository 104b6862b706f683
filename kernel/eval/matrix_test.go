package eval

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"hash/fnv"
	"os"
	"os/exec"
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
const matrixImports = `import ("bytes"; "cmp"; "errors"; "fmt"; "io"; "maps"; "math"; "net/url"; "slices"; "sort"; "strings"; "sync"; "time")
`

// matrixUses keeps the compiler from finding them unused.
const matrixUses = `var _, _ = cmp.Less[int], bytes.Equal
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

var matrixAny = regexp.MustCompile(`\bany\b`)

// matrixHash decides which pieces a sample has.
func matrixHash(s string, numbers ...int) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	x := h.Sum32()
	for _, n := range numbers {
		x = (x ^ uint32(n+1)) * 0x85ebca6b
		x ^= x >> 15
	}
	return x
}

// pieces gives one in share of the pieces of a type, which may not be well-typed yet. With forms they run again (matrix_again_test.go).
func (t matrixType) pieces(share int, seed, forms string) (list []matrixPiece) {
	modes := []byte{inFunction, inGeneric, inCell}
	if t.bound == "" {
		modes = []byte{inFunction, inCell}
	}
	sample := seed + t.name
	chosen, places := regexp.MustCompile(os.Getenv("TRIVIUM_EXPRS")), regexp.MustCompile(os.Getenv("TRIVIUM_POSITIONS"))
	add := func(k, i int, expr string, j int, position string) {
		if strings.Contains(t.text, "chan") && (strings.Contains("*new({T}) {C}(nil) ms[\"none\"]", expr) || strings.Contains(position, "range @")) {
			return // would wait for ever
		}
		if !chosen.MatchString(expr) || !places.MatchString(position) {
			return
		}
		if t.iface != "" {
			if !matrixAny.MatchString(position) {
				return
			}
			position = matrixAny.ReplaceAllString(position, t.iface)
		}
		for _, mode := range modes {
			if matrixHash(sample, int(mode), k, i, j)%uint32(share) != 0 || mode != inFunction && matrixHash(t.name, int(mode), k, i, j)%2 != 0 {
				continue
			}
			id := fmt.Sprintf("t%c%dx%dx%d", mode, k, i, j)
			var body string
			form := byte(0)
			if forms != "" {
				form = forms[int(matrixHash("form", int(mode), k, i, j)%uint32(len(forms)))]
				id += string(form)
			}
			for _, always := range []bool{false, true} {
				body = t.filled(placed(position, expr, always), mode)
				if _, err := parser.ParseFile(token.NewFileSet(), "", "package p; func f() { "+body+" }", parser.SkipObjectResolution); err == nil {
					if form != 0 {
						body = again(body, mode, form)
					}
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

func (p matrixPiece) function(t matrixType) string {
	if p.mode == inGeneric {
		locals := matrixLocals
		if strings.Contains(p.body, matrixLocals) { // each time
			locals = ""
		}
		return fmt.Sprintf("func %s[T %s](v0, v1 T) {\n%s%s\n}\n", p.id, t.bound, locals, p.body)
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

// TestMatrix compares a sample that is the same every time: one in 2000 of the matrix, of some types.
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
		if matrixHash("some", i)%5 > 0 {
			continue
		}
		pieces := append(typ.pieces(2000, "sample", ""), typ.pieces(4000, "again", matrixFormNames)...)
		if len(pieces) > 0 {
			if m := matrixProgramOf(t, s, typ, i, pieces); len(m.pieces) > 0 {
				list = append(list, m)
			}
		}
	}
	right, refused, wrong := compareMatrix(t, list)
	t.Logf("right %d, refused %d, wrong %d", right, refused, wrong)
}

// TestReproduceMatrix compares one in TRIVIUM_MATRIX of the matrix (all of it, for days, if that is not set), of the
// types whose names match TRIVIUM_TYPES, of expressions that match TRIVIUM_EXPRS and of positions that match
// TRIVIUM_POSITIONS, a sample for each TRIVIUM_SEED. TRIVIUM_FORMS=lkrg has them run again in those forms (matrix_again_test.go).
func TestReproduceMatrix(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") == "" {
		t.Skip("TRIVIUM_REPRODUCE is not set")
	}
	share := 1
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
		m := matrixProgramOf(t, s, typ, i, typ.pieces(share, os.Getenv("TRIVIUM_SEED"), os.Getenv("TRIVIUM_FORMS")))
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
