package eval

// The types of the matrix. In the texts of the matrix {T} is the type, {H} a struct that holds it, {In} one
// that is embedded in that, {HI} an interface of it.

// A matrixType is a type with two values.
type matrixType struct {
	name, text string
	decls      string // of the type, its methods, and what its values need
	v0, v1     string
	other      string // of another type that can be converted to it
	bound      string // what a type parameter for it is bound by; "" for none
	show       string // the statement that prints x; "" prints it with its type
	iface      string // stands for any in the positions, of which only those that say any are used
}

const (
	boundAny     = "any"
	boundKey     = "comparable"
	boundOrdered = "cmp.Ordered"
	boundInteger = "~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr"
	boundFloat   = "~float32 | ~float64"
	boundComplex = "~complex64 | ~complex128"
)

var matrixTypes = []matrixType{
	{name: "bool", text: "bool", decls: "type OB bool", v0: "false", v1: "true", other: "OB(true)", bound: "~bool"},
	{name: "named bool", text: "B", decls: "type B bool\ntype OB bool\nfunc (b B) M() string { if b { return \"yes\" }; return \"no\" }", v0: "B(false)", v1: "B(true)", other: "OB(true)", bound: "~bool"},
	{name: "int", text: "int", decls: "type OI int32", v0: "3", v1: "5", other: "OI(5)", bound: boundInteger},
	{name: "int8", text: "int8", v0: "int8(100)", v1: "int8(5)", other: "int64(5)", bound: boundInteger},
	{name: "int32", text: "rune", v0: "'a'", v1: "'\\x05'", other: "uint8(5)", bound: boundInteger},
	{name: "int64", text: "int64", v0: "int64(-1<<63)", v1: "int64(5)", other: "uint8(5)", bound: boundInteger},
	{name: "uint", text: "uint", v0: "uint(3)", v1: "uint(5)", other: "uint8(5)", bound: boundInteger},
	{name: "uint8", text: "byte", v0: "byte(250)", v1: "byte(5)", other: "uint16(5)", bound: boundInteger},
	{name: "uint16", text: "uint16", v0: "uint16(65000)", v1: "uint16(5)", other: "uint8(5)", bound: boundInteger},
	{name: "uint64", text: "uint64", v0: "uint64(1<<63)", v1: "uint64(5)", other: "uint8(5)", bound: boundInteger},
	{name: "uintptr", text: "uintptr", v0: "uintptr(3)", v1: "uintptr(5)", other: "uint8(5)", bound: boundInteger},
	{name: "named int", text: "N", decls: "type N int\nfunc (n N) M() string { return fmt.Sprint(\"N\", int(n)) }\nfunc (n *N) Inc() { *n++ }", v0: "N(3)", v1: "N(5)", other: "int16(5)", bound: boundInteger},
	{name: "named int16", text: "I16", decls: "type I16 int16", v0: "I16(-300)", v1: "I16(5)", other: "int64(5)", bound: boundInteger},
	{name: "named uintptr", text: "UP", decls: "type UP uintptr", v0: "UP(3)", v1: "UP(5)", other: "int64(5)", bound: boundInteger},
	{name: "named uint32", text: "U32", decls: "type U32 uint32\nfunc (n U32) String() string { return fmt.Sprintf(\"<%x>\", uint32(n)) }", v0: "U32(4e9)", v1: "U32(5)", other: "int64(5)", bound: boundInteger},
	{name: "float32", text: "float32", v0: "float32(0.1)", v1: "float32(2.7)", other: "float64(2.7)", bound: boundFloat},
	{name: "float64", text: "float64", decls: "type OF float64", v0: "0.1", v1: "2.5", other: "OF(2.5)", bound: boundFloat},
	{name: "named float32", text: "F32", decls: "type F32 float32\nfunc (f F32) M() string { return fmt.Sprintf(\"%.2f!\", float32(f)) }", v0: "F32(0.1)", v1: "F32(2.7)", other: "float64(2.7)", bound: boundFloat},
	{name: "complex64", text: "C64", decls: "type C64 complex64", v0: "C64(1i)", v1: "C64(2+3i)", other: "complex128(2+3i)", bound: boundComplex},
	{name: "complex128", text: "complex128", decls: "type OC complex128", v0: "1i", v1: "(2+3i)", other: "OC(2+3i)", bound: boundComplex},
	{name: "string", text: "string", decls: "type OS string", v0: `"ab"`, v1: `"xyz\xff"`, other: `OS("xyz\xff")`, bound: "~string"},
	{name: "named string", text: "S", decls: "type S string\nfunc (s S) M() string { return \"S:\" + string(s) }", v0: `S("ab")`, v1: `S("xyz")`, other: `"x" + tail`, bound: "~string"},
	{name: "slice", text: "[]int", decls: "type OL []int", v0: "[]int{1}", v1: "[]int{2, 3}", other: "OL{2, 3}", bound: "~[]int"},
	{name: "bytes", text: "[]byte", decls: "type OL []byte", v0: `[]byte("ab")`, v1: `[]byte("xyz")`, other: `"xyz"`, bound: "~[]byte"},
	{name: "named slice", text: "L", decls: "type L []int\nfunc (l L) M() int { return len(l) }\nfunc (l *L) Add(x int) { *l = append(*l, x) }", v0: "L{1}", v1: "L{2, 3}", other: "[]int{2, 3}", bound: "~[]int"},
	{name: "slices", text: "[][]int", v0: "[][]int{{1}}", v1: "[][]int{{1, 2}, {3}}", other: "[][]int{{1, 2}, {3}}", bound: boundAny},
	{name: "slice of any", text: "[]any", v0: "[]any{1}", v1: "[]any{\"a\", nil, 2.5}", other: "[]any{\"a\", nil, 2.5}", bound: boundAny},
	{name: "slice of structs", text: "[]P", decls: "type P struct{ X, Y int }\ntype OL []P", v0: "[]P{{1, 2}}", v1: "[]P{{5, 6}, {7, 8}}", other: "OL{{5, 6}, {7, 8}}", bound: boundAny},
	{name: "array", text: "[2]int", decls: "type OA [2]int", v0: "[2]int{1, 2}", v1: "[2]int{2, 3}", other: "OA{2, 3}", bound: boundKey},
	{name: "named array", text: "A", decls: "type A [2]int\nfunc (a A) M() int { return a[0] }\nfunc (a *A) Set(x int) { a[0] = x }", v0: "A{1, 2}", v1: "A{2, 3}", other: "[2]int{2, 3}", bound: boundKey},
	{name: "array of arrays", text: "[2][2]int8", decls: "type OA [2][2]int8", v0: "[2][2]int8{{1, 2}}", v1: "[2][2]int8{{5, 6}, {7, 8}}", other: "OA{{5, 6}, {7, 8}}", bound: boundKey},
	{name: "array of structs", text: "[2]P", decls: "type P struct{ X, Y int }\ntype OA [2]P", v0: "[2]P{{1, 2}, {3, 4}}", v1: "[2]P{{5, 6}, {7, 8}}", other: "OA{{5, 6}, {7, 8}}", bound: boundKey},
	{name: "pointer to array", text: "*[2]int", decls: "var a0, a1 = &[2]int{1, 2}, &[2]int{3, 4}", v0: "a0", v1: "a1", other: "a1", bound: boundKey, show: "pr(*x)"},
	{name: "map", text: "map[string]int", decls: "type OM map[string]int", v0: `map[string]int{"a": 1}`, v1: `map[string]int{"a": 7}`, other: `OM{"a": 7}`, bound: "~map[string]int"},
	{name: "named map", text: "MM", decls: "type MM map[string]int\nfunc (m MM) M() int { return m[\"a\"] }", v0: `MM{"a": 1}`, v1: `MM{"a": 7}`, other: `map[string]int{"a": 7}`, bound: "~map[string]int"},
	{name: "map of structs", text: "map[string]P", decls: "type P struct{ X, Y int }", v0: `map[string]P{"a": {1, 2}}`, v1: `map[string]P{"a": {3, 4}}`, other: `map[string]P{"a": {3, 4}}`, bound: boundAny},
	{name: "map of funcs", text: "map[string]func(int) int", v0: `map[string]func(int) int{}`, v1: `map[string]func(int) int{"a": func(x int) int { return x + 1 }}`, other: `v1`, show: `pr(len(x), x["a"] == nil); if x["a"] != nil { pr(x["a"](3)) }`},
	{name: "slice of funcs", text: "[]func() int", v0: `[]func() int{nil}`, v1: `[]func() int{func() int { return 7 }}`, other: `v1`, show: `pr(len(x), x[0] == nil); if x[0] != nil { pr(x[0]()) }`},
	{name: "struct", text: "P", decls: "type P struct{ X, Y int }\ntype OP struct{ X, Y int }\nfunc (p P) M() int { return p.X }\nfunc (p P) String() string { return fmt.Sprintf(\"<%d,%d>\", p.X, p.Y) }\nfunc (p *P) Inc() { p.X++ }", v0: "P{1, 2}", v1: "P{3, 4}", other: "OP{3, 4}", bound: boundKey},
	{name: "plain struct", text: "P", decls: "type P struct{ X, Y int }\ntype OP struct{ X, Y int }", v0: "P{1, 2}", v1: "P{3, 4}", other: "OP{3, 4}", bound: boundKey},
	{name: "embedding struct", text: "Q", decls: "type P struct{ X, Y int }\nfunc (p P) M() int { return p.X }\nfunc (p *P) Inc() { p.X++ }\ntype Q struct{ P; N string }\ntype OQ Q", v0: `Q{P{1, 2}, "a"}`, v1: `Q{P{3, 4}, "b"}`, other: `OQ{P{3, 4}, "b"}`, bound: boundKey},
	{name: "struct with pointer embedded", text: "Q", decls: "type P struct{ X, Y int }\nfunc (p *P) M() int { return p.X }\ntype Q struct{ *P; N [2]string }\nvar p0, p1 = &P{1, 2}, &P{3, 4}", v0: `Q{p0, [2]string{"a"}}`, v1: `Q{P: p1}`, other: `Q{P: p1}`, bound: boundKey, show: "pr(x.X, x.P.Y, x.N, x == v1)"},
	{name: "unnamed struct", text: "struct{ X int; S string }", decls: "type OP struct{ X int; S string }", v0: `struct{ X int; S string }{1, "a"}`, v1: `struct{ X int; S string }{3, "b"}`, other: `OP{3, "b"}`, bound: boundKey},
	{name: "struct of everything", text: "W", decls: "type W struct { A any; E error; F func(int) int; L []int; M map[string]int; R [2]struct{ X, Y int8 }; P *int }\nvar n0, n1 = 8, 9", v0: "W{}", v1: `W{A: 1.5, E: errors.New("e"), F: func(x int) int { return x * 3 }, L: []int{1}, M: map[string]int{"m": 2}, P: &n1}`, other: "v1", bound: boundAny, show: "pr(x.A, x.E, x.F == nil, x.L, x.M, x.R, x.P == &n1); if x.F != nil { pr(x.F(4)) }"},
	{name: "empty struct", text: "Z", decls: "type Z struct{}\nfunc (Z) M() int { return 1 }", v0: "Z{}", v1: "Z{}", other: "struct{}{}", bound: boundKey},
	{name: "pointer to int", text: "*int", decls: "var n0, n1 = 8, 9", v0: "&n0", v1: "&n1", other: "&n1", bound: boundKey, show: "pr(*x, x == v0, x == v1)"},
	{name: "pointer to struct", text: "*P", decls: "type P struct{ X, Y int }\nvar p0, p1 = &P{1, 2}, &P{3, 4}\nfunc (p *P) M() int { return p.X }\nfunc (p *P) String() string { if p == nil { return \"nilP\" }; return fmt.Sprintf(\"<%d,%d>\", p.X, p.Y) }", v0: "p0", v1: "p1", other: "p1", bound: boundKey, show: "pr(x.X, x)"},
	{name: "pointer to pointer", text: "**P", decls: "type P struct{ X, Y int }\nvar p0, p1 = &P{1, 2}, &P{3, 4}", v0: "&p0", v1: "&p1", other: "&p1", bound: boundKey, show: "pr((*x).X, **x)"},
	{name: "func", text: "func(int) int", decls: "type OFn func(int) int", v0: "func(x int) int { return x + 1 }", v1: "func(x int) int { return x * 2 }", other: "OFn(func(x int) int { return x * 2 })", show: "pr(x(3))"},
	{name: "named func", text: "Fn", decls: "type Fn func(int) int\nfunc (f Fn) M() int { return f(4) }", v0: "Fn(func(x int) int { return x + 1 })", v1: "Fn(func(x int) int { return x * 2 })", other: "func(x int) int { return x * 2 }", show: "pr(x(3))"},
	{name: "func of funcs", text: "func(func() int, ...int) (func() int, error)", v0: "func(f func() int, xs ...int) (func() int, error) { return nil, nil }", v1: "func(f func() int, xs ...int) (func() int, error) { return func() int { return f() + len(xs) }, nil }", other: "v1", show: "y, err := x(func() int { return 7 }, 1, 2); pr(err, y == nil); if y != nil { pr(y()) }"},
	{name: "chan", text: "chan int", decls: "func mkc(x int) chan int { c := make(chan int, 3); c <- x; return c }", v0: "mkc(1)", v1: "mkc(2)", other: "v1", bound: boundKey, show: "pr(x == v0, x == v1, len(x))"},
	{name: "receive chan", text: "<-chan string", decls: "func mkc(x string) chan string { c := make(chan string, 3); c <- x; return c }", v0: `mkc("a")`, v1: `mkc("b")`, other: `v1`, bound: boundKey, show: "pr(x == v0, x == v1, len(x))"},
	{name: "any of struct", text: "any", decls: "type P struct{ X, Y int }", v0: "any(P{1, 2})", v1: "any(P{3, 4})", other: "P{3, 4}"},
	{name: "any", text: "any", v0: "any(1)", v1: `any("x")`, other: `"x"`},
	{name: "any of slice", text: "any", decls: "type L []int", v0: "any(nil)", v1: `any(L{1, 2})`, other: `L{1, 2}`},
	{name: "error", text: "error", decls: "type E struct{ Code int }\nfunc (e E) Error() string { return fmt.Sprint(\"E\", e.Code) }\nfunc (e E) M() int { return e.Code }", v0: "error(E{1})", v1: "error(E{2})", other: "E{2}"},
	{name: "error pointer", text: "error", decls: "type E struct{ Code int }\nfunc (e *E) Error() string { return fmt.Sprint(\"E\", e.Code) }\nvar e0, e1 = &E{1}, &E{2}", v0: "error(e0)", v1: "error(e1)", other: "e1", show: "pr(x, x == v0, x == v1)"},
	{name: "compiled error", text: "error", v0: "io.EOF", v1: `fmt.Errorf("w: %w", io.EOF)`, other: "v1", show: "pr(x, x == v0, x == v1, errors.Is(x, io.EOF))"},
	{name: "cell interface", text: "Shape", decls: "type Shape interface{ M() int }\ntype Sq struct{ S int }\nfunc (s Sq) M() int { return s.S * s.S }\ntype Pt struct{ S int }\nfunc (s *Pt) M() int { return s.S }", v0: "Shape(Sq{1})", v1: "Shape(Sq{2})", other: "Sq{2}"},
	{name: "embedding interface", text: "Both", decls: "type Shape interface{ M() int }\ntype Both interface{ Shape; fmt.Stringer }\ntype Sq struct{ S int }\nfunc (s *Sq) M() int { return s.S * s.S }\nfunc (s *Sq) String() string { return fmt.Sprint(\"sq\", s.S) }\nvar s0, s1 = &Sq{1}, &Sq{2}", v0: "Both(s0)", v1: "Both(s1)", other: "s1", show: "pr(x, x.M(), x == v1)"},
	{name: "Stringer", text: "fmt.Stringer", decls: "type K int\nfunc (k K) String() string { return fmt.Sprint(\"K\", int(k)) }", v0: "fmt.Stringer(K(1))", v1: "fmt.Stringer(K(2))", other: "K(2)"},
	{name: "generic struct", text: "G[int]", decls: "type G[E any] struct{ V E; L []E }\nfunc (g G[E]) M() E { return g.V }\nfunc (g *G[E]) Add(x E) *G[E] { g.L = append(g.L, x); return g }", v0: "G[int]{1, nil}", v1: "G[int]{2, []int{3}}", other: "G[int]{2, []int{3}}", bound: boundAny},
	{name: "generic slice", text: "GL[string]", decls: "type GL[E any] []E\nfunc (g GL[E]) M() int { return len(g) }", v0: `GL[string]{"a"}`, v1: `GL[string]{"b", "c"}`, other: `[]string{"b", "c"}`, bound: boundAny},
	{name: "Duration", text: "time.Duration", v0: "3*time.Second", v1: "5*time.Millisecond", other: "int64(5000000)", bound: boundInteger},
	{name: "Month", text: "time.Month", v0: "time.March", v1: "time.May", other: "5", bound: boundInteger},
	{name: "Time", text: "time.Time", v0: "time.Unix(0, 0).UTC()", v1: "time.Unix(1e9, 5).UTC()", other: "v1", bound: boundKey},
	{name: "Values", text: "url.Values", v0: `url.Values{}`, v1: `url.Values{"a": {"b"}}`, other: `map[string][]string{"a": {"b"}}`, bound: boundAny},
	{name: "Buffer for Writer", text: "*bytes.Buffer", iface: "io.Writer", v0: "bytes.NewBufferString(\"a\")", v1: "bytes.NewBufferString(\"xyz\")", other: "v1", bound: boundKey, show: "pr(x.Len(), x, x == v1)"},
	{name: "Reader for Reader", text: "*strings.Reader", iface: "io.Reader", v0: "strings.NewReader(\"a\")", v1: "strings.NewReader(\"xyz\")", other: "v1", bound: boundKey, show: "pr(x.Len(), x == v1)"},
	{name: "Duration for Stringer", text: "time.Duration", iface: "fmt.Stringer", v0: "3*time.Second", v1: "5*time.Millisecond", other: "int64(5000000)", bound: boundInteger},
	{name: "struct for Stringer", text: "P", iface: "fmt.Stringer", decls: "type P struct{ X, Y int }\nfunc (p P) M() int { return p.X }\nfunc (p P) String() string { return fmt.Sprintf(\"<%d,%d>\", p.X, p.Y) }", v0: "P{1, 2}", v1: "P{3, 4}", other: "P{3, 4}", bound: boundKey},
	{name: "int for cell interface", text: "N", iface: "Shape", decls: "type N int\ntype Shape interface{ M() string }\nfunc (n N) M() string { return fmt.Sprint(\"N\", int(n)) }", v0: "N(3)", v1: "N(5)", other: "int16(5)", bound: boundInteger},
	{name: "pointer for cell interface", text: "*P", iface: "Shape", decls: "type P struct{ X, Y int }\ntype Shape interface{ M() int }\nvar p0, p1 = &P{1, 2}, &P{3, 4}\nfunc (p *P) M() int { return p.X }", v0: "p0", v1: "p1", other: "p1", bound: boundKey, show: "pr(x.X, *x, x == p1)"},
	{name: "struct for error", text: "E", iface: "error", decls: "type E struct{ Code int }\nfunc (e E) Error() string { return fmt.Sprint(\"E\", e.Code) }\nfunc (e E) M() int { return e.Code }", v0: "E{1}", v1: "E{2}", other: "E{2}", bound: boundKey},
	{name: "pointer for error", text: "*E", iface: "error", decls: "type E struct{ Code int }\nfunc (e *E) Error() string { return fmt.Sprint(\"E\", e.Code) }\nvar e0, e1 = &E{1}, &E{2}", v0: "e0", v1: "e1", other: "e1", bound: boundKey, show: "pr(x, x == v0, x == v1)"},
	{name: "interface for interface", text: "Both", iface: "fmt.Stringer", decls: "type Shape interface{ M() int }\ntype Both interface{ Shape; fmt.Stringer }\ntype Sq struct{ S int }\nfunc (s *Sq) M() int { return s.S * s.S }\nfunc (s *Sq) String() string { return fmt.Sprint(\"sq\", s.S) }\nvar s0, s1 = &Sq{1}, &Sq{2}", v0: "Both(s0)", v1: "Both(s1)", other: "s1", show: "pr(x, x.M(), x == v1)"},
	{name: "error for Stringer of cells", text: "error", iface: "Said", decls: "type Said interface{ Error() string }\ntype E struct{ Code int }\nfunc (e E) Error() string { return fmt.Sprint(\"E\", e.Code) }", v0: "io.EOF", v1: "error(E{2})", other: "E{2}"},
	{name: "IntSlice", text: "sort.IntSlice", v0: "sort.IntSlice{1}", v1: "sort.IntSlice{2, 3}", other: "[]int{2, 3}", bound: "~[]int"},
}

// matrixDecls is what the expressions and positions of a type use. Those of generic functions hide it by
// variables of their own, see matrixLocals.
const matrixDecls = `
type HI interface{ Get() {T} }
type In struct{ E {T} }
type H struct{ F {T}; P *{T}; In; I *In; fn func() {T}; A any; L []{T}; R [2]{T}; M map[string]{T} }
func (h H) Get() {T} { return h.F }
func (h H) Two() ({T}, error) { return h.F, nil }
func (h *H) PGet() {T} { h.n(); return h.F }
func (h *H) n() { calls++ }
func (h *H) Set(x {T}) *H { h.F = x; return h }
var calls int
var tail = strings.Repeat("yz", 1)
var v0, v1 {T} = {V0}, {V1}
var gv {T}
var gv2 {T}
var gi any
var pv = &gv
var ppv = &pv
var ia any
var h H
var ph *H
var hi HI
var hia any
var ms map[string]{T}
var mh map[string]H
var mph map[string]*H
var mi map[int]map[string]{T}
var sl []{T}
var sh []H
var ar [3]{T}
var par = &ar
var sa []any
var fs []func() {T}
var mf map[string]func() {T}
func reset() { v0, v1 = {V0}, {V1}; fill() }
func again(round int) {
	v0, v1 = {V0}, {V1}
	if round == 1 { v0, v1 = v1, v0 }
	fill()
	none = round == 2
	if none { ia, h.A, h.M, sa[1] = nil, nil, nil, nil; clear(ms) }
}
var none bool
func fill() {
	none = false
	calls, gv, gv2, gi, ia = 0, v1, v0, nil, v1
	pv, ppv = &gv, &pv
	h = H{F: v1, P: pv, In: In{v1}, I: &In{v1}, fn: func() {T} { return v1 }, A: v1, L: []{T}{v0, v1}, R: [2]{T}{v0, v1}, M: map[string]{T}{"k": v1}}
	ph = &h
	hi, hia = h, h
	ms = map[string]{T}{"k": v1, "z": v0}
	mh, mph, mi = map[string]H{"k": h}, map[string]*H{"k": ph}, map[int]map[string]{T}{2: ms}
	sl, sh, ar, sa = []{T}{v0, v1}, []H{{}, h}, [3]{T}{v0, v1, v0}, []any{nil, v1}
	par = &ar
	fs, mf = []func() {T}{f}, map[string]func() {T}{"k": f}
}
func f() {T} { calls++; return v1 }
func f2() ({T}, error) { return v1, nil }
func f3() (int, {T}, any) { return 4, v1, v0 }
func must(x {T}, err error) {T} { if err != nil { panic(err) }; return x }
func idt(x {T}) {T} { return x }
func gid[X any](x X) X { return x }
func gfirst[X, Y any](x X, y Y) X { return x }
func gtwo[X any](x X) (X, bool) { return x, true }
func mk() func() {T} { return f }
func ch() chan {C} { c := make(chan {C}, 2); if !none { c <- v1 }; close(c); return c }
func vari(xs ...{T}) { pr(len(xs)); for _, x := range xs { show(x) } }
func varany(xs ...any) { pr(len(xs)); for _, x := range xs { showa(x) } }
func varany2(x any, xs ...any) { showa(x); varany(xs...) }
func two(x {T}, y any) { show(x); pr(y) }
func twoa(x, y any) { showa(x); showa(y) }
func show(x {T}) { {show} }
func showa(x any) { y, ok := x.({T}); pr(ok); if ok { show(y) } }
func tru() bool { calls++; return true }
func fal() bool { calls += 10; return false }
func cn() { fmt.Println("calls", calls); calls = 0 }
func pr(x ...any) { fmt.Println(x...) }
`

// matrixGenerics are the same for type parameters.
const matrixGenerics = `
type GHI[T any] interface{ Get() T }
type GIn[T any] struct{ E T }
type GH[T any] struct{ F T; P *T; GIn[T]; I *GIn[T]; fn func() T; A any; L []T; R [2]T; M map[string]T }
func (h GH[T]) Get() T { return h.F }
func (h GH[T]) Two() (T, error) { return h.F, nil }
func (h *GH[T]) PGet() T { h.n(); return h.F }
func (h *GH[T]) n() { calls++ }
func (h *GH[T]) Set(x T) *GH[T] { h.F = x; return h }
func showg[T any](x T) { fmt.Printf("%v %T\n", x, x) }
func varig[T any](xs ...T) { pr(len(xs)); for _, x := range xs { showg(x) } }
`

// matrixLocals are the variables of a generic function.
const matrixLocals = `gv, gv2 := v1, v0
var gi, ia any = nil, v1
pv := &gv
ppv := &pv
f := func() T { calls++; return v1 }
f2 := func() (T, error) { return v1, nil }
f3 := func() (int, T, any) { return 4, v1, v0 }
h := GH[T]{F: v1, P: pv, GIn: GIn[T]{v1}, I: &GIn[T]{v1}, fn: func() T { return v1 }, A: v1, L: []T{v0, v1}, R: [2]T{v0, v1}, M: map[string]T{"k": v1}}
ph := &h
var hi GHI[T] = h
var hia any = h
ms := map[string]T{"k": v1, "z": v0}
mh, mph, mi := map[string]GH[T]{"k": h}, map[string]*GH[T]{"k": ph}, map[int]map[string]T{2: ms}
sl, sh, ar, sa := []T{v0, v1}, []GH[T]{{}, h}, [3]T{v0, v1, v0}, []any{nil, v1}
par := &ar
fs, mf := []func() T{f}, map[string]func() T{"k": f}
must := func(x T, err error) T { if err != nil { panic(err) }; return x }
idt := func(x T) T { return x }
mk := func() func() T { return f }
ch := func() chan T { c := make(chan T, 2); c <- v1; close(c); return c }
show, vari := showg[T], varig[T]
two := func(x T, y any) { show(x); pr(y) }
showa := func(x any) { y, ok := x.(T); pr(ok); if ok { show(y) } }
_, _, _, _, _, _, _, _, _, _, _, _, _ = gv2, gi, ppv, f2, f3, hi, hia, mh, mph, mi, sl, sh, ar
_, _, _, _, _, _, _, _, _, _, _, _, _, _ = sa, par, fs, mf, must, idt, mk, ch, show, vari, two, ia, showa, ms
`
