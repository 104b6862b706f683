// Package box is how a value of a type declared in a cell looks to compiled code.
//
// The interpreter's values do not carry their Go type: two cell types of equal layout are
// one type to reflect, and none has methods. So wherever a cell converts such a value to an
// interface, the front end puts it in an [Obj]: the value beside the one [Desc] of its type.
// Around the Obj goes a wrapper generated for the interface (see package symbols), whose
// methods call the cell's methods through the Desc:
//
//	type w_io_Reader struct{ box.Obj }
//
//	func (w w_io_Reader) Read(a0 []byte) (int, error) {
//		return box.M(w.Obj, "Read").(func(any, []byte) (int, error))(w.Obj.V, a0)
//	}
//
// An Obj is comparable, so that ==, map keys and errors.Is work by Go's own rules, also
// within compiled code.
package box

import (
	"go/types"
	"maps"
	"sync"
	"sync/atomic"
)

// Obj is a value of a type declared in a cell, as compiled code holds it.
type Obj struct {
	D *Desc
	V any // the value as the interpreter made it
}

// Boxed gives the Obj itself; wrappers inherit it, so [Of] finds the Obj in any of them.
func (o Obj) Boxed() Obj { return o }

// IsBox tells whether x is an Obj, in whatever wrapper.
func IsBox(x any) bool {
	_, ok := x.(interface{ Boxed() Obj })
	return ok
}

// Of takes a cell's value out of whatever wrapper it is in, or for which it is shown (see [Mirror]).
func Of(x any) (Obj, bool) {
	if b, ok := x.(interface{ Boxed() Obj }); ok {
		return b.Boxed(), true
	}
	return ofMirror(x)
}

// Desc describes a type whose identity mentions a type declared in a cell. There is one per
// type: two Objs hold the same type if and only if their D are equal.
type Desc struct {
	Name    string                 // as Go prints it: "main.Point", "[]main.Point"
	Type    types.Type             // its static type; nil: values print by their dynamic type
	Methods map[string]any         // name -> func(recv any, args...) results with exactly the method's types; filled before the first use
	DescOf  func(types.Type) *Desc // the Desc of a type inside this one, nil if it has none; may be nil
	Show    func(Obj) (any, error) // the value for what looks into it by reflection; may be nil

	Panicked func(any) any // gives for what a method has panicked with what a compiled one would have; may be nil

	late atomic.Pointer[map[string]any]
	mu   sync.Mutex
}

// SetMethod adds or replaces a method, also while other goroutines call methods of the type.
func (d *Desc) SetMethod(name string, f any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m := map[string]any{}
	if old := d.late.Load(); old != nil {
		m = maps.Clone(*old)
	} else {
		maps.Copy(m, d.Methods)
	}
	m[name] = f
	d.late.Store(&m)
}

// Method gives the function that SetMethod or Methods hold, nil if there is none.
func (d *Desc) Method(name string) any {
	if m := d.late.Load(); m != nil {
		return (*m)[name]
	}
	return d.Methods[name]
}

// M gives a method of o's type for a wrapper to call. Its caller asserts the type of the
// function; where that fails a cell's type was wrapped that does not implement the interface.
func M(o Obj, name string) any {
	if o.D == nil && name == "String" { // package flag asks the zero value of a flag's type
		return func(any) string { return "" }
	}
	if f := o.D.Method(name); f != nil {
		return f
	}
	panic("cell type " + o.D.Name + " has no method " + name)
}

// Has tells whether o's type has a method of the given name and of type F less the receiver.
func Has[F any](o Obj, name string) bool {
	_, ok := o.D.Method(name).(F)
	return ok
}
