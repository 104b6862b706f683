package main

import (
	"go/types"

	"trivium/kernel/symbols/box"
)

// instances lists the instances of a generic name that go into the table: all of them, when
// each type parameter stands for few basic types, as tensor.Float does for float32 and
// float64. For others, such as those of package slices, there is no end of them.
func instances(list *types.TypeParamList) [][]types.Type {
	if list.Len() == 0 {
		return nil // a constraint, which has no instances
	}
	all := [][]types.Type{nil}
	for p := range list.TypeParams() {
		terms := basicTerms(p.Constraint())
		if len(terms) == 0 {
			return nil
		}
		var next [][]types.Type
		for _, head := range all {
			for _, t := range terms {
				next = append(next, append(head[:len(head):len(head)], t))
			}
		}
		if all = next; len(all) > 4 {
			return nil
		}
	}
	return all
}

// basicTerms gives the types of a constraint that is a union of basic types.
func basicTerms(constraint types.Type) []types.Type {
	it, ok := constraint.Underlying().(*types.Interface)
	if !ok || it.NumMethods() > 0 || it.NumEmbeddeds() != 1 {
		return nil
	}
	switch e := it.EmbeddedType(0).(type) {
	case *types.Union:
		var l []types.Type
		for t := range e.Terms() {
			b, ok := t.Type().(*types.Basic)
			if !ok {
				return nil
			}
			l = append(l, b)
		}
		return l
	case *types.Basic:
		return []types.Type{e}
	default:
		if types.IsInterface(e) {
			return basicTerms(e)
		}
	}
	return nil
}

// writeInstances adds the instances of a generic function or type.
func writeInstances(o types.Object, list *types.TypeParamList, symbol func(name, args string)) {
	for _, args := range instances(list) {
		text := "["
		for i, a := range args {
			if i > 0 {
				text += ", "
			}
			text += a.String()
		}
		symbol(box.Instance(o.Name(), args...), text+"]")
	}
}
