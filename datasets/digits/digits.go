// Package digits carries 1,797 handwritten digits of 8×8 pixels, for lessons that train in a
// second.
//
//	split := digits.Load()  // 1,437 to train with, 360 to test with
//
// The pictures are the test part of the UCI set: 32×32 black and white ones in which the dark
// pixels of each 4×4 block were counted, 0 to 16, here divided by 16. The first four fifths of
// the file train and the last fifth tests.
package digits

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"trivium/core/tensor"
	"trivium/datasets"
)

// Notice says whose data they are, and under what licence they are passed on.
//
//go:embed NOTICE
var Notice string

//go:embed digits.csv.gz
var file []byte

const sum = "46abec6b12486ad9e51943373abcf22bbea1b5a51a1619b361570d8893f1464a"

var load = sync.OnceValues(func() (*datasets.Set, error) {
	if h := sha256.Sum256(file); hex.EncodeToString(h[:]) != sum {
		return nil, &datasets.FormatError{File: "digits.csv.gz", Want: "SHA-256 " + sum, Found: hex.EncodeToString(h[:])}
	}
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return parse(string(text))
})

// parse reads lines of 64 numbers of 0 to 16 and a digit.
func parse(text string) (*datasets.Set, error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	x, labels := tensor.New[float32](len(lines), 64), make([]int, len(lines))
	for i, line := range lines {
		fields := strings.Split(line, ",")
		if len(fields) != 65 {
			return nil, &datasets.FormatError{File: "digits.csv", Line: i + 1, Want: "65 numbers", Found: fmt.Sprint(len(fields))}
		}
		for j, f := range fields {
			v, err := strconv.Atoi(strings.TrimSpace(f))
			if most := 16; err != nil || v < 0 || v > most {
				return nil, &datasets.FormatError{File: "digits.csv", Line: i + 1, Want: fmt.Sprintf("a number from 0 to %d in field %d", most, j+1), Found: f}
			}
			if j == 64 {
				labels[i] = v
			} else {
				x.Row(i)[j] = float32(v) / 16
			}
		}
	}
	return datasets.New("digits", x, labels, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}, datasets.Image{Height: 8, Width: 8, Channels: 1})
}

// Load returns the digits. All calls return the same numbers, which are not to be changed.
func Load() *datasets.Split {
	all, err := load()
	if err != nil {
		panic(fmt.Sprintf("digits: the file in this program is not the one it was built with: %v", err))
	}
	n := all.Len() * 4 / 5
	return &datasets.Split{Train: all.Slice(0, n), Test: all.Slice(n, all.Len()), Notice: Notice}
}
