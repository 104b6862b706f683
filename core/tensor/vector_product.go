package tensor

// thin tells whether one factor is a vector, and the product better done without tiles.
func (x *product[T]) thin() bool {
	switch x.form {
	case TN:
		return x.m == 1 || x.n == 1
	case NN:
		return x.m == 1 || x.n == 1 && x.index == nil
	}
	return x.index == nil && (x.m == 1 || x.n == 1)
}

// vector adds the product of a matrix and a vector to dst.
func (x *product[T]) vector(w *workspace[T], i0, i1, j0, j1 int) {
	switch {
	case x.m == 1 && x.form != NT:
		v := x.column(w, x.a, x.form == TN, x.scale)
		x.combine(v, x.b, j0, j1, x.c.Data[j0:j1])
	case x.n == 1 && x.form == TN:
		// Sums go to a row first where dst is a column with gaps.
		v := x.column(w, x.b, true, x.scale)
		w.y = w.room(w.y, i1-i0)
		y := w.y[:i1-i0]
		for i := range y {
			y[i] = x.c.Data[(i0+i)*x.c.Stride]
		}
		x.combine(v, x.a, i0, i1, y)
		for i, v := range y {
			x.c.Data[(i0+i)*x.c.Stride] = v
		}
	case x.m == 1: // NT
		a := x.a.Row(0)
		for j := j0; j < j1; j++ {
			x.c.Data[j] += x.alpha * x.set.Dot(x.k, &a[0], &x.b.Row(j)[0])
		}
	default: // n is 1
		v := x.column(w, x.b, x.form == NN, nil)
		for i := i0; i < i1; i++ {
			x.c.Data[i*x.c.Stride] += x.alpha * x.set.Dot(x.k, &x.a.Row(i)[0], &v[0])
		}
	}
}

// column returns the vector that a matrix of one row or, where down is set, one column is:
// the sampled elements, scaled.
func (x *product[T]) column(w *workspace[T], a Matrix[T], down bool, scale []T) []T {
	step := 1
	if down {
		step = a.Stride
	}
	if step == 1 && x.index == nil {
		return a.Data[:x.k]
	}
	w.x = w.room(w.x, x.k)
	v := w.x[:x.k]
	for p := range v {
		i := p
		if x.index != nil {
			i = int(x.index[p])
		}
		v[p] = a.Data[i*step]
		if scale != nil {
			v[p] *= scale[p]
		}
	}
	return v
}

// combine adds alpha·Σ v[p]·(columns j0 to j1 of row p of b) to y.
func (x *product[T]) combine(v []T, b Matrix[T], j0, j1 int, y []T) {
	if x.index == nil {
		x.set.VecMat(x.k, j1-j0, &v[0], &b.Data[j0], b.Stride, &y[0], x.alpha)
		return
	}
	for p, i := range x.index {
		x.set.Axpy(j1-j0, &b.Data[int(i)*b.Stride+j0], &y[0], x.alpha*v[p])
	}
}
