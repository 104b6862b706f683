package tensor

import (
	"math"

	"trivium/core/tensor/internal/simd"
)

// RowNorms computes the 2-norm of each row.
func RowNorms[T Float](dst []T, a Matrix[T]) error {
	if why := a.check(); why != "" || len(dst) != a.Rows {
		return shapeError("RowNorms", "%d norms for %d×%d %s", len(dst), a.Rows, a.Cols, why)
	}
	s := simd.Of[T]()
	for i := range dst {
		dst[i] = root(s.SumSquares(a.Cols, first(a.Row(i))))
	}
	return nil
}

// ColNorms computes the 2-norm of each column. It reads the matrix once, row by row.
func ColNorms[T Float](dst []T, a Matrix[T]) error {
	if why := a.check(); why != "" || len(dst) != a.Cols {
		return shapeError("ColNorms", "%d norms for %d×%d %s", len(dst), a.Rows, a.Cols, why)
	}
	clear(dst)
	s := simd.Of[T]()
	overColumns(a, func(row []T, j int) { s.AddSquares(len(row), &dst[j], &row[0]) })
	for j, v := range dst {
		dst[j] = root(v)
	}
	return nil
}

// ColSums computes dst = beta·dst + the sum of each column: the gradient of a bias. With beta
// 0 dst is not read.
func ColSums[T Float](dst []T, a Matrix[T], beta T) error {
	if why := a.check(); why != "" || len(dst) != a.Cols {
		return shapeError("ColSums", "%d sums for %d×%d %s", len(dst), a.Rows, a.Cols, why)
	}
	if beta == 0 {
		clear(dst)
	} else {
		Scale(dst, beta, dst)
	}
	s := simd.Of[T]()
	overColumns(a, func(row []T, j int) { s.Add(len(row), &dst[j], &dst[j], &row[0]) })
	return nil
}

// overColumns goes down the rows of so many columns that their results stay near.
func overColumns[T Float](a Matrix[T], do func(row []T, j int)) {
	const most = 2048
	for j := 0; j < a.Cols; j += most {
		w := min(most, a.Cols-j)
		for i := range a.Rows {
			do(a.Data[i*a.Stride+j:][:w], j)
		}
	}
}

// RowSums computes the sum of each row.
func RowSums[T Float](dst []T, a Matrix[T]) error {
	if why := a.check(); why != "" || len(dst) != a.Rows {
		return shapeError("RowSums", "%d sums for %d×%d %s", len(dst), a.Rows, a.Cols, why)
	}
	s := simd.Of[T]()
	for i := range dst {
		dst[i] = s.Sum(a.Cols, first(a.Row(i)))
	}
	return nil
}

// PairNorms computes, for each index of the inner dimension of a product, the norm of its
// column of the left factor times that of its row of the right one: the size of its share
// in the result, by which [MulSampled]'s pairs are chosen. scratch is as long as dst.
func PairNorms[T Float](dst, scratch []T, form Form, a, b Matrix[T]) error {
	left, right := ColNorms[T], RowNorms[T]
	switch form {
	case NN:
	case NT:
		right = ColNorms[T]
	case TN:
		left = RowNorms[T]
	default:
		return shapeError("PairNorms", "form %d is none of NN, NT, TN", form)
	}
	if len(scratch) != len(dst) {
		return shapeError("PairNorms", "%d norms with scratch for %d", len(dst), len(scratch))
	}
	if err := left(dst, a); err != nil {
		return err
	}
	if err := right(scratch, b); err != nil {
		return err
	}
	Hadamard(dst, dst, scratch)
	return nil
}

// Transpose writes the transpose of a to dst, apart in memory.
func Transpose[T Float](dst, a Matrix[T]) error {
	if why := a.check() + dst.check(); why != "" || dst.Rows != a.Cols || dst.Cols != a.Rows {
		return shapeError("Transpose", "%d×%d into %d×%d %s", a.Rows, a.Cols, dst.Rows, dst.Cols, why)
	}
	if dst.overlaps(a) {
		return shapeError("Transpose", "dst shares memory with its operand")
	}
	// Squares of this side stay in the first cache.
	const side = 32
	for i := 0; i < a.Rows; i += side {
		for j := 0; j < a.Cols; j += side {
			for r := i; r < min(i+side, a.Rows); r++ {
				row := a.Data[r*a.Stride+j:][:min(side, a.Cols-j)]
				at := j*dst.Stride + r
				for _, v := range row {
					dst.Data[at] = v
					at += dst.Stride
				}
			}
		}
	}
	return nil
}

func root[T Float](x T) T { return T(math.Sqrt(float64(x))) }
