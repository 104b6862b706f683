package mirror_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"text/template"
	"unsafe"

	"trivium/kernel/eval/mirror"
)

// celsius makes type Celsius float64 with the methods Plus and String, of package main.
func celsius(t testing.TB) reflect.Type {
	t.Helper()
	if !mirror.Works() {
		t.Skip("this system has no addresses for methods")
	}
	m := mirror.New(reflect.TypeFor[float64](), "main.Celsius", "main", 2)
	p := mirror.New(reflect.PointerTo(m.Type), "*main.Celsius", "", 3)
	m.SetPointer(p)
	p.SetElem(m.Type)
	set := func(of *mirror.Made, i int, name string, typ reflect.Type, call func([]reflect.Value) []reflect.Value) {
		if err := of.SetMethod(i, mirror.Method{Name: name, Type: typ, Call: call}); err != nil {
			t.Fatal(err)
		}
	}
	plus := reflect.FuncOf([]reflect.Type{m.Type, reflect.TypeFor[[]float64]()}, []reflect.Type{m.Type}, true)
	of := func(v reflect.Value) reflect.Value { return reflect.Indirect(v) }
	doPlus := func(a []reflect.Value) []reflect.Value {
		sum := of(a[0]).Float() + a[1].Float()
		for _, x := range a[2].Interface().([]float64) {
			sum += x
		}
		r := reflect.New(m.Type).Elem()
		r.SetFloat(sum)
		return []reflect.Value{r}
	}
	doString := func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(fmt.Sprintf("%.1f°C", of(a[0]).Float()))}
	}
	set(m, 0, "Plus", plus, doPlus)
	set(m, 1, "String", reflect.TypeFor[func() string](), doString)
	set(p, 0, "Plus", plus, doPlus)
	set(p, 1, "Set", reflect.TypeFor[func(float64)](), func(a []reflect.Value) []reflect.Value {
		a[0].Elem().SetFloat(a[1].Float())
		return nil
	})
	set(p, 2, "String", reflect.TypeFor[func() string](), doString)
	return m.Type
}

func TestNamedType(t *testing.T) {
	ct := celsius(t)
	x := 20.5
	p := reflect.NewAt(ct, unsafe.Pointer(&x))
	v := p.Elem().Interface()
	for what, c := range map[string][2]any{
		"name":              {ct.Name(), "Celsius"},
		"string":            {ct.String(), "main.Celsius"},
		"package":           {ct.PkgPath(), "main"},
		"kind":              {ct.Kind(), reflect.Float64},
		"methods":           {ct.NumMethod(), 2},
		"pointer's methods": {reflect.PointerTo(ct).NumMethod(), 3},
		"method's type":     {ct.Method(0).Type.String(), "func(main.Celsius, main.Celsius, ...float64) main.Celsius"},
		"list":              {reflect.SliceOf(ct).String(), "[]main.Celsius"},
		"printed":           {fmt.Sprint(v, p.Interface(), []any{v}), "20.5°C 20.5°C [20.5°C]"},
		"printed type":      {fmt.Sprintf("%T %T %.2f", v, p.Interface(), v), "main.Celsius *main.Celsius 20.50"},
		"implements":        {ct.Implements(reflect.TypeFor[fmt.Stringer]()), true},
		"does not":          {ct.Implements(reflect.TypeFor[error]()), false},
		"convertible":       {ct.ConvertibleTo(reflect.TypeFor[int]()), true},
		"equal":             {v == reflect.NewAt(ct, unsafe.Pointer(&x)).Elem().Interface(), true},
		"not equal":         {v == any(x), false},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %v, want %v", what, c[0], c[1])
		}
	}
	p.MethodByName("Set").Call([]reflect.Value{reflect.ValueOf(3.5)})
	if s := p.Interface().(fmt.Stringer).String(); x != 3.5 || s != "3.5°C" {
		t.Errorf("after Set(3.5) the variable is %v and prints %s", x, s)
	}
	if r := ct.Method(0).Func.Call([]reflect.Value{p.Elem(), p.Elem(), reflect.ValueOf(1.0), reflect.ValueOf(2.0)})[0]; fmt.Sprint(r) != "10.0°C" {
		t.Errorf("3.5 + 3.5 + 1 + 2 = %v", r)
	}
	if r := p.Elem().Method(0).Call([]reflect.Value{p.Elem()})[0]; fmt.Sprint(r) != "7.0°C" {
		t.Errorf("3.5 + 3.5 = %v", r)
	}
	m := reflect.MakeMap(reflect.MapOf(ct, reflect.TypeFor[string]()))
	m.SetMapIndex(p.Elem(), reflect.ValueOf("cool"))
	if fmt.Sprint(m) != "map[3.5°C:cool]" {
		t.Errorf("a map of it prints %v", m)
	}
}

// TestStruct makes type node struct { Value any; next *node; Celsius }, which contains itself, and its method Len.
func TestStruct(t *testing.T) {
	ct := celsius(t)
	type raw struct {
		Value any
		Next  *raw
		C     float64
	}
	m := mirror.New(reflect.TypeFor[raw](), "main.node", "main", 1)
	p := mirror.New(reflect.PointerTo(m.Type), "*main.node", "", 1)
	m.SetPointer(p)
	m.SetFields("main", []mirror.Field{{Name: "Value", Tag: `json:"v"`, Type: reflect.TypeFor[any]()}, {Name: "next", Type: reflect.PointerTo(m.Type)}, {Name: "Celsius", Type: ct, Embedded: true}})
	for _, of := range []*mirror.Made{m, p} {
		err := of.SetMethod(0, mirror.Method{Name: "Len", Type: reflect.TypeFor[func() int](), Call: func(a []reflect.Value) []reflect.Value {
			n := 0
			v := reflect.Indirect(a[0])
			for p := (*raw)(nil); n == 0 || p != nil; n++ {
				if n == 0 {
					p = (*raw)(v.Field(1).UnsafePointer())
				} else {
					p = p.Next
				}
			}
			return []reflect.Value{reflect.ValueOf(n)}
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	list := &raw{1, &raw{"two", nil, 2}, 3}
	v := reflect.NewAt(m.Type, unsafe.Pointer(list))
	f := m.Type.Field(1)
	if f.Name != "next" || f.PkgPath != "main" || f.IsExported() || f.Type != reflect.PointerTo(m.Type) {
		t.Errorf("the second field is %+v", f)
	}
	if f := m.Type.Field(2); !f.Anonymous || f.Offset != unsafe.Offsetof(raw{}.C) {
		t.Errorf("the third field is %+v", f)
	}
	b, err := json.Marshal(v.Interface())
	if string(b) != `{"v":1,"Celsius":3}` || err != nil {
		t.Errorf("as JSON it is %s, %v", b, err)
	}
	if err := json.Unmarshal([]byte(`{"v":"x","Celsius":7.5}`), v.Interface()); err != nil || list.Value != "x" || list.C != 7.5 {
		t.Errorf("from JSON it is %+v, %v", list, err)
	}
	var out strings.Builder
	if err := template.Must(template.New("").Parse(`{{.Value}} {{.Celsius}} {{.Len}} {{with .Celsius.Plus .Celsius 1.0}}{{.}}{{end}}`)).Execute(&out, v.Elem().Interface()); err != nil || out.String() != "x 7.5°C 2 16.0°C" {
		t.Errorf("a template gives %q, %v", out.String(), err)
	}
}

// TestCollected has the collector run while methods are called, with arguments and results that only they hold.
func TestCollected(t *testing.T) {
	m := mirror.New(reflect.TypeFor[[]byte](), "main.Text", "main", 1)
	m.SetPointer(mirror.New(reflect.PointerTo(m.Type), "*main.Text", "", 0))
	if !mirror.Works() {
		t.Skip("this system has no addresses for methods")
	}
	type adder interface {
		Add(a, b, c, d, e, f, g, h, i, j, k, l *string, n int) []*string
	}
	err := m.SetMethod(0, mirror.Method{Name: "Add", Type: reflect.TypeFor[func(a, b, c, d, e, f, g, h, i, j, k, l *string, n int) []*string](), Call: func(a []reflect.Value) []reflect.Value {
		runtime.GC()
		var all []*string
		for _, v := range a[1:13] {
			s := string(a[0].Bytes()) + *v.Interface().(*string)
			all = append(all, &s)
		}
		runtime.GC()
		return []reflect.Value{reflect.ValueOf(all)}
	}})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for range 20 {
				b := []byte(strings.Repeat("x", g+1))
				v := reflect.NewAt(m.Type, unsafe.Pointer(&b)).Elem().Interface()
				p := func(i int) *string { s := fmt.Sprint(g, "-", i); return &s }
				for i, s := range v.(adder).Add(p(0), p(1), p(2), p(3), p(4), p(5), p(6), p(7), p(8), p(9), p(10), p(11), 7) {
					if want := string(b) + fmt.Sprint(g, "-", i); *s != want {
						t.Errorf("got %q, want %q", *s, want)
					}
				}
			}
		})
	}
	wg.Wait()
}

func ExampleNew() {
	if !mirror.Works() {
		fmt.Println("main.Celsius: 20.5 degrees")
		return
	}
	m := mirror.New(reflect.TypeFor[float64](), "main.Celsius", "main", 1)
	m.SetPointer(mirror.New(reflect.PointerTo(m.Type), "*main.Celsius", "", 0))
	m.SetMethod(0, mirror.Method{Name: "String", Type: reflect.TypeFor[func() string](), Call: func(args []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(fmt.Sprint(args[0].Float(), " degrees"))}
	}})
	temperature := 20.5
	fmt.Printf("%v: %v\n", m.Type, reflect.NewAt(m.Type, unsafe.Pointer(&temperature)).Elem())
	// Output: main.Celsius: 20.5 degrees
}
