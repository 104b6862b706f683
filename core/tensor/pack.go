package tensor

import "trivium/core/tensor/internal/simd"

// A gather is the pairs that a pack picks; the zero value picks all. A nil scale is all ones.
type gather[T Float] struct {
	index []int32
	scale []T
}

// part returns the gather of steps p0 to p1, and the first row or column it starts from.
func (g gather[T]) part(p0, p1 int) (gather[T], int) {
	if g.index == nil {
		return g, p0
	}
	h := gather[T]{index: g.index[p0:p1]}
	if g.scale != nil {
		h.scale = g.scale[p0:p1]
	}
	return h, 0
}

// scales returns a pointer to a scale for each step.
func (g gather[T]) scales(w *workspace[T]) *T {
	if g.scale != nil {
		return &g.scale[0]
	}
	return &w.allOnes(len(g.index))[0]
}

// packAlong writes dst[p·ldd+i] = src[i·ld+p] for rows rows and n steps: the inner dimension
// lies along the rows of the source. Up to seven elements past the end are written.
func packAlong[T Float](s *simd.Set[T], w *workspace[T], dst []T, ldd int, src []T, ld, rows, n int, g gather[T]) {
	// Eight rows are packed at a time. The later ones come first, because what a pack
	// writes beyond its rows lands in the first rows of the next step.
	for first := (rows - 1) &^ 7; first >= 0; first -= 8 {
		r, d, from := min(rows-first, 8), dst[first:], src[first*ld:]
		switch {
		case g.index != nil:
			s.PackG(n, &from[0], ld, r, &d[0], ldd, &g.index[0], g.scales(w))
		case n < s.Block:
			for i := range r {
				for p := range n {
					d[p*ldd+i] = from[i*ld+p]
				}
			}
		default:
			whole := n / s.Block
			s.PackT(whole, &from[0], ld, r, &d[0], ldd)
			if done := whole * s.Block; done < n {
				// The last block repeats a part of the one before.
				p := n - s.Block
				s.PackT(1, &from[p], ld, r, &d[p*ldd], ldd)
			}
		}
	}
}

// packAcross writes dst[p·ldd+i] = src[p·ld+i] for cols columns and n steps: the inner
// dimension lies across the rows of the source. Up to seven elements past the end are written.
func packAcross[T Float](s *simd.Set[T], w *workspace[T], dst []T, ldd int, src []T, ld, cols, n int, g gather[T]) {
	for first := (cols - 1) &^ 7; first >= 0; first -= 8 {
		c := min(cols-first, 8)
		if g.index != nil {
			s.PackS(n, &src[first], ld, c, &dst[first], ldd, &g.index[0], g.scales(w))
		} else {
			s.PackC(n, &src[first], ld, c, &dst[first], ldd)
		}
	}
}

// A panel is rows of a that are packed together, height elements a step.
type panel struct{ row, rows, height, at int }

// split divides rows from row to before end into panels for k steps. A rest too low to keep
// the processor busy shares its rows with the panel before.
func split[T Float](s *simd.Set[T], panels []panel, row, end, k int) []panel {
	at := 0
	for row < end {
		r, left := s.Rows, end-row
		switch {
		case left <= r:
			r = left
		case left-r < r/2:
			r = s.Height((left + 1) / 2) // a whole tile, so that only the last is cut
		}
		h := s.Height(r)
		panels = append(panels, panel{row, r, h, at})
		row += r
		at += h*k + 8 // what a pack writes too many falls between the panels
	}
	return panels
}

// inPlaceSteps is how many steps of the inner dimension there may be for a to be read where it
// lies, if its rows are the steps: the part of a panel in each row stays in the first cache then.
const inPlaceSteps = 128

// inPlace tells whether tiles read a where it lies, but for a panel that is not whole.
func (x *product[T]) inPlace() bool {
	return x.form == TN && x.index == nil && x.k <= inPlaceSteps && !x.few()
}

// packA packs the panels of a.
func (x *product[T]) packA(w *workspace[T], s slab) {
	if x.packAcross(w, s) {
		for _, q := range w.panels {
			x.packPanel(w, q, s)
		}
	}
}

// packPanel packs a panel of a for forms NN and NT.
func (x *product[T]) packPanel(w *workspace[T], q panel, s slab) {
	g, from := gather[T]{x.index, x.scale}.part(s.from, s.to)
	packAlong(x.set, w, w.a[q.at:], q.height, x.a.Data[q.row*x.a.Stride+from:], x.a.Stride, q.rows, s.to-s.from, g)
}

// packAcross packs the panels of a for form TN, as far as they need it. It reports whether they still have to
// be packed, which for the other forms is done panel by panel.
func (x *product[T]) packAcross(w *workspace[T], s slab) (later bool) {
	if x.form != TN {
		return true
	}
	panels := w.panels
	if x.inPlace() {
		if last := panels[len(panels)-1]; last.rows == last.height {
			return false
		}
		panels = panels[len(panels)-1:] // no other can be cut
	}
	// Panels are narrower than what comes with one access to memory, so all of them go
	// over a few steps before the next.
	const few = 64
	for p := s.from; p < s.to; p += few {
		e := min(p+few, s.to)
		g, from := gather[T]{x.index, x.scale}.part(p, e)
		for _, q := range panels {
			packAcross(x.set, w, w.a[q.at+(p-s.from)*q.height:], q.height, x.a.Data[from*x.a.Stride+q.row:], x.a.Stride, q.rows, e-p, g)
		}
	}
	return false
}

// packB packs steps p0 to p1 of columns j0 to j1 into dst, panel after panel of as many columns
// as a tile has. Columns of the last panel beyond j1 have no meaning.
func (x *product[T]) packB(w *workspace[T], dst []T, p0, p1, j0, j1 int) {
	nr, n := x.set.Columns(), p1-p0
	if x.form == NT {
		g, from := gather[T]{index: x.index}.part(p0, p1)
		for j := j0; j < j1; j += nr {
			packAlong(x.set, w, dst[(j-j0)*n:], nr, x.b.Data[j*x.b.Stride+from:], x.b.Stride, min(nr, j1-j), n, g)
		}
		return
	}
	full, ldb := (j1-j0)/nr, x.b.Stride
	if full > 0 && x.index == nil {
		x.set.PackRow(n, full, &x.b.Data[p0*ldb+j0], ldb, &dst[0], nr*n)
	}
	rest := j0 + full*nr
	for p := p0; p < p1; p++ {
		row, at := p, (p-p0)*nr
		if x.index != nil {
			row = int(x.index[p])
			if full > 0 {
				x.set.PackRow(1, full, &x.b.Data[row*ldb+j0], ldb, &dst[at], nr*n)
			}
		} else if rest == j1 {
			break
		}
		copy(dst[full*nr*n+at:], x.b.Data[row*ldb+rest:row*ldb+j1])
	}
}
