package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// transcendental writes exp, sigmoid and tanh.
func (g *gen) transcendental(l lane) {
	g.lane = l
	g.simple(simple{name: "exp", doc: "computes dst = exp(x).", pointers: "dst x", unroll: 2, body: func(a access, p regs, s vecs) {
		a.store(p["dst"], g.exp(a.load(p["x"])))
	}})
	g.simple(simple{name: "sigmoid", doc: "computes dst = 1/(1+exp(-x)).", pointers: "dst x", unroll: 2, body: func(a access, p regs, s vecs) {
		a.store(p["dst"], g.sigmoid(a.load(p["x"])))
	}})
	g.simple(simple{name: "tanh", doc: "computes dst = tanh(x).", pointers: "dst x", unroll: 2, body: func(a access, p regs, s vecs) {
		a.store(p["dst"], g.tanh(a.load(p["x"])))
	}})
}

// sigmoid returns 1/(1+exp(-x)). With exp(-|x|) nothing overflows, and small results keep their digits:
// e/(1+e) for x < 0, 1/(1+e) otherwise.
func (g *gen) sigmoid(x vec) vec {
	e := g.exp(g.or(x, g.signBit()))
	one := g.in(g.constant(1))
	return g.div(g.where(x, one, e), g.add(one, e))
}

// tanh returns the hyperbolic tangent: tanh|x| = u/(u+2) with u = exp(2|x|)-1, which keeps its digits for small x.
func (g *gen) tanh(x vec) vec {
	limit := 10.0 // tanh rounds to 1 from here
	if !g.single() {
		limit = 20
	}
	t := g.min(g.in(g.constant(limit)), g.and(x, g.magnitudeBits()))
	n, r := g.reduce(g.add(t, t))
	q := g.expm1(r)
	two := g.power(g.toInt(n))
	u := g.sub(two, g.constant(1))
	g.fma(u, q, two)
	y := g.div(u, g.add(u, g.constant(2)))
	return g.or(y, g.and(x, g.signBit()))
}

// exp returns e to the x, to about one unit in the last place, with 0 and infinity and
// subnormal results where they belong; NaN stays NaN.
func (g *gen) exp(x vec) vec {
	low, high := -104.0, 89.0 // beyond these the result is 0 or infinite
	if !g.single() {
		low, high = -746, 710
	}
	n, r := g.reduce(g.min(g.in(g.constant(high)), g.max(g.in(g.constant(low)), x)))
	y := g.add(g.expm1(r), g.constant(1))
	// 2ⁿ may not be a number of its own where y·2ⁿ is, so it is applied by halves.
	k := g.toInt(n)
	h, rest := g.XMM(), g.XMM()
	if g.single() {
		h, rest = g.YMM(), g.YMM()
	}
	g.VPSRAD(operand.Imm(1), k, h)
	g.VPSUBD(h, k, rest)
	return g.mul(g.mul(y, g.power(h)), g.power(rest))
}

// reduce returns n and r with x = n·ln 2 + r, n whole and |r| ≤ ln 2 / 2.
func (g *gen) reduce(x vec) (n, r vec) {
	n = g.mul(x, g.constant(math.Log2E))
	if g.single() {
		g.VROUNDPS(operand.Imm(0), n, n)
	} else {
		g.VROUNDPD(operand.Imm(0), n, n)
	}
	// ln 2 in two parts, the first with so few digits that n times it is exact.
	high := float64(math.Float32frombits(math.Float32bits(float32(math.Ln2)) &^ 0xfff))
	if !g.single() {
		high = math.Float64frombits(math.Float64bits(math.Ln2) &^ 0x1fffff)
	}
	const tail = 2.319046813846299558e-17 // ln 2 beyond a float64
	low := (math.Ln2 - high) + tail
	r = x
	g.fnma(r, n, g.constant(high))
	g.fnma(r, n, g.constant(low))
	return n, r
}

// expm1 returns exp(r)-1 for |r| ≤ ln 2 / 2 by its Taylor series. Seven terms leave a part in
// 2·10⁸, thirteen a part in 2·10¹⁷.
func (g *gen) expm1(r vec) vec {
	terms := 7
	if !g.single() {
		terms = 13
	}
	p := g.in(g.constant(1 / factorial(terms)))
	for i := terms - 1; i >= 2; i-- {
		g.mulAdd(p, r, g.constant(1/factorial(i)))
	}
	// r + r²·p loses nothing of r.
	r2 := g.mul(r, r)
	g.mulAdd(p, r2, r)
	return p
}

func factorial(n int) float64 {
	f := 1.0
	for i := 2; i <= n; i++ {
		f *= float64(i)
	}
	return f
}

// toInt returns n as 32-bit integers.
func (g *gen) toInt(n vec) vec {
	if g.single() {
		k := g.YMM()
		g.VCVTPS2DQ(n, k)
		return k
	}
	k := g.XMM()
	g.VCVTPD2DQY(n, k)
	return k
}

// power returns 2 to the k for 32-bit integers k in the range of normal numbers.
func (g *gen) power(k vec) vec {
	v := g.YMM()
	if g.single() {
		g.VPADDD(g.bits(127|127<<32), k, v)
		g.VPSLLD(operand.Imm(23), v, v)
		return v
	}
	g.VPMOVSXDQ(k, v)
	g.VPADDQ(g.bits(1023), v, v)
	g.VPSLLQ(operand.Imm(52), v, v)
	return v
}
