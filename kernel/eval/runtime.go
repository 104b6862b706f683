package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"io"
	"log"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"trivium/kernel/symbols/box"
)

// rtPath is the import path under which lowered code finds the functions of this file.
const rtPath = "trivium/kernel/eval/rt"

var (
	anyRType   = reflect.TypeFor[any]()
	intRType   = reflect.TypeFor[int]()
	errorRType = reflect.TypeFor[error]()
)

// support is what lowered code calls, by name.
func (s *Session) support() map[string]reflect.Value {
	m := map[string]reflect.Value{"Defers": reflect.ValueOf((*Defers)(nil))}
	for name, f := range map[string]any{
		"Box": s.rtBox, "Norm": s.rtNorm, "V": s.rtV, "Eq": s.rtEq, "Is": s.rtIs, "Must": s.rtMust, "Which": s.rtWhich,
		"FindAs": s.rtFindAs, "Found": found, "Method": s.rtMethod, "NilMethod": rtNilMethod, "Register": s.rtRegister,
		"Show": s.rtShow, "Var": s.rtVar, "Start": s.rtStart, "Plain": s.rtPlain, "DeepEqual": s.rtDeepEqual,
		"Panic": func(v any) { panic(userPanic(v)) }, "Frame": s.rtFrame, "Entered": s.rtEntered, "Recover": s.rtRecover,
		"Go": s.rtGo, "Guarded": s.rtGuarded, "Cell": s.cellOf,
		"Stop": s.stop, "Send": s.rtSend, "Recv": s.rtRecv, "Recv2": s.rtRecv2, "NewSelect": newSelect, "SelectSend": selectSend, "SelectRecv": selectRecv, "SelectNone": selectNone,
		"Select": s.rtSelect, "TrySelect": rtTrySelect, "Selected": selected, "SelectedOK": selectedOK, "Sleep": s.sleep, "Lock": s.lock, "RLock": s.rlock, "WaitGroup": s.waitGroup,
		"Print": rtPrint, "Println": rtPrintln, "Clear": rtClear, "ArrayLen": rtArrayLen, "Complex": func(re, im float64) complex128 { return complex(re, im) }, "Size": rtSize, "Index": rtIndex, "UpperBound": rtUpperBound, "LowerBound": rtLowerBound, "Bounds": rtBounds, "Same": func(a, b bool) bool { return a == b }, "Runes": rtRunes,
		"MinFloat": rtMin[float64], "MaxFloat": rtMax[float64], "MinFloat32": rtMin[float32], "MaxFloat32": rtMax[float32],
		"YieldAfterEnd": func() {
			panic(runtimeError("range function continued iteration after function for loop body returned false"))
		},
	} {
		m[name] = reflect.ValueOf(f)
	}
	return m
}

// export adds a compiled function to those that lowered code can call.
func (s *Session) export(name string, make func() reflect.Value) {
	if !s.exported[name] {
		s.exported[name] = true
		s.in.Use(map[string]map[string]reflect.Value{rtPath + "/rt": {name: make()}})
	}
}

func (s *Session) exportValue(name string, v any) {
	s.export(name, func() reflect.Value { return reflect.ValueOf(v) })
}

// use gives yaegi the table of a compiled package, with what must be different in cells.
func (s *Session) use(path string) {
	if s.table(path) != nil {
		return
	}
	t := s.opt.Symbols.Exports(path)
	if t == nil {
		t = map[string]reflect.Value{}
	}
	for name, f := range s.overrides(path) {
		t[name] = reflect.ValueOf(f)
	}
	// yaegi takes a compiled variable of a basic type for a constant, so that lowered code
	// reads it through a pointer
	for name, v := range t {
		if v.CanAddr() && isBasicKind(v.Kind()) {
			t[pointerTo(name)] = v.Addr()
		}
	}
	// under another name than the package's own: yaegi patches fmt and log of that name
	s.in.Use(map[string]map[string]reflect.Value{path + "/x": t})
	s.loadedMu.Lock()
	s.loaded[path] = t
	s.loadedMu.Unlock()
}

// table gives the table of a package that is loaded.
func (s *Session) table(path string) map[string]reflect.Value {
	s.loadedMu.RLock()
	defer s.loadedMu.RUnlock()
	return s.loaded[path]
}

func pointerTo(name string) string { return name + "ʹptr" }

func isBasicKind(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128 || k == reflect.String
}

// overrides are the compiled functions that do something else in a cell: read the session's
// input, end the cell rather than the process, let themselves be interrupted.
func (s *Session) overrides(path string) map[string]any {
	in := s.stdin()
	switch path {
	case "fmt":
		return map[string]any{
			"Scan":    func(a ...any) (int, error) { return fmt.Fscan(in, a...) },
			"Scanln":  func(a ...any) (int, error) { return fmt.Fscanln(in, a...) },
			"Scanf":   func(f string, a ...any) (int, error) { return fmt.Fscanf(in, f, a...) },
			"Printf":  func(f string, a ...any) (int, error) { return fmt.Printf(typeVerbs(f, a), a...) },
			"Sprintf": func(f string, a ...any) string { return fmt.Sprintf(typeVerbs(f, a), a...) },
			"Fprintf": func(w io.Writer, f string, a ...any) (int, error) { return fmt.Fprintf(w, typeVerbs(f, a), a...) },
			"Errorf":  func(f string, a ...any) error { return fmt.Errorf(typeVerbs(f, a), a...) },
		}
	case "log":
		exit := func() { panic(exit{1}) }
		return map[string]any{
			"Fatal":   func(a ...any) { log.Output(2, fmt.Sprint(a...)); exit() },
			"Fatalf":  func(f string, a ...any) { log.Output(2, fmt.Sprintf(typeVerbs(f, a), a...)); exit() },
			"Fatalln": func(a ...any) { log.Output(2, fmt.Sprintln(a...)); exit() },
			"Printf":  func(f string, a ...any) { log.Output(2, fmt.Sprintf(typeVerbs(f, a), a...)) },
		}
	case "os":
		return map[string]any{"Exit": func(code int) { panic(exit{code}) }}
	case "time":
		return map[string]any{
			"Sleep":     s.sleep,
			"AfterFunc": func(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, s.rtGuarded(f)) },
		}
	case "reflect":
		see := func(name string, x any) any {
			if o, ok := box.Of(x); ok {
				panic(fmt.Sprintf("reflect.%s of %s, a type declared in a cell, is not available", name, o.D.Name))
			}
			return x
		}
		return map[string]any{
			"TypeOf":  func(x any) reflect.Type { return reflect.TypeOf(see("TypeOf", x)) },
			"ValueOf": func(x any) reflect.Value { return reflect.ValueOf(see("ValueOf", x)) },
		}
	}
	return nil
}

// typeVerbs answers %T for boxes, of which fmt would print the name of the wrapper.
func typeVerbs(format string, args []any) string {
	if !strings.Contains(format, "T") {
		return format
	}
	boxed := false
	for _, a := range args {
		if _, ok := box.Of(a); ok {
			boxed = true
		}
	}
	if !boxed {
		return format
	}
	b, arg := []byte(nil), 0
	for i := 0; i < len(format); i++ {
		b = append(b, format[i])
		if format[i] != '%' {
			continue
		}
		i++
		for i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0 {
			b = append(b, format[i])
			i++
		}
		if i >= len(format) {
			break
		}
		switch verb := format[i]; verb {
		case '%':
		case '[', '*':
			return format // explicit indexes are rare enough
		case 'T':
			if arg < len(args) {
				if o, ok := box.Of(args[arg]); ok {
					args[arg] = o.D.Name
					b = append(b, 's')
					arg++
					continue
				}
			}
			arg++
		default:
			arg++
		}
		b = append(b, format[i])
	}
	return string(b)
}

// exit is the panic that os.Exit has become.
type exit struct{ code int }

// ---- boxes

// A plainObj is the box of a value in an interface without methods; one of an error or a
// Stringer is that too, so compiled code that looks for these finds them.
type plainObj struct {
	box.Obj
	s *Session
}

// MarshalJSON gives what package encoding/json would make of the value.
func (o plainObj) MarshalJSON() ([]byte, error) { return json.Marshal(o.s.plainObj(o.Obj)) }

type stringerObj struct{ plainObj }

func (o stringerObj) String() string { return box.M(o.Obj, "String").(func(any) string)(o.V) }

func (s *Session) canonical(o box.Obj) any {
	if _, ok := o.D.Method("Error").(func(any) string); ok {
		return box.Error(o)
	}
	if _, ok := o.D.Method("String").(func(any) string); ok {
		return stringerObj{plainObj{o, s}}
	}
	return plainObj{o, s}
}

func (s *Session) descAt(id int) *box.Desc {
	s.tableMu.RLock()
	defer s.tableMu.RUnlock()
	return s.descs[id]
}

func (s *Session) rtBox(id int, v any) any { return s.canonical(box.Obj{D: s.descAt(id), V: v}) }

// rtNorm gives an interface value as an any holds it.
func (s *Session) rtNorm(x any) any {
	if o, ok := box.Of(x); ok {
		return s.canonical(o)
	}
	return x
}

// rtV gives the value that yaegi has for what is in an interface.
func (s *Session) rtV(x any) any {
	if o, ok := box.Of(x); ok {
		return o.V
	}
	return x
}

func (s *Session) rtEq(a, b any) bool {
	if o, ok := box.Of(a); ok {
		a = o
		comparable(o)
	}
	if o, ok := box.Of(b); ok {
		b = o
		comparable(o)
	}
	return a == b
}

// comparable panics as Go does for a value whose type has no ==.
func comparable(o box.Obj) {
	if o.D.Type != nil && !types.Comparable(o.D.Type) {
		panic(runtimeError("comparing uncomparable type " + o.D.Name))
	}
}

func (s *Session) matcherAt(id int) *matcher {
	s.tableMu.RLock()
	defer s.tableMu.RUnlock()
	return s.matchers[id]
}

func (s *Session) rtIs(id int, x any) bool { return s.matches(s.matcherAt(id), x) }

func (s *Session) matches(m *matcher, x any) bool {
	if x == nil {
		return false
	}
	o, boxed := box.Of(x)
	switch {
	case m.iface:
		if boxed {
			return types.Implements(o.D.Type, m.t.Underlying().(*types.Interface))
		}
		if m.rtype != nil {
			return reflect.TypeOf(x).Implements(m.rtype)
		}
		return s.implements(reflect.TypeOf(x), m.t.Underlying().(*types.Interface))
	case m.desc != nil:
		return boxed && o.D == m.desc
	}
	return !boxed && reflect.TypeOf(x) == m.rtype
}

// implements tells whether a compiled type has the methods of an interface.
func (s *Session) implements(t reflect.Type, it *types.Interface) bool {
	for m := range it.Methods() {
		rm, ok := t.MethodByName(m.Name())
		if !ok {
			return false
		}
		if want := s.rtype(m.Signature()); want != nil {
			have := rm.Type
			n := have.NumIn() - 1
			if n != want.NumIn() || have.NumOut() != want.NumOut() || have.IsVariadic() != want.IsVariadic() {
				return false
			}
			for i := range n {
				if have.In(i+1) != want.In(i) {
					return false
				}
			}
			for i := range have.NumOut() {
				if have.Out(i) != want.Out(i) {
					return false
				}
			}
		}
	}
	return true
}

// asInterface gives x as a value of a compiled interface.
func (s *Session) asInterface(x any, t types.Type, rt reflect.Type) (any, bool) {
	if x == nil {
		return nil, false
	}
	if o, ok := box.Of(x); ok {
		if wrap, ok := s.opt.Symbols.Wrapper(ifaceKey(t)); ok {
			return wrap(o), true
		}
		return nil, false
	}
	return x, reflect.TypeOf(x).Implements(rt)
}

func (s *Session) rtMust(id int, static string, x any) any {
	m := s.matcherAt(id)
	if s.matches(m, x) {
		if m.iface {
			return s.rtNorm(x)
		}
		return s.rtV(x)
	}
	if static == "interface {}" || strings.HasPrefix(static, "interface {") {
		static = "interface"
		if !m.iface {
			static = "interface {}"
		}
	}
	switch {
	case x == nil && m.iface:
		panic(plainError("interface conversion: interface is nil, not " + m.name))
	case x == nil:
		panic(plainError("interface conversion: " + static + " is nil, not " + m.name))
	case m.iface:
		panic(plainError("interface conversion: " + typeNameOf(x) + " is not " + m.name + ": missing method " + s.missing(m, x)))
	}
	text := "interface conversion: " + static + " is " + typeNameOf(x) + ", not " + m.name
	if typeNameOf(x) == m.name {
		text += " (declared again since the value was made)"
	}
	panic(plainError(text))
}

func (s *Session) missing(m *matcher, x any) string {
	it := m.t.Underlying().(*types.Interface)
	if o, ok := box.Of(x); ok {
		if f, _ := types.MissingMethod(o.D.Type, it, true); f != nil {
			return f.Name()
		}
		return ""
	}
	for f := range it.Methods() {
		if _, ok := reflect.TypeOf(x).MethodByName(f.Name()); !ok {
			return f.Name()
		}
	}
	return ""
}

func typeNameOf(x any) string {
	if o, ok := box.Of(x); ok {
		return o.D.Name
	}
	return reflect.TypeOf(x).String()
}

// rtWhich gives the number of the first case of a type switch that x matches, -1 for none.
func (s *Session) rtWhich(table int, x any) int {
	s.tableMu.RLock()
	cases := s.switches[table]
	s.tableMu.RUnlock()
	for i, m := range cases {
		if m < 0 && x == nil || m >= 0 && s.matches(s.matcherAt(m), x) {
			return i
		}
	}
	return -1
}

func (s *Session) switchTable(cases []int) int {
	s.tableMu.Lock()
	defer s.tableMu.Unlock()
	s.switches = append(s.switches, cases)
	return len(s.switches) - 1
}

// found is what rtFindAs gives when an error's own As method has set the target.
var found any = "found"

// rtFindAs is the search of errors.As.
func (s *Session) rtFindAs(id int, err error, target any) any {
	m := s.matcherAt(id)
	var walk func(error) any
	walk = func(err error) any {
		for err != nil {
			if s.matches(m, err) {
				return err
			}
			if x, ok := err.(interface{ As(any) bool }); ok && x.As(target) {
				return found
			}
			if u, ok := err.(interface{ Unwrap() []error }); ok {
				for _, e := range u.Unwrap() {
					if v := walk(e); v != nil {
						return v
					}
				}
				return nil
			}
			err = errors.Unwrap(err)
		}
		return nil
	}
	return walk(err)
}

// rtRegister makes a method of a cell type known to its boxes.
func (s *Session) rtRegister(id int, name string, f any) { s.descAt(id).SetMethod(name, f) }

func rtNilMethod() { panic(runtimeError("invalid memory address or nil pointer dereference")) }

// rtMethod gives the method of what is in an interface as a function of the receiver.
func (s *Session) rtMethod(x any, name string) any {
	if x == nil {
		rtNilMethod()
	}
	if o, ok := box.Of(x); ok {
		return box.M(o, name)
	}
	t := reflect.TypeOf(x)
	key := methodKey{t, name}
	if f, ok := s.methodFuncs.Load(key); ok {
		return f
	}
	m, ok := t.MethodByName(name)
	if !ok {
		panic(runtimeError(t.String() + " has no method " + name))
	}
	in, out := []reflect.Type{anyRType}, []reflect.Type(nil)
	for i := 1; i < m.Type.NumIn(); i++ {
		in = append(in, m.Type.In(i))
	}
	for i := range m.Type.NumOut() {
		out = append(out, m.Type.Out(i))
	}
	ft := reflect.FuncOf(in, out, m.Type.IsVariadic())
	f := reflect.MakeFunc(ft, func(a []reflect.Value) []reflect.Value {
		a[0] = a[0].Elem()
		if ft.IsVariadic() {
			return m.Func.CallSlice(a)
		}
		return m.Func.Call(a)
	}).Interface()
	s.methodFuncs.Store(key, f)
	return f
}

type methodKey struct {
	t    reflect.Type
	name string
}

func (s *Session) rtDeepEqual(a, b any) bool {
	x, xb := box.Of(a)
	y, yb := box.Of(b)
	if xb != yb {
		return false
	}
	if xb {
		return x.D == y.D && reflect.DeepEqual(x.V, y.V)
	}
	return reflect.DeepEqual(a, b)
}

// ---- small things

func (s *Session) rtShow(v ...any) { s.shown = append([]any{}, v...) }

func (s *Session) rtVar(name string, p any) { s.vars[name] = reflect.ValueOf(p) }

func (s *Session) rtStart(f func()) bool { s.start = f; return true }

func rtPrint(args ...any) {
	for _, a := range args {
		fmt.Fprint(os.Stderr, printForm(a))
	}
}

func rtPrintln(args ...any) {
	for i, a := range args {
		if i > 0 {
			fmt.Fprint(os.Stderr, " ")
		}
		fmt.Fprint(os.Stderr, printForm(a))
	}
	fmt.Fprintln(os.Stderr)
}

// printForm is how the builtin print writes a value.
func printForm(a any) string {
	if o, ok := box.Of(a); ok {
		a = o.V
	}
	v := reflect.ValueOf(a)
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return printFloat(v.Float())
	case reflect.Complex64, reflect.Complex128:
		im := printFloat(imag(v.Complex()))
		if im[0] != '-' && im[0] != '+' {
			im = "+" + im
		}
		return "(" + printFloat(real(v.Complex())) + im + "i)"
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(v)
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("%#x", v.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", v.Len(), v.Cap(), v.Pointer())
	case reflect.Invalid: // of no other type is nil seen here
		return "(0x0,0x0)"
	}
	return fmt.Sprint(a)
}

func printFloat(f float64) string {
	switch {
	case f != f:
		return "NaN"
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func rtClear(m any) { reflect.ValueOf(m).Clear() }

// rtSize refuses a size that the process would die of, which Go cannot recover from.
func rtSize(n int) int {
	if n < 0 {
		panic(runtimeError("makeslice: len out of range"))
	}
	if n > 1<<35 {
		panic(runtimeError("makeslice: len out of range"))
	}
	return n
}

func rtArrayLen(have, want int) {
	if have < want {
		panic(runtimeError(fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d", have, want)))
	}
}

func rtMin[F float32 | float64](a, b F) F { return min(a, b) }
func rtMax[F float32 | float64](a, b F) F { return max(a, b) }

// rtRunes gives where the runes of a string begin, and what they are: yaegi's own loop over a
// string goes wrong after bytes that are no UTF-8.
func rtRunes(s string) (at []int, runes []rune) {
	at, runes = make([]int, 0, len(s)), make([]rune, 0, len(s))
	for i, r := range s {
		at, runes = append(at, i), append(runes, r)
	}
	return at, runes
}

// rtype is the compiled type of a type that no cell declares, nil if there is none to be had.
func (s *Session) rtype(t types.Type) reflect.Type {
	if isCellType(t) {
		return nil
	}
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return basicRTypes[t.Kind()]
	case *types.Named:
		if t.Obj().Pkg() == nil {
			return errorRType
		}
		if t.TypeArgs().Len() > 0 {
			if sig, ok := t.Underlying().(*types.Signature); ok {
				return s.rtype(sig)
			}
			return nil
		}
		path := t.Obj().Pkg().Path()
		s.use(path)
		if v, ok := s.table(path)[t.Obj().Name()]; ok && v.Kind() == reflect.Pointer {
			return v.Type().Elem()
		}
		return nil
	case *types.Interface:
		if t.NumMethods() == 0 {
			return anyRType
		}
		return nil
	case *types.Signature:
		in, ok := s.rtypes(t.Params())
		out, ok2 := s.rtypes(t.Results())
		if !ok || !ok2 {
			return nil
		}
		return reflect.FuncOf(in, out, t.Variadic())
	case *types.Map:
		if k, e := s.rtype(t.Key()), s.rtype(t.Elem()); k != nil && e != nil {
			return reflect.MapOf(k, e)
		}
		return nil
	case *types.Struct:
		var fields []reflect.StructField
		for i := range t.NumFields() {
			ft := s.rtype(t.Field(i).Type())
			if ft == nil {
				return nil
			}
			fields = append(fields, reflect.StructField{Name: t.Field(i).Name(), Type: ft, Tag: reflect.StructTag(t.Tag(i))})
		}
		return reflect.StructOf(fields)
	case *types.Pointer:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.PointerTo(e)
		}
	case *types.Slice:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.SliceOf(e)
		}
	case *types.Array:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.ArrayOf(int(t.Len()), e)
		}
	case *types.Chan:
		if e := s.rtype(t.Elem()); e != nil {
			return reflect.ChanOf(map[types.ChanDir]reflect.ChanDir{types.SendRecv: reflect.BothDir, types.SendOnly: reflect.SendDir, types.RecvOnly: reflect.RecvDir}[t.Dir()], e)
		}
	}
	return nil
}

func (s *Session) rtypes(t *types.Tuple) (l []reflect.Type, ok bool) {
	for v := range t.Variables() {
		r := s.rtype(v.Type())
		if r == nil {
			return nil, false
		}
		l = append(l, r)
	}
	return l, true
}

var basicRTypes = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](), types.Int: intRType,
	types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](), types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](), types.Uint32: reflect.TypeFor[uint32](),
	types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](), types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
}
