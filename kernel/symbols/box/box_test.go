package box

import (
	"bytes"
	"container/list"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// The types below are those of a cell, and what the interpreter makes of their values: types
// without names and methods, with unexported fields renamed.
type (
	Celsius float64
	Point   struct {
		X    int
		name string
	}
	Holder struct {
		P *Point
		L []Point
		M map[string]Celsius
		E error
		A any
		D time.Duration
		c Celsius
	}
	Hider struct {
		a any
		l []any
		m map[any]any
		e error
		s list.Element
		v slog.Value
	}
	Code struct{ N int }
	Loud string
)

func (c Celsius) String() string             { return fmt.Sprintf("%g°C", float64(c)) }
func (c *Code) Error() string                { return fmt.Sprint("code ", c.N) }
func (l Loud) Format(f fmt.State, verb rune) { fmt.Fprintf(f, "%s!", strings.ToUpper(string(l))) }
func (l Loud) GoString() string              { return "never: Format comes first" }

type (
	iPoint = struct {
		X     int
		Xname string
	}
	iHolder = struct {
		P  *iPoint
		L  []iPoint
		M  map[string]float64
		E  error
		A  any
		D  time.Duration
		Xc float64
	}
	iHider = struct {
		Xa any
		Xl []any
		Xm map[any]any
		Xe error
		Xs list.Element
		Xv slog.Value
	}
	iCode = struct{ N int }
)

var address = regexp.MustCompile(`0x[0-9a-f]{9,}|[0-9a-f]{10,}`)

const cellSource = `package main
import ("container/list"; "log/slog"; "time")
type Celsius float64
type Point struct { X int; name string }
type Holder struct { P *Point; L []Point; M map[string]Celsius; E error; A any; D time.Duration; c Celsius }
type Hider struct { a any; l []any; m map[any]any; e error; s list.Element; v slog.Value }
type Code struct { N int }
type Loud string
`

// cell is the session as the front end knows it: the types and their descriptors.
type cell struct {
	pkg   *types.Package
	descs map[string]*Desc
}

func newCell(t testing.TB) *cell {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "cell.go", cellSource, 0)
	if err != nil {
		t.Fatal(err)
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := conf.Check("main", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &cell{pkg: pkg, descs: map[string]*Desc{}}
	c.desc(t, "Celsius").SetMethod("String", func(r any) string { return Celsius(r.(float64)).String() })
	c.desc(t, "*Code").SetMethod("Error", func(r any) string { return (*Code)(r.(*iCode)).Error() })
	c.desc(t, "Loud").SetMethod("Format", func(r any, f fmt.State, verb rune) { Loud(r.(string)).Format(f, verb) })
	return c
}

func (c *cell) desc(t testing.TB, expr string) *Desc {
	t.Helper()
	tv, err := types.Eval(token.NewFileSet(), c.pkg, token.NoPos, expr)
	if err != nil {
		t.Fatal(err)
	}
	name := TypeString(tv.Type)
	if d := c.descs[name]; d != nil {
		return d
	}
	d := &Desc{Name: name, Type: tv.Type, DescOf: func(t types.Type) *Desc { return c.descs[TypeString(t)] }}
	c.descs[name] = d
	return d
}

// TestFormat prints values of a cell and the same values of compiled types with every verb
// that reaches Format.
func TestFormat(t *testing.T) {
	c := newCell(t)
	err := io.ErrUnexpectedEOF
	point, ipoint := &Point{1, "a"}, &iPoint{1, "a"}
	boxed := func(expr string, v any) Obj { return Obj{c.desc(t, expr), v} }
	for _, v := range []struct {
		typ    string
		v      any // as the interpreter has it
		native any // as a compiled program has it
	}{
		{"Celsius", 21.5, Celsius(21.5)},
		{"Point", *ipoint, *point},
		{"*Point", ipoint, point},
		{"*Point", (*iPoint)(nil), (*Point)(nil)},
		{"[]Point", []iPoint{{1, "a"}, {2, "b"}}, []Point{{1, "a"}, {2, "b"}}},
		{"[]Point", []iPoint(nil), []Point(nil)},
		{"[2]Celsius", [2]float64{1, 2.5}, [2]Celsius{1, 2.5}},
		{"[]*Point", []*iPoint{nil}, []*Point{nil}},
		{"map[string]Celsius", map[string]float64{"b": 1, "a": 2}, map[string]Celsius{"b": 1, "a": 2}},
		{"map[Celsius]Point", map[float64]iPoint{2: {}, -1: {}}, map[Celsius]Point{2: {}, -1: {}}},
		{"map[string]Point", map[string]iPoint(nil), map[string]Point(nil)},
		{"Holder", iHolder{}, Holder{}},
		{"Holder",
			iHolder{L: []iPoint{{}}, M: map[string]float64{"x": 1}, E: err, A: boxed("Point", *ipoint), D: time.Second, Xc: 3},
			Holder{L: []Point{{}}, M: map[string]Celsius{"x": 1}, E: err, A: *point, D: time.Second, c: 3}},
		{"Holder", iHolder{A: []int{1}, E: Error(boxed("*Code", &iCode{7}))}, Holder{A: []int{1}, E: &Code{7}}},
		{"Holder", iHolder{A: boxed("Celsius", 1.5)}, Holder{A: Celsius(1.5)}},
		{"Hider",
			iHider{boxed("Point", *ipoint), []any{boxed("Point", *ipoint), nil, 1}, map[any]any{boxed("Celsius", 1.5): []any{boxed("Loud", "x")}}, Error(boxed("*Code", &iCode{7})), list.Element{Value: boxed("Point", *ipoint)}, slog.AnyValue(boxed("Point", *ipoint))},
			Hider{*point, []any{*point, nil, 1}, map[any]any{Celsius(1.5): []any{Loud("x")}}, &Code{7}, list.Element{Value: *point}, slog.AnyValue(*point)}},
		{"Hider", iHider{}, Hider{}},
		{"*Code", &iCode{3}, &Code{3}},
		{"Code", iCode{3}, Code{3}},
		{"*Code", (*iCode)(nil), (*Code)(nil)},
		{"Loud", "hey", Loud("hey")},
		{"[]Loud", []string{"hey"}, []Loud{"hey"}},
		{"[]any", []any{boxed("Point", *ipoint), 1, nil}, []any{*point, 1, nil}},
	} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%5v", "%-8v|", "%6.2f", "%t", "%08.3v"} {
			want := strings.ReplaceAll(fmt.Sprintf(format, v.native), "box.", "main.")
			want = address.ReplaceAllString(want, "address")
			if got := address.ReplaceAllString(fmt.Sprintf(format, boxed(v.typ, v.v)), "address"); got != want {
				t.Errorf("%s of %s:\n got %s\nwant %s", format, v.typ, got, want)
			}
		}
	}
}

// TestFormatPanics: a method that panics prints what fmt prints.
func TestFormatPanics(t *testing.T) {
	d := &Desc{Name: "main.T", Methods: map[string]any{"String": func(any) string { panic("no") }}}
	if got, want := fmt.Sprintf("%v", Obj{d, 1}), "%!v(PANIC=String method: no)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTypeString(t *testing.T) {
	c := newCell(t)
	for expr, want := range map[string]string{
		"[]any":                              fmt.Sprintf("%T", []any{}),
		"func(int, ...string) (error, bool)": fmt.Sprintf("%T", func(int, ...string) (error, bool) { return nil, false }),
		"struct{A int `x:\"y\"`; B []byte}": fmt.Sprintf("%T", struct {
			A int `x:"y"`
			B []byte
		}{}),
		"struct{}":                            fmt.Sprintf("%T", struct{}{}),
		"map[rune]interface{ M(int) string }": fmt.Sprintf("%T", map[rune]interface{ M(int) string }{}),
		"[3]*Point":                           "[3]*main.Point",
		"chan<- Celsius":                      "chan<- main.Celsius",
	} {
		tv, err := types.Eval(token.NewFileSet(), c.pkg, token.NoPos, expr)
		if err != nil {
			t.Fatal(err)
		}
		if got := TypeString(tv.Type); got != want {
			t.Errorf("%s is called %s, want %s", expr, got, want)
		}
	}
}

// TestError: what package errors makes of a cell's error is what it makes of a compiled one.
func TestError(t *testing.T) {
	d := &Desc{Name: "main.E", Methods: map[string]any{
		"Error":  func(r any) string { return fmt.Sprint("E", r) },
		"Unwrap": func(any) error { return io.EOF },
		"Is":     func(r any, target error) bool { return r == 2 && target == io.ErrClosedPipe },
	}}
	plain := &Desc{Name: "main.P", Methods: map[string]any{"Error": func(any) string { return "P" }}}
	several := &Desc{Name: "main.S", Methods: map[string]any{
		"Error":  func(any) string { return "S" },
		"Unwrap": func(any) []error { return []error{io.EOF, Error(Obj{d, 2})} },
	}}
	e1, e2, p, s := Error(Obj{d, 1}), Error(Obj{d, 2}), Error(Obj{plain, 1}), Error(Obj{several, 1})
	for name, c := range map[string]struct{ got, want any }{
		"equal":              {e1 == Error(Obj{d, 1}), true},
		"another value":      {e1 == e2, false},
		"another type":       {Error(Obj{plain, 1}) == e1, false},
		"text":               {e1.Error(), "E1"},
		"in a text":          {fmt.Sprintf("%v %q", e1, e2), `E1 "E2"`},
		"unwraps":            {errors.Is(e1, io.EOF), true},
		"unwraps to nothing": {errors.Unwrap(p), nil},
		"wrapped":            {errors.Is(fmt.Errorf("x: %w", e1), e1), true},
		"is by method":       {errors.Is(e2, io.ErrClosedPipe), true},
		"is not":             {errors.Is(e1, io.ErrClosedPipe), false},
		"several":            {errors.Is(s, io.EOF) && errors.Is(s, io.ErrClosedPipe), true},
		"joined":             {errors.Is(errors.Join(p, e1), e1), true},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if o, ok := Of(e2); !ok || o.D != d || o.V != 2 {
		t.Errorf("Of gives %v %v", o, ok)
	}
	if _, ok := Of(io.EOF); ok {
		t.Error("a compiled error is taken for a cell's")
	}
}

// TestSetMethodWhileCalled is for the race detector: a cell adds a method while goroutines
// of an earlier one call another.
func TestSetMethodWhileCalled(t *testing.T) {
	d := &Desc{Name: "main.T", Methods: map[string]any{"Error": func(any) string { return "x" }}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if Error(Obj{d, 0}).Error() != "x" {
					t.Error("lost a method")
				}
			}
		})
	}
	for i := range 20 {
		d.SetMethod(fmt.Sprint("M", i), func(any) {})
	}
	wg.Wait()
	if d.Method("M19") == nil || d.Method("Error") == nil || d.Method("None") != nil {
		t.Error("methods are not those that were set")
	}
}

func TestMissingMethod(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "main.T has no method Error") {
			t.Errorf("panic %s", r)
		}
	}()
	_ = Error(Obj{&Desc{Name: "main.T"}, 0}).Error()
}

func ExampleObj() {
	// What a front end does for: type Celsius float64, with a method String; fmt.Println(Celsius(20))
	celsius := &Desc{Name: "main.Celsius", Methods: map[string]any{
		"String": func(r any) string { return fmt.Sprintf("%g°C", r.(float64)) },
	}}
	var out bytes.Buffer
	fmt.Fprintln(&out, Obj{celsius, 20.0})
	fmt.Print(out.String())
	// Output: 20°C
}
