package eval

import (
	"strings"
	"testing"
)

// TestBounds compares the texts of run-time panics with those that the compiled code beside each
// panics with.
func TestBounds(t *testing.T) {
	xs, s, arr := []int{1, 2, 3}, "abc", [4]int{}
	i, a, b, big := -1, 3, 2, 9
	use := func(...any) {}
	s1 := newSession(t)
	text(t, s1, 1, "xs, s, arr := []int{1, 2, 3}, \"abc\", [4]int{}\ni, a, b, big := -1, 3, 2, 9\nfunc at(n int) int { return xs[n] }")
	for cell, compiled := range map[string]func(){
		"xs[big]":    func() { use(xs[big]) },
		"xs[i]":      func() { use(xs[i]) },
		"at(a)":      func() { use(xs[a]) },
		"xs[b:big]":  func() { use(xs[b:big]) },
		"xs[a:b]":    func() { use(xs[a:b]) },
		"xs[big:]":   func() { use(xs[big:]) },
		"xs[:i]":     func() { use(xs[:i]) },
		"s[a]":       func() { use(s[a]) },
		"s[:big]":    func() { use(s[:big]) },
		"s[i:]":      func() { use(s[i:]) },
		"s[a:b]":     func() { use(s[a:b]) },
		"arr[big]":   func() { use(arr[big]) },
		"arr[:big]":  func() { use(arr[:big]) },
		"xs[a] = 1":  func() { xs[a] = 1 },
		"xs[a-b*2]":  func() { use(xs[a-b*2]) },
		"xs[len(s)]": func() { use(xs[len(s)]) },

		// several in one statement
		"xs[b] + xs[big]":         func() { use(xs[b] + xs[big]) },
		"xs[b] + xs[a] + xs[big]": func() { use(xs[b] + xs[a] + xs[big]) },
		"xs[a] = xs[big]":         func() { xs[a] = xs[big] },
		"xs[a] += xs[big]":        func() { xs[a] += xs[big] },
		"xs[xs[b]]":               func() { use(xs[xs[b]]) },
		"xs[0:][big:]":            func() { use(xs[0:][big:]) },
		"xs[xs[0]:xs[b]][big]":    func() { use(xs[xs[0]:xs[b]][big]) },
	} {
		want := func() (text string) {
			defer func() { text = "error: panic: " + recover().(error).Error() }()
			compiled()
			return ""
		}()
		got, _, _ := strings.Cut(text(t, s1, 2, cell), "\n")
		if got != want {
			t.Errorf("%s\n got  %s\n want %s", cell, got, want)
		}
	}
}

func TestRedefinedType(t *testing.T) {
	s := newSession(t)
	text(t, s, 1, "type T struct{ A int }\nt := T{1}")
	text(t, s, 2, "type T struct{ A, B int }\nfunc use(t T) int { return t.B }")
	for cell, want := range map[string]string{
		"use(t)":                  "T was redefined in cell [2]",
		"t == T{1, 2}":            "T was redefined in cell [2]",
		"t.B":                     "T was redefined in cell [2]",
		"var x any = t\nx.(T)":    "declared again since the value was made",
		"type T int\nvar u T = t": "T was redefined in cell [3]",
	} {
		if got := text(t, s, 3, cell); !strings.Contains(got, want) {
			t.Errorf("%s\n got  %s\n want %s", cell, got, want)
		}
	}
}
