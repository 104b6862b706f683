package eval

import (
	"cmp"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"trivium/kernel/symbols/box"
)

// A Var describes a variable of the session.
type Var struct {
	Name, Type, Text string
	Size             int // bytes reachable, estimated
}

// Vars lists the variables of the session, sorted by name. It is for the time between cells.
func (s *Session) Vars() []Var {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Var
	for name, o := range s.scope.objs {
		v, ok := o.(*types.Var)
		p := s.vars[s.scope.emitted[o]]
		if !ok || !p.IsValid() {
			continue
		}
		val := p.Elem()
		text, _, _ := strings.Cut(s.render(v.Type(), s.boxed(v.Type(), val)), "\n")
		if len(text) > 80 {
			text = strings.ToValidUTF8(text[:80], "") + "…"
		}
		out = append(out, Var{strings.TrimSuffix(name, special), typeString(v.Type()), text, sizeOf(val, map[uintptr]bool{}, 0)})
	}
	slices.SortFunc(out, func(a, b Var) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// boxed gives a variable's value as an interface would hold it.
func (s *Session) boxed(t types.Type, v reflect.Value) any {
	if isCellType(t) && !types.IsInterface(t) {
		if d := s.findDesc(t); d != nil {
			return box.Obj{D: d, V: v.Interface()}
		}
		return box.Obj{D: s.newDesc(t), V: v.Interface()}
	}
	return v.Interface()
}

// sizeOf estimates what a value keeps in memory. Lists of things that point nowhere are not
// walked through.
func sizeOf(v reflect.Value, seen map[uintptr]bool, depth int) int {
	if !v.IsValid() || depth > 20 || len(seen) > 10000 {
		return 0
	}
	n := int(v.Type().Size())
	visit := func(p uintptr) bool {
		if p == 0 || seen[p] {
			return false
		}
		seen[p] = true
		return true
	}
	switch v.Kind() {
	case reflect.String:
		n += v.Len()
	case reflect.Pointer:
		if visit(v.Pointer()) {
			n += sizeOf(v.Elem(), seen, depth+1)
		}
	case reflect.Interface:
		if !v.IsNil() {
			n += sizeOf(v.Elem(), seen, depth+1)
		}
	case reflect.Slice:
		if visit(v.Pointer()) {
			n += v.Cap() * int(v.Type().Elem().Size())
			if pointsElsewhere(v.Type().Elem()) {
				for i := range min(v.Len(), 1000) {
					n += sizeOf(v.Index(i), seen, depth+1) - int(v.Type().Elem().Size())
				}
			}
		}
	case reflect.Map:
		if visit(v.Pointer()) {
			n += v.Len() * int(v.Type().Key().Size()+v.Type().Elem().Size())
			if pointsElsewhere(v.Type().Elem()) {
				for it, i := v.MapRange(), 0; it.Next() && i < 1000; i++ {
					n += sizeOf(it.Value(), seen, depth+1)
				}
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += sizeOf(v.Field(i), seen, depth+1) - int(v.Field(i).Type().Size())
		}
	}
	return n
}

func pointsElsewhere(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.String, reflect.Interface, reflect.Struct:
		return true
	}
	return false
}
