// Package get builds an evaluator that knows third-party modules besides what it knows anyway.
//
// The evaluator is a compiled program, and so are the packages that cells import. So a module is
// added by building the program anew, from the source tree that it came from: with a go.mod that
// requires the module, and the module's symbol tables, made by kernel/symbols/gen, in the place
// of the empty package kernel/symbols/internal/extra. Neither changes the tree: the go command
// takes both from other files (-modfile, -overlay). What was built is kept in the user's cache
// by the set of modules, so that it takes a minute once.
//
// Start with [Builder.Build].
package get

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A Builder builds programs from one source tree.
type Builder struct {
	Source string    // the source tree; empty: found by [FindSource]
	Cache  string    // where programs are kept; empty: trivium/get in the user's cache
	Log    io.Writer // says what goes on; nil: nowhere
}

// ErrNoToolchain is the error of a Build where there is no go command.
var ErrNoToolchain = errors.New("get: third-party packages are built by the Go toolchain, and there is no command go on the PATH; " +
	"it is at https://go.dev/dl. Everything else works without it")

// Build gives the path of a program with the given modules: each "path", "path@version" or, for a
// module in a local folder, "path=folder". It is the one in the cache if that was built
// from the same source tree by the same toolchain; a module in a folder is built anew whenever
// it is asked for. It ends with the processes it started when ctx does.
func (b Builder) Build(ctx context.Context, modules []string) (program string, err error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", ErrNoToolchain
	}
	if b.Source == "" {
		if b.Source, err = FindSource(); err != nil {
			return "", err
		}
	}
	if b.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("get: nowhere to keep what is built: %w", err)
		}
		b.Cache = filepath.Join(dir, "trivium", "get")
	}
	if b.Log == nil {
		b.Log = io.Discard
	}
	modules = slices.Clone(modules)
	slices.Sort(modules)
	for _, m := range modules {
		if err := check(m); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(b.Cache, b.key(modules))
	program = filepath.Join(dir, "trivium")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	local := slices.ContainsFunc(modules, func(m string) bool { return strings.Contains(m, "=") })
	if _, err := os.Stat(program); err == nil && !local {
		fmt.Fprintf(b.Log, "%s: built before\n", strings.Join(modules, ", "))
		return program, nil
	}
	if err := os.MkdirAll(b.Cache, 0o755); err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	work, err := os.MkdirTemp(b.Cache, ".build-")
	if err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	defer os.RemoveAll(work)
	built, err := b.build(ctx, work, modules)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	os.Remove(program) // it may run; what runs keeps its file
	if err := os.Rename(built, program); err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	return program, nil
}

// build does the work in a folder of its own.
func (b Builder) build(ctx context.Context, work string, modules []string) (program string, err error) {
	modfile := filepath.Join(work, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(b.Source, name))
		if err != nil {
			return "", fmt.Errorf("get: the source tree: %w", err)
		}
		if err := os.WriteFile(filepath.Join(work, name), text, 0o644); err != nil {
			return "", fmt.Errorf("get: %w", err)
		}
	}
	var names, wanted []string
	for _, m := range modules {
		path, folder, local := strings.Cut(m, "=")
		if !local {
			wanted, names = append(wanted, m), append(names, m)
			continue
		}
		names = append(names, m)
		if folder, err = filepath.Abs(folder); err != nil {
			return "", fmt.Errorf("get: %w", err)
		}
		if err := b.run(ctx, "", "mod", "edit", "-require="+path+"@v0.0.0", "-replace="+path+"="+folder, modfile); err != nil {
			return "", err
		}
	}
	if len(wanted) > 0 {
		if err := b.run(ctx, "looking for "+strings.Join(wanted, ", "), append([]string{"get", "-modfile=" + modfile}, wanted...)...); err != nil {
			return "", err
		}
	}
	extra := filepath.Join(work, "extra")
	if err := os.Mkdir(extra, 0o755); err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	if err := b.run(ctx, "symbol tables", "run", "-modfile="+modfile, "-mod=mod", "./kernel/symbols/gen", "-get", strings.Join(names, ","), "-modfile", modfile, "-o", extra); err != nil {
		return "", err
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	made, err := filepath.Glob(filepath.Join(extra, "*.go"))
	if err != nil || len(made) == 0 {
		return "", fmt.Errorf("get: no symbol tables were made: %w", err)
	}
	for _, f := range made {
		overlay.Replace[filepath.Join(b.Source, "kernel", "symbols", "internal", "extra", filepath.Base(f))] = f
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	replace := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(replace, text, 0o644); err != nil {
		return "", fmt.Errorf("get: %w", err)
	}
	program = filepath.Join(work, "trivium")
	if err := b.run(ctx, "building the evaluator", "build", "-modfile="+modfile, "-mod=mod", "-overlay="+replace, "-buildvcs=false", "-ldflags=-s -w", "-o", program, "./kernel"); err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, program, "version").CombinedOutput(); err != nil {
		return "", fmt.Errorf("get: what was built does not start: %w\n%s", err, out)
	}
	return program, nil
}

// run runs the go command in the source tree. Its error holds what the command said.
func (b Builder) run(ctx context.Context, what string, args ...string) error {
	began := time.Now()
	if what != "" {
		fmt.Fprintf(b.Log, "%s ... ", what)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.Source
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod")
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	err := cmd.Run()
	if what != "" {
		fmt.Fprintf(b.Log, "%.1f s\n", time.Since(began).Seconds())
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("get: %w", context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("get: go %s failed (%w):\n%s", args[0], err, strings.TrimSpace(said.String()))
	}
	return nil
}

// check refuses what is no module, before the go command takes it for an option.
func check(m string) error {
	path, _, _ := strings.Cut(m, "=")
	path, _, _ = strings.Cut(path, "@")
	if path == "" || strings.HasPrefix(path, "-") || strings.ContainsAny(m, " \t,\"'") || !strings.Contains(path, ".") && !strings.Contains(m, "=") {
		return fmt.Errorf("get: %q is not a module; write its path and a version, as in github.com/google/uuid@v1.6.0, or path=folder for one in a local folder", m)
	}
	return nil
}

// key names a set of modules, built from this source by this toolchain.
func (b Builder) key(modules []string) string {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), b.Source, modules)
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, info)
	}
	if self, err := os.Executable(); err == nil && !strings.Contains(self, b.Cache) {
		if st, err := os.Stat(self); err == nil {
			fmt.Fprintln(h, st.Size())
		}
	}
	for _, name := range []string{"go.mod", filepath.Join("kernel", "symbols", "data", "stamp.json")} {
		if text, err := os.ReadFile(filepath.Join(b.Source, name)); err == nil {
			h.Write(text)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}
