package eval

import (
	"context"
	"os"
	"strings"
	"testing"
)

// The variables of a file are initialized in the order in which the compiler does, also when its cell runs again.
func TestOrder(t *testing.T) {
	src, err := os.ReadFile("init_order_program_test.go")
	if err != nil {
		t.Fatal(err)
	}
	s, want := newSession(t), orderProgram()
	for range 2 {
		got := capture(t, func() {
			for n, cell := range []string{string(src), `fmt.Print(orderProgram())`} {
				if err := s.Run(context.Background(), Cell{n + 1, cell}).Err; err != nil {
					t.Fatal(err)
				}
			}
		})
		if got != strings.TrimSpace(want) {
			t.Errorf("got\n%s\nthe compiler's program gives\n%s", got, want)
		}
	}
}

// What stands before its declaration still means what an earlier cell declared, or nothing.
func TestOrderOfCells(t *testing.T) {
	for _, c := range []struct {
		cells []string
		want  string
	}{
		{[]string{"x := 1", "var x = x + 1; fmt.Println(x)"}, "2"},
		{[]string{"x := 1", "var y, z = 1, x; var x = y + 5; fmt.Println(x, y, z)"}, "6 1 1"},
		{[]string{"var x = y; var y = x"}, "initialization cycle"},
		{[]string{"var f = func(n int) int { return f(n - 1) }"}, "undefined: f"},
		{[]string{"var p = q; q := 1"}, "undefined: q"},
		{[]string{"fmt.Println(q); var q = 1"}, "undefined: q"},
		{[]string{"a, b := 1, 2", "var a, b = b, a; fmt.Println(a, b)"}, "2 1"},
	} {
		s := newSession(t)
		got := capture(t, func() {
			for n, cell := range c.cells {
				if err := s.Run(context.Background(), Cell{n + 1, cell}).Err; err != nil {
					os.Stdout.WriteString(err.Error())
				}
			}
		})
		if !strings.Contains(got, c.want) {
			t.Errorf("%q: got %s, want %s", c.cells, got, c.want)
		}
	}
}
