package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// uninstall removes the kernel spec with the program and the executed lesson. A folder that this
// program did not make is left alone.
func uninstall(o *options, w io.Writer) error {
	switch s, err := o.readSpec(); {
	case errors.Is(err, errNotInstalled):
		fmt.Fprintf(w, "nothing to remove: there is no kernel %s in %s\n", o.name, o.dataDir)
		return nil
	case err == nil && !o.ours(s):
		return fmt.Errorf("%s was not made by this program (it starts %s); remove it by hand if it is not wanted", o.specDir(), strings.Join(s.Argv, " "))
	}
	// kernel.json goes first: from then on no front end offers the kernel.
	if err := errors.Join(os.Remove(filepath.Join(o.specDir(), "kernel.json")), os.RemoveAll(o.specDir())); err != nil {
		return fmt.Errorf("not everything could be removed: %w", err)
	}
	fmt.Fprintf(w, "removed %s\n", o.specDir())
	for _, ext := range []string{".ipynb", ".html"} {
		name := filepath.Join(o.resultDir(), "01-mgrit"+ext)
		if os.Remove(name) == nil {
			fmt.Fprintf(w, "removed %s\n", name)
		}
	}
	// Folders that are empty now were made by the installation, or nobody misses them.
	for _, dir := range []string{o.resultDir(), filepath.Join(o.dataDir, "kernels")} {
		os.Remove(dir)
	}
	return nil
}
