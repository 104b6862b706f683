// Package fashion carries Fashion-MNIST: 70,000 pictures of clothes, 28×28 grey pixels in ten
// classes, 60,000 to train with and 10,000 to test with.
//
//	split := fashion.Load()
//	split.Train.Classes()  // T-shirt, trouser, …
//
// It has the shape of MNIST and is harder, so that a difference between two ways of training
// shows. The four canonical files are inside the program (30 MB); [Load] decodes them the first
// time, in about half a second and to 220 MB, and compares their SHA-256 sums.
package fashion

import (
	"embed"

	"trivium/datasets"
	"trivium/datasets/idx"
)

// Notice says whose data they are, and under what licence they are passed on.
//
//go:embed NOTICE
var Notice string

//go:embed *.gz
var files embed.FS

var sums = [4]string{
	"b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7",
	"0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056",
	"cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa",
	"8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05",
}

var classes = []string{"T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"}

var load = idx.Embedded("Fashion-MNIST", files, sums, classes, Notice)

// Load returns Fashion-MNIST. All calls return the same numbers, which are not to be changed.
func Load() *datasets.Split { return load() }
