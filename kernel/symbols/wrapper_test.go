package symbols

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"trivium/kernel/symbols/box"
)

var anyType = reflect.TypeFor[any]()

// unnamedTypes are the interfaces without a name that have a wrapper.
var unnamedTypes = map[string]reflect.Type{
	"error": reflect.TypeFor[error](),
	"interface{gonum.org/v1/plot/plotter.XYer; gonum.org/v1/plot/plotter.XErrorer}": reflect.TypeFor[interface {
		plotter.XYer
		plotter.XErrorer
	}](),
	"interface{gonum.org/v1/plot/plotter.XYer; gonum.org/v1/plot/plotter.YErrorer}": reflect.TypeFor[interface {
		plotter.XYer
		plotter.YErrorer
	}](),
}

// interfaceOf gives the type that a wrapper's key names.
func interfaceOf(key string) reflect.Type {
	if t, ok := unnamedTypes[key]; ok {
		return t
	}
	i := strings.LastIndexByte(key, '.')
	if v := All.Exports(key[:i])[key[i+1:]]; v.IsValid() {
		return v.Type().Elem()
	}
	return nil
}

// call is one that reached a cell's method.
type call struct {
	recv any
	args []reflect.Value
}

// cellType is a type with the methods of an interface, which note how they are called and give
// results that can be told apart.
func cellType(t reflect.Type, got *call) (*box.Desc, map[string][]reflect.Value) {
	d := &box.Desc{Name: "main.T", Methods: map[string]any{}}
	results := map[string][]reflect.Value{}
	for i := range t.NumMethod() {
		m := t.Method(i)
		in, out := []reflect.Type{anyType}, []reflect.Type(nil)
		for p := range m.Type.Ins() {
			in = append(in, p)
		}
		for r := range m.Type.Outs() {
			out = append(out, r)
			results[m.Name] = append(results[m.Name], sample(r, 50+len(out)))
		}
		d.Methods[m.Name] = reflect.MakeFunc(reflect.FuncOf(in, out, m.Type.IsVariadic()), func(args []reflect.Value) []reflect.Value {
			*got = call{args[0].Interface(), args[1:]}
			return results[m.Name]
		}).Interface()
	}
	return d, results
}

// sample makes a value of a type, another one for each n where the type has several.
func sample(t reflect.Type, n int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(n%2 == 1)
	case reflect.String:
		v.SetString(fmt.Sprint(n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(t, n, n))
	case reflect.Array:
		if t.Len() > 0 {
			v.Index(0).Set(sample(t.Elem(), n))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
	case reflect.Chan:
		if t.ChanDir() == reflect.BothDir {
			v.Set(reflect.MakeChan(t, n))
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(sample(t.Field(i).Type, n+i))
			}
		}
	case reflect.Interface:
		for _, x := range []any{n, fmt.Errorf("error %d", n)} {
			if reflect.TypeOf(x).Implements(t) {
				v.Set(reflect.ValueOf(x))
				break
			}
		}
	default:
		switch {
		case v.CanInt():
			v.SetInt(int64(n))
		case v.CanUint():
			v.SetUint(uint64(n))
		case v.CanFloat():
			v.SetFloat(float64(n))
		case v.CanComplex():
			v.SetComplex(complex(float64(n), 1))
		}
	}
	return v
}

// same tells whether b is what a was: the very same slice, map, pointer, function.
func same(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Chan, reflect.Func:
		return a.Pointer() == b.Pointer() && (a.Kind() != reflect.Slice || a.Len() == b.Len())
	case reflect.Interface:
		return a.IsNil() && b.IsNil() || a.Elem().Equal(b.Elem())
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// TestWrappers calls every method of every wrapper: the cell's method gets the receiver and
// the arguments, the caller gets its results.
func TestWrappers(t *testing.T) {
	methods := 0
	for key, wrap := range wrappers() {
		if key == "any" {
			continue
		}
		it := interfaceOf(key)
		if it == nil {
			t.Errorf("%s: there is a wrapper and no such type in the tables", key)
			continue
		}
		var got call
		d, results := cellType(it, &got)
		w := wrap(box.Obj{D: d, V: "receiver"})
		if w == nil || !reflect.TypeOf(w).Implements(it) {
			t.Errorf("%s: a %T does not implement it", key, w)
			continue
		}
		for i := range it.NumMethod() {
			m := it.Method(i)
			if key == "fmt.Formatter" {
				continue // of box.Obj, which has its own tests
			}
			methods++
			var args []reflect.Value
			for p := range m.Type.Ins() {
				args = append(args, sample(p, 1+len(args)))
			}
			f := reflect.ValueOf(w).MethodByName(m.Name)
			got = call{}
			var out []reflect.Value
			if m.Type.IsVariadic() {
				out = f.CallSlice(args)
			} else {
				out = f.Call(args)
			}
			if got.recv != "receiver" || len(got.args) != len(args) {
				t.Errorf("%s.%s: the cell's method got receiver %v and %d arguments, want %d", key, m.Name, got.recv, len(got.args), len(args))
				continue
			}
			for i, a := range args {
				if !same(a, got.args[i]) {
					t.Errorf("%s.%s: argument %d is %v, want %v", key, m.Name, i, got.args[i], a)
				}
			}
			for i, r := range results[m.Name] {
				if !same(r, out[i]) {
					t.Errorf("%s.%s: result %d is %v, want %v", key, m.Name, i, out[i], r)
				}
			}
		}
	}
	if methods < 1000 {
		t.Errorf("called %d methods, want over 1000", methods)
	}
}

// TestWrappersCompare: a wrapped value equals what it equals in Go, also as key of a map.
func TestWrappersCompare(t *testing.T) {
	for key, wrap := range wrappers() {
		it := anyType
		if key != "any" {
			it = interfaceOf(key)
		}
		d, _ := cellType(it, new(call))
		other, _ := cellType(it, new(call))
		one := wrap(box.Obj{D: d, V: 1})
		set := map[any]bool{one: true}
		if !set[wrap(box.Obj{D: d, V: 1})] {
			t.Errorf("%s: wrapped twice, a value is not itself", key)
		}
		if set[wrap(box.Obj{D: d, V: 2})] || set[wrap(box.Obj{D: other, V: 1})] {
			t.Errorf("%s: a value equals another one, or one of another type", key)
		}
		if o, ok := box.Of(one); !ok || o.D != d || o.V != 1 {
			t.Errorf("%s: the value in it is %v, %v", key, o, ok)
		}
	}
}

// TestWrapperProblem: every interface that cells can name has a wrapper or a reason.
func TestWrapperProblem(t *testing.T) {
	for key, want := range map[string]string{
		"io.Reader": "", "error": "", "any": "",
		"reflect.Type":    "has the unexported method common",
		"go/ast.Expr":     "has the unexported method exprNode",
		"testing.TB":      "has the unexported method private",
		"io.None":         "is not an interface that",
		"strings.Builder": "is not an interface that",
	} {
		if why := All.WrapperProblem(key); !strings.HasPrefix(why, want) || want == "" && why != "" {
			t.Errorf("%s: %q, want %q", key, why, want)
		}
	}
	n := 0
	for _, path := range All.Packages() {
		for name, v := range All.Exports(path) {
			if v.Kind() != reflect.Pointer || !v.IsNil() || v.Type().Elem().Kind() != reflect.Interface || v.CanAddr() {
				continue
			}
			it := v.Type().Elem()
			if it.NumMethod() == 0 || it.PkgPath() == "" {
				continue // any, error, and other names of them
			}
			n++
			key := it.PkgPath() + "." + it.Name()
			if why := All.WrapperProblem(key); strings.HasPrefix(why, "is not") {
				t.Errorf("%s, of %s.%s, has neither a wrapper nor a reason", key, path, name)
			}
		}
	}
	if n < 350 {
		t.Errorf("found %d interfaces, want over 350", n)
	}
}
