package molecules

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/datasets"
)

const waterXYZ = "3\ngdb 3\t799.58812\t437.90386\t282.94545\t1.8511\t6.31\t-0.2928\t0.0687\t0.3615\t19.0002\t0.021375\t-76.404702\t-76.401867\t-76.400922\t-76.422349\t6.002\n" +
	"O\t-0.03\t0.97\t7.*^-3\t-0.58\nH\t0.06\t0.02\t0.0\t0.29\nH\t0.87\t1.30\t0.0\t0.29\n1671.4\t3803.6\t3907.6\nO\tO\nInChI=1S/H2O/h1H2\tInChI=1S/H2O/h1H2\n"

func TestReadXYZ(t *testing.T) {
	m, err := ReadXYZ(strings.NewReader(waterXYZ), "a.xyz", "mu")
	if err != nil || m.Formula() != "H2O" || m.Target != 1.8511 || m.ID != "gdb_3" || len(m.Bonds) != 2 {
		t.Fatal(m, err)
	}
	if m, err = ReadXYZ(strings.NewReader(waterXYZ), "a.xyz", "cv"); err != nil || m.Target != 6.002 {
		t.Error(m, err)
	}
	if _, err := ReadXYZ(strings.NewReader(waterXYZ), "a.xyz", "colour"); err == nil || !strings.Contains(err.Error(), "zpve") {
		t.Errorf("an unknown property gives %v", err)
	}
	lines := strings.SplitAfter(waterXYZ, "\n")
	for i, want := range []string{"a number of atoms", "properties", "atom 1 of 3", "atom 2 of 3", "atom 3 of 3", "frequencies", "SMILES"} {
		_, err := ReadXYZ(strings.NewReader(strings.Join(lines[:i], "")), "a.xyz", "mu")
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("line %d: expected %s", i+1, want)) || !strings.Contains(err.Error(), "the end of the file") {
			t.Errorf("%d lines give %v", i, err)
		}
	}
	for from, c := range map[string][2]string{
		"1.8511":   {"1.85.11", `line 2: expected a number for mu, found "1.85.11"`},
		"\t6.002":  {"", "line 2: expected a tag, a number and 15 properties, found 16 fields"},
		"3\ngdb":   {"99999999\ngdb", "line 1: expected a number of atoms from 1 to"},
		"\nH\t0.0": {"\nCl\t0.0", "line 4: expected atom 2 of 3"},
		"\nO\tO":   {"\nC\tO", "line 7: expected SMILES of the 3 atoms above, found C, which is CH4"},
		"7.*^-3":   {"seven", `line 3: expected a number for a place, found "seven"`},
	} {
		_, err := ReadXYZ(strings.NewReader(strings.Replace(waterXYZ, from, c[0], 1)), "a.xyz", "mu")
		if !errors.As(err, new(*datasets.FormatError)) || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("want an error with %q, got %v", c[1], err)
		}
	}
}

const waterSDF = "water\n  by hand\n\n  3  2  0     0  0  0  0  0  0999 V2000\n" +
	"   -0.0344    0.9775    0.0076 O   0  0  0  0\n    0.0648    0.0206    0.0015 H   0  0\n    0.8718    1.3008    0.0007 H\n" +
	"  1  2  1  0  0  0  0\n  1  3  1  0\nM  END\n$$$$\n"

func TestReadSDF(t *testing.T) {
	table := "mol_id,mu\nwater,1.85\nother,2\n"
	two := waterSDF + strings.Replace(waterSDF, "water", "other", 1)
	s, err := ReadSDF(strings.NewReader(two+"\n"), "a.sdf", strings.NewReader(table), "mu")
	if err != nil || s.Len() != 2 || s.Molecules[1].Target != 2 || s.Molecules[0].Formula() != "H2O" || s.Molecules[0].ID != "water" {
		t.Fatal(s, err)
	}
	charged := strings.Replace(waterSDF, "M  END", "M  CHG  2   1  -1   2   3\nM  END", 1)
	if s, err = ReadSDF(strings.NewReader(charged), "a.sdf", nil, ""); err != nil || s.Skipped != 1 {
		t.Error(s, err)
	}
	for _, c := range []struct{ from, to, table, want string }{
		{"$$$$", "", table, "line 15: expected $$$$ before the next molecule"},
		{"V2000", "V3000", table, "line 4: expected numbers of atoms and bonds and V2000"},
		{"  3  2", "999  2", table, "line 8: expected atom 4 of 999"},
		{"  1  3  1", "  1  4  1", table, "line 9: expected bond 2 of 2: two atoms up to 3"},
		{"  1  3  1", "  2  1  1", table, "line 9: expected bond 2 of 2"},
		{" H   0", " Xe  0", table, "line 6: expected atom 2 of 3, H, C, N, O or F"},
		{"", "", "mol_id,mu\nwater,1.85\n", `expected as many molecules as a.sdf.csv has rows (1), found one more, other`},
		{"", "", table + "third,1\n", "line 4: expected the end, after a row for each of 2 molecules, found a row more"},
		{"", "", "mol_id,mu\nwater,1.85\nmethane,2\n", `a.sdf.csv, line 3: expected molecule "other", the next one of a.sdf, found "methane"`},
		{"", "", "mol_id,alpha\nwater,1.85\n", `a column "mu"`},
		{"$$$$\nother", "$$$$\n\n\n", table, "line 12: expected the name of a molecule or the end of the file, found an empty line"},
	} {
		_, err := ReadSDF(strings.NewReader(strings.Replace(two, c.from, c.to, 1)), "a.sdf", strings.NewReader(c.table), "mu")
		if !errors.As(err, new(*datasets.FormatError)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("want an error with %q, got %v", c.want, err)
		}
	}
	if _, err := ReadSDF(strings.NewReader(""), "a.sdf", nil, ""); err == nil {
		t.Error("an empty file was read")
	}
}

func TestLoadFinds(t *testing.T) {
	write := func(dir, name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	xyz, sdf, csv := t.TempDir(), t.TempDir(), t.TempDir()
	write(xyz, "dsgdb9nsd_000003.xyz", waterXYZ)
	write(sdf, "gdb9.sdf", waterSDF)
	write(sdf, "gdb9.sdf.csv", "mol_id,mu\nwater,1.8511\n")
	file := write(csv, "qm9.csv", "smiles,mu\nO,1.8511\n")
	for _, path := range []string{xyz, sdf, csv, file} {
		s, err := Load(path, "mu")
		if err != nil || s.Len() != 1 || s.Molecules[0].Formula() != "H2O" || s.Molecules[0].Target != 1.8511 {
			t.Errorf("%v, %v", s, err)
		}
	}
}

func FuzzFiles(f *testing.F) {
	f.Add(waterXYZ)
	f.Add(waterSDF)
	f.Add("smiles,mu\nC,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, err := ReadXYZ(strings.NewReader(text), "a", "mu")
		check(t, err)
		_, err = ReadSDF(strings.NewReader(text), "a", nil, "")
		check(t, err)
		_, err = ReadSDF(strings.NewReader(waterSDF), "a", strings.NewReader(text), "mu")
		check(t, err)
		_, err = ReadSMILES(strings.NewReader(text), "a", "mu")
		check(t, err)
	})
}

func check(t *testing.T, err error) {
	if err != nil && !errors.As(err, new(*datasets.FormatError)) {
		t.Fatalf("an error of type %T: %v", err, err)
	}
}
