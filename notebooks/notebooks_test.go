package notebooks

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trivium/kernel/notebook"
)

// maxSize keeps a lesson with its outputs small enough to be read on the web.
const maxSize = 400_000

// maxTime is what one lesson may take on two cores.
const maxTime = 3 * time.Minute

func lessons(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.ipynb")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lessons found (%v)", err)
	}
	return files
}

// TestLessonsRun runs every lesson and fails at the first cell that does.
func TestLessonsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs whole lessons: left out with -short")
	}
	program := build(t)
	for _, file := range lessons(t) {
		t.Run(strings.TrimSuffix(file, ".ipynb"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), maxTime)
			defer cancel()
			nb, err := notebook.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			k, err := notebook.Start(ctx, notebook.Launch{Argv: []string{program, "kernel", "-f", "{connection_file}"}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := k.Shutdown(5 * time.Second); err != nil {
					t.Error(err)
				}
			}()
			if err := k.Runner().Run(ctx, nb); err != nil {
				t.Fatalf("%v\nkernel: %s", err, k.Stderr())
			}
			for _, c := range nb.Cells {
				if c.Kind == notebook.Code && c.Count == 0 {
					t.Errorf("cell %s did not run", c.ID)
				}
			}
		})
	}
}

// TestLessonsAreCommittedWithOutputs looks at the files as they are.
func TestLessonsAreCommittedWithOutputs(t *testing.T) {
	for _, file := range lessons(t) {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > maxSize {
			t.Errorf("%s has %d bytes, more than %d: leave out large outputs", file, info.Size(), maxSize)
		}
		nb, err := notebook.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shown, code := 0, 0
		for _, c := range nb.Cells {
			if c.Kind != notebook.Code {
				continue
			}
			code++
			for _, o := range c.Outputs {
				if o.Kind == notebook.Error && !c.HasTag("raises-exception") {
					t.Errorf("%s: cell %s was committed with an error", file, c.ID)
				}
			}
			if len(c.Outputs) > 0 {
				shown++
			}
			if n := len(strings.Split(c.Source, "\n")); n > 30 {
				t.Errorf("%s: cell %s has %d lines: too long for a projector", file, c.ID, n)
			}
		}
		if shown*2 < code {
			t.Errorf("%s: %d of %d code cells have outputs: run it and commit the result", file, shown, code)
		}
	}
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "trivium")
	cmd := exec.Command("go", "build", "-o", program, "trivium/kernel")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build of the kernel: %v\n%s", err, out)
	}
	return program
}
