package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxOf4Grad writes the gradient of the largest of four, for a row of windows of 2×2 pixels. A
// vector of windows becomes two of pixels, each window's numbers twice. Which of four pixels is
// the largest is as good as random, so it is found without branches.
func (g *gen) maxOf4Grad(l lane) {
	g.lane = l
	g.function("maxOf4Grad", fmt.Sprintf("n int, d0, d1, x0, x1, dy, y *%s", g.elem), "",
		"computes the gradient of y[i], the largest of x0[2i], x0[2i+1], x1[2i] and x1[2i+1], for i < n:\n"+
			"the first of these that is y[i], or NaN, has dy[i] in d0 or d1, the others have 0.")
	n := g.param("n")
	g.SHLQ(g.shift(), n)
	p := map[string]reg.Register{}
	for _, name := range []string{"d0", "d1", "x0", "x1", "dy", "y"} {
		p[name] = g.param(name)
	}
	block := func(mask vec) {
		dy, y := g.vec(), g.vec()
		masks := [2]op{}
		if mask == nil {
			g.move(mem{Base: p["dy"]}, dy)
			g.move(mem{Base: p["y"]}, y)
		} else {
			g.masked(mask, mem{Base: p["dy"]}, dy)
			g.masked(mask, mem{Base: p["y"]}, y)
			m := g.twice(mask)
			masks = [2]op{m[0], m[1]}
		}
		dys, ys := g.twice(dy), g.twice(y)
		for h := range 2 {
			at := func(name string) mem { return mem{Base: p[name], Disp: h * g.bytes} }
			load := func(name string) vec {
				v := g.vec()
				if mask == nil {
					g.move(at(name), v)
				} else {
					g.masked(masks[h], at(name), v)
				}
				return v
			}
			store := func(v vec, name string) {
				if mask == nil {
					g.move(v, at(name))
				} else {
					g.masked(masks[h], v, at(name))
				}
			}
			// is has all bits set where the pixel is a largest one.
			is := func(x vec) vec { return g.or(g.compare(equal, x, ys[h]), g.compare(unordered, x, x)) }
			above, below := is(load("x0")), is(load("x1"))
			left := g.leftTwice(above)
			store(g.and(g.andNot(g.onRight(left), above), dys[h]), "d0")
			before := g.or(g.or(left, g.rightTwice(above)), g.onRight(g.leftTwice(below)))
			store(g.and(g.andNot(before, below), dys[h]), "d1")
		}
	}
	g.Label("whole")
	g.CMPQ(n, operand.U32(g.bytes))
	g.JLT(operand.LabelRef("tail"))
	block(nil)
	for _, name := range []string{"d0", "d1", "x0", "x1"} {
		g.ADDQ(operand.U32(2*g.bytes), p[name])
	}
	for _, name := range []string{"dy", "y"} {
		g.ADDQ(operand.U32(g.bytes), p[name])
	}
	g.SUBQ(operand.U32(g.bytes), n)
	g.JMP(operand.LabelRef("whole"))
	g.Label("tail")
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef("done"))
	block(g.maskOf(n))
	g.Label("done")
	g.ret()
}

const equal = 0 // false where either is NaN

// twice returns each element of v two times in a row, in two vectors.
func (g *gen) twice(v vec) [2]vec {
	lo, hi := g.vec(), g.vec()
	g.pick(g.VUNPCKLPS, g.VUNPCKLPD, v, v, lo)
	g.pick(g.VUNPCKHPS, g.VUNPCKHPD, v, v, hi)
	d := [2]vec{g.vec(), g.vec()}
	g.VPERM2F128(operand.Imm(0x20), hi, lo, d[0])
	g.VPERM2F128(operand.Imm(0x31), hi, lo, d[1])
	return d
}

// leftTwice returns the first element of each pair two times.
func (g *gen) leftTwice(v vec) vec {
	d := g.vec()
	if g.single() {
		g.VMOVSLDUP(v, d)
	} else {
		g.VMOVDDUP(v, d)
	}
	return d
}

// rightTwice returns the second element of each pair two times.
func (g *gen) rightTwice(v vec) vec {
	d := g.vec()
	if g.single() {
		g.VMOVSHDUP(v, d)
	} else {
		g.VPERMILPD(operand.Imm(15), v, d)
	}
	return d
}

// andNot computes b and not a.
func (g *gen) andNot(a, b op) vec { return g.binary(g.VANDNPS, g.VANDNPD, a, b) }

// onRight keeps the second element of each pair and clears the first.
func (g *gen) onRight(v vec) vec {
	d := g.vec()
	if g.single() {
		g.VBLENDPS(operand.Imm(0xaa), v, g.zeros(), d)
	} else {
		g.VBLENDPD(operand.Imm(0xa), v, g.zeros(), d)
	}
	return d
}
