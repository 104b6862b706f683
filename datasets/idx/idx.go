// Package idx reads the IDX files in which MNIST and the sets made in its likeness come.
//
// A file is two zero bytes, a byte for the type of its numbers, one for the number of
// dimensions, each dimension in four bytes with the highest first, and the numbers. Pictures
// have three dimensions (count, height, width) and labels one. [Load] reads the usual four files
// from a folder, gzipped or not:
//
//	split, err := idx.Load("kmnist", "")  // $TRIVIUM_DATA/kmnist or the user's cache
//
// Only unsigned bytes (type 8) are read, as all of these sets use.
package idx

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"trivium/core/tensor"
	"trivium/datasets"
)

// An Array is the numbers of a file, the last dimension running fastest.
type Array struct {
	Dims []int
	Data []byte
}

const (
	mostDims  = 8
	mostBytes = 1 << 31 // a file that says more is not one of pictures
)

// Decode reads an array to the end of r, gzipped or not. The name is for errors. Memory is
// taken as bytes arrive, so that a header with wrong sizes costs none.
func Decode(name string, r io.Reader) (*Array, error) {
	b := bufio.NewReader(r)
	if magic, err := b.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, &datasets.FormatError{File: name, Want: "a gzip header", Found: err.Error()}
		}
		b = bufio.NewReader(z)
	}
	var head [4]byte
	if n, err := io.ReadFull(b, head[:]); err != nil {
		return nil, &datasets.FormatError{File: name, Offset: int64(n), Want: "an IDX header of 4 bytes", Found: found(err)}
	}
	if head[0] != 0 || head[1] != 0 {
		return nil, &datasets.FormatError{File: name, Want: "two zero bytes of an IDX header", Found: fmt.Sprintf("% x", head[:2])}
	}
	if head[2] != 8 {
		return nil, &datasets.FormatError{File: name, Offset: 2, Want: "type 08, unsigned bytes", Found: fmt.Sprintf("type %02x", head[2])}
	}
	if head[3] < 1 || head[3] > mostDims {
		return nil, &datasets.FormatError{File: name, Offset: 3, Want: fmt.Sprintf("1 to %d dimensions", mostDims), Found: fmt.Sprint(head[3])}
	}
	a := &Array{Dims: make([]int, head[3])}
	size := int64(1)
	for i := range a.Dims {
		var d [4]byte
		if n, err := io.ReadFull(b, d[:]); err != nil {
			return nil, &datasets.FormatError{File: name, Offset: int64(4 + 4*i + n), Want: fmt.Sprintf("dimension %d of %d", i+1, len(a.Dims)), Found: found(err)}
		}
		u := binary.BigEndian.Uint32(d[:])
		if u > mostBytes || size*int64(u) > mostBytes {
			return nil, &datasets.FormatError{File: name, Offset: int64(4 + 4*i), Want: fmt.Sprintf("sizes whose product is at most %d", mostBytes), Found: fmt.Sprintf("%d in dimension %d", u, i+1)}
		}
		a.Dims[i], size = int(u), size*int64(u)
	}
	start := int64(4 + 4*len(a.Dims))
	// Memory doubles as bytes arrive, up to exactly the size.
	a.Data = make([]byte, 0, min(size, 1<<20))
	for {
		if len(a.Data) == cap(a.Data) {
			if int64(len(a.Data)) == size {
				break
			}
			grown := make([]byte, len(a.Data), min(size, 2*int64(cap(a.Data))))
			copy(grown, a.Data)
			a.Data = grown
		}
		n, err := b.Read(a.Data[len(a.Data):cap(a.Data)])
		a.Data = a.Data[:len(a.Data)+n]
		if err != nil && int64(len(a.Data)) < size {
			return nil, &datasets.FormatError{File: name, Offset: start + int64(len(a.Data)), Want: fmt.Sprintf("%d bytes of data (%v)", size, a.Dims), Found: fmt.Sprintf("%s after %d", found(err), len(a.Data))}
		}
	}
	if _, err := b.ReadByte(); err == nil {
		return nil, &datasets.FormatError{File: name, Offset: start + size, Want: "the end of the file", Found: "more bytes than the header says"}
	} else if err != io.EOF {
		return nil, &datasets.FormatError{File: name, Offset: start + size, Want: "the end of the file", Found: found(err)} // a gzip checksum
	}
	return a, nil
}

func found(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the end of the file"
	}
	return err.Error()
}

// Set makes a set of pictures from an array of three dimensions and one of labels. Pixels 0 to
// 255 become 0 to 1.
func Set(name string, images, labels *Array, classes []string) (*datasets.Set, error) {
	if len(images.Dims) != 3 || len(labels.Dims) != 1 {
		return nil, fmt.Errorf("idx: %s: pictures need 3 dimensions and labels 1; there are %d and %d. Are the files exchanged?", name, len(images.Dims), len(labels.Dims))
	}
	n, h, w := images.Dims[0], images.Dims[1], images.Dims[2]
	if n != labels.Dims[0] {
		return nil, fmt.Errorf("idx: %s: %d pictures and %d labels", name, n, labels.Dims[0])
	}
	var scaled [256]float32
	for i := range scaled {
		scaled[i] = float32(i) / 255
	}
	x := tensor.New[float32](n, h*w)
	for i, p := range images.Data {
		x.Data[i] = scaled[p]
	}
	y := make([]int, n)
	for i, l := range labels.Data {
		y[i] = int(l)
	}
	return datasets.New(name, x, y, classes, datasets.Image{Height: h, Width: w, Channels: 1})
}

// Files are the names of the four files of a set, for each gzipped or not.
var Files = [4]string{"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}

// Load reads the four files from a folder of that name in $TRIVIUM_DATA or the user's cache,
// or from the given path.
func Load(name, path string) (*datasets.Split, error) {
	dir, err := datasets.Locate(datasets.Source{
		Name: name, Folder: name, Files: []string{Files[0], Files[0] + ".gz"},
		From: "whoever publishes it, as four IDX files", Instead: "mnist.Load()",
	}, path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	var a [4]*Array
	for i, f := range Files {
		if a[i], err = open(filepath.Join(dir, f)); err != nil {
			return nil, err
		}
	}
	train, err := Set(name+" train", a[0], a[1], nil)
	if err != nil {
		return nil, err
	}
	test, err := Set(name+" test", a[2], a[3], train.Classes())
	if err != nil {
		return nil, err
	}
	return &datasets.Split{Train: train, Test: test}, nil
}

func open(path string) (*Array, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		f, err = os.Open(path + ".gz")
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("idx: %s has no %s, with .gz or without; a set is the files %s", filepath.Dir(path), filepath.Base(path), strings.Join(Files[:], ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("idx: %w", err)
	}
	defer f.Close()
	return Decode(filepath.Base(f.Name()), f)
}
