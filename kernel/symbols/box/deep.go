package box

import (
	"fmt"
	"io"
	"reflect"
	"slices"
)

// Deep writes a cell's value as %+v does, but where that gives the address of a struct, writes what
// the struct holds, as far as levels go. A struct within itself, and what comes when more than so many bytes are
// written, is &{…}.
func Deep(w io.Writer, o Obj, levels, bytes int) {
	if o.D.Type == nil {
		fmt.Fprintf(w, "%+v", o.V)
		return
	}
	st := &deepState{w: w, levels: levels, left: bytes}
	printer{f: st, verb: 'v', format: "%+v", descOf: o.D.DescOf, deep: st}.value(o.D.Type, reflect.ValueOf(o.V), 0)
}

// deepState is the fmt.State of Deep.
type deepState struct {
	w      io.Writer
	levels int
	left   int
	path   []uintptr // of the structs within which the next is written
}

func (d *deepState) Write(b []byte) (int, error) { d.left -= len(b); return d.w.Write(b) }
func (d *deepState) Width() (int, bool)          { return 0, false }
func (d *deepState) Precision() (int, bool)      { return 0, false }
func (d *deepState) Flag(c int) bool             { return c == '+' }

// follow writes the struct that a pointer points to, and tells whether it was one.
func (p printer) follow(v reflect.Value, write func()) bool {
	d := p.deep
	if d == nil || v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return false
	}
	if len(d.path) > d.levels || d.left < 0 || slices.Contains(d.path, v.Pointer()) {
		io.WriteString(p.f, "&{…}")
		return true
	}
	d.path = append(d.path, v.Pointer())
	io.WriteString(p.f, "&")
	write()
	d.path = d.path[:len(d.path)-1]
	return true
}
