package optim_test

import (
	"fmt"

	"trivium/core/optim"
)

// Down a parabola w²/2, whose gradient is w: each step takes off a tenth.
func ExampleSGD() {
	w := []float64{1}
	for step := 1; step <= 3; step++ {
		optim.SGD{}.Step64(w, []float64{w[0]}, nil, 0.1, step)
	}
	fmt.Printf("%.3f\n", w[0])
	// Output: 0.729
}

func ExampleWarmUp() {
	s := optim.WarmUp{Epochs: 2, Then: optim.Cosine{}}
	for _, epoch := range []float64{0, 1, 2, 6, 10} {
		fmt.Printf("%.2f ", s.Factor(epoch, 10))
	}
	// Output: 0.00 0.50 1.00 0.50 0.00
}
