package molecules

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"trivium/datasets"
)

const (
	mostLine      = 1 << 16 // bytes
	mostMolecules = 1 << 22
)

// ReadSMILES reads a CSV file with a column "smiles" and, unless target is empty, one of that
// name with numbers. Molecules with a charge or of several pieces are left out and counted.
func ReadSMILES(r io.Reader, name, target string) (*Set, error) {
	s := &Set{Name: name, Target: target}
	c := newTable(r, name)
	columns, err := c.columns("smiles", target)
	if err != nil {
		return nil, err
	}
	for {
		row, line, err := c.next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		text := strings.TrimSpace(row[columns[0]])
		if strings.Contains(text, ".") {
			s.Skipped++
			continue
		}
		m, err := ParseSMILES(text)
		if err != nil {
			return nil, wrongSMILES(name, line, err)
		}
		if m.Charge != 0 {
			s.Skipped++
			continue
		}
		if target != "" {
			if m.Target, err = number(name, line, target, row[columns[1]]); err != nil {
				return nil, err
			}
		}
		m.ID = strconv.Itoa(line - 1)
		if len(s.Molecules) == mostMolecules {
			return nil, &datasets.FormatError{File: name, Line: line, Want: fmt.Sprintf("at most %d molecules", mostMolecules), Found: "more"}
		}
		s.Molecules = append(s.Molecules, m)
	}
}

// wrongSMILES is a FormatError with what the SyntaxError says.
func wrongSMILES(name string, line int, err error) error {
	var e *SyntaxError
	if errors.As(err, &e) {
		return &datasets.FormatError{File: name, Line: line, Want: fmt.Sprintf("%s in column %d of SMILES %.60q", e.Want, e.Column, e.SMILES), Found: e.Found}
	}
	return err
}

// number reads a finite number, also in the form 1.5*^-3 of some files of QM9.
func number(name string, line int, what, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(text), "*^", "e", 1), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, &datasets.FormatError{File: name, Line: line, Want: "a number for " + what, Found: fmt.Sprintf("%.40q", text)}
	}
	return v, nil
}

// table reads CSV with a row of heads.
type table struct {
	name string
	r    *csv.Reader
	id   int // the column mol_id, -1 for none
}

func newTable(r io.Reader, name string) *table {
	c := csv.NewReader(bufio.NewReader(r))
	c.ReuseRecord = true
	return &table{name, c, -1}
}

// columns finds heads, an empty one nowhere.
func (t *table) columns(names ...string) ([]int, error) {
	head, _, err := t.next()
	if err == io.EOF {
		return nil, &datasets.FormatError{File: t.name, Line: 1, Want: "a row of heads", Found: "the end of the file"}
	}
	if err != nil {
		return nil, err
	}
	for j, h := range head {
		if strings.TrimSpace(h) == "mol_id" {
			t.id = j
		}
	}
	at := make([]int, len(names))
	for i, want := range names {
		at[i] = -1
		for j, h := range head {
			if strings.EqualFold(strings.TrimSpace(h), want) {
				at[i] = j
			}
		}
		if at[i] < 0 && want != "" {
			return nil, &datasets.FormatError{File: t.name, Line: 1, Want: fmt.Sprintf("a column %q", want), Found: fmt.Sprintf("%.200q", strings.Join(head, ","))}
		}
	}
	return at, nil
}

// next returns a row and its line, or io.EOF.
func (t *table) next() ([]string, int, error) {
	row, err := t.r.Read()
	if err == io.EOF {
		return nil, 0, err
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return nil, 0, &datasets.FormatError{File: t.name, Line: parse.Line, Want: "as many fields as heads, quoted as CSV", Found: parse.Err.Error()}
	}
	if err != nil {
		return nil, 0, fmt.Errorf("molecules: %s: %w", t.name, err)
	}
	line, _ := t.r.FieldPos(0)
	return row, line, nil
}
