package idx

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sync"

	"trivium/datasets"
)

// Embedded returns a function that returns the set in the four gzipped files of a file system whose
// SHA-256 are sums, in the order of Files. It decodes them when it is first called. Files that
// are not those a program was built with are a bug of the program, so it panics.
func Embedded(name string, files fs.FS, sums [4]string, classes []string, notice string) func() *datasets.Split {
	load := sync.OnceValues(func() (*datasets.Split, error) { return decode(name, files, sums, classes, notice) })
	return func() *datasets.Split {
		split, err := load()
		if err != nil {
			panic(fmt.Sprintf("idx: the files of %s in this program are not those it was built with: %v", name, err))
		}
		copied := *split
		return &copied
	}
}

func decode(name string, files fs.FS, sums [4]string, classes []string, notice string) (*datasets.Split, error) {
	var a [4]*Array
	for i, f := range Files {
		r, err := files.Open(f + ".gz")
		if err != nil {
			return nil, fmt.Errorf("idx: %s: %w", name, err)
		}
		a[i], err = checked(f+".gz", r, sums[i])
		r.Close()
		if err != nil {
			return nil, err
		}
	}
	train, err := Set(name+", training", a[0], a[1], classes)
	if err != nil {
		return nil, err
	}
	test, err := Set(name+", test", a[2], a[3], classes)
	if err != nil {
		return nil, err
	}
	return &datasets.Split{Train: train, Test: test, Notice: notice}, nil
}

func checked(name string, r fs.File, want string) (*Array, error) {
	h := sha256.New()
	a, err := Decode(name, &tee{r, h.Write})
	if sum := hex.EncodeToString(h.Sum(nil)); err == nil && sum != want {
		return nil, &datasets.FormatError{File: name, Want: "SHA-256 " + want, Found: sum}
	}
	return a, err
}

// tee shows what is read to a hash. Decode reads to the end, so that the hash has seen all.
type tee struct {
	r    fs.File
	seen func([]byte) (int, error)
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.seen(p[:n])
	return n, err
}
