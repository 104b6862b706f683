package train

import (
	"fmt"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/tensor"
)

// Augment changes the pictures of each training step at random, so that a network seldom sees
// the same one twice; tests see them as they are. Every channel of a picture changes alike. The
// zero value changes nothing. Flips and shifts by 4 pixels are what wide residual networks were
// trained with on CIFAR (Zagoruyko, Komodakis, BMVC 2016, section 3).
type Augment struct {
	Flip  bool // mirror half of the pictures, left to right
	Shift int  // move by up to so many pixels down or up and right or left; zeros come in
}

func (a Augment) String() string {
	switch {
	case a == Augment{}:
		return ""
	case !a.Flip:
		return fmt.Sprintf("shift %d", a.Shift)
	case a.Shift == 0:
		return "flip"
	}
	return fmt.Sprintf("flip, shift %d", a.Shift)
}

// check says why samples of a shape cannot be changed so.
func (a Augment) check(in nn.Shape) error {
	switch {
	case a == Augment{}:
		return nil
	case a.Shift < 0:
		return fmt.Errorf("train: Augment.Shift is %d: it must be at least 0", a.Shift)
	case in.H == 1 && in.W == 1:
		return fmt.Errorf("train: Augment is for pictures, and the network takes %d numbers without rows and columns: give nn.New the shape of the pictures", in.C)
	case a.Shift >= in.H || a.Shift >= in.W:
		return fmt.Errorf("train: Augment.Shift is %d: it must be less than the %d×%d pixels of a picture", a.Shift, in.H, in.W)
	}
	return nil
}

// change changes each row of x, a picture of that shape.
func change[T tensor.Float](a Augment, x tensor.Matrix[T], in nn.Shape, r *random.Stream) {
	if a == (Augment{}) {
		return
	}
	line := make([]T, in.W)
	for i := range x.Rows {
		flip := a.Flip && r.Bernoulli(0.5)
		down, right := r.IntN(2*a.Shift+1)-a.Shift, r.IntN(2*a.Shift+1)-a.Shift
		for c := range in.C {
			shifted(x.Row(i)[c*in.H*in.W:][:in.H*in.W], in.W, down, right, flip, line)
		}
	}
}

// shifted mirrors and moves one channel of a picture, in place, with memory for one of its lines.
func shifted[T tensor.Float](plane []T, width, down, right int, flip bool, line []T) {
	height := len(plane) / width
	for k := range height {
		y := k
		if down > 0 { // from below, so that no line is overwritten before it has moved
			y = height - 1 - k
		}
		to := plane[y*width:][:width]
		if y-down < 0 || y-down >= height {
			clear(to)
			continue
		}
		copy(line, plane[(y-down)*width:])
		for j := range to {
			from := j - right
			if flip {
				from = width - 1 - from
			}
			to[j] = 0
			if from >= 0 && from < width {
				to[j] = line[from]
			}
		}
	}
}
