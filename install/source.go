package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sourceDir is the copy of the source tree beside the installed kernel, from which %get builds an
// evaluator with third-party packages when the checkout may be gone.
func (o *options) sourceDir() string { return filepath.Join(o.specDir(), "source") }

// writeSource makes the copy: what the kernel and the generator of its symbol tables are built from.
func (o *options) writeSource(root string) error {
	dir, err := os.MkdirTemp(o.specDir(), ".source-")
	if err != nil {
		return fmt.Errorf("the copy of the source tree: %w", err)
	}
	defer os.RemoveAll(dir)
	for _, part := range []string{"go.mod", "go.sum", "core", "datasets", "kernel", "viz"} {
		if err := copyTree(filepath.Join(root, part), filepath.Join(dir, part)); err != nil {
			return fmt.Errorf("the copy of the source tree: %w", err)
		}
	}
	if err := os.RemoveAll(o.sourceDir()); err != nil {
		return fmt.Errorf("the earlier copy of the source tree: %w", err)
	}
	return os.Rename(dir, o.sourceDir())
}

// copyTree copies a file or a folder without tests.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch name := d.Name(); {
		case d.IsDir() && (name == "testdata" || name == "node_modules"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		return copyFile(path, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
