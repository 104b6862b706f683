package symbols

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"strings"
	"sync"
)

//go:embed data/export.zip
var exportZip string

//go:embed data/doc.zip
var docZip string

// archive reads one embedded zip file, its directory on first use.
type archive struct {
	data *string
	once sync.Once
	file map[string]*zip.File
}

var (
	exports = archive{data: &exportZip}
	docs    = archive{data: &docZip}
)

func (a *archive) read(name string) ([]byte, bool) {
	a.once.Do(func() {
		a.file = map[string]*zip.File{}
		r, err := zip.NewReader(strings.NewReader(*a.data), int64(len(*a.data)))
		if err != nil {
			return // no entries; a test opens every one
		}
		for _, f := range r.File {
			a.file[f.Name] = f
		}
	})
	f := a.file[name]
	if f == nil {
		return nil, false
	}
	r, err := f.Open()
	if err != nil {
		return nil, false
	}
	defer r.Close()
	b := bytes.NewBuffer(make([]byte, 0, f.UncompressedSize64+bytes.MinRead))
	if _, err := b.ReadFrom(io.LimitReader(r, 64<<20)); err != nil {
		return nil, false
	}
	return b.Bytes(), true
}

// ExportData gives the indexed export data of a package and of what it mentions, for
// golang.org/x/tools/go/gcexportdata.Read. It holds no positions.
func (Table) ExportData(path string) ([]byte, bool) {
	if b, ok := exports.read(path); ok {
		return b, ok
	}
	return extraExports.read(path)
}

var docIndex struct {
	sync.Mutex
	m map[string]map[string][2]string
}

// Doc documents a package (name ""), one of its names, a method ("Builder.Grow"), a field
// ("Options.Steps") or a method of an interface ("Reader.Read"). The signature is the
// declaration without comments and bodies, of types on several lines; the text is the
// documentation as it stands in the source.
func (Table) Doc(path, name string) (signature, text string, ok bool) {
	docIndex.Lock()
	defer docIndex.Unlock()
	m := docIndex.m[path]
	if m == nil {
		b, ok := docs.read(path)
		if !ok {
			b, ok = extraDocs.read(path)
		}
		if !ok || json.Unmarshal(b, &m) != nil {
			return "", "", false
		}
		if docIndex.m == nil {
			docIndex.m = map[string]map[string][2]string{}
		}
		docIndex.m[path] = m
	}
	d, ok := m[name]
	return d[0], d[1], ok
}
