package symbols_test

import (
	"bytes"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/go/gcexportdata"

	"trivium/kernel/symbols"
	"trivium/kernel/symbols/box"
)

// noAdapter says of each generic name without adapter what a front end does instead.
var noAdapter = map[string]string{
	"iter.Seq":           "use the func type it stands for",
	"iter.Seq2":          "use the func type it stands for",
	"runtime.AddCleanup": "the interpreter moves values: when one is collected says nothing",
	"weak.Make":          "as for runtime.AddCleanup",
	"weak.Pointer":       "as for runtime.AddCleanup",
	"database/sql.Null":  "sql.NullString and its like exist",
}

// TestGenericNames: every generic name of every package has an adapter with as many
// parameters as the function, or a reason in the list above.
func TestGenericNames(t *testing.T) {
	fset, seen := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	n := 0
	for _, path := range symbols.All.Packages() {
		b, _ := symbols.All.ExportData(path)
		p, err := gcexportdata.Read(bytes.NewReader(b), fset, seen, path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Scope().Names() {
			o := p.Scope().Lookup(name)
			if !o.Exported() || !generic(o) {
				continue
			}
			key := path + "." + name
			if noAdapter[key] != "" {
				continue
			}
			n++
			_, adapted := symbols.All.Generic(path, name)
			if strings.HasPrefix(path, "trivium/") && !adapted {
				if i, ok := o.Type().Underlying().(*types.Interface); ok && !i.IsMethodSet() {
					continue // a constraint
				}
				// The module's own generics are over float32 and float64, and instances are in the table.
				if !symbols.All.Exports(path)[box.Instance(name, types.Typ[types.Float64])].IsValid() {
					t.Errorf("no instance of %s over float64", o)
				}
				continue
			}
			switch o := o.(type) {
			case *types.TypeName:
				if i, ok := o.Type().Underlying().(*types.Interface); ok && !i.IsMethodSet() {
					continue // a constraint: needed by the type checker only
				}
				if _, ok := symbols.All.GenericType(path, name); !ok {
					t.Errorf("no type stands for %s", key)
				}
			case *types.Func:
				f, ok := symbols.All.Generic(path, name)
				if !ok {
					t.Errorf("no adapter for %s", o)
					continue
				}
				want := o.Signature().Params().Len()
				switch key {
				case "reflect.TypeFor", "reflect.TypeAssert", "errors.AsType":
					want++ // the type comes first
				}
				ft := reflect.TypeOf(f)
				if ft.NumIn() != want || ft.NumOut() != o.Signature().Results().Len() {
					t.Errorf("adapter of %s is a %s", o, ft)
				}
			}
		}
	}
	if n < 60 {
		t.Errorf("found %d generic names, want over 60", n)
	}
	for _, name := range [][2]string{{"slices", "None"}, {"maps", "None"}, {"cmp", "None"}, {"iter", "None"}, {"fmt", "Println"}} {
		if _, ok := symbols.All.Generic(name[0], name[1]); ok {
			t.Errorf("adapter for %v", name)
		}
	}
}
