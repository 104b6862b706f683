package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestFilesAreGenerated compares the files in the tree with what the generator writes.
func TestFilesAreGenerated(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "simd", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes; run go generate in core/tensor/internal/simd", name)
		}
	}
}
