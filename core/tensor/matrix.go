package tensor

import (
	"fmt"
	"strings"
	"unsafe"

	"trivium/core/tensor/internal/simd"
)

// Float is the types of an element.
type Float interface{ float32 | float64 }

// A Matrix is Rows×Cols numbers, row after row: element i, j is Data[i·Stride+j]. It is a
// view: copies share their numbers.
type Matrix[T Float] struct {
	Rows, Cols int
	Stride     int // from one row to the next, at least Cols
	Data       []T
}

// New returns a matrix of zeros.
func New[T Float](rows, cols int) Matrix[T] {
	return Matrix[T]{rows, cols, cols, make([]T, max(rows, 0)*max(cols, 0))}
}

// Of returns the matrix that lies in data without gaps. Too little data shows in the first
// product it is used in.
func Of[T Float](rows, cols int, data []T) Matrix[T] { return Matrix[T]{rows, cols, cols, data} }

// Row returns row i, which shares its numbers.
func (a Matrix[T]) Row(i int) []T { return a.Data[i*a.Stride:][:a.Cols:a.Cols] }

// Slice returns the part from row i0 to before i1 and column j0 to before j1, which shares
// its numbers.
func (a Matrix[T]) Slice(i0, i1, j0, j1 int) Matrix[T] {
	if i0 < 0 || i1 < i0 || i1 > a.Rows || j0 < 0 || j1 < j0 || j1 > a.Cols {
		panic(fmt.Sprintf("tensor: Slice(%d, %d, %d, %d) of a %d×%d matrix", i0, i1, j0, j1, a.Rows, a.Cols))
	}
	s := Matrix[T]{i1 - i0, j1 - j0, a.Stride, nil}
	if s.Rows > 0 && s.Cols > 0 {
		s.Data = a.Data[i0*a.Stride+j0 : (i1-1)*a.Stride+j1]
	}
	return s
}

// Clone returns a copy without gaps between its rows.
func (a Matrix[T]) Clone() Matrix[T] {
	c := New[T](a.Rows, a.Cols)
	for i := range a.Rows {
		copy(c.Row(i), a.Row(i))
	}
	return c
}

// check says what is wrong with a matrix by itself, "" for nothing.
func (a Matrix[T]) check() string {
	switch {
	case a.Rows < 0 || a.Cols < 0:
		return fmt.Sprintf("a size is negative: %d×%d", a.Rows, a.Cols)
	case a.Stride < a.Cols:
		return fmt.Sprintf("rows of %d are only %d apart", a.Cols, a.Stride)
	case a.Rows > 0 && a.Cols > 0 && len(a.Data) < (a.Rows-1)*a.Stride+a.Cols:
		return fmt.Sprintf("%d×%d with rows %d apart needs %d numbers and has %d",
			a.Rows, a.Cols, a.Stride, (a.Rows-1)*a.Stride+a.Cols, len(a.Data))
	}
	return ""
}

// overlaps tells whether two matrices have an element in common. Where their rows are not
// equally far apart it may be wrong to say they have.
func (a Matrix[T]) overlaps(b Matrix[T]) bool {
	if a.Rows == 0 || a.Cols == 0 || b.Rows == 0 || b.Cols == 0 {
		return false
	}
	var z T
	size := int(unsafe.Sizeof(z))
	distance := int(uintptr(unsafe.Pointer(&b.Data[0]))-uintptr(unsafe.Pointer(&a.Data[0]))) / size
	if distance < 0 {
		a, b, distance = b, a, -distance
	}
	if distance > (a.Rows-1)*a.Stride+a.Cols-1 {
		return false
	}
	if a.Stride != b.Stride || a.Stride == 0 {
		return true
	}
	// b starts c columns to the right of a column of a, and may reach around to its left.
	c := distance % a.Stride
	return c < a.Cols || (c+b.Cols > a.Stride && b.Rows > 0)
}

// Mat32 is short for a matrix of float32.
type Mat32 = Matrix[float32]

// Mat64 is short for a matrix of float64.
type Mat64 = Matrix[float64]

// NewMat32 returns rows×cols zeros.
func NewMat32(rows, cols int) Mat32 { return New[float32](rows, cols) }

// NewMat64 returns rows×cols zeros.
func NewMat64(rows, cols int) Mat64 { return New[float64](rows, cols) }

// Rows32 returns the matrix with the given rows, which must be equally long.
func Rows32(rows ...[]float32) (Mat32, error) {
	return fromRows(rows)
}

// Rows64 returns the matrix with the given rows, which must be equally long.
func Rows64(rows ...[]float64) (Mat64, error) {
	return fromRows(rows)
}

func fromRows[T Float](rows [][]T) (Matrix[T], error) {
	if len(rows) == 0 {
		return Matrix[T]{}, nil
	}
	m := New[T](len(rows), len(rows[0]))
	for i, r := range rows {
		if len(r) != m.Cols {
			return Matrix[T]{}, fmt.Errorf("tensor: row %d has %d numbers, row 0 has %d", i, len(r), m.Cols)
		}
		copy(m.Row(i), r)
	}
	return m, nil
}

// At returns element i, j.
func (a Matrix[T]) At(i, j int) T { return a.Row(i)[j] }

// Set changes element i, j.
func (a Matrix[T]) Set(i, j int, v T) { a.Row(i)[j] = v }

// Mul returns a·b.
func (a Matrix[T]) Mul(b Matrix[T]) (Matrix[T], error) {
	c := New[T](a.Rows, b.Cols)
	err := Mul(nil, c, NN, a, b, 1, 0)
	return c, err
}

// String shows a small matrix whole and the corner of a large one.
func (a Matrix[T]) String() string {
	const most = 8
	if why := a.check(); why != "" {
		return "invalid matrix: " + why
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%d×%d", a.Rows, a.Cols)
	for i := range min(a.Rows, most) {
		s.WriteByte('\n')
		for _, v := range a.Row(i)[:min(a.Cols, most)] {
			fmt.Fprintf(&s, "%11.5g", v)
		}
		if a.Cols > most {
			s.WriteString(" …")
		}
	}
	if a.Rows > most {
		s.WriteString("\n…")
	}
	return s.String()
}

// Instructions names the instructions that products and vector functions use here.
func Instructions() string { return simd.Current().String() }
