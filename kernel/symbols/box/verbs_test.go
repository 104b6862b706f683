package box

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestTypeVerbs prints a cell's value with many formats and compares with a compiled value of
// a type of the same name.
func TestTypeVerbs(t *testing.T) {
	d := &Desc{Name: "box.Celsius", Methods: map[string]any{"String": func(r any) string { return Celsius(r.(float64)).String() }}}
	cell, native := Obj{d, 1.5}, Celsius(1.5)
	for _, format := range []string{
		"%T", "%T %v", "%v %T", "%d%% %T", "%[2]T %[1]v", "%[2]T", "%[1]T %T", "|%16T|", "|%-16T|", "|%.4T|", "%[2]*[1]T|", "%[3]*[2]T|",
		"%*T", "%.*T", "%[3]*.[4]*[2]T|", "%T %T %T %T %T %T", "%", "%!", "%[", "%[x]T", "%[9]T %T", "%[2]", "100%T", "%[2]5T", "%[1].3T", "%[2].*[1]T", "%5[2]T %T", "T", "%é%T", "%#T", "%+v%T%",
	} {
		for _, args := range [][2][]any{
			{{1, cell, 20, 3}, {1, native, 20, 3}},
			{{cell, 1}, {native, 1}},
			{{nil, cell}, {nil, native}},
			{{3, cell}, {3, native}},
			{{cell}, {native}},
			{},
		} {
			want := fmt.Sprintf(format, args[1]...)
			got := fmt.Sprintf(TypeVerbs(format, args[0]), args[0]...)
			got = strings.NewReplacer("(float64=", "(box.Celsius=").Replace(got) // fmt's own words for other mistakes
			if got != want {
				t.Errorf("Sprintf(%q, %v) = %q, want %q", format, args[0], got, want)
			}
		}
	}
	err := errors.New("inside")
	e := fmt.Errorf(TypeVerbs("%T: %w", []any{cell, err}), cell, err)
	if e.Error() != "box.Celsius: inside" || !errors.Is(e, err) {
		t.Errorf("Errorf gives %v", e)
	}
}
