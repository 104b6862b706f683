// Gen writes what cells can import: symbol tables, export data and documentation.
//
// It is run by go generate in kernel/symbols. With -check it writes nothing and says which
// files are stale.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"trivium/kernel/symbols/internal/stamp"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("symbols/gen: ")
	check := flag.Bool("check", false, "compare with what is there instead of writing; status 1 if anything is stale")
	verbose := flag.Bool("v", false, "say how long each step took")
	get := flag.String("get", "", "make tables of these modules alone, separated by commas, for a program that %get builds")
	modfile := flag.String("modfile", "", "with -get: the go.mod that requires them")
	out := flag.String("o", "", "with -get: the folder to write to")
	flag.Parse()
	root, err := moduleRoot()
	if err != nil {
		log.Fatal(err)
	}
	step := timer(*verbose)
	if *get != "" {
		if err := extra(root, *modfile, *out, strings.Split(*get, ",")); err != nil {
			log.Fatal(err)
		}
		return
	}
	pkgs, err := load(root)
	if err != nil {
		log.Fatal(err)
	}
	step("load %d packages", len(pkgs))
	files, err := generate(pkgs, step)
	if err != nil {
		log.Fatal(err)
	}
	if files[stamp.Name], err = stampOf(root, pkgs); err != nil {
		log.Fatal(err)
	}
	dir := filepath.Join(root, "kernel", "symbols")
	if *check {
		stale := compare(dir, files)
		if slices.Equal(stale, []string{"differs: " + stamp.Name}) {
			if patch := otherPatch(dir, files[stamp.Name]); patch != "" {
				log.Print(patch, "; here nothing differs")
				return
			}
		}
		for _, s := range stale {
			fmt.Println(s)
		}
		if len(stale) > 0 {
			log.Fatal("stale: run go generate ./kernel/symbols")
		}
		return
	}
	if err := write(dir, files); err != nil {
		log.Fatal(err)
	}
	step("write %d files", len(files))
}

func timer(on bool) func(string, ...any) {
	last := time.Now()
	return func(f string, args ...any) {
		if on {
			log.Printf("%6.2f s  "+f, append([]any{time.Since(last).Seconds()}, args...)...)
		}
		last = time.Now()
	}
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", fmt.Errorf("not in a module: go env GOMOD gives %q; run it within the source tree", mod)
	}
	return filepath.Dir(mod), nil
}

// generate makes every file, by its path below kernel/symbols.
func generate(pkgs []*pkg, step func(string, ...any)) (map[string][]byte, error) {
	files := map[string][]byte{}
	x, err := newIfaces(pkgs)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		own := slices.DeleteFunc(slices.Clone(pkgs), func(p *pkg) bool { return p.group != g })
		s, tables, err := groupTables(g.name, own, x)
		if err != nil {
			return nil, err
		}
		for name, b := range tables {
			files[filepath.Join("internal", g.name, name)] = b
		}
		b, err := s.file(g.name)
		if err != nil {
			return nil, err
		}
		files[filepath.Join("internal", g.name, "z.go")] = b
	}
	const universe = "plot" // the last group whose packages any's wrappers mention
	if files[filepath.Join("internal", universe, "z_.go")], err = writeUniverse(universe, x); err != nil {
		return nil, err
	}
	if files["box/zwider.go"], err = writeWider(pkgs, x); err != nil {
		return nil, err
	}
	step("tables")
	if files["data/export.zip"], err = exportData(pkgs); err != nil {
		return nil, err
	}
	step("export data, %d bytes", len(files["data/export.zip"]))
	if files["data/doc.zip"], err = docs(pkgs); err != nil {
		return nil, err
	}
	step("documentation, %d bytes", len(files["data/doc.zip"]))
	return files, nil
}

// stampOf makes the stamp by which a test tells that the tables are those of the tree. A package
// that was left out is not in it, so the test asks for it.
func stampOf(root string, pkgs []*pkg) ([]byte, error) {
	s, err := stamp.Of(root)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(s.Own, func(path, _ string) bool {
		return !slices.ContainsFunc(pkgs, func(p *pkg) bool { return p.ImportPath == path })
	})
	b, err := json.MarshalIndent(s, "", "\t")
	return append(b, '\n'), err
}

// otherPatch tells of a stamp below dir that differs from now in the patch release alone.
func otherPatch(dir string, now []byte) string {
	var was, is stamp.Stamp
	b, err := os.ReadFile(filepath.Join(dir, stamp.Name))
	if err != nil || json.Unmarshal(b, &was) != nil || json.Unmarshal(now, &is) != nil || len(was.Changed(is)) > 0 {
		return ""
	}
	return was.Patch(is)
}

// generated lists the files below dir that an earlier run wrote.
func generated(dir string) []string {
	var l []string
	for _, g := range groups {
		m, _ := filepath.Glob(filepath.Join(dir, "internal", g.name, "z*.go"))
		l = append(l, m...)
	}
	m, _ := filepath.Glob(filepath.Join(dir, "data", "*"))
	return append(l, m...)
}

// compare says what differs between the files and those below dir.
func compare(dir string, files map[string][]byte) []string {
	var l []string
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			l = append(l, "missing: "+name)
		} else if !bytes.Equal(got, want) {
			l = append(l, "differs: "+name)
		}
	}
	for _, path := range generated(dir) {
		if rel, _ := filepath.Rel(dir, path); files[rel] == nil {
			l = append(l, "no longer generated: "+rel)
		}
	}
	slices.Sort(l)
	return l
}

// write replaces the generated files below dir. A file that is as it should be stays
// untouched, so the build cache stays warm.
func write(dir string, files map[string][]byte) error {
	for _, path := range generated(dir) {
		if rel, _ := filepath.Rel(dir, path); files[rel] == nil {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, b := range files {
		path := filepath.Join(dir, name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
