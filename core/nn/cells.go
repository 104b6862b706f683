package nn

import "trivium/core/tensor"

// The functions here do one step of one sequence. Gates come as sums and are left as the
// values of their functions, which is what the gradients need.

// lstmRow computes cell and state from the gates i, f, g, o in z.
func lstmRow[T tensor.Float](z, cPrev, c, tc, h []T) {
	n := len(h)
	tensor.Sigmoid(z[:2*n], z[:2*n])
	tensor.Tanh(z[2*n:3*n], z[2*n:3*n])
	tensor.Sigmoid(z[3*n:], z[3*n:])
	i, f, g, o := z[:n], z[n:2*n], z[2*n:3*n], z[3*n:]
	tensor.Hadamard(c, f, cPrev)
	tensor.AddHadamard(c, i, g)
	tensor.Tanh(tc, c)
	tensor.Hadamard(h, o, tc)
}

// lstmRowGrad computes the gradient of the gates' sums from those of state and cell, and makes
// dc that of the cell before.
func lstmRowGrad[T tensor.Float](z, cPrev, tc, dh, dc, dz []T) {
	n := len(dh)
	i, f, g, o := z[:n], z[n:2*n], z[2*n:3*n], z[3*n:][:n]
	di, df, dg, do := dz[:n], dz[n:2*n], dz[2*n:3*n], dz[3*n:][:n]
	for k, d := range dh {
		do[k] = d * tc[k] * o[k] * (1 - o[k])
		c := dc[k] + d*o[k]*(1-tc[k]*tc[k])
		di[k] = c * g[k] * i[k] * (1 - i[k])
		df[k] = c * cPrev[k] * f[k] * (1 - f[k])
		dg[k] = c * i[k] * (1 - g[k]*g[k])
		dc[k] = c * f[k]
	}
}

// gruRow computes the state from x·W + b in z and h·U in hu, each of r, z, n, and keeps h·Uₙ.
func gruRow[T tensor.Float](z, hu, hPrev, un, h []T) {
	n := len(h)
	tensor.Add(z[:2*n], z[:2*n], hu[:2*n])
	copy(un, hu[2*n:])
	tensor.GRU(z[:n], z[n:2*n], z[2*n:], un, hPrev, h)
}

// gruRowGrad computes the gradients of z's sums and of hu from that of the state, and makes dh
// what goes to the state before without passing a product.
func gruRowGrad[T tensor.Float](z, hPrev, un, dh, dz, dhu []T) {
	n := len(dh)
	copy(dz, z)
	copy(dhu[2*n:], un)
	tensor.GRUGrad(dz[:n], dz[n:2*n], dz[2*n:], dhu[2*n:], hPrev, dh, dh)
	copy(dhu[:2*n], dz)
}
