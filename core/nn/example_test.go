package nn_test

import (
	"fmt"
	"log"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// One dense layer with given weights: 1·3 + 2·4 + 0.5.
func ExampleNetwork_Forward() {
	net := nn.MLP(2, 1)
	copy(net.Weights(), []float32{3, 4, 0.5})
	y, err := net.Forward(tensor.Of(1, 2, []float32{1, 2}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y.Data[0])
	// Output: 11.5
}

func ExampleMLP() {
	fmt.Print(nn.MLP(784, 500, 10))
	// Output:
	// MLP 784-500-10: 784 to 10, 397510 parameters, 397000 multiplications a sample
	//   dense1                       392500         392000
	//   dense2                         5010           5000
}

// Large networks are counted without memory for their weights.
func ExampleResNet() {
	net := nn.ResNet(50)
	fmt.Printf("%.1f M parameters, %.2f G multiplications\n", float64(net.Count())/1e6, float64(net.MACs())/1e9)
	// Output: 25.6 M parameters, 4.09 G multiplications
}
