package simd

import "unsafe"

// skipsOf returns Skip and SkipEnd in plain Go.
func skipsOf[T Float](columns int) (skips[T], skipEnds[T]) {
	whole, ends := make(skips[T], 5), make(skipEnds[T], 5)
	for panels := 1; panels < len(whole); panels++ {
		end := func(rows int, count *int32, val *T, off *int32, b, c *T, ldc, add int, _ *T, _, left int) {
			at0 := 0
			for i, n := range slice(count, rows) {
				vals, offs := slice(at(val, at0), int(n)), slice(at(off, at0), int(n))
				at0 += int(n)
				r := slice(at(c, i*ldc), (panels-1)*columns+left)
				if add == 0 {
					clear(r)
				}
				for l, v := range vals {
					from := (*T)(unsafe.Add(unsafe.Pointer(b), offs[l]))
					for q, y := range slice(from, len(r)) {
						r[q] += v * y
					}
				}
			}
		}
		ends[panels] = end
		whole[panels] = func(rows int, count *int32, val *T, off *int32, b, c *T, ldc, add int, _ *T, _ int) {
			end(rows, count, val, off, b, c, ldc, add, nil, 0, columns)
		}
	}
	return whole, ends
}

func nonzero[T Float](n int, x *T, alpha T, step int, val *T, off *int32) int {
	total := 0
	for p, v := range slice(x, n) {
		if v != 0 {
			*at(val, total), *at(off, total) = alpha*v, int32(p*step)
			total++
		}
	}
	return total
}
