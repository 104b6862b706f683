package amp

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"
)

// A State travels with every message and says what its payload belongs to. All control flow
// reads it and nothing else, so nodes need no scheduler, and what a node remembers between a
// forward message and its backward message lies under it.
//
// What the fields mean is up to the graph, except for Instance, which the controller sets and
// no function can change. Two forward messages with equal states must not be inside one node at the same
// time: a loop that forgot to count its steps is found that way.
type State struct {
	Instance int // numbered from 1 in the order in which instances enter
	Sample   int // number of the instance in its data
	Step     int // of a loop
	Node     int // of a tree or a graph
	Kind     int // of an edge, or a position
	Count    int // of steps, tokens or children
	Data     any // anything else that can be compared with ==, such as a pointer to the sample
}

// String writes the fields that are not zero, and the type of Data if it is one that others can name.
func (s State) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "{instance %d", s.Instance)
	for _, f := range []struct {
		name string
		v    int
	}{{"sample", s.Sample}, {"step", s.Step}, {"node", s.Node}, {"kind", s.Kind}, {"count", s.Count}} {
		if f.v != 0 {
			fmt.Fprintf(&b, ", %s %d", f.name, f.v)
		}
	}
	if t := reflect.TypeOf(s.Data); t != nil {
		e := t
		for e.Name() == "" && e.Kind() == reflect.Pointer {
			e = e.Elem()
		}
		b.WriteString(", data")
		if e.Name() == "" || token.IsExported(e.Name()) || e.PkgPath() == "" { // else a ready network's own type, or what cells' values are inside
			fmt.Fprintf(&b, " %v", t)
		}
	}
	return b.String() + "}"
}

// hash leaves Data out: states that differ in it alone are rare, and == tells them apart.
func (s *State) hash() uint32 {
	const k = 0x9e3779b97f4a7c15
	h := uint64(s.Instance)*k ^ uint64(s.Step)*0xbf58476d1ce4e5b9 ^ uint64(s.Node)*0x94d049bb133111eb ^
		uint64(s.Kind)*0xd6e8feb86659fd93 ^ uint64(s.Sample)*0xa0761d6478bd642f ^ uint64(s.Count)*0xe7037ed1a0b428db
	h ^= h >> 32
	h *= k
	return uint32(h >> 32)
}

// same is s == t with the fields first that differ most.
func (s *State) same(t *State) bool {
	return s.Node == t.Node && s.Instance == t.Instance && s.Step == t.Step && s.Kind == t.Kind &&
		s.Sample == t.Sample && s.Count == t.Count && s.Data == t.Data
}

// incomparable returns the type of Data if it cannot be compared, else nil. known is the last type
// that was found good, so that looking costs next to nothing.
func (s *State) incomparable(known *reflect.Type) reflect.Type {
	if s.Data == nil {
		return nil
	}
	t := reflect.TypeOf(s.Data)
	if t == *known {
		return nil
	}
	if !reflect.ValueOf(s.Data).Comparable() {
		return t
	}
	if t.Kind() == reflect.Pointer { // of others, such as structs with interfaces, each value has to be looked at
		*known = t
	}
	return nil
}
