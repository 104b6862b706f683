package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"go/token"
	"io"

	"golang.org/x/tools/go/gcexportdata"
)

// exportData packs the indexed export data (types, no bodies) of every package, one entry
// each. Positions are left out: they would be paths of the machine that generated them.
func exportData(pkgs []*pkg) ([]byte, error) {
	a := newArchive()
	nowhere := token.NewFileSet()
	for _, p := range pkgs {
		var b bytes.Buffer
		if err := gcexportdata.Write(&b, nowhere, p.types); err != nil {
			return nil, fmt.Errorf("export data of %s: %w", p.ImportPath, err)
		}
		if err := a.add(p.ImportPath, b.Bytes()); err != nil {
			return nil, err
		}
	}
	return a.close()
}

// archive is a zip file that has the same bytes whenever its entries have.
type archive struct {
	b bytes.Buffer
	w *zip.Writer
}

func newArchive() *archive {
	a := new(archive)
	a.w = zip.NewWriter(&a.b)
	a.w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	return a
}

func (a *archive) add(name string, data []byte) error {
	w, err := a.w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}) // no time: it would differ every run
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (a *archive) close() ([]byte, error) {
	err := a.w.Close()
	return a.b.Bytes(), err
}
