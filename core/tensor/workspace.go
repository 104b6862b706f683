package tensor

import "unsafe"

// A workspace is the buffers of one worker.
type workspace[T Float] struct {
	a, b []T // packed operands
	tile []T // a tile of which only a part belongs to the result
	ones []T
	x, y []T // vectors

	next      []T // the block of b after this one, nil for none
	nextSteps int // rows of it
	offset    []int
	panels    []panel

	// For convolutions.
	taps  []tap
	from  []int
	index []int32
	scale []T
}

func sizeOf[T Float]() int {
	var z T
	return int(unsafe.Sizeof(z))
}

// room returns a buffer of n elements and some slack, s if it is large enough. It starts at
// a multiple of 64 bytes.
func (w *workspace[T]) room(s []T, n int) []T {
	n += slack
	if cap(s) >= n {
		return s[:n]
	}
	s = make([]T, n+n/4+64)
	for uintptr(unsafe.Pointer(&s[0]))%64 != 0 {
		s = s[1:]
	}
	return s[:n]
}

func (w *workspace[T]) allOnes(n int) []T {
	for len(w.ones) < n {
		w.ones = append(w.ones, 1)
	}
	return w.ones
}

// borrow returns a whole tile, filled with the part of c that it stands for where it is to
// be added to; so the sums are rounded as in any other tile.
func (w *workspace[T]) borrow(c []T, ldc int, q panel, cols, nr, add int) []T {
	w.tile = w.room(w.tile, q.height*nr)
	if add != 0 {
		for i := range q.rows {
			copy(w.tile[i*nr:][:cols], c[i*ldc:])
		}
	}
	return w.tile
}

func (w *workspace[T]) bringBack(c []T, ldc int, q panel, cols, nr int) {
	for i := range q.rows {
		copy(c[i*ldc:][:cols], w.tile[i*nr:])
	}
}
