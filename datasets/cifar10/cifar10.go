// Package cifar10 reads the user's own copy of CIFAR-10, 60,000 colour pictures of 32×32 pixels
// in ten classes, in the binary version.
//
//	split, err := cifar10.Load("")        // $TRIVIUM_DATA/cifar10 or the user's cache
//	split, err := cifar10.Load("/data/cifar-10-batches-bin")
//
// The data (A. Krizhevsky, "Learning multiple layers of features from tiny images" (2009)) have
// no licence that lets the project carry them. A record is a byte for the class and 3,072 for the
// red, green and blue planes; a row of features is these planes, 0 to 1.
package cifar10

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"trivium/core/tensor"
	"trivium/datasets"
)

// Source says where people get the data.
var Source = datasets.Source{
	Name: "CIFAR-10", Folder: "cifar10", Files: []string{"data_batch_1.bin", "cifar-10-batches-bin/data_batch_1.bin"},
	From:    "https://www.cs.toronto.edu/~kriz/cifar.html (the binary version), unpacked",
	Licence: "no licence that allows passing it on", Instead: "fashion.Load() or datasets.Blobs",
}

// Classes are the names of the classes.
var Classes = []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}

const (
	pixels = 3 * 32 * 32
	record = 1 + pixels
	each   = 10000 // records of a file
)

// Load reads the five files of 10,000 pictures to train with and the one to test with from the
// given folder or where datasets.Locate finds them. It takes 740 MB.
func Load(path string) (*datasets.Split, error) {
	dir, err := datasets.Locate(Source, path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, Source.Files[0])); err != nil {
		dir = filepath.Join(dir, filepath.Dir(Source.Files[1]))
	}
	train, err := readFiles("CIFAR-10, training", dir, "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin")
	if err != nil {
		return nil, err
	}
	test, err := readFiles("CIFAR-10, test", dir, "test_batch.bin")
	if err != nil {
		return nil, err
	}
	return &datasets.Split{Train: train, Test: test, Notice: "CIFAR-10, A. Krizhevsky (2009); the user's own copy"}, nil
}

func readFiles(name, dir string, files ...string) (*datasets.Set, error) {
	x, labels := tensor.New[float32](each*len(files), pixels), make([]int, each*len(files))
	for i, file := range files {
		f, err := os.Open(filepath.Join(dir, file))
		if err != nil {
			return nil, fmt.Errorf("cifar10: %w", err)
		}
		err = fill(f, file, x.Slice(i*each, (i+1)*each, 0, pixels), labels[i*each:(i+1)*each])
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return datasets.New(name, x, labels, Classes, image)
}

var image = datasets.Image{Height: 32, Width: 32, Channels: 3, Planes: true}

// Read reads exactly n records of the binary version.
func Read(r io.Reader, name string, n int) (*datasets.Set, error) {
	if n < 0 || n > 1_000_000 {
		return nil, fmt.Errorf("cifar10: %s: %d records; from 0 to a million can be read", name, n)
	}
	x, labels := tensor.New[float32](n, pixels), make([]int, n)
	if err := fill(r, name, x, labels); err != nil {
		return nil, err
	}
	return datasets.New(name, x, labels, Classes, image)
}

// fill reads a record for each row and looks for the end after them.
func fill(r io.Reader, name string, x tensor.Matrix[float32], labels []int) error {
	var scaled [256]float32
	for i := range scaled {
		scaled[i] = float32(i) / 255
	}
	b := bufio.NewReaderSize(r, 1<<16)
	buf := make([]byte, record)
	for i := range labels {
		at := int64(i) * record
		n, err := io.ReadFull(b, buf)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return &datasets.FormatError{File: name, Offset: at + int64(n), Want: fmt.Sprintf("record %d of %d, %d bytes each", i+1, len(labels), record), Found: fmt.Sprintf("the end of the file after %d bytes of it", n)}
		}
		if err != nil {
			return fmt.Errorf("cifar10: %s: %w", name, err)
		}
		if int(buf[0]) >= len(Classes) {
			return &datasets.FormatError{File: name, Offset: at, Want: fmt.Sprintf("a class from 0 to %d at the start of record %d", len(Classes)-1, i+1), Found: fmt.Sprint(buf[0])}
		}
		labels[i] = int(buf[0])
		row := x.Row(i)
		for j, p := range buf[1:] {
			row[j] = scaled[p]
		}
	}
	if _, err := b.ReadByte(); err == nil {
		return &datasets.FormatError{File: name, Offset: int64(len(labels)) * record, Want: fmt.Sprintf("the end of the file after %d records", len(labels)), Found: "more bytes"}
	} else if err != io.EOF {
		return fmt.Errorf("cifar10: %s: %w", name, err)
	}
	return nil
}
