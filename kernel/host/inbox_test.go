package host

import (
	"slices"
	"testing"
)

func TestInbox(t *testing.T) {
	b := newInbox[int]()
	var got []int
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range b.wake {
			if v, ok := b.take(); ok {
				if got = append(got, v); v == 999 {
					b.close()
				}
			}
		}
	}()
	var want []int
	for i := range 1000 {
		b.put(i)
		want = append(want, i)
	}
	<-ended
	if !slices.Equal(got, want) {
		t.Errorf("%d elements came out, want 1000 in order", len(got))
	}
	b.put(5)
	if _, ok := b.take(); ok {
		t.Error("a closed inbox gave something")
	}
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                {},
		"  a  b ":         {"a", "b"},
		`-n=3 "x y" 'z"'`: {"-n=3", "x y", `z"`},
		`a''b ""`:         {"ab", ""},
	} {
		if got, err := words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v, want %q", line, got, err, want)
		}
	}
	if _, err := words("a 'b"); err == nil {
		t.Error("an open quote was taken")
	}
}

func TestStartedForgets(t *testing.T) {
	var s started
	for n := range mostStarted + 10 {
		s.add(n, uint64(n)+100)
	}
	s.add(20, 7)
	if _, ok := s.id(5); ok {
		t.Error("the sixth cell is remembered")
	}
	if id, ok := s.id(20); !ok || id != 7 || len(s.ids) != mostStarted {
		t.Errorf("cell 20 is %d, of %d cells, want its latest run of %d", id, len(s.ids), mostStarted)
	}
}
