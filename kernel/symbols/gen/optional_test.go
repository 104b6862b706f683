package main

import (
	"image"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/spatial/kdtree"
	"gonum.org/v1/plot/plotter"
	"trivium/core/run"
	"trivium/kernel/symbols"
	"trivium/kernel/symbols/box"
)

var unnamedTypes = map[string]reflect.Type{
	"any":            reflect.TypeFor[any](),
	"error":          reflect.TypeFor[error](),
	"main.unwrapAll": reflect.TypeFor[interface{ Unwrap() []error }](),
	"main.boolFlag":  reflect.TypeFor[interface{ IsBoolFlag() bool }](),
	"main.flusher":   reflect.TypeFor[interface{ Flush() error }](),
	"main.opaquer":   reflect.TypeFor[interface{ Opaque() bool }](),
	"main.timeout":   reflect.TypeFor[interface{ Timeout() bool }](),
	"main.bounder":   reflect.TypeFor[interface{ Bounds() *kdtree.Bounding }](),
	"main.minMaxer": reflect.TypeFor[interface {
		Min() float64
		Max() float64
	}](),
	"main.afterFuncer":  reflect.TypeFor[interface{ AfterFunc(func()) func() bool }](),
	"main.closeIdler":   reflect.TypeFor[interface{ CloseIdleConnections() }](),
	"main.closeWriter":  reflect.TypeFor[interface{ CloseWrite() error }](),
	"main.directed":     reflect.TypeFor[interface{ Directions() (x, y string) }](),
	"main.namer":        reflect.TypeFor[interface{ Name() string }](),
	"main.pauser":       reflect.TypeFor[interface{ Pause() }](),
	"main.peeker":       reflect.TypeFor[interface{ Peek(int) ([]byte, error) }](),
	"main.pictured":     reflect.TypeFor[interface{ Picture(i int) image.Image }](),
	"main.resumer":      reflect.TypeFor[interface{ Resume() }](),
	"main.setter":       reflect.TypeFor[interface{ Settings() []run.Setting }](),
	"main.stopper":      reflect.TypeFor[interface{ Stop() }](),
	"main.unwrapWriter": reflect.TypeFor[interface{ Unwrap() http.ResponseWriter }](),
	"main.xErrorer": reflect.TypeFor[interface {
		plotter.XYer
		plotter.XErrorer
	}](),
	"main.yErrorer": reflect.TypeFor[interface {
		plotter.XYer
		plotter.YErrorer
	}](),
	"main.xyErrorer": reflect.TypeFor[interface {
		plotter.XYer
		plotter.XErrorer
		plotter.YErrorer
	}](),
}

func interfaceOf(t *testing.T, key string) reflect.Type {
	if it := unnamedTypes[key]; it != nil {
		return it
	}
	path, name := splitKey(key)
	v := symbols.All.Exports(path)[name]
	if !v.IsValid() {
		t.Fatalf("%s is not in the tables", key)
	}
	return v.Type().Elem()
}

// addMethods gives a cell's type the methods of an interface. It tells if it has one of the
// same name and another type.
func addMethods(methods map[string]any, it reflect.Type) (clash bool) {
	for i := range it.NumMethod() {
		m := it.Method(i)
		in, out := []reflect.Type{reflect.TypeFor[any]()}, []reflect.Type(nil)
		for p := range m.Type.Ins() {
			in = append(in, p)
		}
		for r := range m.Type.Outs() {
			out = append(out, r)
		}
		ft := reflect.FuncOf(in, out, m.Type.IsVariadic())
		if old, ok := methods[m.Name]; ok && reflect.TypeOf(old) != ft {
			return true
		}
		methods[m.Name] = reflect.MakeFunc(ft, func([]reflect.Value) []reflect.Value {
			var l []reflect.Value
			for _, r := range out {
				l = append(l, reflect.Zero(r))
			}
			return l
		}).Interface()
	}
	return false
}

// TestVariants makes, for each interface with optional ones, cell types with every subset of
// these, and asks their wrappers as compiled code does. A wrapper that has a method that the
// cell's type has not is as wrong as one without.
func TestVariants(t *testing.T) {
	n := 0
	for base, keys := range optional {
		wrap, ok := symbols.All.Wrapper(base)
		if !ok {
			t.Errorf("%s has no wrapper", base)
			continue
		}
		for mask := range 1 << len(keys) {
			d := &box.Desc{Name: "main.T", Methods: map[string]any{}}
			clash := addMethods(d.Methods, interfaceOf(t, base))
			for i, key := range keys {
				if mask&(1<<i) != 0 {
					clash = addMethods(d.Methods, interfaceOf(t, key)) || clash
				}
			}
			if clash {
				continue
			}
			n++
			w := wrap(box.Obj{D: d, V: 1})
			wt := reflect.TypeOf(w)
			if !wt.Implements(interfaceOf(t, base)) {
				t.Errorf("%s: %s does not implement it", base, wt)
			}
			_, isError := w.(error)
			for _, key := range keys {
				it := interfaceOf(t, key)
				same := map[string]any{}
				addMethods(same, it)
				want := true
				for name, f := range same { // two may have a method of one name and different types
					want = want && reflect.TypeOf(d.Methods[name]) == reflect.TypeOf(f)
				}
				if key == "encoding/json.Marshaler" || base == "context.Context" && key == "fmt.Stringer" || isError && key == "log/slog.LogValuer" {
					want = true // always there, and answers as if it were not: see box
				}
				if got := wt.Implements(it); got != want {
					t.Errorf("%s with %s: implements %s: %v, want %v", base, names(keys, mask), key, got, want)
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("looked at %d cell types, want over 200", n)
	}
}

func names(keys []string, mask int) string {
	var l []string
	for i, key := range keys {
		if mask&(1<<i) != 0 {
			l = append(l, key)
		}
	}
	return strings.Join(l, ", ")
}

// TestAlone: what functions with parameters of type any look for is found in a cell's value.
func TestAlone(t *testing.T) {
	wrap, _ := symbols.All.Wrapper("any")
	for _, key := range alone {
		d := &box.Desc{Name: "main.T", Methods: map[string]any{}}
		it := interfaceOf(t, key)
		addMethods(d.Methods, it)
		if w := wrap(box.Obj{D: d, V: 1}); !reflect.TypeOf(w).Implements(it) {
			t.Errorf("a %T is not a %s", w, key)
		}
	}
}
