package notebook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A FormatError says why a file is not a notebook that can be read, and what to do.
type FormatError struct {
	Name string // the file; "" when it came from a reader
	Text string
}

func (e *FormatError) Error() string {
	if e.Name == "" {
		return "notebook: " + e.Text
	}
	return fmt.Sprintf("notebook: %s: %s", e.Name, e.Text)
}

// ReadFile reads the notebook of that name.
func ReadFile(name string) (*Notebook, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	return parse(name, data)
}

// Read reads a notebook of nbformat 4.0 or later. A file that is none gives a [*FormatError].
func Read(r io.Reader) (*Notebook, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	return parse("", data)
}

func parse(name string, data []byte) (*Notebook, error) {
	fail := func(format string, args ...any) error {
		return &FormatError{name, fmt.Sprintf(format, args...)}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // some editors put a byte order mark first
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fail("the file is empty; a notebook is a JSON object with a list of cells")
	}
	var all json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fail("%s", syntaxText(data, err))
	}
	fields, err := parseObject(all)
	if err != nil {
		return nil, fail("%v; a notebook is a JSON object with a list of cells", err)
	}

	var major int
	nb := &Notebook{fields: fields}
	switch {
	case fields.get("nbformat") == nil:
		return nil, fail(`"nbformat" is missing, so this is JSON but no notebook`)
	case !fields.decode("nbformat", &major):
		return nil, fail(`"nbformat" is %s, want the number 4`, fields.get("nbformat"))
	case major < 4:
		return nil, fail("it is in nbformat %d, which Jupyter left in 2015; convert it once with: jupyter nbconvert --to notebook --nbformat 4 FILE (or open and save it in Jupyter)", major)
	case major > 4:
		return nil, fail("it is in nbformat %d, newer than the 4 that is known here; save it as version 4 in the program that wrote it", major)
	}
	fields.decode("nbformat_minor", &nb.minor)

	var cells []json.RawMessage
	switch raw := fields.get("cells"); {
	case raw == nil:
		return nil, fail(`it has no cells: the list "cells" is missing`)
	case !fields.decode("cells", &cells):
		return nil, fail(`it has no cells: "cells" is %s, want a list`, kindOf(raw))
	}
	for i, raw := range cells {
		c, err := parseCell(raw)
		if err != nil {
			return nil, fail("cell %d: %v", i+1, err)
		}
		nb.Cells = append(nb.Cells, c)
	}
	return nb, nil
}

func parseCell(raw json.RawMessage) (*Cell, error) {
	fields, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	c := &Cell{fields: fields}
	fields.decode("cell_type", &c.Kind)
	fields.decode("id", &c.ID)
	if c.Kind != Code && c.Kind != Markdown && c.Kind != Raw {
		return nil, fmt.Errorf("cell_type %q is none of code, markdown, raw", c.Kind)
	}
	var ok bool
	if c.Source, ok = decodeText(fields.get("source")); !ok {
		return nil, fmt.Errorf(`"source" is %s, want a string or a list of strings`, kindOf(fields.get("source")))
	}
	if c.Kind != Code {
		return c, nil
	}
	fields.decode("execution_count", &c.Count)
	var outputs []json.RawMessage
	fields.decode("outputs", &outputs)
	for i, raw := range outputs {
		out, err := parseOutput(raw)
		if err != nil {
			return nil, fmt.Errorf("output %d: %v", i+1, err)
		}
		c.Outputs = append(c.Outputs, out)
	}
	return c, nil
}

// syntaxText says where a file stops being JSON. A merge that was not finished is the usual
// reason in a repository, so its marks are named.
func syntaxText(data []byte, err error) string {
	offset := int64(len(data))
	if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
		offset = s.Offset
	}
	// Offset counts the bytes read when the error was seen, so the culprit is the last of them.
	at := min(max(int(offset)-1, 0), len(data))
	line := bytes.Count(data[:at], []byte("\n")) + 1
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	text := fmt.Sprintf("not JSON: line %d, column %d (byte %d): %v", line, at-start+1, at, err)
	for _, mark := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		if bytes.HasPrefix(data[start:], []byte(mark)) {
			return text + "; the line is the mark of a merge conflict: take the notebook from one side of the merge"
		}
	}
	return text
}
