package molecules

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"trivium/datasets"
)

// lineReader counts lines and holds at most one.
type lineReader struct {
	name string
	s    *bufio.Scanner
	line int
}

func newLines(r io.Reader, name string) *lineReader {
	s := bufio.NewScanner(r)
	s.Buffer(nil, mostLine)
	return &lineReader{name, s, 0}
}

func (l *lineReader) wrong(want, found string) error {
	if len(found) > 60 {
		found = found[:60] + "…"
	}
	return &datasets.FormatError{File: l.name, Line: max(l.line, 1), Want: want, Found: found}
}

// next returns a line, or an error that says what was wanted.
func (l *lineReader) next(want string) (string, error) {
	l.line++
	if l.s.Scan() {
		return strings.TrimSuffix(l.s.Text(), "\r"), nil
	}
	if err := l.s.Err(); err != nil {
		return "", l.wrong(want, err.Error())
	}
	return "", l.wrong(want, "the end of the file")
}

// ReadSDF reads an SDF file (version V2000). With a table, a CSV file of a row for each
// molecule in the same order, the target is its column of that name; a column mol_id, if there is
// one, must agree with the molecules' titles. The table may be nil. Molecules with a charge
// are left out and counted.
func ReadSDF(r io.Reader, name string, csv io.Reader, target string) (*Set, error) {
	s := &Set{Name: name}
	var rows *table
	var columns []int
	if csv != nil {
		s.Target = target
		rows = newTable(csv, name+".csv")
		head, err := rows.columns(target)
		if err != nil {
			return nil, err
		}
		columns = append(head, rows.id)
	}
	l := newLines(r, name)
	for l.s.Scan() {
		l.line++
		title := strings.TrimSpace(l.s.Text())
		if title == "" && len(s.Molecules)+s.Skipped > 0 && !l.s.Scan() {
			break // an empty line after the last molecule
		} else if title == "" && len(s.Molecules)+s.Skipped > 0 {
			return nil, l.wrong("the name of a molecule or the end of the file", "an empty line")
		}
		m, err := readMol(l)
		if err != nil {
			return nil, err
		}
		m.ID = title
		if rows != nil {
			row, line, err := rows.next()
			if err == io.EOF {
				return nil, l.wrong(fmt.Sprintf("as many molecules as %s has rows (%d)", rows.name, len(s.Molecules)+s.Skipped), "one more, "+title)
			}
			if err != nil {
				return nil, err
			}
			if id := columns[1]; id >= 0 && row[id] != title {
				return nil, &datasets.FormatError{File: rows.name, Line: line, Want: "molecule " + strconv.Quote(title) + ", the next one of " + name, Found: strconv.Quote(row[id])}
			}
			if columns[0] >= 0 {
				if m.Target, err = number(rows.name, line, target, row[columns[0]]); err != nil {
					return nil, err
				}
			}
		}
		if m.Charge != 0 {
			s.Skipped++
		} else {
			s.Molecules = append(s.Molecules, m)
		}
		if len(s.Molecules) > mostMolecules {
			return nil, l.wrong(fmt.Sprintf("at most %d molecules", mostMolecules), "more")
		}
	}
	if err := l.s.Err(); err != nil {
		l.line++
		return nil, l.wrong("a line of text", err.Error())
	}
	if len(s.Molecules)+s.Skipped == 0 {
		return nil, l.wrong("a molecule", "the end of the file")
	}
	if rows != nil {
		if _, line, err := rows.next(); err == nil {
			return nil, &datasets.FormatError{File: rows.name, Line: line, Want: fmt.Sprintf("the end, after a row for each of %d molecules", len(s.Molecules)+s.Skipped), Found: "a row more"}
		} else if err != io.EOF {
			return nil, err
		}
	}
	return s, nil
}

// readMol reads a molecule after its title, to the line $$$$.
func readMol(l *lineReader) (*Molecule, error) {
	for range 2 { // the program that wrote it, and a comment
		if _, err := l.next("the head of a molecule"); err != nil {
			return nil, err
		}
	}
	counts, err := l.next("numbers of atoms and bonds")
	if err != nil {
		return nil, err
	}
	atoms, bad := field(counts, 0, 3)
	bonds, bad2 := field(counts, 3, 6)
	if bad || bad2 || atoms < 1 || bonds < 0 || !strings.Contains(counts, "V2000") {
		return nil, l.wrong("numbers of atoms and bonds and V2000", strconv.Quote(counts))
	}
	m := &Molecule{Target: math.NaN()}
	for i := range atoms {
		line, err := l.next(fmt.Sprintf("atom %d of %d", i+1, atoms))
		if err != nil {
			return nil, err
		}
		e := -1
		if len(line) > 31 {
			e = elementOf(strings.TrimSpace(line[31:min(34, len(line))]))
		}
		if e < 0 {
			return nil, l.wrong(fmt.Sprintf("atom %d of %d, H, C, N, O or F in column 32", i+1, atoms), strconv.Quote(line))
		}
		m.Atoms = append(m.Atoms, e)
		if code, bad := field(line, 36, 39); !bad && code > 0 && code != 4 && code < 8 {
			m.Charge += 4 - code // 1 is +3, 7 is -3, 4 a radical
		}
	}
	joined := map[[2]int]bool{}
	for i := range bonds {
		want := fmt.Sprintf("bond %d of %d: two atoms up to %d and a kind from 1 to 4", i+1, bonds, atoms)
		line, err := l.next(want)
		if err != nil {
			return nil, err
		}
		a, bad1 := field(line, 0, 3)
		b, bad2 := field(line, 3, 6)
		kind, bad3 := field(line, 6, 9)
		pair := [2]int{min(a, b), max(a, b)}
		if bad1 || bad2 || bad3 || pair[0] < 1 || pair[1] > atoms || a == b || kind < 1 || kind > BondKinds || joined[pair] {
			return nil, l.wrong(want, strconv.Quote(line))
		}
		joined[pair] = true
		m.Bonds = append(m.Bonds, Bond{a - 1, b - 1, kind - 1})
	}
	listed := false
	for {
		line, err := l.next("$$$$ at the end of a molecule")
		if err != nil {
			return nil, err
		}
		if line == "$$$$" {
			return m, nil
		}
		if strings.HasSuffix(line, "V2000") {
			return nil, l.wrong("$$$$ before the next molecule", strconv.Quote(line))
		}
		if strings.HasPrefix(line, "M  CHG") {
			if !listed { // this line is in place of the atoms' own
				listed, m.Charge = true, 0
			}
			f := strings.Fields(line)
			for i := 4; i < len(f); i += 2 {
				c, err := strconv.Atoi(f[i])
				if err != nil || c < -15 || c > 15 {
					return nil, l.wrong("charges from -15 to 15", strconv.Quote(line))
				}
				m.Charge += c
			}
		}
	}
}

// field reads a number from columns of fixed width; an absent one is 0.
func field(line string, from, to int) (n int, bad bool) {
	if from >= len(line) {
		return 0, false
	}
	text := strings.TrimSpace(line[from:min(to, len(line))])
	if text == "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err != nil
}

func elementOf(symbol string) int {
	for i, s := range Symbols {
		if s == symbol {
			return i
		}
	}
	return -1
}
