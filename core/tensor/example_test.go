package tensor_test

import (
	"fmt"
	"log"

	"trivium/core/tensor"
)

func ExampleMul() {
	a := tensor.Of(2, 3, []float32{1, 2, 3, 4, 5, 6})
	b := tensor.Of(3, 2, []float32{1, 0, 0, 1, 1, 1})
	c := tensor.New[float32](2, 2)
	if err := tensor.Mul(nil, c, tensor.NN, a, b, 1, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Data)
	// Output: [4 5 10 11]
}

func ExampleMulSampled() {
	a := tensor.Of(2, 3, []float32{1, 2, 3, 4, 5, 6})
	b := tensor.Of(3, 2, []float32{1, 0, 0, 1, 1, 1})
	c := tensor.New[float32](2, 2)
	// Column 2 of a with row 2 of b, in place of all three pairs.
	s := tensor.Sample[float32]{Index: []int32{2}, Scale: []float32{3}}
	if err := tensor.MulSampled(nil, c, tensor.NN, a, b, s, 1, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Data)
	// Output: [9 9 18 18]
}

func ExampleMat64_Mul() {
	a, err := tensor.Rows64([]float64{1, 2}, []float64{3, 4})
	if err != nil {
		log.Fatal(err)
	}
	b, err := a.Mul(a)
	fmt.Println(b, err)
	// Output:
	// 2×2
	//           7         10
	//          15         22 <nil>
}

func ExampleConvForward() {
	x := tensor.Images[float32]{N: 1, C: 1, H: 3, W: 3, Data: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	w := tensor.Images[float32]{N: 1, C: 1, H: 2, W: 2, Data: []float32{1, 0, 0, -1}}
	y := tensor.NewImages[float32](1, 1, 2, 2)
	if err := tensor.ConvForward(nil, y, x, w, tensor.Window{}, nil, nil, false); err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Data)
	// Output: [-4 -4 -4 -4]
}
