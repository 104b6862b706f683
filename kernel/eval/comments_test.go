package eval

import (
	"go/types"
	"strings"
	"testing"
)

// TestInspectComments sees what the comments of cells say, and not what those of statements or of an earlier declaration do.
func TestInspectComments(t *testing.T) {
	s := newSession(t)
	run(t, s, 1, `// Stack is a list.
type Stack[T any] struct {
	// items are in the order of Push.
	items []T
	limit int // of items
}

// Push puts x on top.
func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }

// this is about the statement
st := Stack[int]{}; n := 1

func bare(x int) int { return x }

// twice doubles.
func twice(x int) int { return 2 * x }

/* Shape has
an area. */
type Shape interface {
	// Area is in square metres.
	Area() float64
}

const (
	// low is the least.
	low = 1
	high = 2 // the most
)`)
	inspect := func(src, want string) {
		t.Helper()
		at := strings.IndexByte(src, '|')
		if d, ok := s.Inspect(src[:at]+src[at+1:], at, 0); !ok || strings.TrimSpace(d.Text) != want {
			t.Errorf("%s: %v, %q, want %q", src, ok, d.Text, want)
		}
	}
	inspect("Sta|ck", "Stack is a list.")
	inspect("st.Pu|sh", "Push puts x on top.")
	inspect("st.it|ems", "items are in the order of Push.")
	inspect("st.li|mit", "of items")
	inspect("ba|re", "")
	inspect("tw|ice", "twice doubles.")
	inspect("Sha|pe", "Shape has\nan area.")
	inspect("var x Shape\nx.Ar|ea", "Area is in square metres.")
	inspect("lo|w", "low is the least.")
	inspect("hi|gh", "the most")
	for _, it := range s.Complete("st.Pu", 5).Items {
		if it.Doc != "Push puts x on top." {
			t.Errorf("completion says %q", it.Doc)
		}
	}
	run(t, s, 2, "func twice(x int) int { return 2 + x }")
	inspect("tw|ice", "")
}

// TestInspectBuiltins: each built-in function of the language is described.
func TestInspectBuiltins(t *testing.T) {
	for _, name := range types.Universe.Names() {
		if _, ok := types.Universe.Lookup(name).(*types.Builtin); ok && builtins[name].text == "" {
			t.Errorf("nothing is said of %s", name)
		}
	}
}
