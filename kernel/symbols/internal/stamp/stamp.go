// Package stamp tells cheaply whether the generated tables of package symbols are those of
// this source tree.
//
// To generate them again and compare takes seconds and compiles everything. A stamp takes
// milliseconds: the version of Go, those of the modules in the tables, and for each package
// of this module a hash of what it exports, taken from its source. The generator writes the
// stamp beside the tables, a test compares it with that of the tree.
//
// It sees changes of names, signatures, fields and constants. It does not see those of
// comments alone, nor of an unexported type that an exported one is made of: for these there
// is go run ./kernel/symbols/gen -check.
package stamp

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Name is the stamp's file below kernel/symbols.
const Name = "data/stamp.json"

// Module is the path of this module.
const Module = "trivium"

// Roots are the folders whose packages cells can import, with all below them.
var Roots = []string{"core", "viz", "datasets", "kernel/nb"}

// modules are those that the tables are of, besides this one.
var modules = []string{"gonum.org/v1/gonum", "gonum.org/v1/plot"}

// Stamp says what tables were made from.
type Stamp struct {
	Go      string            // "go1.26.8"
	Modules map[string]string // path -> version
	Own     map[string]string // import path of a package of this module -> hash of what it exports
}

// Of takes the stamp of the source tree at root, the folder of go.mod.
func Of(root string) (Stamp, error) {
	s := Stamp{Go: goVersion(), Modules: map[string]string{}, Own: map[string]string{}}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return s, fmt.Errorf("stamp: %w", err)
	}
	for line := range strings.Lines(string(mod)) {
		f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(f) >= 2 && slices.Contains(modules, f[0]) {
			s.Modules[f[0]] = f[1]
		}
	}
	for _, dir := range Roots {
		if err := s.addTree(root, dir); err != nil {
			return s, err
		}
	}
	return s, nil
}

// goVersion is the version of the toolchain that built this program, without what follows a
// release's name in one with experiments.
func goVersion() string {
	v, _, _ := strings.Cut(runtime.Version(), " ")
	return v
}

func (s Stamp) addTree(root, dir string) error {
	return filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // a root that is not there yet
		case err != nil:
			return fmt.Errorf("stamp: %w", err)
		case !d.IsDir():
			return nil
		}
		switch name := d.Name(); {
		case name == "internal", name == "testdata", strings.HasPrefix(name, "."), strings.HasPrefix(name, "_"):
			return fs.SkipDir
		}
		hash, err := exports(path)
		if err != nil || hash == "" {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return fmt.Errorf("stamp: %w", err)
		}
		s.Own[Module+"/"+filepath.ToSlash(rel)] = hash
		return nil
	})
}

// Changed says, a line each, why tables with stamp s are not those of a tree with stamp now.
// A patch release of Go adds no names, so one that differs changes the tables' documentation
// at most and is not among the reasons; [Stamp.Patch] tells of it.
func (s Stamp) Changed(now Stamp) (why []string) {
	if version.Lang(s.Go) != version.Lang(now.Go) {
		why = append(why, fmt.Sprintf("Go is %s, the tables are of %s", now.Go, s.Go))
	}
	why = append(why, diff("module", s.Modules, now.Modules, func(was, is string) string {
		return fmt.Sprintf("is %s, the tables are of %s", is, was)
	})...)
	return append(why, diff("package", s.Own, now.Own, func(string, string) string {
		return "exports other names or other types than in the tables"
	})...)
}

// Patch says that the two are of different patch releases of one Go, "" if they are not.
func (s Stamp) Patch(now Stamp) string {
	if s.Go == now.Go || version.Lang(s.Go) != version.Lang(now.Go) {
		return ""
	}
	return fmt.Sprintf("Go is %s, the tables are of %s, which has the same names; documentation may differ", now.Go, s.Go)
}

func diff(kind string, was, is map[string]string, differ func(was, is string) string) (why []string) {
	for _, key := range slices.Sorted(maps.Keys(was)) {
		switch v, ok := is[key]; {
		case !ok:
			why = append(why, fmt.Sprintf("%s %s is in the tables and is gone", kind, key))
		case v != was[key]:
			why = append(why, fmt.Sprintf("%s %s %s", kind, key, differ(was[key], v)))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[key]; !ok {
			why = append(why, fmt.Sprintf("%s %s is not in the tables", kind, key))
		}
	}
	return why
}
