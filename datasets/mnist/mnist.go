// Package mnist carries MNIST: 70,000 handwritten digits of 28×28 grey pixels, 60,000 to train
// with and 10,000 to test with.
//
//	split := mnist.Load()
//	split.Train.X()         // 60000×784, 0 paper to 1 ink
//	split.Batches(64).At(0) // the first batch, shuffled
//
// The four canonical files are inside the program (11 MB); [Load] decodes them the first time,
// in about half a second and to 220 MB, and compares their SHA-256 sums.
package mnist

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
	"440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
	"3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
	"8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
	"f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
}

var load = idx.Embedded("MNIST", files, sums, nil, Notice)

// Load returns MNIST. All calls return the same numbers, which are not to be changed.
func Load() *datasets.Split { return load() }
