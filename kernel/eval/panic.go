package eval

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"

	"github.com/traefik/yaegi/interp"
	"trivium/kernel/symbols/box"
)

// Panics and deferred calls are Go's own: a function that defers runs its body in Frame, a
// compiled function whose defer statement runs the deferred calls. Yaegi's run them under
// a lock that closures need, and evaluate their arguments late.

// runtimeError is a panic of the kind that Go's run-time system raises.
type runtimeError string

const nilPointerText = "invalid memory address or nil pointer dereference"

func (e runtimeError) Error() string { return "runtime error: " + string(e) }
func (e runtimeError) RuntimeError() {}

// conversionError is one without the prefix.
var _ runtime.Error = runtimeError("")

func userPanic(v any) any {
	if v == nil {
		return new(runtime.PanicNilError)
	}
	return v
}

// Defers holds the deferred calls of a function that runs.
type Defers struct{ calls []deferred }

type deferred struct {
	f     func()
	plain bool // does not call recover itself, and what it calls must not recover
}

// Defer adds a call.
func (d *Defers) Defer(f func()) { d.calls = append(d.calls, deferred{f, false}) }

// DeferPlain adds a call of a function that is known not to call recover.
func (d *Defers) DeferPlain(f func()) { d.calls = append(d.calls, deferred{f, true}) }

// A panicking is what a deferred function may recover from.
type panicking struct {
	value     any
	recovered bool
}

// frames holds, per goroutine, the panic that the next function entered may recover from.
type frames struct{ next sync.Map }

// rtFrame runs the body of a function and then its deferred calls, as Go does. A panic goes on after those
// from here and not from a deferred function of ours, so that going through many functions that
// defer takes time in proportion.
func (s *Session) rtFrame(body func(*Defers)) {
	d := &Defers{}
	p := s.runDeferred(d, s.panicOf(d, body))
	if p == nil {
		return
	}
	if _, ok := p.value.(interruption); ok && selfUnwinds() {
		return
	}
	panic(p.value)
}

// panicOf runs the body of a function that defers, and gives the panic it ends in, nil if it does not.
func (s *Session) panicOf(d *Defers, body func(*Defers)) (p *panicking) {
	normal := false
	defer func() {
		if normal {
			return
		}
		if v := recover(); v != nil {
			if _, ok := v.(exit); ok {
				panic(v) // os.Exit runs no deferred calls
			}
			s.tracer.note()
			p = &panicking{value: v}
			return
		}
		if p := s.runDeferred(d, nil); p != nil { // runtime.Goexit
			panic(p.value)
		}
	}()
	s.layout.made.function(reflect.ValueOf(body))([]reflect.Value{reflect.ValueOf(d)})
	normal = true
	return nil
}

// runDeferred calls the deferred functions of one that has ended, and gives the panic that is left.
func (s *Session) runDeferred(d *Defers, p *panicking) *panicking {
	id, _ := goroutine()
	inRoom(func() {
		for len(d.calls) > 0 {
			f := d.calls[len(d.calls)-1]
			d.calls = d.calls[:len(d.calls)-1]
			if next := s.callDeferred(id, f, p); next != nil {
				p = next
			}
			if p != nil && p.recovered {
				p = nil
				s.tracer.take()
			}
		}
	})
	return p
}

// callDeferred calls a deferred function, and gives the panic it ends in, if any.
func (s *Session) callDeferred(id uintptr, f deferred, p *panicking) (next *panicking) {
	before, had := s.frames.next.Load(id)
	if f.plain {
		p = nil
	}
	s.frames.next.Store(id, p)
	done := false
	defer func() {
		if had {
			s.frames.next.Store(id, before)
		} else {
			s.frames.next.Delete(id)
		}
		if !done {
			if v := recover(); v != nil {
				s.tracer.note()
				next = &panicking{value: v}
			}
		}
	}()
	f.f()
	done = true
	return nil
}

// rtEntered is called first by a function that calls recover. It takes the panic that the
// function may recover from: recover works only in the function that was deferred.
func (s *Session) rtEntered() any {
	id, _ := goroutine()
	p, ok := s.frames.next.Load(id)
	if !ok {
		return nil
	}
	s.frames.next.Store(id, (*panicking)(nil))
	return p
}

func (s *Session) rtRecover(token any) any {
	p, _ := token.(*panicking)
	if p == nil || p.recovered {
		return nil
	}
	switch p.value.(type) {
	case interruption, stackOverflow:
		return nil
	}
	p.recovered = true
	return s.goValue(p.value)
}

// goValue gives the value that a compiled program would have panicked with, in place of what
// yaegi and package reflect panic with. It is called on the goroutine that panicked.
func (s *Session) goValue(v any) any {
	v = goValue(v)
	if e, ok := v.(runtime.Error); ok {
		if name, ok := strings.CutPrefix(e.Error(), unhashedText); ok {
			return plainError(unhashedText + s.nameOfShape(name))
		}
		if name, ok := strings.CutPrefix(e.Error(), "runtime error: "+unhashableText); ok {
			return runtimeError(unhashableText + s.nameOfShape(name))
		}
	}
	if e, ok := v.(runtimeError); ok && (strings.HasSuffix(string(e), "out of range") || e == nilPointerText) {
		if w := s.tracer.get(); w.instead || e != nilPointerText && strings.HasPrefix(w.bounds, string(e)) {
			return runtimeError(w.bounds)
		}
	}
	return v
}

// What Go says of a key that has no ==.
const (
	unhashableText = "hash of unhashable type "
	unhashedText   = "hash of unhashable type: " // where the map is empty and nothing is stored
)

// nameOfShape gives the name of the cell type that yaegi represents by a struct without one.
func (s *Session) nameOfShape(text string) string {
	if !strings.Contains(text, "struct {") {
		return text
	}
	s.tableMu.RLock()
	defer s.tableMu.RUnlock()
	name := ""
	for _, d := range s.descs {
		if r := s.shape(d.Type); r != nil && r.String() == text {
			if name != "" && name != d.Name {
				return text
			}
			name = d.Name
		}
	}
	if name == "" {
		return text
	}
	return name
}

func goValue(v any) any {
	switch x := v.(type) {
	case interp.Panic:
		return goValue(x.Value)
	case runtime.Error:
		return v
	case string:
		if e, ok := reflectText(x); ok {
			return e
		}
	case error:
		if e, ok := reflectText(x.Error()); ok {
			return e
		}
	}
	return v
}

var (
	position = regexp.MustCompile(`^(?:In\[\d+\][^:]*|_\.go)?:?\d+:\d+: `)
	texts    = []struct{ has, is string }{
		{"slice index out of range", "index out of range"},
		{"array index out of range", "index out of range"},
		{"string index out of range", "index out of range"},
		{"index out of range", "index out of range"},
		{"slice bounds out of range", "slice bounds out of range"},
		{"string slice index out of bounds", "slice bounds out of range"},
		{"slice index out of bounds", "slice bounds out of range"},
		{"on nil interface value", nilPointerText},
		{"using zero Value argument", nilPointerText},
		{"on zero Value", nilPointerText},
		{"nil pointer dereference", nilPointerText},
		{"call of nil function", nilPointerText},
		{"assignment to entry in nil map", "assignment to entry in nil map"},
		{"unhashable type", "hash of unhashable type"},
		{"negative shift amount", "negative shift amount"},
	}
)

// reflectText translates a panic of package reflect, or one that yaegi makes up.
func reflectText(s string) (any, bool) {
	text := position.ReplaceAllString(s, "")
	if !strings.HasPrefix(text, "reflect") && text == s {
		return nil, false
	}
	for _, t := range texts {
		if strings.Contains(text, t.has) {
			if t.is == "assignment to entry in nil map" {
				return plainError(t.is), true
			}
			return runtimeError(t.is), true
		}
	}
	return nil, false
}

// plainError is a run-time error that Go prints without the prefix.
type plainError string

func (e plainError) Error() string { return string(e) }
func (e plainError) RuntimeError() {}

// panicText is how Go prints a panic value.
func panicText(v any) string {
	switch x := v.(type) {
	case *runtime.PanicNilError:
		return x.Error()
	case runtime.Error:
		return x.Error()
	case error:
		return x.Error()
	case fmt.Stringer:
		return x.String()
	case string:
		return x
	}
	if o, ok := box.Of(v); ok {
		if s, ok := o.V.(string); ok {
			return fmt.Sprintf("%s(%q)", o.D.Name, s)
		}
		return fmt.Sprintf("%s(%+v)", o.D.Name, o)
	}
	if t := reflect.TypeOf(v); t != nil && t.PkgPath() == "" && isBasicKind(t.Kind()) {
		return printForm(v)
	}
	return fmt.Sprintf("%T(%v)", v, v)
}

// showName gives the name that a cell uses for a function of the output.
func (s *Session) showName(name string) string {
	s.linesMu.Lock()
	show, ok := s.calledAs[name]
	s.linesMu.Unlock()
	if ok {
		return show
	}
	name, _, _ = strings.Cut(name, "ʹ")
	return name
}

// outcomeOf makes an error of what a cell panicked with.
func (s *Session) outcomeOf(v any, cell int, w *traced) error {
	switch x := v.(type) {
	case nil:
		return nil
	case interruption:
		return ErrInterrupted
	case exit:
		return &ExitError{x.code}
	case *foreignPanic:
		return s.outcomeOf(x.value, cell, x.at)
	case stackOverflow:
		return &PanicError{Value: v, Text: stackOverflowText, Cell: cell, Trace: x.at.frames}
	case interp.Panic:
		return s.outcomeOf(x.Value, cell, w)
	case error:
		if errors.Is(x, context.Canceled) {
			break
		}
	}
	return &PanicError{Value: v, Text: panicText(v), Cell: cell, Trace: w.frames}
}

// Explain is for compiled code that recovers from a panic of a function of a cell: it gives the value
// that a compiled program would have panicked with, and the line of the cell, "" if the panic
// was not in a cell. That an interrupt has ended the function is [context.Canceled].
// It has to be called on the goroutine that panicked, and forgets the panic.
func (s *Session) Explain(v any) (explained any, at string) {
	if _, ok := v.(interruption); ok {
		s.tracer.take()
		return context.Canceled, ""
	}
	s.tracer.note()
	v = s.goValue(v)
	if w := s.tracer.take(); len(w.frames) > 0 {
		at = w.frames[0].String()
	}
	return v, at
}

// ---- goroutines of cells

// rtGo starts a goroutine that belongs to the cell that started it.
func (s *Session) rtGo(owner any, f func()) {
	r, _ := owner.(*running)
	go s.guarded(r, f)()
}

// rtGuarded gives a function that compiled code may call on a goroutine of its own.
func (s *Session) rtGuarded(f func()) func() { return s.guarded(s.owner(), f) }

func (s *Session) guarded(r *running, f func()) func() {
	return func() {
		if r != nil {
			release := s.own(r)
			defer release()
			if r.interrupted() { // before the goroutine began
				return
			}
		}
		defer func() {
			v := recover()
			if v != nil {
				s.tracer.note()
				v = s.goValue(v)
			}
			w := s.tracer.take()
			if u := s.unwound(); u != nil {
				v = u
			}
			if v == nil {
				return
			}
			cell := 0
			if r != nil {
				cell = r.cell
			}
			s.tellPanic(v, cell, w)
		}()
		f()
	}
}

// tellPanic tells of a goroutine that has ended with a panic, or with os.Exit.
func (s *Session) tellPanic(v any, cell int, w *traced) {
	if s.opt.GoPanic == nil {
		return
	}
	switch err := s.outcomeOf(v, cell, w).(type) {
	case *PanicError:
		err.Go = true
		s.opt.GoPanic(err)
	case *ExitError:
		s.opt.GoPanic(&PanicError{Value: v, Text: "os.Exit(" + itoa(err.Code) + ") in a goroutine", Cell: cell, Go: true})
	}
}
