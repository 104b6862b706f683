package tensor

import (
	"math"

	"trivium/core/tensor/internal/simd"
)

// SoftmaxRows computes in each row of dst exp(x)/Σexp(x) of the same row of x, which may be dst. The
// largest element is taken off first, so nothing overflows. A row with NaN or +∞, or of
// nothing but -∞, gives NaN.
func SoftmaxRows[T Float](dst, x Matrix[T]) error {
	if err := sameShape("SoftmaxRows", dst, x); err != nil {
		return err
	}
	s := simd.Of[T]()
	for i := range emptyIfNoColumns(x) {
		d, r := dst.Row(i), x.Row(i)
		total := s.ExpSum(len(r), &d[0], &r[0], s.Maximum(len(r), &r[0]))
		s.Scale(len(d), &d[0], &d[0], 1/total)
	}
	return nil
}

// LogSoftmaxRows computes in each row of dst x - log Σexp(x).
func LogSoftmaxRows[T Float](dst, x Matrix[T]) error {
	if err := sameShape("LogSoftmaxRows", dst, x); err != nil {
		return err
	}
	s := simd.Of[T]()
	for i := range emptyIfNoColumns(x) {
		d, r := dst.Row(i), x.Row(i)
		top := s.Maximum(len(r), &r[0])
		// In two steps, since top may be so large that it swallows the logarithm.
		s.Affine(len(d), &d[0], &r[0], 1, -top)
		s.Affine(len(d), &d[0], &d[0], 1, -T(math.Log(float64(sumExp(s, d)))))
	}
	return nil
}

// sumExp returns Σexp(x) by pieces that need no buffer of their own.
func sumExp[T Float](s *simd.Set[T], x []T) T {
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	const piece = 1024
	w.x = w.room(w.x, piece)
	var total T
	for len(x) > 0 {
		n := min(len(x), piece)
		total += s.ExpSum(n, &w.x[0], &x[0], 0)
		x = x[n:]
	}
	return total
}

// LogSumExpRows computes log Σexp(x) of each row of x, without overflow.
func LogSumExpRows[T Float](dst []T, x Matrix[T]) error {
	if why := x.check(); why != "" || len(dst) != x.Rows {
		return shapeError("LogSumExpRows", "%d results for %d×%d %s", len(dst), x.Rows, x.Cols, why)
	}
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	w.y = w.room(w.y, x.Cols)
	s := simd.Of[T]()
	for i := range dst {
		r := x.Row(i)
		top := s.Maximum(len(r), first(r))
		if math.IsInf(float64(top), -1) {
			top = 0 // all -∞, or NaN: the sum says which
		}
		dst[i] = top + T(math.Log(float64(s.ExpSum(len(r), &w.y[0], first(r), top))))
	}
	return nil
}

// SoftmaxGradRows computes dst, the gradient of SoftmaxRows' input, from dy, that of its
// output y: y·(dy - Σdy·y) in each row. dst may be dy.
func SoftmaxGradRows[T Float](dst, dy, y Matrix[T]) error {
	if err := sameShape("SoftmaxGradRows", dst, dy, y); err != nil {
		return err
	}
	s := simd.Of[T]()
	for i := range emptyIfNoColumns(y) {
		d, g, r := dst.Row(i), dy.Row(i), y.Row(i)
		s.Affine(len(d), &d[0], &g[0], 1, -s.Dot(len(r), &g[0], &r[0]))
		s.Mul(len(d), &d[0], &d[0], &r[0])
	}
	return nil
}

// emptyIfNoColumns returns how many rows have an element.
func emptyIfNoColumns[T Float](x Matrix[T]) int {
	if x.Cols == 0 {
		return 0
	}
	return x.Rows
}

// sameShape returns an error where matrices differ in size or are none.
func sameShape[T Float](op string, m ...Matrix[T]) error {
	for _, x := range m {
		if why := x.check(); why != "" {
			return shapeError(op, "%s", why)
		}
		if x.Rows != m[0].Rows || x.Cols != m[0].Cols {
			return shapeError(op, "%d×%d and %d×%d", m[0].Rows, m[0].Cols, x.Rows, x.Cols)
		}
	}
	return nil
}
