package molecules

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Properties are the names of the numbers in the second line of QM9's XYZ files, in their
// order: rotational constants in GHz, the dipole moment mu in debye, polarisability alpha in a₀³,
// orbital energies and their gap, r2 in a₀², zero-point energy and energies in hartree, heat capacity in
// cal/(mol K).
var Properties = []string{"A", "B", "C", "mu", "alpha", "homo", "lumo", "gap", "r2", "zpve", "u0", "u298", "h298", "g298", "cv"}

// ReadXYZ reads one molecule in the extended XYZ form of QM9: the number of atoms; "gdb", a
// number and the properties; the atoms with place and charge; frequencies; SMILES; InChI. The
// bonds are those of the first SMILES, whose atoms must be the file's.
func ReadXYZ(r io.Reader, name, target string) (*Molecule, error) {
	property := -1
	for i, p := range Properties {
		if p == target {
			property = i
		}
	}
	if property < 0 {
		return nil, fmt.Errorf("molecules: QM9 has no property %q, but %s", target, strings.Join(Properties, ", "))
	}
	l := newLines(r, name)
	first, err := l.next("a number of atoms")
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || n < 1 || n > 5*mostHeavy {
		return nil, l.wrong(fmt.Sprintf("a number of atoms from 1 to %d", 5*mostHeavy), strconv.Quote(first))
	}
	line, err := l.next("properties")
	if err != nil {
		return nil, err
	}
	values := strings.Fields(line)
	if len(values) != 2+len(Properties) {
		return nil, l.wrong(fmt.Sprintf("a tag, a number and %d properties", len(Properties)), fmt.Sprintf("%d fields", len(values)))
	}
	value, err := number(name, l.line, target, values[2+property])
	if err != nil {
		return nil, err
	}
	var found [Elements]int
	for i := range n {
		want := fmt.Sprintf("atom %d of %d: H, C, N, O or F, its place and charge", i+1, n)
		if line, err = l.next(want); err != nil {
			return nil, err
		}
		f := strings.Fields(line)
		e := -1
		if len(f) >= 4 {
			e = elementOf(f[0])
		}
		if e < 0 {
			return nil, l.wrong(want, strconv.Quote(line))
		}
		for _, x := range f[1:4] {
			if _, err := number(name, l.line, "a place", x); err != nil {
				return nil, err
			}
		}
		found[e]++
	}
	if _, err = l.next("frequencies"); err != nil {
		return nil, err
	}
	if line, err = l.next("SMILES"); err != nil {
		return nil, err
	}
	f := strings.Fields(line)
	if len(f) == 0 {
		return nil, l.wrong("SMILES", "an empty line")
	}
	m, err := ParseSMILES(f[0])
	if err != nil {
		return nil, wrongSMILES(name, l.line, err)
	}
	for _, a := range m.Atoms {
		found[a]--
	}
	if found != [Elements]int{} {
		return nil, l.wrong(fmt.Sprintf("SMILES of the %d atoms above", n), fmt.Sprintf("%s, which is %s", f[0], m.Formula()))
	}
	m.ID, m.Target = values[0]+"_"+values[1], value
	return m, nil
}
