package datasets_test

import (
	"fmt"

	"trivium/datasets"
)

func ExampleSet_Batches() {
	b := datasets.XOR().Batches(2)
	for k := range b.Len() {
		x := b.At(k)
		for i := range x.Len() {
			fmt.Println(x.X.Row(i), x.Labels[i])
		}
	}
	// Output:
	// [0 0] 0
	// [0 1] 1
	// [1 0] 1
	// [1 1] 0
}

func ExampleSet_Part() {
	small, rest := datasets.Blobs(90, 3, 0.1, 1).Part(0.2, 1)
	fmt.Println(small)
	fmt.Println(rest)
	// Output:
	// 3 blobs of 90 points: 18 samples of 2 features, 3 classes: 0 6, 1 6, 2 6
	// 3 blobs of 90 points: 72 samples of 2 features, 3 classes: 0 24, 1 24, 2 24
}
