package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// reductions writes the functions that return one number. Four running results hide the
// time an addition takes; they also shorten the chains of rounding errors.
func (g *gen) reductions(l lane) {
	g.lane = l
	vectors := "n int, x *%s"
	g.reduction("sum", vectors, "returns Σ x.", 0, func(acc vec, a access, p regs) {
		g.sumInto(acc, a.load(p["x"]))
	})
	g.reduction("sumSquares", vectors, "returns Σ x².", 0, func(acc vec, a access, p regs) {
		// Norms are of matrices larger than the caches, and the processor fetches ahead no further
		// than to the end of a page.
		a.fetch(p["x"], 2048)
		x := a.load(p["x"])
		g.fma(acc, x, x)
	})
	g.reduction("sumAbs", vectors, "returns Σ |x|.", 0, func(acc vec, a access, p regs) {
		g.sumInto(acc, g.and(a.load(p["x"]), g.magnitudeBits()))
	})
	g.reduction("dot", "n int, x, y *%s", "returns Σ x·y.", 0, func(acc vec, a access, p regs) {
		x := a.load(p["x"])
		g.fma(acc, x, a.load(p["y"]))
	})
	g.reduction("differences", "n int, dst, x, y *%s", "computes dst = x - dst and returns Σ (x-y)².", 0, func(acc vec, a access, p regs) {
		x := a.load(p["x"])
		d := g.sub(x, a.load(p["y"]))
		a.store(p["dst"], g.sub(x, a.load(p["dst"])))
		g.fma(acc, d, d)
	})
	g.reduction("maximum", vectors, "returns the largest x, -∞ for none; NaN may be passed over.", math.Inf(-1), func(acc vec, a access, p regs) {
		x := a.load(p["x"])
		if a.mask != nil {
			x = g.where(a.mask, acc, x)
		}
		g.pick(g.VMAXPS, g.VMAXPD, acc, x, acc) // acc where x is NaN
	})
	g.reduction("expSum", "n int, dst, x *%s, shift %[1]s", "computes dst = exp(x-shift) and returns Σ dst.", 0, func(acc vec, a access, p regs) {
		e := g.exp(g.sub(a.load(p["x"]), g.shiftBy))
		a.store(p["dst"], e)
		if a.mask != nil {
			e = g.and(e, a.mask)
		}
		g.sumInto(acc, e)
	})
}

func (g *gen) sumInto(acc, x vec) { g.pick(g.VADDPS, g.VADDPD, x, acc, acc) }

func (g *gen) reduction(name, params, doc string, start float64, body func(acc vec, a access, p regs)) {
	params = fmt.Sprintf(params, g.elem)
	g.function(name, params, " "+g.elem, doc)
	n := g.param("n")
	p := regs{}
	unroll := 4
	switch name {
	case "dot":
		p["y"] = g.param("y")
	case "differences":
		p["dst"], p["y"] = g.param("dst"), g.param("y")
	case "expSum":
		p["dst"], unroll = g.param("dst"), 2
		g.shiftBy = g.broadcast("shift")
	}
	p["x"] = g.param("x")
	acc := make([]vec, unroll)
	for u := range acc {
		if acc[u] = g.zeros(); start != 0 {
			g.move(g.constant(start), acc[u])
		}
	}
	g.each(n, unroll, func(u int, a access) { body(acc[u], a, p) })
	combine := g.VADDPS
	combineD := g.VADDPD
	if name == "maximum" {
		combine, combineD = g.VMAXPS, g.VMAXPD
	}
	for w := unroll / 2; w >= 1; w /= 2 {
		for u := range w {
			g.pick(combine, combineD, acc[u+w], acc[u], acc[u])
		}
	}
	g.Store(g.horizontal(acc[0], combine, combineD), g.ReturnIndex(0))
	g.ret()
}

// horizontal combines the elements of a vector to one.
func (g *gen) horizontal(v vec, ps, pd func(...op)) reg.Register {
	x, t := v.AsX(), g.XMM()
	g.VEXTRACTF128(operand.Imm(1), v, t)
	g.pick(ps, pd, t, x, x)
	g.VPERMILPD(operand.Imm(1), x, t)
	g.pick(ps, pd, t, x, x)
	if g.single() {
		g.VMOVSHDUP(x, t)
		g.pick(ps, pd, t, x, x)
	}
	return x
}
