package tensor

import (
	"slices"

	"trivium/core/tensor/internal/simd"
)

// A rowProduct computes some rows of c = alpha·aᵀ·b + beta·c. A strip of the result, as high as a
// tile, is made aside in the first cache, and its rows then go to where they belong: nothing as
// large as the result is written twice, and with beta 1 rows that are not wanted are not touched.
type rowProduct[T Float] struct {
	product[T]
	only  Sample[T]
	share int // rows of a part
}

var rowProducts twin

// onlyRows computes rows only.Index of dst, times their scale, and makes the others beta·dst.
func onlyRows[T Float](p *Pool, dst, a, b Matrix[T], only Sample[T], alpha, beta T) error {
	if beta != 1 {
		leaveOthers(dst, only.Index, beta)
	}
	x := reuse[T, rowProduct[T]](&rowProducts)
	x.product = product[T]{set: simd.Of[T](), form: TN, m: len(only.Index), n: dst.Cols, k: a.Rows, a: a, b: b, c: dst, alpha: alpha, beta: beta}
	x.only = only
	if alpha == 0 {
		x.k = 0
	}
	flops := 2 * float64(x.m) * float64(x.n) * float64(x.k)
	parts := max(1, min(p.threads(flops), x.m/x.set.Rows))
	x.share = max(1, (x.m+parts-1)/parts)
	err := p.run(x, (x.m+x.share-1)/x.share, flops)
	x.product, x.only = product[T]{}, Sample[T]{}
	giveBack[T](&rowProducts, x)
	return err
}

// leaveOthers makes beta·dst of the rows that are not in the index.
func leaveOthers[T Float](dst Matrix[T], index []int32, beta T) {
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	if !ascending(index) {
		w.index = append(w.index[:0], index...)
		slices.Sort(w.index)
		index = w.index
	}
	for i := range dst.Rows {
		if len(index) > 0 && int(index[0]) == i {
			index = index[1:]
		} else {
			times(dst.Row(i), beta)
		}
	}
}

// times makes beta·row of a row, 0 whatever is in it where beta is 0.
func times[T Float](row []T, beta T) {
	if beta == 0 {
		clear(row)
	} else if beta != 1 {
		Scale(row, beta, row)
	}
}

// part computes some of the rows.
func (x *rowProduct[T]) part(i int) {
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	lo := i * x.share
	hi := min(lo+x.share, x.m)
	if x.k == 0 || x.n == 0 {
		for _, r := range x.only.Index[lo:hi] {
			times(x.c.Row(int(r)), x.beta)
		}
		return
	}
	kc, nc, nr := x.steps(), x.columns(x.n), x.set.Columns()
	w.a = w.room(w.a, (kc+8)*(hi-lo+2*x.set.Rows))
	w.b = w.room(w.b, kc*(nc+nr))
	w.y = w.room(w.y, x.set.Rows*(nc+nr))
	for p := 0; p < x.k; p += kc {
		q := min(p+kc, x.k)
		w.panels = split(x.set, w.panels[:0], lo, hi, q-p)
		x.gather(w, p, q)
		for j := 0; j < x.n; j += nc {
			f := min(j+nc, x.n)
			x.packB(w, w.b, p, q, j, f)
			for _, panel := range w.panels {
				x.strip(w, panel, q-p, j, f)
				x.bringOut(w, panel, p == 0, j, f)
			}
		}
	}
}

// gather packs the wanted columns of rows p to q of a: first as rows, which takes whole vectors of
// a gather, and then as panels, which takes a transposition.
func (x *rowProduct[T]) gather(w *workspace[T], p, q int) {
	first, end := w.panels[0].row, w.panels[len(w.panels)-1].row+w.panels[len(w.panels)-1].rows
	n, ld := q-p, (q-p+7)&^7
	w.x = w.room(w.x, (end-first)*ld)
	packAlong(x.set, w, w.x, ld, x.a.Data[p*x.a.Stride:], x.a.Stride, n, end-first, gather[T]{index: x.only.Index[first:end]})
	for _, q := range w.panels {
		packAlong(x.set, w, w.a[q.at:], q.height, w.x[(q.row-first)*ld:], ld, q.rows, n, gather[T]{})
	}
}

// strip computes k steps of a panel's rows for columns j0 to j1, and meanwhile fetches the rows
// of the result that they are for, one with each tile.
func (x *rowProduct[T]) strip(w *workspace[T], q panel, k, j0, j1 int) {
	nr, a, tile := x.set.Columns(), &w.a[q.at], x.set.Tile[q.height]
	ld := (j1 - j0 + nr - 1) / nr * nr
	line := 64 / sizeOf[T]()
	step := max(line, 4*(j1-j0)/max(k, 4)/line*line)
	for j := 0; j < ld; j += nr {
		next, by := a, 0
		if i := j / nr; i < q.rows {
			next, by = &x.c.Data[int(x.only.Index[q.row+i])*x.c.Stride+j0], step
		}
		tile(k, a, q.height, &w.b[j*k], nr, &w.y[j], ld, x.alpha, 0, next, by)
	}
}

// bringOut brings a strip to the rows of the result.
func (x *rowProduct[T]) bringOut(w *workspace[T], q panel, first bool, j0, j1 int) {
	nr, n := x.set.Columns(), j1-j0
	ld := (n + nr - 1) / nr * nr
	for i := range q.rows {
		s, at := T(1), q.row+i
		if x.only.Scale != nil {
			s = x.only.Scale[at]
		}
		d, r := &x.c.Data[int(x.only.Index[at])*x.c.Stride+j0], &w.y[i*ld]
		switch {
		case !first || x.beta == 1:
			x.set.Axpy(n, r, d, s)
		case x.beta == 0:
			x.set.Scale(n, d, r, s)
		default:
			x.set.Axpby(n, d, r, d, s, x.beta)
		}
	}
}
