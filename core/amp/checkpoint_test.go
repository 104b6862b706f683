package amp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Files that are no checkpoints, and those of a form whose numbers mean something else, are told apart.
func TestCheckpointOfAnotherForm(t *testing.T) {
	g := smallTrees()
	dir := t.TempDir()
	junk, old := filepath.Join(dir, "junk"), filepath.Join(dir, "old")
	if err := os.WriteFile(junk, []byte("no checkpoint"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(old, &saved{Format: "trivium amp 1", Graph: g.signature()}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		junk: "is no checkpoint of this package, or is damaged: ",
		old:  `is a checkpoint of the form "trivium amp 1", and this version reads "trivium amp 2" alone: train again`,
	} {
		if err := g.LoadWeights(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
