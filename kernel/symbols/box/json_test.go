package box

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// The types of a cell as a compiled program has them; jsonCell is the same source.
type (
	inner struct {
		X, Y int
		z    int
	}
	Base struct {
		Y  string `json:"y2"`
		ID int
	}
	Temp  float64
	Level int
	Tree  struct {
		Left *Tree `json:",omitempty"`
		V    int   `json:"v"`
	}
	All struct {
		inner
		*Base
		Named Base `json:"base"`
		T     Temp
		L     Level
		P     *Temp             `json:"p,omitempty"`
		S     []Level           `json:",omitempty"`
		M     map[Level]Base    `json:"m"`
		N     map[string]*Level `json:"n,omitempty"`
		A     any
		When  time.Duration
		Num   int64   `json:",string"`
		C     Temp    `json:",string"`
		Off   bool    `json:"-"`
		Zero  Base    `json:",omitzero"`
		H     string  `json:"<h>"`
		Arr   [2]Base `json:",omitempty"`
		b     []byte
	}
)

const jsonCell = `package main
import "time"
type inner struct { X, Y int; z int }
type Base struct { Y string ` + "`json:\"y2\"`" + `; ID int }
type Temp float64
type Level int
type Tree struct { Left *Tree ` + "`json:\",omitempty\"`" + `; V int ` + "`json:\"v\"`" + ` }
type All struct {
	inner
	*Base
	Named Base ` + "`json:\"base\"`" + `
	T Temp
	L Level
	P *Temp ` + "`json:\"p,omitempty\"`" + `
	S []Level ` + "`json:\",omitempty\"`" + `
	M map[Level]Base ` + "`json:\"m\"`" + `
	N map[string]*Level ` + "`json:\"n,omitempty\"`" + `
	A any
	When time.Duration
	Num int64 ` + "`json:\",string\"`" + `
	C Temp ` + "`json:\",string\"`" + `
	Off bool ` + "`json:\"-\"`" + `
	Zero Base ` + "`json:\",omitzero\"`" + `
	H string ` + "`json:\"<h>\"`" + `
	Arr [2]Base ` + "`json:\",omitempty\"`" + `
	b []byte
}
`

func (l Level) MarshalText() ([]byte, error) {
	if l < 0 {
		return nil, io.ErrNoProgress
	}
	return fmt.Appendf(nil, "level<%d>", int(l)), nil
}

// What the interpreter has for them. Recursive types it keeps in interfaces.
type (
	iInner struct{ X, Y, Xz int }
	iBase  struct {
		Y  string
		ID int
	}
	iTree struct {
		Left any
		V    int
	}
	iAll struct {
		Xinner iInner
		Base   *iBase
		Named  iBase
		T      float64
		L      int
		P      *float64
		S      []int
		M      map[int]iBase
		N      map[string]*int
		A      any
		When   time.Duration
		Num    int64
		C      float64
		Off    bool
		Zero   iBase
		H      string
		Arr    [2]iBase
		Xb     []byte
	}
)

func jsonDescs(t *testing.T) func(expr string) *Desc {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "cell.go", jsonCell, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("main", fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	descs := map[string]*Desc{}
	desc := func(expr string) *Desc {
		tv, err := types.Eval(fset, pkg, token.NoPos, expr)
		if err != nil {
			t.Fatal(err)
		}
		if d := descs[TypeString(tv.Type)]; d != nil {
			return d
		}
		d := &Desc{Name: TypeString(tv.Type), Type: tv.Type, DescOf: func(t types.Type) *Desc { return descs[TypeString(t)] }}
		descs[d.Name] = d
		return d
	}
	desc("Level").SetMethod("MarshalText", func(r any) ([]byte, error) { return Level(r.(int)).MarshalText() })
	return desc
}

// TestJSON marshals values of a cell within a map, and the same values of compiled types.
func TestJSON(t *testing.T) {
	desc := jsonDescs(t)
	ten, one, half := 10, Level(10), Temp(0.5)
	fhalf := 0.5
	loop := &iTree{V: 1}
	loop.Left = loop
	nloop := &Tree{V: 1}
	nloop.Left = nloop
	for _, c := range []struct {
		typ       string
		v, native any
	}{
		{"Temp", 1.5, Temp(1.5)},
		{"Level", 3, Level(3)},
		{"Level", -1, Level(-1)},
		{"Base", iBase{"a<b", 2}, Base{"a<b", 2}},
		{"*Base", (*iBase)(nil), (*Base)(nil)},
		{"[]Level", []int{1, 2}, []Level{1, 2}},
		{"[]Base", []iBase(nil), []Base(nil)},
		{"[]*Base", []*iBase{nil, {ID: 1}}, []*Base{nil, {ID: 1}}},
		{"map[string]Level", map[string]int{"b": 1, "a": 2}, map[string]Level{"b": 1, "a": 2}},
		{"map[Base]int", map[iBase]int{{}: 1}, map[Base]int{{}: 1}},
		{"func(Base)", func(iBase) {}, func(Base) {}},
		{"*Tree", &iTree{&iTree{nil, 1}, 2}, &Tree{&Tree{nil, 1}, 2}},
		{"*Tree", loop, nloop},
		{"All", iAll{}, All{}},
		{"*All", &iAll{
			Xinner: iInner{1, 2, 3}, Base: &iBase{"base", 7}, Named: iBase{"n", 1}, T: 2, L: 4, P: &fhalf, S: []int{5},
			M: map[int]iBase{6: {"m", 1}}, N: map[string]*int{"ten": &ten, "nil": nil}, A: Obj{desc("Base"), iBase{"any", 1}},
			When: time.Second, Num: 9, C: 1.25, Off: true, Zero: iBase{ID: 1}, H: "h&", Xb: []byte("b"),
		}, &All{
			inner: inner{1, 2, 3}, Base: &Base{"base", 7}, Named: Base{"n", 1}, T: 2, L: 4, P: &half, S: []Level{5},
			M: map[Level]Base{6: {"m", 1}}, N: map[string]*Level{"ten": &one, "nil": nil}, A: Base{"any", 1},
			When: time.Second, Num: 9, C: 1.25, Off: true, Zero: Base{ID: 1}, H: "h&", b: []byte("b"),
		}},
	} {
		for _, escape := range []bool{true, false} {
			marshal := func(v any) (string, error) {
				var b bytes.Buffer
				e := json.NewEncoder(&b)
				e.SetEscapeHTML(escape)
				e.SetIndent("", " ")
				err := e.Encode(map[string]any{"v": v})
				return b.String(), err
			}
			want, werr := marshal(c.native)
			got, err := marshal(Obj{desc(c.typ), c.v})
			if werr != nil {
				if err == nil || !strings.Contains(err.Error(), reason(werr)) {
					t.Errorf("%s: error %v, want %v", c.typ, err, werr)
				}
			} else if err != nil || got != want {
				t.Errorf("%s: %v\n got %s\nwant %s", c.typ, err, got, want)
			}
		}
	}
}

// reason is what of an error's text does not depend on who calls what.
func reason(err error) string {
	s := err.Error()
	s = s[strings.LastIndex(s, "json: ")+1:]
	if i := strings.Index(s, "encountered a cycle"); i >= 0 {
		return "encountered a cycle via *main.Tree"
	}
	if i := strings.LastIndex(s, ": "); i >= 0 {
		s = s[i+2:]
	}
	return strings.ReplaceAll(s, "box.", "main.")
}

// TestJSONMethods: methods are called with the value; those of *T for what has an address.
func TestJSONMethods(t *testing.T) {
	desc := jsonDescs(t)
	d := desc("*Base")
	d.SetMethod("MarshalJSON", func(r any) ([]byte, error) { return fmt.Appendf(nil, `{"id": %d}`, r.(*iBase).ID), nil })
	for name, c := range map[string]struct {
		o    Obj
		want string
	}{
		"itself":         {Obj{d, &iBase{ID: 1}}, `{"id":1}`},
		"nil":            {Obj{d, (*iBase)(nil)}, `null`},
		"in a slice":     {Obj{desc("[]Base"), []iBase{{ID: 2}}}, `[{"id":2}]`},
		"has no address": {Obj{desc("map[string]Base"), map[string]iBase{"a": {"x", 3}}}, `{"a":{"y2":"x","ID":3}}`},
	} {
		if b, err := json.Marshal(c.o); err != nil || string(b) != c.want {
			t.Errorf("%s: %s, %v, want %s", name, b, err, c.want)
		}
	}
}

// TestLog: the handlers of log/slog write of a cell's error what they write of a compiled one.
func TestLog(t *testing.T) {
	text := func(any) string { return "broken" }
	marshal := func(any) ([]byte, error) { return []byte(`"M"`), nil }
	methods := func(more ...any) *Desc {
		d := &Desc{Name: "main.E", Methods: map[string]any{"Error": text}}
		for i := 0; i < len(more); i += 2 {
			d.SetMethod(more[i].(string), more[i+1])
		}
		return d
	}
	for name, c := range map[string]struct {
		d          *Desc
		json, text string
	}{
		"error":       {methods(), `"err":"broken"`, "err=broken"},
		"several":     {methods("Unwrap", func(any) []error { return nil }), `"err":"broken"`, "err=broken"},
		"json":        {methods("MarshalJSON", marshal), `"err":"M"`, "err=broken"},
		"text":        {methods("MarshalText", marshal), `"err":"broken"`, `err="\"M\""`},
		"logs itself": {methods("LogValue", func(any) slog.Value { return slog.IntValue(3) }), `"err":3`, "err=3"},
	} {
		var b bytes.Buffer
		slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "err", Error(Obj{c.d, struct{ A int }{1}}))
		slog.New(slog.NewTextHandler(&b, nil)).Info("x", "err", Error(Obj{c.d, struct{ A int }{1}}))
		if !strings.Contains(b.String(), c.json) || !strings.Contains(b.String(), c.text) {
			t.Errorf("%s: logged %s, want %s and %s", name, b.String(), c.json, c.text)
		}
	}
}
