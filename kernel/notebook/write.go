package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Write writes the notebook as Jupyter does: nbformat 4.5, one space of indent, texts as lists of
// lines, a line feed at the end. Cells without a valid id get one, also in nb.
func (nb *Notebook) Write(w io.Writer) error {
	data, err := nb.encode()
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// WriteFile writes the notebook to that file, or leaves the file as it was if it fails.
func (nb *Notebook) WriteFile(name string) error {
	data, err := nb.encode()
	if err != nil {
		return err
	}
	return replaceFile(name, data)
}

func (nb *Notebook) encode() ([]byte, error) {
	nb.fillIDs()
	cells := make([]json.RawMessage, len(nb.Cells))
	for i, c := range nb.Cells {
		cells[i] = c.encode()
	}
	fields := nb.fields
	if kindOf(fields.get("metadata")) != "an object" {
		fields = fields.with("metadata", json.RawMessage("{}"))
	}
	fields = fields.with("cells", encodeList(cells)).
		with("nbformat", json.RawMessage("4")).
		with("nbformat_minor", json.RawMessage(strconv.Itoa(max(nb.minor, 5))))

	var out bytes.Buffer
	if err := json.Indent(&out, fields.encode(), "", " "); err != nil {
		return nil, fmt.Errorf("notebook: %w", err) // a Data or Metadata that is no JSON
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func (c *Cell) encode() json.RawMessage {
	fields := c.fields.with("cell_type", encodeString(c.Kind)).with("id", encodeString(c.ID))
	if kindOf(fields.get("metadata")) != "an object" {
		fields = fields.with("metadata", json.RawMessage("{}"))
	}
	// A source that was not changed stays in the form it had, string or list.
	if s, ok := decodeText(fields.get("source")); !ok || s != c.Source {
		fields = fields.with("source", encodeLines(c.Source))
	}
	if c.Kind != Code {
		return fields.encode()
	}
	outputs := make([]json.RawMessage, len(c.Outputs))
	for i, out := range c.Outputs {
		outputs[i] = out.encode()
	}
	return fields.with("execution_count", encodeCount(c.Count)).with("outputs", encodeList(outputs)).encode()
}

// replaceFile writes data beside the file and renames it into place, so that nobody ever
// reads half a notebook and a full disk costs no work. It keeps the mode of a file that was there.
func replaceFile(name string, data []byte) (err error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, data, mode) // /dev/stdout and pipes are not to be replaced
		}
		mode = info.Mode().Perm()
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // write through a link, not over it
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".trivium-*")
	if err != nil {
		return fmt.Errorf("notebook: cannot write %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("notebook: cannot write %s: %w", name, err)
		}
	}()
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
