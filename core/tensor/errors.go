package tensor

import "fmt"

// A ShapeError says which operands of an operation do not fit, and why.
type ShapeError struct {
	Op  string // "Mul NT"
	Why string // what was asked and what was found
}

func (e *ShapeError) Error() string { return "tensor: " + e.Op + ": " + e.Why }

func shapeError(op, format string, args ...any) error {
	return &ShapeError{op, fmt.Sprintf(format, args...)}
}

// sameLength panics where vectors differ in length: unlike the operands of a product, their
// lengths are up to the package that calls.
func sameLength(op string, n int, others ...int) {
	for _, m := range others {
		if m != n {
			panic(&ShapeError{op, fmt.Sprintf("vectors of %d and %d elements", n, m)})
		}
	}
}
