package eval

import (
	"strings"
	"testing"
)

// TestRunAgain runs cells again, unchanged and changed, that declare types which other cells use.
func TestRunAgain(t *testing.T) {
	const item = "type Item struct { Name string; Price float64 }\nfunc (i Item) String() string { return fmt.Sprintf(\"%s:%.2f\", i.Name, i.Price) }"
	const cheapest = "func cheapest(l []Item) Item { return slices.MinFunc(l, func(a, b Item) int { return cmp.Compare(a.Price, b.Price) }) }"
	const stack = "type Stack[T any] struct { items []T }\nfunc (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }"
	const pair = "type A struct { b *B; n [size]int }\ntype B struct { a A }\nconst size = 2"
	for name, cells := range map[string][][2]string{ // a cell and what it shows
		"unchanged":             {{item, ""}, {cheapest, ""}, {`l := []Item{{"a", 2}}`, ""}, {item, ""}, {`l = append(l, Item{"b", 1}); cheapest(l)`, ""}, {`cheapest(l)`, "b:1.00"}},
		"another method's body": {{item, ""}, {cheapest, ""}, {`l := []Item{{"a", 2}}`, ""}, {strings.ReplaceAll(item, "%.2f", "%.0f"), ""}, {`cheapest(append(l, Item{"b", 1}))`, "b:1"}, {"l", "[a:2]"}},
		"another field":         {{item, ""}, {cheapest, ""}, {`l := []Item{{"a", 2}}`, ""}, {strings.Replace(item, "Price", "Qty int; Price", 1), ""}, {`cheapest([]Item{{"b", 1, 1}})`, "redefined in cell [4]"}},
		"a method less":         {{item, ""}, {"i := Item{}", ""}, {strings.SplitN(item, "\n", 2)[0], ""}, {"i = Item{}", "redefined in cell [3]"}},
		"a method more":         {{item, ""}, {`i := Item{"a", 1}`, ""}, {item + "\nfunc (i Item) Twice() float64 { return 2 * i.Price }", ""}, {"i.Twice()", "2"}},
		"generic":               {{stack, ""}, {"s := &Stack[int]{}\nfunc push(s *Stack[int]) { s.Push(7) }", ""}, {stack, ""}, {"push(s); push(&Stack[int]{}); s = &Stack[int]{}; s.Push(1)", ""}, {"s", "&{items:[1]}"}},
		"generic, changed":      {{stack, ""}, {"s := &Stack[int]{}", ""}, {strings.ReplaceAll(stack, "x)", "x, x)"), ""}, {"s = &Stack[int]{}", "redefined in cell [3]"}},
		"another name's type":   {{"type B struct{ n int }", ""}, {"type A struct{ b B }", ""}, {"a := A{B{1}}", ""}, {"type B struct{ n string }", ""}, {"type A struct{ b B }", ""}, {"a = A{}", "redefined in cell [5]"}},
		"types that use another": {{"type A struct{ b *B }\ntype B struct{ a *A }", ""}, {"a := &A{&B{}}", ""}, {"type A struct{ b *B }\ntype B struct{ a *A }", ""}, {"a.b = &B{a}", ""}, {"a.b.a == a", "true"},
			{"type A struct{ b *B }\ntype B struct{ a *A; n int }", ""}, {"a = &A{}", "redefined in cell [6]"}},
		"a size that is declared again": {{pair, ""}, {"a := A{}", ""}, {strings.Replace(pair, "= 2", "= 3", 1), ""}, {"a = A{}", "redefined in cell [3]"}},
		"an alias":                      {{"type C = int\ntype D float64", ""}, {"c, d := C(1), D(2)", ""}, {"type C = int\ntype D float64", ""}, {"c, d = C(3), D(4)", ""}, {"d", "4"}},
		"enumeration":                   {{"type E int\nconst (P E = iota; Q)", ""}, {"m := map[E]string{Q: \"q\"}", ""}, {"type E int\nconst (P E = iota; R; Q)", ""}, {"m[Q] = \"now\"\nlen(m)", "2"}},
	} {
		s := newSession(t)
		for i, c := range cells {
			got := text(t, s, i+1, c[0])
			if c[1] != "" && !strings.Contains(got, c[1]) || c[1] == "" && strings.HasPrefix(got, "error") {
				t.Errorf("%s, cell %d: %s\n got  %s\n want %s", name, i+1, c[0], got, c[1])
			}
		}
	}
}

// TestTakenBack gives names of packages and of Go to variables and takes them back.
func TestTakenBack(t *testing.T) {
	s := newSession(t)
	for i, c := range [][2]string{
		{`strings := []string{"a"}`, ""},
		{`strings.ToUpper("x")`, `strings is a variable now; import "strings" makes it the package again`},
		{"import \"strings\"\nstrings.ToUpper(\"y\")", "Y"},
		{`strings.ToUpper("z")`, "Z"},
		{"var mu sync.Mutex\nmu.Unlock()", "panic: fatal error: sync: unlock of unlocked mutex"},
		{"mu.Lock(); mu.Unlock()\nmu.TryLock()", "true"},
	} {
		if got := text(t, s, i+1, c[0]); !strings.Contains(got, c[1]) {
			t.Errorf("%s\n got  %s\n want %s", c[0], got, c[1])
		}
	}
	run(t, s, 10, "func inner(x int) int { return x }\nfunc outer(x int) int { return inner(x) }")
	if out := run(t, s, 11, "func inner(x string) string { return x }"); len(out.Warnings) != 1 || !strings.HasPrefix(out.Warnings[0].Text, "outer still uses") {
		t.Errorf("a function that others call gets another type: %v", out.Warnings)
	}
}
