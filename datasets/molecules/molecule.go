// Package molecules makes and reads small organic molecules as graphs with a number to be
// predicted, as in QM9.
//
//	m := molecules.Generate(1000, 1)          // drawn, with a dipole computed from the graph
//	m, err := molecules.Load("", "mu")        // the user's own copy of QM9, the dipole in debye
//	m.Molecules[0].Atoms                      // elements, hydrogens included
//	mol, err := molecules.ParseSMILES("c1ccccc1")
//
// A [Molecule] has an element per atom and a kind per bond (single, double, triple, aromatic),
// the input of the gated graph networks. QM9 (R. Ramakrishnan et al., "Quantum chemistry
// structures and properties of 134 kilo molecules", Scientific Data 1 (2014)) is read from its
// XYZ files, from SDF with CSV, and from CSV with SMILES. An error on generated molecules says
// nothing about one on QM9.
package molecules

import (
	"fmt"
	"math"
	"strings"

	"trivium/datasets/internal/page"
)

// Elements.
const (
	H = iota
	C
	N
	O
	F
	Elements // number of them
)

// Symbols of the elements, and how many bonds they have.
var (
	Symbols = [Elements]string{"H", "C", "N", "O", "F"}
	valence = [Elements]int{1, 4, 3, 2, 1}
)

// Kinds of bonds.
const (
	Single = iota
	Double
	Triple
	Aromatic
	BondKinds // number of them
)

// A Bond joins atoms A and B.
type Bond struct{ A, B, Kind int }

// A Molecule is atoms, bonds and the number that belongs to it.
type Molecule struct {
	ID     string
	SMILES string // where it was read from one
	Atoms  []int  // elements, hydrogens included
	Bonds  []Bond
	Charge int     // of the whole molecule
	Target float64 // NaN where the file has none
}

// Heavy returns the number of atoms that are not hydrogen.
func (m *Molecule) Heavy() int {
	n := 0
	for _, a := range m.Atoms {
		if a != H {
			n++
		}
	}
	return n
}

// Formula counts the elements, carbon first: C2H6O.
func (m *Molecule) Formula() string {
	var n [Elements]int
	for _, a := range m.Atoms {
		n[a]++
	}
	var s strings.Builder
	for _, e := range []int{C, H, F, N, O} {
		switch {
		case n[e] == 1:
			s.WriteString(Symbols[e])
		case n[e] > 1:
			fmt.Fprintf(&s, "%s%d", Symbols[e], n[e])
		}
	}
	if m.Charge != 0 {
		fmt.Fprintf(&s, " %+d", m.Charge)
	}
	return s.String()
}

// String gives what a molecule is made of and its number.
func (m *Molecule) String() string {
	text := fmt.Sprintf("%s: %d atoms, %d bonds", m.Formula(), len(m.Atoms), len(m.Bonds))
	if m.ID != "" {
		text = m.ID + " " + text
	}
	if m.SMILES != "" {
		text += ", SMILES " + m.SMILES
	}
	if !math.IsNaN(m.Target) {
		text += fmt.Sprintf(", target %.4g", m.Target)
	}
	return text
}

// MIMEBundle draws the molecule.
func (m *Molecule) MIMEBundle() (data, metadata map[string]any) {
	return map[string]any{"text/plain": m.String(), "text/html": "<div>" + page.Text(m.String()) + "</div>" + drawing(m)}, map[string]any{}
}

// Set is molecules.
type Set struct {
	Name      string
	Target    string // what the number is, with its unit
	Molecules []*Molecule
	Skipped   int // molecules with a charge or of several pieces, which readers leave out
}

// Len returns the number of molecules.
func (s *Set) Len() int { return len(s.Molecules) }

// Slice returns molecules i to before j, which it shares. Numbers that reach outside are cut off.
func (s *Set) Slice(i, j int) *Set {
	i = min(max(i, 0), s.Len())
	j = min(max(j, i), s.Len())
	v := *s
	v.Molecules = s.Molecules[i:j:j]
	return &v
}

// Moments returns the mean and the deviation of the targets, NaN where one is missing.
func (s *Set) Moments() (mean, deviation float64) {
	n := float64(max(s.Len(), 1))
	for _, m := range s.Molecules {
		mean += m.Target / n
	}
	for _, m := range s.Molecules {
		deviation += (m.Target - mean) * (m.Target - mean) / n
	}
	return mean, math.Sqrt(deviation)
}

// String gives sizes and the target's mean and deviation.
func (s *Set) String() string {
	var atoms, bonds int
	var n [Elements]int
	for _, m := range s.Molecules {
		atoms, bonds = atoms+len(m.Atoms), bonds+len(m.Bonds)
		for _, a := range m.Atoms {
			n[a]++
		}
	}
	all := float64(max(s.Len(), 1))
	text := fmt.Sprintf("%s: %d molecules of %.1f atoms and %.1f bonds on average (H %d, C %d, N %d, O %d, F %d)", s.Name, s.Len(), float64(atoms)/all, float64(bonds)/all, n[H], n[C], n[N], n[O], n[F])
	if mean, sd := s.Moments(); s.Target != "" && s.Len() > 0 {
		text += fmt.Sprintf("; %s %.3g ± %.3g", s.Target, mean, sd)
	}
	if s.Skipped > 0 {
		text += fmt.Sprintf("; %d with a charge or of several pieces left out", s.Skipped)
	}
	return text
}

// MIMEBundle gives sizes and lists and draws the first molecules.
func (s *Set) MIMEBundle() (data, metadata map[string]any) {
	const shown = 10
	text := s.String()
	t := &page.Table{}
	t.Head(text, 6)
	t.Columns("", "formula", "SMILES", "atoms", "bonds", s.Target)
	for _, m := range s.Molecules[:min(shown, s.Len())] {
		target := fmt.Sprintf("%.4g", m.Target)
		if math.IsNaN(m.Target) {
			target = ""
		}
		text += fmt.Sprintf("\n%s %s %s %s", m.ID, m.Formula(), m.SMILES, target)
		t.Row(page.Text(m.ID), m.Formula(), page.Text(m.SMILES), fmt.Sprint(len(m.Atoms)), fmt.Sprint(len(m.Bonds)), target)
	}
	h := t.HTML()
	for _, m := range s.Molecules[:min(shown, s.Len())] {
		h += drawing(m)
	}
	return map[string]any{"text/plain": text, "text/html": h}, map[string]any{}
}
