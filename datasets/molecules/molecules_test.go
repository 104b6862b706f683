package molecules

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"trivium/datasets"
)

func TestGenerateHasTheStatisticsOfQM9(t *testing.T) {
	const n = 5000
	s := Generate(n, 1)
	var atoms, bonds float64
	var count [Elements]float64
	for _, m := range s.Molecules {
		if h := m.Heavy(); h < 5 || h > 9 || len(m.Atoms) > 29 {
			t.Fatalf("%d heavy of %d atoms", h, len(m.Atoms))
		}
		used := make([]int, len(m.Atoms))
		pairs := map[[2]int]bool{}
		for _, b := range m.Bonds {
			used[b.A] += b.Kind + 1
			used[b.B] += b.Kind + 1
			if pair := [2]int{min(b.A, b.B), max(b.A, b.B)}; b.A == b.B || pairs[pair] {
				t.Fatalf("atoms %v are joined twice", pair)
			} else {
				pairs[pair] = true
			}
		}
		for i, a := range m.Atoms {
			count[a]++
			if used[i] != valence[a] {
				t.Fatalf("%s has %d bonds", Symbols[a], used[i])
			}
		}
		for _, d := range distances(m)[0] {
			if d < 0 {
				t.Fatalf("%s is in pieces", m.Formula())
			}
		}
		atoms, bonds = atoms+float64(len(m.Atoms))/n, bonds+float64(len(m.Bonds))/n
	}
	// 107,992 neutral molecules of QM9 have 18.1 atoms and 18.6 bonds on average.
	if math.Abs(atoms-18.1) > 0.3 || math.Abs(bonds-18.6) > 0.3 {
		t.Errorf("%.2f atoms and %.2f bonds", atoms, bonds)
	}
	heavy := count[C] + count[N] + count[O] + count[F]
	for e, want := range map[int]float64{C: 0.723, N: 0.1065, O: 0.168, F: 0.003} {
		if got := count[e] / heavy; math.Abs(got-want) > 0.015 {
			t.Errorf("share of %s %.3f, want %.3f", Symbols[e], got, want)
		}
	}
	if !reflect.DeepEqual(Generate(3, 2), Generate(3, 2)) || reflect.DeepEqual(Generate(3, 2).Molecules, Generate(3, 3).Molecules) {
		t.Error("the seed does not decide the molecules")
	}
}

// Worked out by hand from the electronegativities.
func TestDipole(t *testing.T) {
	for text, want := range map[string]float64{
		"F":     3.98 - 2.20,                    // HF, one step
		"FF":    0,                              // nothing moves
		"O=C=O": 2 * (3.44 - 2.55) * math.Sqrt2, // two links at right angles on average
		"CC":    0.35 * math.Sqrt(6),            // six links to H, none moves charge between carbons
	} {
		m, err := ParseSMILES(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Dipole(m); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", text, got, want)
		}
	}
}

func TestParseSMILES(t *testing.T) {
	for text, want := range map[string]string{ // formula, bonds: single double triple aromatic
		"C":                "CH4 [4 0 0 0]",
		"CCO":              "C2H6O [8 0 0 0]",
		"C#N":              "CHN [1 0 1 0]",
		"c1ccccc1":         "C6H6 [6 0 0 6]",
		"C1=CC=CC=C1":      "C6H6 [9 3 0 0]",
		"c1cc[nH]c1":       "C4H5N [5 0 0 5]",
		"n1ccccc1":         "C5H5N [5 0 0 6]",
		"c1ccoc1":          "C4H4O [4 0 0 5]",
		"c1ccccc1-c1ccoc1": "C10H8O [9 0 0 11]",
		"CC(=O)(O)":        "C2H4O2 [6 1 0 0]",
		"C%10CC%10":        "C3H6 [9 0 0 0]",
		"C=1CCC1":          "C4H6 [9 1 0 0]",
		"[NH3+]CC([O-])=O": "C2H5NO2 [8 1 0 0]",
		"F/C=C/F":          "C2H2F2 [4 1 0 0]",
		"[C@@H](N)(O)F":    "CH4FNO [7 0 0 0]",
		"[NH4+]":           "H4N +1 [4 0 0 0]",
		"[13CH4]":          "CH4 [4 0 0 0]",
		"[H][H]":           "H2 [1 0 0 0]",
		"[O--]":            "O -2 [0 0 0 0]",
	} {
		m, err := ParseSMILES(text)
		if err != nil {
			t.Error(err)
			continue
		}
		var kinds [BondKinds]int
		for _, b := range m.Bonds {
			kinds[b.Kind]++
		}
		if got := fmt.Sprint(m.Formula(), " ", kinds); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestParseSMILESRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "column 1: expected an atom, found the end",
		"CXC":                            `column 2: expected one molecule of C, N, O and F; a bond, a ring number or a bracket, found "X"`,
		"C.C":                            `found "."`,
		"H":                              `found "H"`,
		"C(C":                            `column 4: expected ")"`,
		"C)C":                            `"(" before ")"`,
		"C1CC":                           "other end of 1 rings",
		"C11":                            "another atom",
		"C1C1":                           "another atom",
		"C=1CC#1":                        "one kind of bond",
		"C=":                             "an atom after a bond",
		"C==C":                           "an atom before a bond",
		"=C":                             "an atom before a bond",
		"(C)":                            "an atom before a branch",
		"1C":                             "before a ring number",
		"C%1":                            "% and two digits",
		"[Si]":                           `column 2: expected H, C, N, O or F in a bracket, found "S"`,
		"[C":                             `"]" after`,
		"[CH9]":                          "at most 4 hydrogens",
		strings.Repeat("C", mostHeavy+1): "at most 1000 atoms",
	} {
		_, err := ParseSMILES(text)
		if !errors.As(err, new(*SyntaxError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: want an error with %q, got %v", text, want, err)
		}
	}
}

func TestReadSMILES(t *testing.T) {
	s, err := ReadSMILES(strings.NewReader("id,smiles,mu\n1,C,0\n2,[NH4+],3\n3,C.O,1\n4,O,1.85\n"), "a.csv", "mu")
	if err != nil || s.Len() != 2 || s.Skipped != 2 || s.Molecules[1].Target != 1.85 || s.Molecules[1].Formula() != "H2O" {
		t.Errorf("%v, %v", s, err)
	}
	for text, want := range map[string]string{
		"":                       "line 1: expected a row of heads",
		"id,mu\n1,2\n":           `a column "smiles"`,
		"smiles\nC\n":            `a column "mu"`,
		"smiles,mu\nC\n":         "line 2: expected as many fields",
		"smiles,mu\nC,x\n":       `line 2: expected a number for mu, found "x"`,
		"smiles,mu\nC,NaN\n":     `found "NaN"`,
		"smiles,mu\nC,0\nCl,1\n": `line 3: expected one molecule`,
		"smiles,mu\n\"C,0\n":     "quoted as CSV",
	} {
		_, err := ReadSMILES(strings.NewReader(text), "a.csv", "mu")
		if !errors.As(err, new(*datasets.FormatError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want an error with %q, got %v", text, want, err)
		}
	}
}

// shared finds a file among the data for tests.
func shared(t *testing.T, path ...string) string {
	dir := os.Getenv("TRIVIUM_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	f := filepath.Join(append([]string{dir}, path...)...)
	if _, err := os.Stat(f); err != nil {
		t.Skipf("%s is not here: put it into $TRIVIUM_DATA", filepath.Join(path...))
	}
	return f
}

// Another program counted atoms and bonds of these molecules, hydrogens included.
func TestSMILESAgainstAnotherReader(t *testing.T) {
	f, err := os.Open(shared(t, "qm9", "qm9_xtb.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || rows[0][1] != "smiles" || rows[0][2] != "n_atoms" || rows[0][3] != "n_bonds" {
		t.Fatal(rows[0], err)
	}
	wrong := 0
	for _, row := range rows[1:] {
		if strings.Contains(row[1], ".") {
			continue
		}
		m, err := ParseSMILES(row[1])
		if err != nil {
			t.Fatal(err)
		}
		if strconv.Itoa(len(m.Atoms)) != row[2] || strconv.Itoa(len(m.Bonds)) != row[3] {
			if wrong++; wrong < 5 {
				t.Errorf("%s: %d atoms and %d bonds, want %s and %s", row[1], len(m.Atoms), len(m.Bonds), row[2], row[3])
			}
		}
	}
	t.Logf("%d molecules, %d differ", len(rows)-1, wrong)
	s, err := Load(f.Name(), "dipole_D")
	if err != nil {
		t.Fatal(err)
	}
	if mean, sd := s.Moments(); math.Abs(mean-3.16) > 0.1 || math.Abs(sd-1.73) > 0.1 {
		t.Errorf("%v", s)
	}
}

func TestSharedSDF(t *testing.T) {
	s, err := Load(shared(t, "gdb1k", "qm9_mini.sdf"), "mu")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range s.Molecules[:8] {
		got = append(got, m.Formula())
	}
	// The first molecules of QM9; water has 1.85 D.
	if want := "CH4 H3N H2O C2H2 CHN CH2O C2H6 CH4O"; strings.Join(got, " ") != want || s.Len() != 21 || s.Molecules[2].Target != 1.8511 {
		t.Errorf("%v: %v", s, got)
	}
	// Sulphur is none of the elements.
	if _, err = Load(shared(t, "gdb1k", "gdb1k.sdf"), "atomization_energy"); err == nil || !strings.Contains(err.Error(), "line 381: expected atom 2 of 12, H, C, N, O or F") {
		t.Errorf("%v", err)
	}
}

func TestMissing(t *testing.T) {
	if _, err := Load(t.TempDir(), "mu"); !errors.As(err, new(*datasets.MissingError)) {
		t.Errorf("got %v", err)
	}
}

func TestShow(t *testing.T) {
	s, _ := ReadSMILES(strings.NewReader("smiles\nC\n"), "<a>", "")
	data, _ := s.MIMEBundle()
	if h := data["text/html"].(string); strings.Contains(h, "<a>") || strings.Contains(h, "NaN") || !strings.Contains(h, "CH4") {
		t.Error(h)
	}
	(&Set{}).MIMEBundle()
	// Atoms of a six-ring lie at the corners of a regular hexagon.
	m, err := ParseSMILES("c1ccccc1")
	if err != nil {
		t.Fatal(err)
	}
	x, y := places(m, distances(m), []int{0, 1, 2, 3, 4, 5})
	side := math.Hypot(x[0]-x[1], y[0]-y[1])
	for i := range 6 {
		if got := math.Hypot(x[i]-x[(i+1)%6], y[i]-y[(i+1)%6]); math.Abs(got/side-1) > 0.02 {
			t.Errorf("side %d has length %.3f, side 0 %.3f", i, got, side)
		}
	}
	if n := strings.Count(drawing(m), "<line"); n != 12 {
		t.Errorf("benzene is drawn with %d lines", n)
	}
}

func FuzzSMILES(f *testing.F) {
	for _, s := range []string{"c1ccccc1", "[NH3+]CC([O-])=O", "C%10CC%10", "F/C=C/F", "C=1CCC1", "[C@@H](N)(O)F"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseSMILES(text)
		if err != nil {
			if !errors.As(err, new(*SyntaxError)) {
				t.Fatalf("an error of type %T", err)
			}
			return
		}
		for _, d := range distances(m)[0] {
			if d < 0 {
				t.Fatalf("%q is in pieces", text)
			}
		}
		pairs := map[[2]int]bool{}
		for _, b := range m.Bonds {
			pair := [2]int{min(b.A, b.B), max(b.A, b.B)}
			if b.A == b.B || pairs[pair] {
				t.Fatalf("%q joins atoms %v twice", text, pair)
			}
			pairs[pair] = true
		}
	})
}

func Example() {
	m, err := ParseSMILES("CC(=O)O")
	fmt.Println(m.Formula(), len(m.Atoms), len(m.Bonds), err)
	_, err = ParseSMILES("CCl")
	fmt.Println(err)
	// Output:
	// C2H4O2 8 7 <nil>
	// molecules: SMILES "CCl", column 3: expected one molecule of C, N, O and F; a bond, a ring number or a bracket, found "l"
}

func TestShowMolecule(t *testing.T) {
	m, err := ParseSMILES("C1CC1c1ccccc1O")
	if err != nil {
		t.Fatal(err)
	}
	data, _ := m.MIMEBundle()
	if got, want := data["text/plain"], "C9H10O: 20 atoms, 21 bonds, SMILES C1CC1c1ccccc1O"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// Ten atoms that are no hydrogen, and the oxygen with its own.
	if h := data["text/html"].(string); strings.Count(h, "<circle") != 10 || !strings.Contains(h, ">OH</text>") {
		t.Errorf("drawn as %s", h)
	}
	m.ID, m.Target = "mine", 1.5
	if got, want := m.String(), "mine C9H10O: 20 atoms, 21 bonds, SMILES C1CC1c1ccccc1O, target 1.5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
