package crs_test

import (
	"fmt"
	"log"

	"trivium/core/crs"
	"trivium/core/nn"
	"trivium/core/tensor"
)

// A product of three pairs, of which the first two have almost all.
func ExampleMatMul() {
	a, err := tensor.Rows32([]float32{3, 2, 0.1})
	if err != nil {
		log.Fatal(err)
	}
	b, err := tensor.Rows32([]float32{10}, []float32{10}, []float32{1})
	if err != nil {
		log.Fatal(err)
	}
	half, err := crs.MatMul(a, b, crs.TopK{Keep: 0.67}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("3·10 + 2·10 = %.0f, the whole is 50.1", half.At(0, 0))
	// Output: 3·10 + 2·10 = 50, the whole is 50.1
}

// What the rule for ImageNet leaves of the work, counted without any weights.
func ExampleCost() {
	rule := crs.Product{Sampler: crs.TopK{Keep: 0.5}, MinPairs: 512, Exact: []string{"conv1", "dense"}}
	fmt.Println(crs.Cost(nn.ResNet(50), rule, 256))
	// Output: 93.1% of the forward work, 93.1% of the work of a step, 88.2% of the gradient; 9 layers sampled
}
