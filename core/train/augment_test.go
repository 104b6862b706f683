package train

import (
	"context"
	"slices"
	"strings"
	"testing"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// Each changed picture is the picture mirrored or not and moved by some number of rows and columns,
// in both channels alike, and all of these occur.
func TestAugment(t *testing.T) {
	shape := nn.Shape{C: 2, H: 3, W: 4}
	at := func(c, y, x int) float64 { // of the picture, 0 beside it
		if y < 0 || y >= shape.H || x < 0 || x >= shape.W {
			return 0
		}
		return float64(1 + x + shape.W*(y+shape.H*c))
	}
	moved := func(flip bool, down, right int) []float64 {
		var p []float64
		for c := range shape.C {
			for y := range shape.H {
				for x := range shape.W {
					from := x - right
					if flip {
						from = shape.W - 1 - from
					}
					p = append(p, at(c, y-down, from))
				}
			}
		}
		return p
	}
	for _, a := range []Augment{{}, {Flip: true}, {Shift: 1}, {Flip: true, Shift: 2}} {
		kinds := 0
		seen := map[[3]int]bool{}
		x := tensor.New[float64](1000, shape.Size())
		for i := range x.Rows {
			copy(x.Row(i), moved(false, 0, 0))
		}
		change(a, x, shape, random.New(5))
		for flip := range 2 {
			for down := -a.Shift; down <= a.Shift; down++ {
				for right := -a.Shift; right <= a.Shift; right++ {
					if flip == 1 && !a.Flip {
						continue
					}
					kinds++
					want := moved(flip == 1, down, right)
					for i := range x.Rows {
						if slices.Equal(x.Row(i), want) {
							seen[[3]int{flip, down, right}] = true
							x.Row(i)[0] = -1
						}
					}
				}
			}
		}
		for i := range x.Rows {
			if x.Row(i)[0] != -1 {
				t.Fatalf("%q makes %v of %v", a, x.Row(i), moved(false, 0, 0))
			}
		}
		// Of 50 kinds one stays away with probability below 50·(49/50)^1000 < 1e-7.
		if len(seen) != kinds {
			t.Errorf("%q: %d of %d kinds in %d pictures", a, len(seen), kinds, x.Rows)
		}
	}
}

func TestAugmentRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		in nn.Shape
		a  Augment
	}{
		"without rows and columns": {nn.Vector(8), Augment{Flip: true}},
		"must be at least 0":       {nn.Shape{C: 1, H: 2, W: 4}, Augment{Shift: -1}},
		"must be less than":        {nn.Shape{C: 1, H: 2, W: 4}, Augment{Shift: 2}},
	} {
		_, err := Train(context.Background(), nn.New(c.in, nn.Dense{Out: 3}), clouds(10, 0), Options{Augment: c.a})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v of %v: error %v, want one with %q", c.a, c.in, err, want)
		}
	}
}

// A training that is resumed changes its pictures as it would have done, and not otherwise than
// before.
func TestAugmentResumes(t *testing.T) {
	file := t.TempDir() + "/run"
	d := clouds(64, 0)
	build := func() *nn.Net { return nn.New(nn.Shape{C: 1, H: 2, W: 4}, nn.Dense{Out: 3}) }
	o := Options{Batch: 8, Epochs: 2, Augment: Augment{Flip: true, Shift: 1}, Seed: 4}
	whole := build()
	if _, err := Train(context.Background(), whole, d, o); err != nil {
		t.Fatal(err)
	}
	part := o
	part.Steps, part.Checkpoint = 11, file
	if _, err := Train(context.Background(), build(), d, part); err != nil {
		t.Fatal(err)
	}
	o.Resume = file
	resumed := build()
	if _, err := Train(context.Background(), resumed, d, o); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(whole.Weights(), resumed.Weights()) {
		t.Error("resumed with other weights than without interruption")
	}
	o.Augment.Shift = 0
	if _, err := Train(context.Background(), build(), d, o); err == nil || !strings.Contains(err.Error(), `augmentation is "flip, shift 1", this one's "flip"`) {
		t.Errorf("resumed with other pictures: %v", err)
	}
}
