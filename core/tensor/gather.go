package tensor

import "trivium/core/tensor/internal/simd"

// GatherRows makes row i of dst the row rows[i] of src, for each i: a batch of samples in any
// order. dst is len(rows)×src.Cols and apart from src in memory. While one row is copied the next is
// fetched, since rows in no order come from memory one by one otherwise.
func GatherRows[T Float](dst, src Matrix[T], rows []int) error {
	const op = "GatherRows"
	for _, x := range []Matrix[T]{dst, src} {
		if why := x.check(); why != "" {
			return shapeError(op, "%s", why)
		}
	}
	if dst.Rows != len(rows) || dst.Cols != src.Cols || dst.overlaps(src) {
		return shapeError(op, "%d rows of a %d×%d matrix to one of %d×%d, which must be apart", len(rows), src.Rows, src.Cols, dst.Rows, dst.Cols)
	}
	for i, r := range rows {
		if r < 0 || r >= src.Rows {
			return shapeError(op, "row number %d is %d of %d", i, r, src.Rows)
		}
	}
	if dst.Cols == 0 {
		return nil
	}
	s := simd.Of[T]()
	for i, r := range rows {
		next := rows[min(i+1, len(rows)-1)]
		s.CopyAhead(src.Cols, &dst.Data[i*dst.Stride], &src.Data[r*src.Stride], &src.Data[next*src.Stride])
	}
	return nil
}
