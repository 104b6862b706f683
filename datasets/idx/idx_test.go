package idx

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/datasets"
)

// file writes an array as the format's description has it.
func file(dims []byte, data ...byte) []byte {
	b := []byte{0, 0, 8, byte(len(dims))}
	for _, d := range dims {
		b = append(b, 0, 0, 0, d)
	}
	return append(b, data...)
}

func zip(b []byte) []byte {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

func TestDecode(t *testing.T) {
	plain := file([]byte{2, 1, 3}, 1, 2, 3, 4, 5, 6)
	for _, b := range [][]byte{plain, zip(plain)} {
		a, err := Decode("a", bytes.NewReader(b))
		if err != nil || fmt.Sprint(a.Dims, a.Data) != "[2 1 3] [1 2 3 4 5 6]" {
			t.Errorf("%v, %v", a, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := file([]byte{2, 3}, 1, 2, 3, 4, 5, 6)
	torn := zip(good)
	torn[len(torn)-6] ^= 1 // in the checksum
	for want, b := range map[string][]byte{
		"byte 0: expected an IDX header of 4 bytes, found the end":      {},
		"byte 3: expected an IDX header":                                good[:3],
		"byte 10: expected dimension 2 of 2":                            good[:10],
		"byte 16: expected 6 bytes of data ([2 3]), found the end":      good[:16],
		"byte 18: expected the end of the file, found more":             append(good[:18:18], 7),
		"byte 2: expected type 08, unsigned bytes, found type 0d":       {0, 0, 13, 1},
		"byte 0: expected two zero bytes":                               []byte("\x89PNG"),
		"byte 3: expected 1 to 8 dimensions, found 0":                   {0, 0, 8, 0},
		"byte 8: expected sizes whose product is at most 2147483648":    {0, 0, 8, 2, 0x40, 0, 0, 0, 0, 1, 0, 0},
		"byte 8: expected 1073741824 bytes of data":                     {0, 0, 8, 1, 0x40, 0, 0, 0},
		"byte 18: expected the end of the file, found gzip: invalid ch": torn,
	} {
		_, err := Decode("a", bytes.NewReader(b))
		var format *datasets.FormatError
		if !errors.As(err, &format) || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	images, labels := file([]byte{2, 2, 2}, 0, 255, 51, 0, 9, 9, 9, 9), file([]byte{2}, 1, 0)
	write := func(i int, suffix string, b []byte) {
		if err := os.WriteFile(filepath.Join(dir, Files[i]+suffix), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load("mine", dir); !errors.As(err, new(*datasets.MissingError)) {
		t.Errorf("an empty folder gives %v", err)
	}
	write(0, "", images)
	if _, err := Load("mine", dir); err == nil || !strings.Contains(err.Error(), "has no train-labels-idx1-ubyte, with .gz or without") {
		t.Errorf("a set without labels gives %v", err)
	}
	write(1, ".gz", zip(labels))
	write(2, ".gz", zip(images))
	write(3, "", labels)
	s, err := Load("mine", dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Train.Row(0), s.Train.Labels()); got != "[0 1 0.2 0] [1 0]" {
		t.Error(got)
	}
	write(3, "", images)
	if _, err := Load("mine", dir); err == nil || !strings.Contains(err.Error(), "exchanged") {
		t.Errorf("pictures as labels give %v", err)
	}
	write(3, "", file([]byte{1}, 1))
	if _, err := Load("mine", dir); err == nil || !strings.Contains(err.Error(), "2 pictures and 1 labels") {
		t.Errorf("too few labels give %v", err)
	}
}

func TestChecksum(t *testing.T) {
	dir := t.TempDir()
	for i, f := range Files {
		b := file([]byte{1}, 1)
		if i%2 == 0 {
			b = file([]byte{1, 1, 1}, 1)
		}
		if err := os.WriteFile(filepath.Join(dir, f+".gz"), zip(b), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := decode("mine", os.DirFS(dir), [4]string{"00"}, nil, ""); err == nil || !strings.Contains(err.Error(), "SHA-256 00") {
		t.Errorf("a wrong sum gives %v", err)
	}
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "mine") {
			t.Errorf("files that the program was not built with: %v", r)
		}
	}()
	Embedded("mine", os.DirFS(dir), [4]string{"00"}, nil, "")()
}

func FuzzDecode(f *testing.F) {
	f.Add(file([]byte{2, 1, 3}, 1, 2, 3, 4, 5, 6))
	f.Add(zip(file([]byte{2}, 1, 2)))
	f.Add([]byte{0, 0, 8, 3, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := Decode("a", bytes.NewReader(b))
		if err != nil {
			if !errors.As(err, new(*datasets.FormatError)) {
				t.Fatalf("an error of type %T", err)
			}
			return
		}
		n := 1
		for _, d := range a.Dims {
			n *= d
		}
		if n != len(a.Data) {
			t.Fatalf("%v has %d bytes", a.Dims, len(a.Data))
		}
	})
}

func Example() {
	a, err := Decode("three bytes", strings.NewReader("\x00\x00\x08\x01\x00\x00\x00\x03abc"))
	fmt.Println(a.Dims, string(a.Data), err)
	// Output: [3] abc <nil>
}
