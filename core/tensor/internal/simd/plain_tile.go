package simd

import "unsafe"

// Plain Go keeps four running sums in registers: one row of a tile.
const (
	plainRows   = 4
	plainVector = 2
)

// tileOf returns Tile[rows] in plain Go, for vectors of an even number of elements, or of columns
// fewer than two of them Half[rows].
func tileOf[T Float](rows, columns int) tile[T] {
	return func(k int, a *T, lda int, b *T, ldb int, c *T, ldc int, alpha T, add int, _ *T, _ int) {
		as, bs := slice(a, (k-1)*lda+rows), slice(b, (k-1)*ldb+columns)
		for i := range rows {
			for j := 0; j < columns; j += 4 {
				if columns-j < 4 {
					halfOf(as[i:], lda, bs[j:], ldb, slice(at(c, i*ldc+j), 2), alpha, add)
					break
				}
				var s0, s1, s2, s3 T
				for p, o := j, i; p < len(bs); p, o = p+ldb, o+lda {
					x, y := as[o], bs[p:p+4:p+4]
					s0 += x * y[0]
					s1 += x * y[1]
					s2 += x * y[2]
					s3 += x * y[3]
				}
				r := slice(at(c, i*ldc+j), 4)
				store(r[:2], alpha, add, s0, s1)
				store(r[2:], alpha, add, s2, s3)
			}
		}
	}
}

// halfOf computes two elements of a tile.
func halfOf[T Float](a []T, lda int, b []T, ldb int, c []T, alpha T, add int) {
	var s, t T
	for p, o := 0, 0; p < len(b); p, o = p+ldb, o+lda {
		s += a[o] * b[p]
		t += a[o] * b[p+1]
	}
	store(c, alpha, add, s, t)
}

// tilePOf returns TileP in plain Go, for tiles of rows rows.
func tilePOf[T Float](rows, columns int) func(k int, a *T, lda int, b *T, ldb int, c *T, ldc int, alpha T, add int, to *T, _ int) {
	whole := tileOf[T](rows, columns)
	return func(k int, a *T, lda int, b *T, ldb int, c *T, ldc int, alpha T, add int, to *T, _ int) {
		for p := range k {
			copy(slice(at(to, p*columns), columns), slice(at(b, p*ldb), columns))
		}
		whole(k, a, lda, to, columns, c, ldc, alpha, add, nil, 0)
	}
}

// tileXOf returns TileX[rows] in plain Go.
func tileXOf[T Float](rows, vector int) func(k int, a, b0, b1 *T, off *int, c0, c1 *T, ldc int, alpha T, add int) {
	return func(k int, a, b0, b1 *T, off *int, c0, c1 *T, ldc int, alpha T, add int) {
		as, offs := slice(a, k*rows), slice(off, k)
		sums := make([]T, 0, 64)[:2*vector]
		for i := range rows {
			for j := 0; j < vector; j += 2 {
				var s0, s1, s2, s3 T
				for p, o := range offs {
					x := as[p*rows+i]
					y := (*[2]T)(unsafe.Add(unsafe.Pointer(at(b0, j)), o))
					z := (*[2]T)(unsafe.Add(unsafe.Pointer(at(b1, j)), o))
					s0 += x * y[0]
					s1 += x * y[1]
					s2 += x * z[0]
					s3 += x * z[1]
				}
				sums[j], sums[j+1], sums[vector+j], sums[vector+j+1] = s0, s1, s2, s3
			}
			for half, c := range []*T{c0, c1} {
				for j := 0; j < vector; j += 2 {
					store(slice(at(c, i*ldc+j), 2), alpha, add, sums[half*vector+j], sums[half*vector+j+1])
				}
			}
		}
	}
}

// halfXOf returns HalfX[rows] in plain Go.
func halfXOf[T Float](rows, vector int) func(k int, a, b0 *T, off *int, c0 *T, ldc int, alpha T, add int) {
	return func(k int, a, b0 *T, off *int, c0 *T, ldc int, alpha T, add int) {
		as, offs := slice(a, k*rows), slice(off, k)
		for i := range rows {
			for j := 0; j < vector; j += 2 {
				var s, t T
				for p, o := range offs {
					x, y := as[p*rows+i], (*[2]T)(unsafe.Add(unsafe.Pointer(at(b0, j)), o))
					s += x * y[0]
					t += x * y[1]
				}
				store(slice(at(c0, i*ldc+j), 2), alpha, add, s, t)
			}
		}
	}
}

// plainTiles puts tiles in plain Go in a table: of vectors of some elements, with up to rows
// rows in steps of step.
func plainTiles[T Float](s *Set[T], rows, step, vector int) {
	s.Rows, s.Vector, s.TileP = rows, vector, tilePOf[T](rows, 2*vector)
	s.Skip, s.SkipEnd = skipsOf[T](2 * vector)
	s.Tile, s.Half = make(tiles[T], rows+1), make(tiles[T], rows+1)
	s.TileX, s.HalfX = make(tilesX[T], rows+1), make(halvesX[T], rows+1)
	for r := step; r <= rows; r += step {
		s.Tile[r], s.Half[r] = tileOf[T](r, 2*vector), tileOf[T](r, vector)
		s.TileX[r], s.HalfX[r] = tileXOf[T](r, vector), halfXOf[T](r, vector)
	}
}

func at[T any](p *T, i int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(p), i*int(unsafe.Sizeof(*p))))
}

func store[T Float](c []T, alpha T, add int, s, t T) {
	if add == 0 {
		c[0], c[1] = alpha*s, alpha*t
		return
	}
	c[0] += alpha * s
	c[1] += alpha * t
}

func packT[T Float](blocks int, src *T, ld, rows int, dst *T, ldd int) {
	for i := range rows {
		for p := range blocks {
			*at(dst, p*ldd+i) = *at(src, i*ld+p)
		}
	}
}

func packG[T Float](n int, src *T, ld, rows int, dst *T, ldd int, idx *int32, scale *T) {
	scales := slice(scale, n)
	for p, j := range slice(idx, n) {
		for i := range rows {
			*at(dst, p*ldd+i) = scales[p] * *at(src, i*ld+int(j))
		}
	}
}

func packC[T Float](n int, src *T, ld, cols int, dst *T, ldd int) {
	for p := range n {
		copy(slice(at(dst, p*ldd), cols), slice(at(src, p*ld), cols))
	}
}

func packS[T Float](n int, src *T, ld, cols int, dst *T, ldd int, idx *int32, scale *T) {
	scales := slice(scale, n)
	for p, j := range slice(idx, n) {
		d := slice(at(dst, p*ldd), cols)
		for i, v := range slice(at(src, int(j)*ld), cols) {
			d[i] = scales[p] * v
		}
	}
}

func packRow[T Float](rows, panels int, src *T, ld int, dst *T, stride int) {
	const w = 2 * plainVector
	for p := range rows {
		for j := range panels {
			copy(slice(at(dst, j*stride+p*w), w), slice(at(src, p*ld+j*w), w))
		}
	}
}

func vecMat[T Float](k, n int, x, w *T, ldw int, y *T, alpha T) {
	ys := slice(y, n)
	for p, v := range slice(x, k) {
		v *= alpha
		for j, u := range slice(at(w, p*ldw), n) {
			ys[j] += v * u
		}
	}
}

func padRows[T Float](rows int, src *T, width int, dst *T, row, left int) {
	for r := range rows {
		d := slice(at(dst, r*row), row)
		clear(d[:left])
		copy(d[left:], slice(at(src, r*width), width))
		clear(d[left+width:])
	}
}
