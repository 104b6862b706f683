package tensor

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
	most := 3 * x.set.Rows
	if x.index != nil { // rows here and there cost more to pack
		most = 5 * x.set.Rows
	}
	return x.form != NT && (x.m <= x.set.Rows || near && x.m <= most)
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
		s := slab{from: p, to: min(p+kc, x.k)}
		for j := j0; j < j1; j += nc {
			f := min(j+nc, j1)
			s.here = few && x.readable()
			s.packB = x.form != NT && x.index == nil && !s.here
			if !s.packB && !s.here {
				x.packB(w, w.b, s.from, s.to, j, f)
			}
			x.ahead(w, p, kc, j, nc, j0, j1, few)
			for i := i0; i < i1; i += mc {
				e := min(i+mc, i1)
				s.packA = false
				if mc < i1-i0 || j == j0 {
					w.panels = split(x.set, w.panels[:0], i, e, s.to-s.from)
					s.packA = x.packAcross(w, s)
				}
				x.tiles(w, w.b, s, j, f, add)
				s.packB = false
				if s.to == x.k && !few {
					x.finish(i, e, j, f)
				}
			}
		}
		add = 1
	}
	if few { // blocks are narrow, and all of the result is near
		x.finish(i0, i1, j0, j1)
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
func (x *product[T]) ahead(w *workspace[T], p, kc, j, nc, j0, j1 int, few bool) {
	w.next, w.nextSteps = nil, 0
	if j += nc; j >= j1 {
		j, p = j0, p+kc
	}
	if !few || x.index != nil || p >= x.k {
		return
	}
	w.nextSteps = min(kc, x.k-p)
	if x.form == NT {
		w.next = x.b.Data[j*x.b.Stride+p:]
	} else {
		w.next = x.b.Data[p*x.b.Stride+j:]
	}
}

// readable tells whether tiles can read b where it lies about as fast as packed: its rows are those
// of the steps and so far apart that all that a block has of them stays in the second cache, where
// addresses that differ by a large power of two push each other out.
func (x *product[T]) readable() bool {
	const apart = 2 << 10 // bytes; 320 rows then take 10 of 16 ways of a cache of 1 MB
	bytes := x.b.Stride * sizeOf[T]()
	return x.form != NT && x.index == nil && bytes&-bytes <= apart
}

// A slab is steps from to before to of a product, which of its operands the tiles pack
// just before they need them, and whether they read b where it lies.
type slab struct {
	from, to     int
	packA, packB bool
	here         bool
}

// tiles multiplies the panels of a with columns j0 to j1 of b, packed or where it lies.
func (x *product[T]) tiles(w *workspace[T], b []T, s slab, j0, j1 int, add int) {
	nr, k := x.set.Columns(), s.to-s.from
	far := nr // while b is packed, what is to the right of it is fetched, unless other tiles do so
	if w.next != nil && len(w.panels) > 1 {
		far = 0
	}
	ldc, inPlace := x.c.Stride, x.inPlace()
	var lies []T // the rows of b
	if s.packB || s.here {
		lies = x.b.Data[s.from*x.b.Stride:]
	}
	for i, q := range w.panels {
		if s.packA {
			x.packPanel(w, q, s)
		}
		a, lda := x.left(w, q, s)
		row, tile := x.c.Data[q.row*ldc:], x.set.Tile[q.height]
		next, step := a, 0
		fetches := w.next != nil || i+1 < len(w.panels) && !inPlace
		for j := j0; j < j1; j += nr {
			cols, bj, ldb := min(nr, j1-j), &b[(j-j0)*k], nr
			switch {
			case s.here && cols == nr:
				bj, ldb = &lies[j], x.b.Stride
			case i > 0 || !s.packB && !s.here:
			case s.packB && cols == nr && q.rows == x.set.Rows:
				x.set.TileP(k, a, lda, &lies[j], x.b.Stride, &row[j], ldc, x.alpha, add, bj, far)
				continue
			default:
				x.packB(w, b[(j-j0)*k:], s.from, s.to, j, j+cols)
			}
			if fetches {
				if next, step = x.fetch(w, s, i, (j-j0)/nr); next == nil {
					next = a
				}
			}
			if cols == nr && q.rows == q.height {
				tile(k, a, lda, bj, ldb, &row[j], ldc, x.alpha, add, next, step)
			} else {
				x.edge(w, q, k, a, lda, bj, ldb, row[j:], cols, add, next, step)
			}
		}
	}
}

// edge computes a tile of which not all rows or columns are wanted.
func (x *product[T]) edge(w *workspace[T], q panel, k int, a *T, lda int, b *T, ldb int, c []T, cols, add int, next *T, step int) {
	tile, nr := x.set.Tile[q.height], x.set.Columns()
	if cols <= x.set.Vector { // the end of a row
		tile, nr = x.set.Half[q.height], x.set.Vector
	}
	if cols == nr && q.rows == q.height {
		tile(k, a, lda, b, ldb, &c[0], x.c.Stride, x.alpha, add, next, step)
		return
	}
	t := w.borrow(c, x.c.Stride, q, cols, nr, add)
	tile(k, a, lda, b, ldb, &t[0], nr, x.alpha, add, next, step)
	w.bringBack(c, x.c.Stride, q, cols, nr)
}

// left returns where tiles find the rows of a panel, and how far its steps are apart.
func (x *product[T]) left(w *workspace[T], q panel, s slab) (a *T, lda int) {
	if x.inPlace() && q.rows == q.height {
		return &x.a.Data[s.from*x.a.Stride+q.row], x.a.Stride
	}
	return &w.a[q.at], q.height
}

// fetch returns what the tile at panel i and the n-th columns should fetch meanwhile: it does so every
// four steps, two vectors at a time, step elements further each time.
func (x *product[T]) fetch(w *workspace[T], s slab, i, n int) (next *T, step int) {
	k, nr := s.to-s.from, x.set.Columns()
	at := 0
	var from []T
	switch {
	case w.next != nil && x.form == NT: // some of all rows of the next block of b
		from, at, step = w.next, 2*i*nr, x.b.Stride
	case w.next != nil: // all of some rows of it
		if s.packB && i > 0 {
			i--
		}
		if at = i * (k / 4); at < w.nextSteps {
			from, at, step = w.next, at*x.b.Stride, x.b.Stride
		}
	case i+1 == len(w.panels) || x.inPlace():
	case s.packA && x.index == nil: // the rows of the next panel, before they are packed
		from, step = x.a.Data[w.panels[i+1].row*x.a.Stride+s.from:], x.a.Stride
		at = n * nr % k
	default: // the next panel
		q := w.panels[i+1]
		from, at, step = w.a[q.at:][:q.height*k], n*(k/4)*nr, nr
	}
	if at >= len(from) {
		return nil, 0
	}
	return &from[at], step
}

// unpacked multiplies a few rows of a, packed, with b where it lies: what is used only once or
// twice is not worth packing.
func (x *product[T]) unpacked(w *workspace[T], i0, i1, j0, j1 int, add int) {
	s, nr, ldb := x.set, x.set.Columns(), x.b.Stride
	size := sizeOf[T]()
	w.a = w.room(w.a, (x.k+8)*(i1-i0+2*s.Rows))
	w.panels = split(s, w.panels[:0], i0, i1, x.k)
	x.packA(w, slab{to: x.k})
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
		w.next = nil
		x.tiles(w, w.b, slab{to: x.k}, j, j1, add)
	}
}
