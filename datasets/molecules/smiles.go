package molecules

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// mostHeavy bounds what a line of a file can ask for.
const mostHeavy = 1000

// A SyntaxError says where a SMILES text is wrong.
type SyntaxError struct {
	SMILES      string
	Column      int // from 1
	Want, Found string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("molecules: SMILES %q, column %d: expected %s, found %s", e.SMILES, e.Column, e.Want, e.Found)
}

// ParseSMILES reads molecules of H, C, N, O and F: branches, rings, bond orders, aromatic atoms,
// charges and hydrogens in brackets. Which side a bond or a neighbour lies on is read over. Hydrogens
// that the text leaves out are added, as atoms after all others. A text of several pieces,
// joined by a dot, is an error.
func ParseSMILES(text string) (*Molecule, error) {
	p := &smiles{text: text, previous: -1, bond: unset, rings: map[int]ring{}}
	if err := p.parse(); err != nil {
		return nil, err
	}
	p.hydrogens()
	return &Molecule{SMILES: text, Atoms: p.atoms, Bonds: p.bonds, Charge: p.charge, Target: math.NaN()}, nil
}

const unset = -1 // no bond symbol was read

type smiles struct {
	text     string
	at       int
	atoms    []int
	aromatic []bool
	fixed    []int // hydrogens given in brackets, -1 for an atom without
	bonds    []Bond
	charge   int

	previous int // the atom that the next one is bound to
	bond     int // kind of the next bond
	branches []int
	rings    map[int]ring
	bound    map[[2]int]bool
}

type ring struct{ atom, bond int }

func (p *smiles) wrong(want string) error {
	found := "the end"
	if p.at < len(p.text) {
		found = strconv.Quote(p.text[p.at:min(p.at+1, len(p.text))])
	}
	return &SyntaxError{p.text, p.at + 1, want, found}
}

var bondOf = map[byte]int{'-': Single, '=': Double, '#': Triple, ':': Aromatic, '/': Single, '\\': Single}

func (p *smiles) parse() error {
	p.bound = map[[2]int]bool{}
	for p.at < len(p.text) {
		ch := p.text[p.at]
		kind, isBond := bondOf[ch]
		switch {
		case isBond:
			if p.previous < 0 || p.bond != unset {
				return p.wrong("an atom before a bond")
			}
			p.bond = kind
			p.at++
		case ch == '(':
			if p.previous < 0 || p.bond != unset {
				return p.wrong("an atom before a branch")
			}
			p.branches = append(p.branches, p.previous)
			p.at++
		case ch == ')':
			if len(p.branches) == 0 || p.bond != unset {
				return p.wrong(`an atom, or "(" before ")"`)
			}
			p.previous = p.branches[len(p.branches)-1]
			p.branches = p.branches[:len(p.branches)-1]
			p.at++
		case ch >= '0' && ch <= '9', ch == '%':
			if err := p.ring(); err != nil {
				return err
			}
		case ch == '[':
			if err := p.bracket(); err != nil {
				return err
			}
		default:
			element, aromatic := letter(ch)
			if element <= H {
				return p.wrong("one molecule of C, N, O and F; a bond, a ring number or a bracket")
			}
			if err := p.atom(element, aromatic, -1); err != nil {
				return err
			}
			p.at++
		}
	}
	switch {
	case len(p.branches) > 0:
		return p.wrong(`")"`)
	case p.bond != unset:
		return p.wrong("an atom after a bond")
	case len(p.atoms) == 0:
		return p.wrong("an atom")
	case len(p.rings) > 0:
		return p.wrong(fmt.Sprintf("the other end of %d rings", len(p.rings)))
	}
	return nil
}

// letter returns the element, or -1, and whether it is aromatic.
func letter(ch byte) (element int, aromatic bool) {
	if i := strings.IndexByte("HCNOF", ch); i >= 0 {
		return i, false
	}
	if i := strings.IndexByte("cno", ch); i >= 0 {
		return C + i, true
	}
	return -1, false
}

func (p *smiles) atom(element int, aromatic bool, hydrogens int) error {
	if len(p.atoms) == mostHeavy {
		return p.wrong(fmt.Sprintf("at most %d atoms", mostHeavy))
	}
	i := len(p.atoms)
	p.atoms, p.aromatic, p.fixed = append(p.atoms, element), append(p.aromatic, aromatic), append(p.fixed, hydrogens)
	if p.previous >= 0 {
		p.join(p.previous, i, p.bond)
	}
	p.previous, p.bond = i, unset
	return nil
}

func (p *smiles) join(a, b, kind int) {
	if kind == unset {
		kind = Single
		if p.aromatic[a] && p.aromatic[b] {
			kind = Aromatic
		}
	}
	p.bound[[2]int{min(a, b), max(a, b)}] = true
	p.bonds = append(p.bonds, Bond{a, b, kind})
}

// ring opens or closes ring n, a digit or % and two of them.
func (p *smiles) ring() error {
	if p.previous < 0 {
		return p.wrong("an atom before a ring number")
	}
	n, size := int(p.text[p.at]-'0'), 1
	if p.text[p.at] == '%' {
		size = 3
		if len(p.text) < p.at+3 || !digit(p.text[p.at+1]) || !digit(p.text[p.at+2]) {
			return p.wrong("% and two digits")
		}
		n = int(p.text[p.at+1]-'0')*10 + int(p.text[p.at+2]-'0')
	}
	r, open := p.rings[n]
	if !open {
		p.rings[n] = ring{p.previous, p.bond}
	} else {
		if r.atom == p.previous || p.bound[[2]int{r.atom, p.previous}] {
			return p.wrong(fmt.Sprintf("ring %d to end at another atom than its neighbours", n))
		}
		if p.bond == unset {
			p.bond = r.bond
		} else if r.bond != unset && r.bond != p.bond {
			return p.wrong(fmt.Sprintf("one kind of bond at both ends of ring %d", n))
		}
		p.join(r.atom, p.previous, p.bond)
		delete(p.rings, n)
	}
	p.bond = unset
	p.at += size
	return nil
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// bracket reads an isotope, an element, a chirality, hydrogens, a charge and a class.
func (p *smiles) bracket() error {
	next := func() byte {
		if p.at < len(p.text) {
			return p.text[p.at]
		}
		return 0
	}
	number := func(usual int) int {
		start := p.at
		for digit(next()) && p.at < start+3 {
			p.at++
		}
		if n, err := strconv.Atoi(p.text[start:p.at]); err == nil {
			return n
		}
		return usual
	}
	p.at++
	number(0)
	element, aromatic := letter(next())
	if element < 0 {
		return p.wrong("H, C, N, O or F in a bracket")
	}
	p.at++
	for next() == '@' {
		p.at++
	}
	hydrogens := 0
	if next() == 'H' && element != H {
		p.at++
		hydrogens = number(1)
	}
	charge := 0
	if sign := next(); sign == '+' || sign == '-' {
		p.at++
		charge = number(1)
		for next() == sign {
			charge++
			p.at++
		}
		if sign == '-' {
			charge = -charge
		}
	}
	if next() == ':' {
		p.at++
		number(0)
	}
	if next() != ']' {
		return p.wrong(`"]" after the parts of an atom`)
	}
	if most := 4; hydrogens > most || charge > most || charge < -most {
		return p.wrong(fmt.Sprintf("at most %d hydrogens or charges", most))
	}
	if err := p.atom(element, aromatic, hydrogens); err != nil {
		return err
	}
	p.charge += charge
	p.at++
	return nil
}

// hydrogens adds those that brackets give, and those that fill an atom's valence elsewhere. An
// aromatic atom gives one electron to the ring, which counts as a bond.
func (p *smiles) hydrogens() {
	used := make([]int, len(p.atoms))
	for _, b := range p.bonds {
		order := 1
		if b.Kind == Double || b.Kind == Triple {
			order = b.Kind + 1
		}
		used[b.A] += order
		used[b.B] += order
	}
	for i, n := range p.fixed {
		if n < 0 {
			n = valence[p.atoms[i]] - used[i]
			if p.aromatic[i] {
				n--
			}
		}
		for range n {
			p.bonds = append(p.bonds, Bond{i, len(p.atoms), Single})
			p.atoms = append(p.atoms, H)
		}
	}
}
