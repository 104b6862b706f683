package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// errBroken ends a check that found something the kernel cannot work without.
var errBroken = errors.New("the kernel does not work; the lines marked FAIL say why")

// check says what works and what is missing. Only the kernel itself has to work; front ends
// are a choice.
func check(ctx context.Context, o *options, w io.Writer) error {
	broken := false
	line := func(mark, format string, args ...any) {
		broken = broken || mark == "FAIL"
		fmt.Fprintf(w, "%-8s %s\n", mark, fmt.Sprintf(format, args...))
	}

	line("ok", "system: %s/%s, %d processors", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if out, err := output(ctx, "go", "version"); err == nil {
		line("ok", "%s", strings.TrimSpace(strings.TrimPrefix(out, "go version ")))
	} else {
		line("missing", "the command go (only needed to install again): %v", err)
	}

	s, err := o.readSpec()
	switch {
	case err != nil:
		line("FAIL", "kernel spec: %v", err)
		return errBroken
	case !o.ours(s):
		line("FAIL", "kernel spec: %s starts %s, which this program did not install", o.specDir(), strings.Join(s.Argv, " "))
		return errBroken
	}
	line("ok", "kernel spec %s, %q: %s", o.name, s.DisplayName, o.specDir())
	if info, err := os.Stat(s.Argv[0]); err != nil {
		line("FAIL", "program: %v; install again", err)
	} else {
		line("ok", "program: %s, %d MB, built %s", s.Argv[0], info.Size()>>20, info.ModTime().Format("2006-01-02 15:04"))
		if v, err := o.verify(ctx); err != nil {
			line("FAIL", "start: %s", strings.TrimPrefix(err.Error(), "notebook: "))
		} else {
			line("ok", "start: %s", v)
		}
	}
	for _, name := range []string{"logo-32x32.png", "logo-64x64.png", "logo-svg.svg"} {
		if _, err := os.Stat(filepath.Join(o.specDir(), name)); err != nil {
			line("missing", "logo: %v; install again", err)
		}
	}

	jupyter, _ := exec.LookPath("jupyter") // absent: ""
	if err := o.onPath(jupyterPath(ctx, jupyter)); err != nil {
		line("missing", "%v", err)
	} else {
		line("ok", "Jupyter's path: the kernel is found")
	}
	for _, front := range []struct{ name, program, get string }{
		{"Jupyter", "jupyter", "pip install jupyterlab, or apt install jupyter-notebook"},
		{"JupyterLab", "jupyter-lab", "pip install jupyterlab"},
		{"Notebook", "jupyter-notebook", "pip install notebook, or apt install jupyter-notebook"},
		{"console", "jupyter-console", "pip install jupyter-console, or apt install jupyter-console"},
		{"nbconvert", "jupyter-nbconvert", "pip install nbconvert, or apt install jupyter-nbconvert"},
		{"VS Code", "code", "https://code.visualstudio.com and its extension Jupyter"},
	} {
		path, err := exec.LookPath(front.program)
		if err != nil {
			line("missing", "%s: %s", front.name, front.get)
			continue
		}
		line("ok", "%s%s: %s", front.name, version(ctx, front.program, path), path)
	}
	if broken {
		return errBroken
	}
	return nil
}

// version asks a front end, except for the collection of all, which prints a list and takes long.
func version(ctx context.Context, program, path string) string {
	if program == "jupyter" {
		return ""
	}
	out, err := output(ctx, path, "--version")
	first, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if err != nil || first == "" {
		return ""
	}
	return " " + first
}
