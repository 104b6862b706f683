package nn

import "fmt"

// A Shape is what one sample looks like between two layers: C channels of H×W numbers, in the
// order channel, row, column. A vector of n numbers is {n, 1, 1}; a sequence of n vectors of m
// numbers is {n, m, 1}.
type Shape struct{ C, H, W int }

// Vector returns the shape of n numbers.
func Vector(n int) Shape { return Shape{n, 1, 1} }

// Size returns how many numbers a sample has.
func (s Shape) Size() int { return s.C * s.H * s.W }

func (s Shape) String() string {
	if s.H == 1 && s.W == 1 {
		return fmt.Sprint(s.C)
	}
	return fmt.Sprintf("%d×%d×%d", s.C, s.H, s.W)
}

func (s Shape) valid() bool { return s.C > 0 && s.H > 0 && s.W > 0 }

// A LayerError says which layer of a net cannot be, and why.
type LayerError struct {
	Layer string // "conv2", "block3.dense1"
	Why   string // what was asked and what was found
	cause error  // of which Why is the text; may be nil
}

// Unwrap returns the error of the layer's own product, if it is one.
func (e *LayerError) Unwrap() error { return e.cause }

func (e *LayerError) Error() string {
	if e.Layer == "" {
		return "nn: " + e.Why
	}
	return "nn: layer " + e.Layer + ": " + e.Why
}

// bad is the error of a layer that does not know its name yet; the chain fills it in.
func bad(format string, args ...any) error { return &LayerError{Why: fmt.Sprintf(format, args...)} }
