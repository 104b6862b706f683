package mgrit_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"trivium/core/mgrit"
	"trivium/core/nn"
	"trivium/core/optim"
	"trivium/core/train"
	"trivium/datasets/digits"
)

// All 12,800 training steps of a small network at once, and the same weights as one after the other.
func ExampleSolve() {
	p := mgrit.XOR(mgrit.XOROptions{Rate: 0.1})
	res, err := mgrit.Solve(context.Background(), p, mgrit.Options{Steps: 12800, Coarsen: 4})
	if err != nil {
		log.Fatal(err)
	}
	serial, err := mgrit.Serial(p, 12800)
	if err != nil {
		log.Fatal(err)
	}
	worst := 0.0
	for i, w := range serial {
		worst = math.Max(worst, math.Abs(w-res.Final[i]))
	}
	fmt.Printf("weights are equal to 1e-8: %v\n", worst < 1e-8)
	fmt.Printf("converged: %v, in fewer than 15 cycles: %v\n", res.Converged, res.Cycles < 15)
	// Output:
	// weights are equal to 1e-8: true
	// converged: true, in fewer than 15 cycles: true
}

// A differential equation, u' = -u, with backward Euler steps of 1/16: s.Scale stretches
// the step on coarse levels.
func ExampleProblem() {
	decay := mgrit.Problem{
		Init: []float64{1},
		Step: func(dst, src []float64, s mgrit.Step) { dst[0] = src[0] / (1 + s.Scale/16) },
	}
	res, err := mgrit.Solve(context.Background(), decay, mgrit.Options{Steps: 16, Coarse: mgrit.Multiplied{}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("u(1) = %.4f, by hand %.4f\n", res.Final[0], math.Pow(16./17, 16))
	// Output: u(1) = 0.3791, by hand 0.3791
}

// A training step that already exists, and changes the weights in place, is not rewritten.
func ExampleProblem_update() {
	train := func(w []float64, rate float64) { // fits w[0] + w[1]·x to the points (0, 1) and (1, 3)
		e0, e1 := w[0]-1, w[0]+w[1]-3
		w[0] -= rate * (e0 + e1)
		w[1] -= rate * e1
	}
	p := mgrit.Problem{
		Init:   []float64{0, 0},
		Update: func(w []float64, s mgrit.Step) []float64 { train(w, 0.1*s.Scale); return w },
	}
	res, err := mgrit.Solve(context.Background(), p, mgrit.Options{Steps: 500})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f + %.3f x\n", res.Final[0], res.Final[1])
	// Output: 1.000 + 2.000 x
}

// How many processors would it take? One is far slower than serial training, as
// all levels together take many times its steps.
func ExampleResult_Forecast() {
	p := mgrit.XOR(mgrit.XOROptions{Rate: 0.01})
	res, err := mgrit.Solve(context.Background(), p, mgrit.Options{Steps: 12800, Coarsen: 4})
	if err != nil {
		log.Fatal(err)
	}
	cluster := mgrit.Machine{Step: 1e-3, Latency: 1e-5}
	forecast, err := res.Forecast(cluster, 1, 1024)
	if err != nil {
		log.Fatal(err)
	}
	even, err := res.BreakEven(cluster)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("1 processor is slower than serial training:", forecast[0].SpeedUp < 0.1)
	fmt.Println("1024 are more than 5 times as fast:", forecast[1].SpeedUp > 5)
	fmt.Println("from 10 to 200 break even:", even >= 10 && even <= 200)
	// Output:
	// 1 processor is slower than serial training: true
	// 1024 are more than 5 times as fast: true
	// from 10 to 200 break even: true
}

// Any network, data set and optimiser that package train trains, with the same weights at the
// end. A coarse step looks at four of the minibatches that it skips.
func ExampleTrainingOf64() {
	net, data := nn.MLP(64, 8, 10).Float64(), digits.Load().Small(20, 1)
	o := train.Options{Optimizer: optim.SGD{Momentum: 0.5}, Rate: 0.02, Batch: 50, Epochs: 25, Steps: 100}
	p := mgrit.TrainingOf64(net, data, o)
	res, err := mgrit.Solve(context.Background(), p, mgrit.Options{Steps: 100, Coarsen: 4, Coarse: mgrit.Pooled{Rule: mgrit.Adaptive{}}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := train.Train64(context.Background(), net, data, o); err != nil {
		log.Fatal(err)
	}
	worst := 0.0
	for i, w := range net.Weights() {
		worst = math.Max(worst, math.Abs(w-res.Final[i]))
	}
	fmt.Printf("%d weights and as many velocities: %d numbers\n", len(net.Weights()), len(res.Final))
	fmt.Println("weights are equal to 1e-8:", worst < 1e-8)
	// Output:
	// 610 weights and as many velocities: 1220 numbers
	// weights are equal to 1e-8: true
}
