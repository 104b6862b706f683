package cifar10

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trivium/datasets"
)

// records makes n pictures of class i mod 10, red throughout but for one blue pixel.
func records(n int) []byte {
	var b []byte
	for i := range n {
		p := make([]byte, record)
		p[0] = byte(i % 10)
		for j := range 1024 {
			p[1+j] = 255
		}
		p[1+i%1024], p[1+2048+i%1024] = 0, 51
		b = append(b, p...)
	}
	return b
}

func TestRead(t *testing.T) {
	s, err := Read(bytes.NewReader(records(12)), "a", 12)
	if err != nil {
		t.Fatal(err)
	}
	// Picture 11 has its blue pixel in column 11 of the first line.
	row := s.Row(11)
	if got := fmt.Sprint(s.Len(), s.Label(11), row[10], row[11], row[2048+11], s.Image().At(row, 11, 0), s.Image().At(row, 10, 0)); got != "12 1 1 0 0.2 {0 0 51 255} {255 0 0 255}" {
		t.Error(got)
	}
}

func TestReadRefuses(t *testing.T) {
	good := records(3)
	bad := append([]byte(nil), good...)
	bad[record] = 10
	for want, b := range map[string][]byte{
		"byte 9218: expected record 3 of 3, 3073 bytes each, found the end of the file after 3072 bytes": good[:3*record-1],
		"byte 9219: expected the end of the file after 3 records, found more":                            append(good[:3*record:3*record], 1),
		"byte 3073: expected a class from 0 to 9 at the start of record 2, found 10":                     bad,
		"byte 0: expected record 1 of 3":                                                                 nil,
	} {
		if _, err := Read(bytes.NewReader(b), "a", 3); !errors.As(err, new(*datasets.FormatError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := Read(bytes.NewReader(nil), "a", -1); err == nil {
		t.Error("read -1 records")
	}
}

func TestLoad(t *testing.T) {
	_, err := Load(t.TempDir())
	if !errors.As(err, new(*datasets.MissingError)) || !strings.Contains(err.Error(), "cs.toronto.edu") || !strings.Contains(err.Error(), "fashion.Load()") {
		t.Errorf("got %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data_batch_1.bin"), records(100), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Load(dir)
	if err == nil || !strings.Contains(err.Error(), "data_batch_1.bin, byte 307300: expected record 101 of 10000") {
		t.Errorf("a torn file gives %v", err)
	}
}

// The real thing: 1,000 test pictures of each class.
func TestOwnCopy(t *testing.T) {
	s, err := Load("")
	if errors.As(err, new(*datasets.MissingError)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for c, n := range s.Test.Counts() {
		if n != 1000 || s.Train.Counts()[c] != 5000 {
			t.Errorf("%s: %d and %d", Classes[c], s.Train.Counts()[c], n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(records(2), 2)
	f.Add(records(1)[:100], 1)
	f.Add([]byte{11}, 0)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		n = min(n, 50) // bounds the memory of the test
		s, err := Read(bytes.NewReader(b), "a", n)
		if (err == nil) != (n >= 0 && len(b) == n*record && ok(b)) {
			t.Fatalf("%d bytes, %d records: %v, %v", len(b), n, s, err)
		}
	})
}

func ok(b []byte) bool {
	for i := 0; i < len(b); i += record {
		if b[i] > 9 {
			return false
		}
	}
	return true
}

func Example() {
	_, err := Load("no/such/folder")
	fmt.Println(err)
	// Output:
	// datasets: CIFAR-10 is not here (looked in no/such/folder). Get it from https://www.cs.toronto.edu/~kriz/cifar.html (the binary version), unpacked (no licence that allows passing it on) and give its folder, or put it into $TRIVIUM_DATA/cifar10. Until then, fashion.Load() or datasets.Blobs stands in
}
