//go:build unix

package host

import (
	"os"
	"testing"
)

func TestClosed(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if closed(w) {
		t.Error("an open file is taken for a closed one")
	}
	w.Close()
	if !closed(w) {
		t.Error("a closed file is taken for an open one")
	}
}
