package tensor

import "trivium/core/tensor/internal/simd"

// MulSkipping computes dst = alpha·a·b + beta·dst, then adds a bias, if there is one, to every row and
// with relu set cuts off what is below 0. Unlike [Mul] and [MulBias] it leaves out the elements of a that
// are 0, for which it takes the time of the others: activations after a ReLU are 0 half the time, and
// most of an image's pixels may be. The result is that of Mul up to rounding, except that 0 times
// infinity or NaN counts as 0 in it.
//
// It looks at some rows of a, and where too few elements are 0 to gain by it, it is Mul; so are small
// products. It returns the flops that it took.
func MulSkipping[T Float](p *Pool, dst Matrix[T], form Form, a, b Matrix[T], alpha, beta T, bias []T, relu bool) (flops float64, err error) {
	if bias != nil && len(bias) != dst.Cols {
		return 0, shapeError("MulSkipping", "%d biases for %d columns", len(bias), dst.Cols)
	}
	m, n, k, err := fit(dst, form, a, b, nil)
	if err != nil || m == 0 || n == 0 {
		return 0, err
	}
	flops = 2 * float64(m) * float64(n) * float64(k)
	end := epilogue[T]{bias, relu}
	if alpha == 0 || flops < skipFlops || n < 2*simd.Of[T]().Columns() || skipListed/k < min(m, skipRows) || !manyZeros(a) {
		return flops, mul(p, dst, form, a, b, alpha, beta, nil, end)
	}
	x := reuse[T, skipping[T]](&skippings)
	x.product = product[T]{set: simd.Of[T](), form: form, m: m, n: n, k: k, a: a, b: b, c: dst, alpha: alpha, beta: beta, end: end}
	used, err := x.run(p)
	x.product = product[T]{}
	giveBack[T](&skippings, x)
	return 2 * float64(used) * float64(n), err
}

const (
	skipFlops = 1e6
	// skipBelow is the share of elements that are not 0 below which it pays to list them.
	skipBelow = 0.55
	// skipBytes is the part of b that the rows of the result are multiplied with one after the other: it
	// stays in the first cache.
	skipBytes = 32 << 10
	// skipListed is how many elements of a are listed at a time, which should be skipRows rows at least: for
	// them b is packed.
	skipListed = 1 << 17
	skipRows   = 48
	// skipPanels is the most panels of b that a row is multiplied with at a time.
	skipPanels = 4
	// skipAhead is how many rows of the result ahead the processor is told what comes.
	skipAhead = 4
)

// manyZeros tells whether so many elements are 0 that it pays to list the others, by some of the rows.
func manyZeros[T Float](a Matrix[T]) bool {
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	s := simd.Of[T]()
	w.x = w.room(w.x, a.Cols+s.Vector)
	w.index = grown(w.index, a.Cols+s.Vector)
	apart := max(1, a.Rows/8)
	seen, others := 0, 0
	for i := apart / 2; i < a.Rows; i += apart {
		seen += a.Cols
		others += s.Nonzero(a.Cols, &a.Data[i*a.Stride], 1, 0, &w.x[0], &w.index[0])
	}
	return float64(others) < skipBelow*float64(seen)
}

func grown[E any](s []E, n int) []E {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]E, n+n/4)[:n]
}

// A skipping is a product of which the elements of a that are not 0 are listed, some rows at a time, for
// the workers to multiply with their share of the columns of b.
type skipping[T Float] struct {
	product[T]
	steps    int // of a slab: the inner dimension is listed and multiplied slab by slab
	i0, i1   int // the rows that are listed
	val      []T
	off      []int32      // bytes from the first step of a slab of b
	count    []int32      // of each row in each slab
	from     []int        // of each slab in val and off
	straight workspace[T] // rows of a that lie across
}

var skippings twin

// run computes the product and returns how many elements were not 0.
func (x *skipping[T]) run(p *Pool) (used int, err error) {
	width := x.width()
	x.steps = min(x.k, even(x.k, skipBytes/sizeOf[T]()/width, 8))
	blocks := (x.n + width - 1) / width
	parts := min(p.threads(float64(x.m)*float64(x.n)*float64(x.k)), blocks)
	x.share = (blocks + parts - 1) / parts * width
	rows := max(1, skipListed/x.k)
	for x.i0 = 0; x.i0 < x.m; x.i0 += rows {
		x.i1 = min(x.i0+rows, x.m)
		n := x.list()
		used += n
		if err := p.run(x, (x.n+x.share-1)/x.share, 2*float64(n)*float64(x.n)); err != nil {
			return used, err
		}
	}
	return used, nil
}

// list lists the elements of rows i0 to i1 that are not 0, and returns how many there are.
func (x *skipping[T]) list() int {
	rows, slabs := x.i1-x.i0, (x.k+x.steps-1)/x.steps
	room := rows*x.k + x.set.Vector
	x.val, x.off = x.straight.room(x.val, room), grown(x.off, room)
	x.count, x.from = grown(x.count, rows*slabs), grown(x.from, slabs)
	step, at := x.width()*sizeOf[T](), 0
	for s := range slabs {
		p := s * x.steps
		k := min(x.steps, x.k-p)
		var src []T
		ld := x.a.Stride
		if x.form != TN {
			src = x.a.Data[x.i0*ld+p:]
		} else {
			w := &x.straight
			w.x = w.room(w.x, rows*k)
			packAlong(x.set, w, w.x, k, x.a.Data[p*ld+x.i0:], ld, k, rows, gather[T]{})
			src, ld = w.x, k
		}
		x.from[s] = at
		for i := range rows {
			n := x.set.Nonzero(k, &src[i*ld], x.alpha, step, &x.val[at], &x.off[at])
			x.count[s*rows+i] = int32(n)
			at += n
		}
	}
	return at
}

// width returns the columns of b that are multiplied at a time.
func (x *skipping[T]) width() int { return skipPanels * x.set.Columns() }

// part computes some columns of the listed rows.
func (x *skipping[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	lo := i * x.share
	hi := min(lo+x.share, x.n)
	add := x.prepare(x.i0, x.i1, lo, hi)
	nr, width, rows := x.set.Columns(), x.width(), x.i1-x.i0
	w.b = w.room(w.b, x.steps*width)
	for j := lo; j < hi; j += width {
		cols := min(width, hi-j)
		panels := (cols + nr - 1) / nr
		c, ldc := &x.c.Data[x.i0*x.c.Stride+j], x.c.Stride
		for s, from := range x.from {
			x.pack(w, s, j, cols)
			next, step := x.coming(s, j, hi)
			count, val, off, more := &x.count[s*rows], &x.val[from], &x.off[from], max(add, min(s, 1))
			if left := cols - (panels-1)*nr; left < nr {
				x.set.SkipEnd[panels](rows, count, val, off, &w.b[0], c, ldc, more, next, step, left)
			} else {
				x.set.Skip[panels](rows, count, val, off, &w.b[0], c, ldc, more, next, step)
			}
		}
	}
	x.finish(x.i0, x.i1, lo, hi)
}

// pack packs slab s of cols columns of b from j on.
func (x *skipping[T]) pack(w *workspace[T], s, j, cols int) {
	p, ldb, width := s*x.steps, x.b.Stride, x.width()
	k := min(x.steps, x.k-p)
	if x.form == NT {
		packAlong(x.set, w, w.b, width, x.b.Data[j*ldb+p:], ldb, cols, k, gather[T]{})
		return
	}
	x.set.CopyRows(k, cols, &x.b.Data[p*ldb+j], ldb, &w.b[0], width)
}

// coming returns what will be read soon: with each row that is computed some of the next slab of b or, where
// there is but one, of rows of the result further on.
func (x *skipping[T]) coming(s, j, hi int) (next *T, step int) {
	if x.form == TN {
		i := min(x.i0+skipAhead, x.i1-1)
		return &x.c.Data[i*x.c.Stride+j], x.c.Stride
	}
	row, col := (s+1)*x.steps, j
	if row >= x.k {
		row, col = 0, j+x.width()
	}
	if col >= hi {
		row, col = 0, j
	}
	if x.form == NT {
		row, col = col, row
	}
	return &x.b.Data[row*x.b.Stride+col], x.b.Stride
}
