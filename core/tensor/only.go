package tensor

import "slices"

// MulOnly computes, as [Mul] would, only some columns of dst (NT) or only some rows (TN), times
// their Scale; everything else becomes beta·dst. These are the gradients of a product that
// was sampled forward: what was not drawn has none. No index may come twice, and form NN has no
// use for it.
func MulOnly[T Float](p *Pool, dst Matrix[T], form Form, a, b Matrix[T], only Sample[T], alpha, beta T) error {
	const op = "MulOnly"
	m, n, _, err := fit(dst, form, a, b, nil)
	if err != nil {
		return err
	}
	along := n
	if form == TN {
		along = m
	} else if form != NT {
		return shapeError(op, "form %v", form)
	}
	if err := fitSample(op, &only, along); err != nil {
		return err
	}
	if i, twice := repeated[T](only.Index); twice {
		return shapeError(op, "index %d comes twice", i)
	}
	if form == TN {
		return onlyRows(p, dst, a, b, only, alpha, beta)
	}
	for i := range m {
		times(dst.Row(i), beta)
	}
	if len(only.Index) == 0 {
		return nil
	}
	return onlyColumns(p, dst, a, b, only, alpha)
}

// onlyColumns gathers rows of b, multiplies, and adds the columns to where they belong.
func onlyColumns[T Float](p *Pool, dst, a, b Matrix[T], only Sample[T], alpha T) error {
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	k := len(only.Index)
	w.x, w.y = w.room(w.x, k*b.Cols), w.room(w.y, dst.Rows*k)
	some, part := Of(k, b.Cols, w.x), Of(dst.Rows, k, w.y)
	for i, j := range only.Index {
		copy(some.Row(i), b.Row(int(j)))
	}
	if err := Mul(p, part, NT, a, some, alpha, 0); err != nil {
		return err
	}
	for i := range dst.Rows {
		d, r := dst.Row(i), part.Row(i)
		if only.Scale != nil {
			Hadamard(r, r, only.Scale)
		}
		for l, j := range only.Index {
			d[j] += r[l]
		}
	}
	return nil
}

// repeated returns an index that comes more than once, if any does.
func repeated[T Float](index []int32) (int32, bool) {
	if ascending(index) {
		return 0, false
	}
	w := reuse[T, workspace[T]](&workspaces)
	defer giveBack[T](&workspaces, w)
	w.index = append(w.index[:0], index...)
	slices.Sort(w.index)
	for i := 1; i < len(w.index); i++ {
		if w.index[i] == w.index[i-1] {
			return w.index[i], true
		}
	}
	return 0, false
}

func ascending(index []int32) bool {
	for i := 1; i < len(index); i++ {
		if index[i] <= index[i-1] {
			return false
		}
	}
	return true
}
