package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A kernelSpec is kernel.json. The same fields are read by `check`.
type kernelSpec struct {
	Argv          []string       `json:"argv"`
	DisplayName   string         `json:"display_name"`
	Language      string         `json:"language"`
	InterruptMode string         `json:"interrupt_mode"` // "message": a signal could not say which cell it is for
	Metadata      map[string]any `json:"metadata"`
}

func (o *options) newSpec() kernelSpec {
	return kernelSpec{
		Argv:          []string{o.program(), "kernel", "-f", "{connection_file}"},
		DisplayName:   o.displayName,
		Language:      "go",
		InterruptMode: "message",
		Metadata:      map[string]any{"debugger": false},
	}
}

// writeSpec writes kernel.json and the logos. The program has to be there already, so that a
// front end never sees a kernel that it cannot start.
func (o *options) writeSpec() error {
	logos, err := logoFiles()
	if err != nil {
		return err
	}
	for name, data := range logos {
		if err := replaceFile(filepath.Join(o.specDir(), name), data, 0o644); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(o.newSpec()); err != nil {
		return err
	}
	return replaceFile(filepath.Join(o.specDir(), "kernel.json"), b.Bytes(), 0o644)
}

// errNotInstalled is wrapped by readSpec.
var errNotInstalled = errors.New("the kernel is not installed there; \"go run ./install\" installs it")

func (o *options) readSpec() (*kernelSpec, error) {
	name := filepath.Join(o.specDir(), "kernel.json")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", o.specDir(), errNotInstalled)
	}
	if err != nil {
		return nil, err
	}
	var s kernelSpec
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s is damaged (%w); install again", name, err)
	}
	return &s, nil
}

// ours reports whether a kernel spec was written by this program.
func (o *options) ours(s *kernelSpec) bool {
	return len(s.Argv) == 4 && s.Argv[1] == "kernel" && filepath.Dir(s.Argv[0]) == o.specDir()
}

// replaceFile writes a file beside the old one and renames it into place: whoever reads or runs
// the old one goes on undisturbed.
func replaceFile(name string, data []byte, mode os.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), mode); err != nil {
		return err
	}
	return moveOver(f.Name(), name)
}

// moveOver renames a file over another one. Where a program that runs cannot be replaced
// (Windows), it is moved aside; the next install or uninstall removes it.
func moveOver(from, to string) error {
	err := os.Rename(from, to)
	if err == nil {
		return nil
	}
	aside := to + ".old"
	os.Remove(aside)
	if os.Rename(to, aside) != nil {
		return err
	}
	return os.Rename(from, to)
}
