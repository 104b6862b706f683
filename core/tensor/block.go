package tensor

import "unsafe"

// How products are cut. A packed panel of a stays in the first cache while it meets all of a
// block of b, which stays in the second; so rows of the result are written from left to right,
// as processors like to fetch them. The packed rows of a come by once for each block of b.
const (
	stepBytes  = 448 * 4   // of one row of a
	fewBytes   = 320 * 4   // of one row of a, where its rows are few
	rowsBytes  = 4 << 20   // of packed rows of a
	blockBytes = 512 << 10 // of a block of b
	fewRows    = 112       // so few rows that b is packed one narrow block at a time, that stays in the first cache
	nearBytes  = 1 << 20   // of b that may be read several times where it lies
	slack      = 64        // elements that packs may write too many
)

// compute computes rows i0 to i1 of columns j0 to j1. Which way it takes depends on the whole
// product alone, so that the number of workers changes no bit.
func (x *product[T]) compute(w *workspace[T], i0, i1, j0, j1 int) {
	add := x.prepare(i0, i1, j0, j1)
	switch {
	case x.k == 0:
	case x.thin():
		x.vector(w, i0, i1, j0, j1)
	case x.few():
		x.unpacked(w, i0, i1, j0, j1, add)
	default:
		x.blocked(w, i0, i1, j0, j1, add)
		return
	}
	x.finish(i0, i1, j0, j1)
}

// few tells whether there are so few rows of a that packing b does not pay: each panel of a reads
// all of b, which is cheap while b is near and otherwise only once.
func (x *product[T]) few() bool {
	near := x.k*x.n*sizeOf[T]() <= nearBytes
	return x.form != NT && (x.m <= x.set.Rows || near && x.m <= 3*x.set.Rows)
}

// prepare brings dst to where products are added to it, and returns 0 where it need not.
func (x *product[T]) prepare(i0, i1, j0, j1 int) (add int) {
	clearing := x.beta == 0 && (x.k == 0 || x.thin())
	if x.beta == 1 || x.beta == 0 && !clearing {
		return int(x.beta)
	}
	for i := i0; i < i1; i++ {
		row := x.c.Data[i*x.c.Stride+j0:][:j1-j0]
		if clearing {
			clear(row)
		} else {
			x.set.Scale(len(row), &row[0], &row[0], x.beta)
		}
	}
	return 1
}

// finish adds the bias and cuts off what is below 0.
func (x *product[T]) finish(i0, i1, j0, j1 int) {
	if x.end.bias == nil && !x.end.relu {
		return
	}
	for i := i0; i < i1; i++ {
		row := x.c.Data[i*x.c.Stride+j0:][:j1-j0]
		switch {
		case x.end.bias == nil:
			x.set.Relu(len(row), &row[0], &row[0])
		case x.end.relu:
			x.set.AddRelu(len(row), &row[0], &row[0], &x.end.bias[j0])
		default:
			x.set.Add(len(row), &row[0], &row[0], &x.end.bias[j0])
		}
	}
}

// blocked packs blocks of b and rows of a, and multiplies them tile by tile.
func (x *product[T]) blocked(w *workspace[T], i0, i1, j0, j1 int, add int) {
	kc, nc := x.steps(), x.columns(j1-j0)
	mc := even(i1-i0, rowsBytes/sizeOf[T]()/kc, x.set.Rows)
	few := i1-i0 <= fewRows
	if few && x.index == nil { // else rows are packed one by one, so each should be long
		nc = x.set.Columns()
	}
	w.a = w.room(w.a, (kc+8)*(mc+2*x.set.Rows))
	w.b = w.room(w.b, kc*(nc+x.set.Columns()))
	for p := 0; p < x.k; p += kc {
		q := min(p+kc, x.k)
		for j := j0; j < j1; j += nc {
			f := min(j+nc, j1)
			x.packB(w, w.b, p, q, j, f)
			x.ahead(w, p, kc, j, nc, j0, j1, few)
			for i := i0; i < i1; i += mc {
				e := min(i+mc, i1)
				if mc < i1-i0 || j == j0 {
					w.panels = split(x.set, w.panels[:0], i, e, q-p)
					x.packA(w, p, q)
				}
				x.tiles(w, w.b, q-p, j, f, add)
				if q == x.k {
					x.finish(i, e, j, f)
				}
			}
		}
		add = 1
	}
}

// steps returns how much of the inner dimension is multiplied at a time. That decides how sums
// are rounded, so it depends on the whole product alone: not on workers, but on whether rows are
// few. Then the narrow block of b must stay in the first cache.
func (x *product[T]) steps() int {
	if x.m <= fewRows {
		return even(x.k, fewBytes/sizeOf[T](), 8)
	}
	return even(x.k, stepBytes/sizeOf[T](), 8)
}

// columns returns the columns of a block of b, for n columns in all.
func (x *product[T]) columns(n int) int {
	return even(n, blockBytes/sizeOf[T]()/x.steps(), x.set.Columns())
}

// even cuts n into as few equal parts of at most most as it can, and returns their size, a
// multiple of unit.
func even(n, most, unit int) int {
	most = max(most/unit*unit, unit)
	parts := (n + most - 1) / most
	return ((n+parts-1)/parts + unit - 1) / unit * unit
}

// ahead notes the block of b that comes after the one at step p and column j, for the tiles
// to fetch while they compute: with few rows of a, waiting for b is what costs most.
func (x *product[T]) ahead(w *workspace[T], p, kc, j, nc, j0, j1 int, soon bool) {
	w.next, w.nextSteps = nil, 0
	if j += nc; j >= j1 {
		j, p = j0, p+kc
	}
	if soon && x.form != NT && x.index == nil && p < x.k {
		w.next, w.nextSteps = x.b.Data[p*x.b.Stride+j:], min(kc, x.k-p)
	}
}

// tiles multiplies the packed panels of a with the packed columns j0 to j1 of b, k steps.
func (x *product[T]) tiles(w *workspace[T], b []T, k, j0, j1 int, add int) {
	nr := x.set.Columns()
	for i, q := range w.panels {
		a, tile := &w.a[q.at], x.set.Tile[q.height]
		row := x.c.Data[q.row*x.c.Stride:]
		for j := j0; j < j1; j += nr {
			// Each tile fetches a row of the next block every four steps.
			next, step := a, 0
			if at := i*(k/4)*x.b.Stride + j - j0; i*(k/4) < w.nextSteps && at < len(w.next) {
				next, step = &w.next[at], x.b.Stride
			}
			c, cols, nr := row[j:], min(nr, j1-j), nr
			if cols <= x.set.Vector { // the end of a row
				tile, nr = x.set.Half[q.height], x.set.Vector
			}
			if cols == nr && q.rows == q.height {
				tile(k, a, &b[(j-j0)*k], &c[0], x.c.Stride, x.alpha, add, next, step)
				continue
			}
			t := w.borrow(c, x.c.Stride, q, cols, nr, add)
			tile(k, a, &b[(j-j0)*k], &t[0], nr, x.alpha, add, next, step)
			w.bringBack(c, x.c.Stride, q, cols, nr)
		}
	}
}

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

// unpacked multiplies a few rows of a, packed, with b where it lies: what is used only once or
// twice is not worth packing.
func (x *product[T]) unpacked(w *workspace[T], i0, i1, j0, j1 int, add int) {
	s, nr, ldb := x.set, x.set.Columns(), x.b.Stride
	size := sizeOf[T]()
	w.a = w.room(w.a, (x.k+8)*(i1-i0+2*s.Rows))
	w.panels = split(s, w.panels[:0], i0, i1, x.k)
	x.packA(w, 0, x.k)
	w.offset = w.offset[:0]
	for p := range x.k {
		if x.index != nil {
			p = int(x.index[p])
		}
		w.offset = append(w.offset, p*ldb*size)
	}
	j := j0
	for ; j+nr <= j1; j += nr {
		b := x.b.Data[j:]
		for _, q := range w.panels {
			c, ldc := x.c.Data[q.row*x.c.Stride+j:], x.c.Stride
			t := c
			if q.rows != q.height {
				t, ldc = w.borrow(c, x.c.Stride, q, nr, nr, add), nr
			}
			s.TileX[q.height](x.k, &w.a[q.at], &b[0], &b[s.Vector], &w.offset[0], &t[0], &t[s.Vector], ldc, x.alpha, add)
			if q.rows != q.height {
				w.bringBack(c, x.c.Stride, q, nr, nr)
			}
		}
	}
	if j < j1 {
		w.b = w.room(w.b, x.k*nr)
		x.packB(w, w.b, 0, x.k, j, j1)
		w.next, w.nextSteps = nil, 0
		x.tiles(w, w.b, x.k, j, j1, add)
	}
}
