package eval

import (
	"encoding"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"log"
	"maps"
	"reflect"
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
		"Box": s.rtBox, "Norm": s.rtNorm, "Eq": s.rtEq, "Is": s.rtIs, "Key": rtKey, "KeyOf": rtKeyOf, "KeyTo": rtKeyTo, "Func": s.rtFunc, "Must": s.rtMust, "Which": s.rtWhich,
		"FindAs": s.rtFindAs, "As": errors.As, "Text": func(p *string) string { return *p }, "Found": found, "Method": s.rtMethod, "NilMethod": rtNilMethod, "NilReceiver": rtNilReceiver, "Register": s.rtRegister,
		"Show": s.rtShow, "Var": s.rtVar, "Start": s.rtStart, "TextFuncs": s.rtTextFuncs, "HTMLFuncs": s.rtHTMLFuncs, "TextVar": s.rtTextVar, "FlagVar": s.rtFlagVar, "All": s.rtAll, "AtomicStore": s.rtAtomicStore, "AtomicSwap": s.rtAtomicSwap, "AtomicCompareAndSwap": s.rtAtomicCompareAndSwap, "Fill": s.rtFill, "LogSetFlags": s.logSetFlags, "LogSetOutput": s.logSetOutput, "LogWriter": s.logWriter, "LogOutput": s.logOutput, "DeepEqual": s.rtDeepEqual,
		"Panic": func(v any) { panic(userPanic(v)) }, "Frame": s.rtFrame, "Entered": s.rtEntered, "Recover": s.rtRecover,
		"Go": s.rtGo, "Guarded": s.rtGuarded, "Cell": s.cellOf,
		"Stop": s.stop, "Send": s.rtSend, "Recv": s.rtRecv, "Recv2": s.rtRecv2, "NewSelect": newSelect, "SelectSend": selectSend, "SelectRecv": selectRecv, "SelectNone": selectNone,
		"Select": s.rtSelect, "TrySelect": rtTrySelect, "Selected": selected, "SelectedOK": selectedOK, "Sleep": s.sleep, "Lock": s.lock, "RLock": s.rlock, "Unlock": unlock, "WaitGroup": s.waitGroup,
		"Print": rtPrint, "Println": rtPrintln, "Clear": rtClear, "ArrayLen": rtArrayLen, "ArrayPointer": rtArrayPointer, "Recast": rtRecast, "Shift": rtShift, "Complex": func(re, im float64) complex128 { return complex(re, im) }, "Size": rtSize, "EmptySize": rtEmptySize, "Cap": rtCap, "EmptyCap": rtEmptyCap, "ChanSize": rtChanSize, "EmptyChanSize": rtEmptyChanSize, "Same": func(a, b bool) bool { return a == b }, "Runes": rtRunes,
		"MinFloat": rtMin[float64], "MaxFloat": rtMax[float64], "MinFloat32": rtMin[float32], "MaxFloat32": rtMax[float32],
		"LogSource": s.logSource,
		"YieldAfterEnd": func() {
			panic(runtimeError("range function continued iteration after function for loop body returned false"))
		},
	} {
		m[name] = reflect.ValueOf(f)
	}
	for how, f := range s.given() {
		m[string(how)] = reflect.ValueOf(f)
	}
	for name, f := range s.reflectSupport() {
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
			"Scan":   func(a ...any) (int, error) { return fmt.Fscan(in, a...) },
			"Scanln": func(a ...any) (int, error) { return fmt.Fscanln(in, a...) },
			"Scanf":  func(f string, a ...any) (int, error) { return fmt.Fscanf(in, f, a...) },
		}
	case "log":
		exit := func() { panic(exit{1}) }
		m := s.logOverrides()
		maps.Copy(m, map[string]any{
			"Fatal":   func(a ...any) { log.Output(2, box.Sprint(a...)); exit() },
			"Fatalf":  func(f string, a ...any) { log.Output(2, fmt.Sprintf(box.TypeVerbs(f, a), a...)); exit() },
			"Fatalln": func(a ...any) { log.Output(2, fmt.Sprintln(a...)); exit() },
		})
		return m
	case "log/slog":
		return s.slogOverrides()
	case "runtime":
		return s.runtimeOverrides()
	case "os":
		return map[string]any{"Exit": func(code int) { panic(exit{code}) }}
	case "time":
		return map[string]any{
			"Sleep":     s.sleep,
			"AfterFunc": func(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, s.rtGuarded(f)) },
		}
	case "reflect":
		return s.reflectOverrides()
	case "flag":
		return map[string]any{"TextVar": func(p encoding.TextUnmarshaler, name string, value encoding.TextMarshaler, usage string) {
			s.rtTextVar(flag.CommandLine, p, name, value, usage)
		}, "Var": func(value flag.Value, name, usage string) { s.rtFlagVar(flag.CommandLine, value, name, usage) }}
	}
	return nil
}

// exit is the panic that os.Exit has become.
type exit struct{ code int }

// ---- boxes

// A plainObj is the box of a value in an interface without methods; one of an error or a
// Stringer is that too, so compiled code that looks for these finds them.
type plainObj struct{ box.Obj }

type stringerObj struct{ plainObj }

func (o stringerObj) String() string { return box.M(o.Obj, "String").(func(any) string)(o.V) }

func (s *Session) canonical(o box.Obj) any {
	if _, ok := o.D.Method("Error").(func(any) string); ok { // as for the interface error, for errors.Is
		if wrap, ok := s.opt.Symbols.Wrapper("error"); ok {
			return wrap(o)
		}
		return box.Error(o)
	}
	if _, ok := o.D.Method("String").(func(any) string); ok {
		return stringerObj{plainObj{o}}
	}
	return plainObj{o}
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
	x, boxed := box.Of(a)
	y, boxed2 := box.Of(b)
	if boxed != boxed2 || boxed && x.D != y.D {
		return false // of different types
	}
	if boxed {
		comparable(x)
		return x == y
	}
	return a == b
}

// comparable panics as Go does for a value whose type has no ==.
func comparable(o box.Obj) {
	if o.D.Type != nil && !types.Comparable(o.D.Type) {
		panic(runtimeError("comparing uncomparable type " + o.D.Name))
	}
}

// rtKey panics as Go does for a value that cannot be the key of a map.
func rtKey(x any) any {
	if name := unhashable(x); name != "" {
		panic(runtimeError(unhashableText + name))
	}
	return x
}

// rtKeyOf is rtKey for a key that is looked up in a map of n.
func rtKeyOf(x any, n int) any {
	if n > 0 {
		return rtKey(x)
	}
	if name := unhashable(x); name != "" {
		panic(plainError(unhashedText + name))
	}
	return x
}

// unhashable names the type of a value if that has no ==.
func unhashable(x any) string {
	o, boxed := box.Of(x)
	switch {
	case boxed && o.D.Type != nil && !types.Comparable(o.D.Type):
		return o.D.Name
	case !boxed && x != nil && !reflect.TypeOf(x).Comparable():
		return reflect.TypeOf(x).String()
	}
	return ""
}

// rtKeyTo is rtKey for a key of a map, which may be nil, that is to be stored to.
func rtKeyTo(x any, isNil bool) any {
	if isNil {
		panic(plainError("assignment to entry in nil map"))
	}
	return rtKey(x)
}

// rtRegister makes a method of a cell type known to its boxes.
func (s *Session) rtRegister(id int, name string, f any) {
	d := s.descAt(id)
	if d.Method(name) == nil {
		s.mirrors.forget(s, d.Type)
	}
	d.SetMethod(name, f)
}

func rtNilMethod() { panic(runtimeError("invalid memory address or nil pointer dereference")) }

func rtNilReceiver(method, name string) {
	panic(plainError("value method " + method + " called using nil *" + name + " pointer"))
}

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

func rtClear(m any) { reflect.ValueOf(m).Clear() }

// rtSize refuses a size that the process would die of, which Go cannot recover from.
func rtSize(n int) int {
	if n < 0 || n > 1<<35 {
		panic(runtimeError("makeslice: len out of range"))
	}
	return n
}

// rtEmptySize is rtSize for elements that take no memory.
func rtEmptySize(n int) int {
	if n < 0 {
		panic(runtimeError("makeslice: len out of range"))
	}
	return n
}

func rtCap(n, most int) int {
	if most < n || most > 1<<35 && n <= 1<<35 {
		panic(runtimeError("makeslice: cap out of range"))
	}
	return most
}

func rtEmptyCap(n, most int) int {
	if most < n {
		panic(runtimeError("makeslice: cap out of range"))
	}
	return most
}

func rtEmptyChanSize(n int) int {
	if n < 0 {
		panic(plainError("makechan: size out of range"))
	}
	return n
}

func rtChanSize(n int) int {
	if n < 0 || n > 1<<35 {
		panic(plainError("makechan: size out of range"))
	}
	return n
}

// rtShift checks the count of a shift.
func rtShift(n int) uint64 {
	if n < 0 {
		panic(runtimeError("negative shift amount"))
	}
	return uint64(n)
}

func rtArrayLen(have, want int) {
	if have < want {
		panic(runtimeError(fmt.Sprintf("cannot convert slice with length %d to array or pointer to array with length %d", have, want)))
	}
}

// rtRecast gives a pointer as one of the type of nilPointer, which points to what lies in memory in the same way.
func rtRecast(p, nilPointer any) any {
	return reflect.NewAt(reflect.TypeOf(nilPointer).Elem(), reflect.ValueOf(p).UnsafePointer()).Interface()
}

// rtArrayPointer gives the elements of a slice as an array of the type of nilPointer.
func rtArrayPointer(slice, nilPointer any) any {
	return reflect.ValueOf(slice).Convert(reflect.TypeOf(nilPointer)).Interface()
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
