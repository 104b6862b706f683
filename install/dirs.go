package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// locate finds Jupyter's data folder for the place that was chosen.
func (o *options) locate(ctx context.Context) (err error) {
	prefix := o.prefix
	if o.sysPrefix {
		if prefix, err = pythonPrefix(ctx); err != nil {
			return err
		}
	}
	if prefix != "" {
		if prefix, err = filepath.Abs(prefix); err != nil {
			return err
		}
		o.dataDir = filepath.Join(prefix, "share", "jupyter")
		return nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return fmt.Errorf("the home folder is not known (%w); set HOME, or give -prefix DIR", err)
	}
	o.dataDir, err = filepath.Abs(userDataDir(runtime.GOOS, home, os.Getenv))
	return err
}

// userDataDir is where Jupyter looks for a user's kernels, by the rules of jupyter_core.
func userDataDir(goos, home string, env func(string) string) string {
	if dir := env("JUPYTER_DATA_DIR"); dir != "" {
		return dir
	}
	switch goos {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter")
	case "windows":
		if appData := env("APPDATA"); appData != "" {
			return filepath.Join(appData, "jupyter")
		}
		return filepath.Join(home, "AppData", "Roaming", "jupyter")
	}
	if xdg := env("XDG_DATA_HOME"); xdg != "" {
		return filepath.Join(xdg, "jupyter")
	}
	return filepath.Join(home, ".local", "share", "jupyter")
}

// specDir is the folder of the kernel spec.
func (o *options) specDir() string { return filepath.Join(o.dataDir, "kernels", o.name) }

// program is the installed kernel.
func (o *options) program() string {
	name := "trivium"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(o.specDir(), name)
}

// resultDir is where the executed lesson goes: beside Jupyter's data folder, not in it.
func (o *options) resultDir() string { return filepath.Join(filepath.Dir(o.dataDir), "trivium") }

// pythonPrefix is the environment that -sys-prefix means.
func pythonPrefix(ctx context.Context) (string, error) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			return dir, nil
		}
	}
	for _, python := range []string{"python3", "python"} {
		if out, err := output(ctx, python, "-c", "import sys; print(sys.prefix)"); err == nil {
			return strings.TrimSpace(out), nil
		}
	}
	return "", errors.New("-sys-prefix: no Python environment is active and there is no python3; leave it out to install for the user")
}

// output runs a short command and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	return string(out), err
}

// jupyterPath lists the folders where Jupyter looks for kernels, first match first. Jupyter itself is
// asked if it is there; else the list follows from the rules, without its Python environment.
func jupyterPath(ctx context.Context, jupyter string) []string {
	if jupyter != "" {
		var paths struct{ Data []string }
		if out, err := output(ctx, jupyter, "--paths", "--json"); err == nil && json.Unmarshal([]byte(out), &paths) == nil {
			return paths.Data
		}
	}
	dirs := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, userDataDir(runtime.GOOS, home, os.Getenv))
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			dirs = append(dirs, filepath.Join(dir, "share", "jupyter"))
		}
	}
	if runtime.GOOS == "windows" {
		return append(dirs, filepath.Join(os.Getenv("PROGRAMDATA"), "jupyter"))
	}
	return append(dirs, "/usr/local/share/jupyter", "/usr/share/jupyter")
}

// onPath says whether Jupyter finds the kernel, and if not what to do.
func (o *options) onPath(path []string) error {
	dirs := slices.DeleteFunc(slices.Clone(path), func(d string) bool { return d == "" })
	for _, dir := range dirs {
		spec := filepath.Join(dir, "kernels", o.name)
		if sameFile(spec, o.specDir()) {
			return nil
		}
		if _, err := os.Stat(filepath.Join(spec, "kernel.json")); err == nil {
			return fmt.Errorf("another kernel of that name comes first on the path of Jupyter: %s; remove it or install with -name", spec)
		}
	}
	return fmt.Errorf("%s is not on the path of Jupyter; set JUPYTER_PATH=%s where you start it", o.dataDir, quoted(o.dataDir))
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
