package eval

import (
	"context"
	"os"
	"testing"

	"trivium/kernel/symbols"
)

func newSession(t testing.TB) *Session {
	t.Helper()
	s, err := New(Options{Symbols: symbols.All})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestScratch(t *testing.T) {
	file := os.Getenv("CELLS")
	if file == "" {
		t.Skip()
	}
	for _, sec := range sections(t, file) {
		if w := os.Getenv("SEC"); w != "" && w != sec.name {
			continue
		}
		s := newSession(t)
		t.Logf("## %s", sec.name)
		for i, src := range sec.cells {
			out := s.Run(context.Background(), Cell{i + 1, src})
			for _, w := range out.Warnings {
				t.Logf("In[%d] warning %s", i+1, w)
			}
			if out.Err != nil {
				t.Logf("In[%d] %s\n ERR %v", i+1, src, out.Err)
			}
			for _, v := range out.Values {
				t.Logf("In[%d] %s -> %s (%s)", i+1, src, v.Text, v.Type)
			}
		}
	}
}
