package viz_test

import (
	"context"
	"fmt"

	"trivium/core/run"
	"trivium/viz"
)

// A residual that each cycle makes ten times smaller is a straight line on a log axis.
func ExampleResiduals() {
	r := run.Start(context.Background(), run.Options{Name: "mgrit"},
		func(ctx context.Context, t *run.Trace) (any, error) {
			for cycle, norm := 0, 1.0; cycle < 4; cycle, norm = cycle+1, norm/10 {
				t.Sample("residual", float64(cycle), norm)
			}
			return nil, nil
		})
	r.Wait(context.Background())
	fmt.Println(viz.Residuals(r)) // in a notebook, viz.Residuals(r) as the last line
	// Output:
	// Residual norm of mgrit over cycle
	// mgrit: 4 values, 1 → 0.001, done  █▆▃▁
}

func ExampleLines() {
	f := viz.Lines("squares", nil, []float64{0, 1, 4, 9}).And("doubles", nil, []float64{0, 2, 4, 6}).Title("Growth")
	fmt.Println(f)
	// Output:
	// Growth
	// Squares and doubles, 2 curves
	// squares: 4 values, 0 → 9  ▁▁▄█
	// doubles: 4 values, 0 → 6  ▁▃▆█
}

// Of two cats one was taken for a dog.
func ExampleConfusion() {
	labels, given := []int{0, 0, 1, 1}, []int{0, 1, 1, 1}
	fmt.Println(viz.Confusion([]string{"cat", "dog"}, labels, given))
	// Output:
	// Confusion of 2 classes, 4 samples
	// 75 % right
	// cat taken for dog: 1
}

// The lines of equal value of x·y are hyperbolas.
func ExampleFunction() {
	fmt.Println(viz.Function("x·y", 0, 3, 0, 2, func(x, y float64) float64 { return x * y }))
	// Output:
	// X·y
	// 61×61 values from 0, at (0, 0), to 6
}
