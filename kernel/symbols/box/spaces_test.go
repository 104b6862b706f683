package box

import (
	"errors"
	"testing"
)

func TestSprint(t *testing.T) {
	name := func(s string) any { return Obj{D: &Desc{Name: "main.Name"}, V: s} }
	number := Obj{D: &Desc{Name: "main.Number"}, V: 7}
	for want, args := range map[string][]any{
		"":              nil,
		"a":             {name("a")},
		"1a2 3 7b":      {1, name("a"), 2, 3, number, name("b")},
		"ab1":           {name("a"), "b", 1},
		"<nil> 7 <nil>": {nil, number, nil},
		"7 e":           {number, errors.New("e")},
	} {
		if got := Sprint(args...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
