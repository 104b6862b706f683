package simd

func splitRows[T Float](rows, n int, src *T, lds int, evens, odds *T, ldd int) {
	from, e := slice(src, (rows-1)*lds+n), slice(evens, (rows-1)*ldd+(n+1)/2)
	for r := range rows {
		for i := range (n + 1) / 2 {
			e[r*ldd+i] = from[r*lds+2*i]
		}
	}
	o := slice(odds, (rows-1)*ldd+n/2)
	for r := range rows {
		for i := range n / 2 {
			o[r*ldd+i] = from[r*lds+2*i+1]
		}
	}
}

func spreadRows[T Float](rows, n int, src *T, lds int, dst *T, ldd int) {
	from, to := slice(src, (rows-1)*lds+n), slice(dst, (rows-1)*ldd+max(2*n-1, 0))
	for r := range rows {
		for i := range n {
			to[r*ldd+2*i] = from[r*lds+i]
		}
	}
}

func copyRows[T Float](rows, n int, src *T, lds int, dst *T, ldd int) {
	from, to := slice(src, (rows-1)*lds+n), slice(dst, (rows-1)*ldd+n)
	for r := range rows {
		copy(to[r*ldd:][:n], from[r*lds:])
	}
}
