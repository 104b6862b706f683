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

// A training step as a function from weights to weights, for methods that solve for many steps
// at once: the network works with weights that lie elsewhere.
func ExampleNetwork_Use() {
	net := nn.MLP(1, 1).Float64() // y = w·x + b
	net.Pass().Train = true
	x, want := tensor.Of(1, 1, []float64{2}), tensor.Of(1, 1, []float64{5})
	dy := tensor.New[float64](1, 1)
	step := func(w []float64, rate float64) (loss float64, err error) {
		if err := net.Use(w); err != nil {
			return 0, err
		}
		y, err := net.Forward(x)
		if err != nil {
			return 0, err
		}
		if loss, err = nn.LossOf(nn.MSE, dy, y, nil, want); err != nil {
			return 0, err
		}
		if err := net.Backward(dy); err != nil {
			return 0, err
		}
		tensor.Axpy(w, -rate, net.Gradients())
		return loss, nil
	}
	w := []float64{1, 1} // gives 3, so the gradient by y is 2·(3-5) = -4
	loss, err := step(w, 0.1)
	fmt.Println(loss, w, err)
	// Output: 4 [1.8 1.4] <nil>
}

// Large networks are counted without memory for their weights.
func ExampleResNet() {
	net := nn.ResNet(50)
	fmt.Printf("%.1f M parameters, %.2f G multiplications\n", float64(net.Count())/1e6, float64(net.MACs())/1e9)
	// Output: 25.6 M parameters, 4.09 G multiplications
}
