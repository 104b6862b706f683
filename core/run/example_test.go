package run_test

import (
	"context"
	"fmt"
	"log"

	"trivium/core/run"
)

// The error of the descent x ← x - 0.5x is halved by every step.
func ExampleStart() {
	r := run.Start(context.Background(), run.Options{Name: "descent", Total: 3},
		func(ctx context.Context, t *run.Trace) (any, error) {
			x := 1.0
			for k := range 3 {
				if err := run.Gate(ctx); err != nil {
					return x, err
				}
				x -= 0.5 * x
				t.Sample("error", float64(k), x)
				t.Progress(float64(k+1), 3)
			}
			return x, nil
		})
	if err := r.Wait(context.Background()); err != nil {
		log.Fatal(err)
	}
	for _, p := range r.Trace().Points("error") {
		fmt.Printf("step %v: error %v\n", p.Step, p.Value)
	}
	fmt.Println(r.Name(), "is", r.State(), "with", r.Result())
	// Output:
	// step 0: error 0.5
	// step 1: error 0.25
	// step 2: error 0.125
	// descent is done with 0.125
}

func ExampleRun_Stop() {
	r := run.Start(context.Background(), run.Options{},
		func(ctx context.Context, t *run.Trace) (any, error) {
			for {
				if err := run.Gate(ctx); err != nil {
					return nil, err
				}
			}
		})
	r.Stop()
	err := r.Wait(context.Background())
	fmt.Println(r.State(), "-", err)
	// Output: stopped - stopped
}
