package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// extra writes the files of package internal/extra for third-party modules, given as
// path@version or path=folder. Their requirements are in modfile.
func extra(root, modfile, dir string, modules []string) error {
	if modfile == "" || dir == "" {
		return errors.New("-get needs -modfile and -o")
	}
	g := &group{name: "extra"}
	for _, m := range modules {
		path := m
		if i := strings.IndexAny(m, "@="); i >= 0 {
			path = m[:i]
		}
		g.patterns = append(g.patterns, path+"/...")
	}
	groups = append(groups, g)
	all, err := load(root, "-modfile="+modfile, "-mod=mod")
	if err != nil {
		return err
	}
	x, err := newIfaces(all)
	if err != nil {
		return err
	}
	var own []*pkg
	for _, p := range all {
		if p.group == g {
			own = append(own, p)
		}
	}
	if len(own) == 0 {
		return fmt.Errorf("no package of %s can be imported", strings.Join(modules, ", "))
	}
	s, files, err := groupTables(g.name, own, x)
	if err != nil {
		return err
	}
	for _, p := range own {
		fmt.Println(p.ImportPath)
	}
	s.printf("\n// Modules are the modules of the packages.\nvar Modules = []string{\n")
	for _, m := range modules {
		s.printf("%q,\n", m)
	}
	export, err := exportData(own)
	if err != nil {
		return err
	}
	doc, err := docs(own)
	if err != nil {
		return err
	}
	s.printf("}\n\n// Export and Doc are zip files.\nconst (\n\tExport = %q\n\tDoc = %q\n)\n", export, doc)
	if files["extra.go"], err = s.file(g.name); err != nil {
		return err
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
