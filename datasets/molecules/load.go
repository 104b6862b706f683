package molecules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"trivium/datasets"
)

// Source says where people get QM9.
var Source = datasets.Source{
	Name: "QM9", Folder: "qm9", Files: []string{"gdb9.sdf", "qm9.csv", "*.xyz"},
	From:    "https://doi.org/10.6084/m9.figshare.c.978904 (dsgdb9nsd.xyz.tar.bz2), unpacked; or as gdb9.sdf with gdb9.sdf.csv",
	Licence: "CC0", Instead: "molecules.Generate",
}

// Load reads QM9 from the given folder or file, or from where datasets.Locate finds it: gdb9.sdf with
// gdb9.sdf.csv, or qm9.csv with a column smiles, or a folder of XYZ files. The target is one of
// [Properties] or, with CSV, the name of a column.
func Load(path, target string) (*Set, error) {
	at, err := datasets.Locate(Source, path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		for _, f := range Source.Files[:2] {
			if _, err := os.Stat(filepath.Join(at, f)); err == nil {
				return loadFile(filepath.Join(at, f), target)
			}
		}
		files, err := filepath.Glob(filepath.Join(at, "*.xyz"))
		if err != nil {
			return nil, fmt.Errorf("molecules: %w", err)
		}
		return loadXYZ(files, target)
	}
	return loadFile(at, target)
}

func loadFile(path, target string) (*Set, error) {
	if strings.HasSuffix(path, ".xyz") {
		return loadXYZ([]string{path}, target)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("molecules: %w", err)
	}
	defer f.Close()
	name := filepath.Base(path)
	if !strings.HasSuffix(path, ".sdf") {
		return ReadSMILES(f, name, target)
	}
	csv, err := os.Open(path + ".csv")
	if errors.Is(err, os.ErrNotExist) && target == "" {
		return ReadSDF(f, name, nil, "")
	}
	if err != nil {
		return nil, fmt.Errorf("molecules: the targets of %s: %w", name, err)
	}
	defer csv.Close()
	return ReadSDF(f, name, csv, target)
}

func loadXYZ(files []string, target string) (*Set, error) {
	s := &Set{Name: "QM9", Target: target}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("molecules: %w", err)
		}
		m, err := ReadXYZ(f, filepath.Base(path), target)
		f.Close()
		if err != nil {
			return nil, err
		}
		if m.Charge != 0 {
			s.Skipped++
			continue
		}
		s.Molecules = append(s.Molecules, m)
	}
	return s, nil
}
