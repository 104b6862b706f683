package main

// gates writes what a gated recurrent unit does to a row between its products, and the way back. Written
// out as single operations it would read and write the same few hundred numbers a dozen times.
func (g *gen) gates(l lane) {
	g.lane = l
	g.simple(simple{name: "gru", pointers: "r z c u h y",
		doc: "computes r = σ(r), z = σ(z), c = tanh(c+r·u) and y = c + z·(h-c).",
		body: func(a access, p regs, s vecs) {
			r := g.sigmoid(a.load(p["r"]))
			a.store(p["r"], r)
			x := a.load(p["c"])
			g.fma(x, r, a.load(p["u"]))
			c := g.tanh(x)
			a.store(p["c"], c)
			z := g.sigmoid(a.load(p["z"]))
			a.store(p["z"], z)
			d := g.sub(a.load(p["h"]), c)
			g.mulAdd(d, z, c)
			a.store(p["y"], d)
		}})
	g.simple(simple{name: "gruGrad", pointers: "r z c u h dy dh",
		doc: "puts the gradients of r, z and c before their functions and that of u in the place\n" +
			"of these, from dy, that of y, and computes dh = dy·z.",
		body: func(a access, p regs, s vecs) {
			one := g.in(g.constant(1))
			dy, z, c := a.load(p["dy"]), a.load(p["z"]), a.load(p["c"])
			dh := g.mul(dy, z)
			a.store(p["dh"], dh)
			dz := g.mul(g.mul(g.sub(a.load(p["h"]), c), dh), g.sub(one, z))
			a.store(p["z"], dz)
			slope := g.in(g.constant(1))
			g.fnma(slope, c, c)
			dc := g.mul(g.sub(dy, dh), slope)
			a.store(p["c"], dc)
			r, u := a.load(p["r"]), a.load(p["u"])
			du := g.mul(dc, r)
			a.store(p["u"], du)
			a.store(p["r"], g.mul(g.mul(du, u), g.sub(one, r)))
		}})
}
