package symbols_test

import (
	"bytes"
	"go/token"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/traefik/yaegi/interp"
	"golang.org/x/tools/go/gcexportdata"

	"trivium/kernel/symbols"
)

// use gives an interpreter that knows the packages.
func use(t testing.TB, paths ...string) *interp.Interpreter {
	t.Helper()
	i := interp.New(interp.Options{Stdout: io.Discard, Stderr: io.Discard})
	x := interp.Exports{}
	for _, path := range paths {
		x[path+"/"+symbols.All.Name(path)] = symbols.All.Exports(path)
	}
	if err := i.Use(x); err != nil {
		t.Fatal(err)
	}
	return i
}

// TestExportsRun runs code with each kind of name in a table: function, method, variable,
// type, typed and untyped constant. The expected values are those of the compiler.
func TestExportsRun(t *testing.T) {
	for name, c := range map[string]struct {
		paths []string
		src   string
		want  any
	}{
		"function":             {[]string{"strings"}, `strings.Repeat("ab", 3)`, strings.Repeat("ab", 3)},
		"method of a type":     {[]string{"strings"}, `strings.NewReplacer("a", "x").Replace("aba")`, "xbx"},
		"variable":             {[]string{"io"}, `io.EOF`, io.EOF},
		"untyped float":        {[]string{"math"}, `math.Pi`, 3.141592653589793},
		"untyped float, whole": {[]string{"math"}, `math.MaxFloat64`, 1.7976931348623157e308},
		"untyped big integer":  {[]string{"math"}, `uint64(math.MaxUint64)`, uint64(1<<64 - 1)},
		"typed constant":       {[]string{"time"}, `time.Second.String()`, "1s"},
		"version in the path":  {[]string{"math/rand/v2"}, `rand.New(rand.NewPCG(1, 2)).IntN(1)`, 0},
		"gonum":                {[]string{"gonum.org/v1/gonum/floats"}, `floats.Sum([]float64{1, 2, 3.5})`, 6.5},
		"plot":                 {[]string{"gonum.org/v1/plot", "gonum.org/v1/plot/vg"}, `float64(2*vg.Inch)`, 144.0},
	} {
		t.Run(name, func(t *testing.T) {
			i := use(t, c.paths...)
			for _, p := range c.paths {
				if _, err := i.Eval(`import "` + p + `"`); err != nil {
					t.Fatal(err)
				}
			}
			v, err := i.Eval(c.src)
			if err != nil {
				t.Fatal(err)
			}
			if got := v.Interface(); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s = %v (%T), want %v (%T)", c.src, got, got, c.want, c.want)
			}
		})
	}
}

// TestExportDataAgrees reads every package as a type checker would and compares the names
// with those of the table: everything but generics and constraints must be in both.
func TestExportDataAgrees(t *testing.T) {
	fset, seen := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	names := 0
	for _, path := range symbols.All.Packages() {
		b, ok := symbols.All.ExportData(path)
		if !ok {
			t.Errorf("%s: no export data", path)
			continue
		}
		p, err := gcexportdata.Read(bytes.NewReader(b), fset, seen, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if p.Name() != symbols.All.Name(path) {
			t.Errorf("%s: is package %s in the export data, %s in the table", path, p.Name(), symbols.All.Name(path))
		}
		m := symbols.All.Exports(path)
		for _, name := range p.Scope().Names() {
			o := p.Scope().Lookup(name)
			if !o.Exported() || generic(o) {
				continue
			}
			names++
			v, ok := m[name]
			if !ok {
				t.Errorf("%s.%s is not in the table", path, name)
				continue
			}
			switch o.(type) {
			case *types.Func:
				if v.Kind() != reflect.Func {
					t.Errorf("%s.%s is a %s, want a function", path, name, v.Kind())
				}
			case *types.Var:
				if !v.CanSet() {
					t.Errorf("%s.%s cannot be set", path, name)
				}
			case *types.TypeName:
				if v.Kind() != reflect.Pointer || !v.IsNil() {
					t.Errorf("%s.%s: a type is to be a nil pointer, got %s", path, name, v.Kind())
				}
			}
			delete(m, name)
		}
		for name := range m {
			if strings.Contains(name, "__") {
				continue // an instance of a generic name
			}
			t.Errorf("%s.%s is in the table and not in the export data", path, name)
		}
	}
	if names < 8000 {
		t.Errorf("compared %d names, want over 8000: something is not generated", names)
	}
}

func generic(o types.Object) bool {
	switch t := o.Type().(type) {
	case *types.Signature:
		return t.TypeParams().Len() > 0
	case *types.Named:
		if t.TypeParams().Len() > 0 {
			return true
		}
	case *types.Alias:
		if t.TypeParams().Len() > 0 {
			return true
		}
	}
	if _, ok := o.(*types.TypeName); !ok {
		return false
	}
	i, ok := o.Type().Underlying().(*types.Interface)
	return ok && !i.IsMethodSet()
}

func TestDoc(t *testing.T) {
	for _, c := range []struct{ path, name, signature, text string }{
		{"fmt", "Println", "func Println(a ...any) (n int, err error)", "Println formats using the default formats"},
		{"strings", "Builder.Grow", "func (b *Builder) Grow(n int)", "Grow grows b's capacity"},
		{"io", "Reader.Read", "method Read(p []byte) (n int, err error)", ""},
		{"net/http", "Server.ReadTimeout", "field ReadTimeout time.Duration", "ReadTimeout is the maximum duration"},
		{"math", "Pi", "const Pi = 3.14159", ""},
		{"os", "Stdout", "var Stdout *File", "Stdin, Stdout, and Stderr"},
		{"slices", "Sort", "func Sort[S ~[]E, E cmp.Ordered](x S)", "Sort sorts a slice"},
		{"gonum.org/v1/gonum/mat", "", "package mat", "Package mat provides"},
	} {
		sig, text, ok := symbols.All.Doc(c.path, c.name)
		if !ok || !strings.HasPrefix(sig, c.signature) || !strings.HasPrefix(text, c.text) {
			t.Errorf("Doc(%q, %q) = %q, %.60q, %v, want it to begin with %q, %q", c.path, c.name, sig, text, ok, c.signature, c.text)
		}
	}
	if _, _, ok := symbols.All.Doc("fmt", "Nothing"); ok {
		t.Error("documentation of a name that is not there")
	}
	for _, path := range symbols.All.Packages() {
		if _, _, ok := symbols.All.Doc(path, ""); !ok {
			t.Errorf("%s: no documentation", path)
		}
	}
}

func TestUnknownPackage(t *testing.T) {
	const path = "example.com/none"
	if m := symbols.All.Exports(path); m != nil {
		t.Error("exports of an unknown package")
	}
	if _, ok := symbols.All.ExportData(path); ok {
		t.Error("export data of an unknown package")
	}
	if _, _, ok := symbols.All.Doc(path, ""); ok {
		t.Error("documentation of an unknown package")
	}
	if symbols.All.Name(path) != "" || slices.Contains(symbols.All.Packages(), path) {
		t.Error("unknown package is listed")
	}
}
