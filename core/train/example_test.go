package train_test

import (
	"context"
	"fmt"
	"log"

	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/tensor"
	"trivium/core/train"
)

// Exclusive or, which no network without a hidden layer can learn.
func ExampleTrain() {
	xor := &train.Samples{
		X:      tensor.Of(4, 2, []float32{0, 0, 0, 1, 1, 0, 1, 1}),
		Labels: []int{0, 1, 1, 0},
	}
	net := nn.MLP(2, 16, 2)
	res, err := train.Train(context.Background(), net, xor, train.Options{Epochs: 300, Optimizer: optim.Adam{}, Rate: 0.02})
	if err != nil {
		log.Fatal(err)
	}
	_, accuracy, err := train.Evaluate(net, xor.X, xor.Labels, nn.CrossEntropy)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d steps, %.0f%% right\n", res.Steps, 100*accuracy)
	// Output: 300 steps, 100% right
}
