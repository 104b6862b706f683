package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packs writes what brings operands into the order of the tiles: for every step of the inner
// dimension, eight elements side by side. They always write eight elements a step, ldd
// apart; with fewer rows the excess is overwritten by the next step, and lies past the end
// after the last.
func (g *gen) packs(l lane) {
	g.lane = l
	g.packT()
	g.packG()
	g.packC(false)
	g.packC(true)
	g.packRow(1)
	g.packRow(2)
	g.padRows()
}

// rowPointers returns pointers to eight rows; from the number rows on they point to the last.
func (g *gen) rowPointers(src, ld, rows reg.Register) [8]reg.Register {
	var p [8]reg.Register
	p[0] = src
	zero := g.GP64()
	g.XORQ(zero, zero)
	for i := 1; i < 8; i++ {
		p[i] = g.GP64()
		g.MOVQ(p[i-1], p[i])
		g.CMPQ(rows, operand.Imm(uint64(i)))
		g.CMOVQLE(zero, ld)
		g.ADDQ(ld, p[i])
	}
	return p
}

// packT transposes: the inner dimension lies along the rows of the source.
func (g *gen) packT() {
	g.function("packT", fmt.Sprintf("blocks int, src *%s, ld, rows int, dst *%[1]s, ldd int", g.elem), "",
		fmt.Sprintf("writes dst[p·ldd+i] = src[i·ld+p] for i < 8 and %d·blocks values of p, reading only rows rows.", g.len()))
	n, src, ld, rows := g.param("blocks"), g.param("src"), g.param("ld"), g.param("rows")
	g.SHLQ(g.shift(), ld)
	p := g.rowPointers(src, ld, rows)
	dst, ldd, i := g.param("dst"), g.param("ldd"), g.GP64()
	g.SHLQ(g.shift(), ldd)
	g.XORQ(i, i)
	g.Label("loop")
	var r [8]vec
	for j := range r {
		r[j] = g.vec()
		g.move(mem{Base: p[j], Index: i, Scale: 1}, r[j])
	}
	put := func(v ...vec) {
		for j, x := range v {
			g.move(x, mem{Base: dst, Disp: j * g.bytes})
		}
		g.ADDQ(ldd, dst)
	}
	if g.single() {
		for _, c := range g.transpose8(r) {
			put(c)
		}
	} else {
		lo, hi := g.transpose4(r[:4]), g.transpose4(r[4:])
		for c := range lo {
			put(lo[c], hi[c])
		}
	}
	g.ADDQ(operand.Imm(uint64(g.bytes)), i)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("loop"))
	g.ret()
}

func (g *gen) permute(control uint64, a, b vec) vec {
	d := g.YMM()
	g.VPERM2F128(operand.Imm(control), b, a, d)
	return d
}

// transpose8 transposes 8×8 float32.
func (g *gen) transpose8(r [8]vec) [8]vec {
	var t, u, out [8]vec
	for i := 0; i < 8; i += 2 {
		t[i] = g.binary(g.VUNPCKLPS, g.VUNPCKLPS, r[i], r[i+1])
		t[i+1] = g.binary(g.VUNPCKHPS, g.VUNPCKHPS, r[i], r[i+1])
	}
	for i := 0; i < 8; i += 4 {
		u[i] = g.binary(g.VUNPCKLPD, g.VUNPCKLPD, t[i], t[i+2])
		u[i+1] = g.binary(g.VUNPCKHPD, g.VUNPCKHPD, t[i], t[i+2])
		u[i+2] = g.binary(g.VUNPCKLPD, g.VUNPCKLPD, t[i+1], t[i+3])
		u[i+3] = g.binary(g.VUNPCKHPD, g.VUNPCKHPD, t[i+1], t[i+3])
	}
	for c := range 4 {
		out[c] = g.permute(0x20, u[c], u[c+4])
		out[c+4] = g.permute(0x31, u[c], u[c+4])
	}
	return out
}

// transpose4 transposes 4×4 float64.
func (g *gen) transpose4(r []vec) [4]vec {
	a := g.binary(g.VUNPCKLPD, g.VUNPCKLPD, r[0], r[1])
	b := g.binary(g.VUNPCKHPD, g.VUNPCKHPD, r[0], r[1])
	c := g.binary(g.VUNPCKLPD, g.VUNPCKLPD, r[2], r[3])
	d := g.binary(g.VUNPCKHPD, g.VUNPCKHPD, r[2], r[3])
	return [4]vec{g.permute(0x20, a, c), g.permute(0x20, b, d), g.permute(0x31, a, c), g.permute(0x31, b, d)}
}

// packG gathers columns: the inner dimension lies along the rows and only some of it is wanted.
func (g *gen) packG() {
	g.function("packG", fmt.Sprintf("n int, src *%s, ld, rows int, dst *%[1]s, ldd int, idx *int32, scale *%[1]s", g.elem), "",
		"writes dst[p·ldd+i] = scale[p]·src[i·ld+idx[p]] for i < 8 and p < n, reading only rows rows.")
	n, src, ld, rows := g.param("n"), g.param("src"), g.param("ld"), g.param("rows")
	g.SHLQ(g.shift(), ld)
	p := g.rowPointers(src, ld, rows)
	dst, ldd := g.param("dst"), g.param("ldd")
	g.SHLQ(g.shift(), ldd)
	idx, scale, o := g.param("idx"), g.param("scale"), g.GP64()
	g.Label("loop")
	g.MOVLQSX(mem{Base: idx}, o)
	at := func(i int) mem { return mem{Base: p[i], Index: o, Scale: uint8(g.size)} }
	s := g.vec()
	g.spread(mem{Base: scale}, s)
	put := func(lo, hi vec, disp int) {
		v := g.YMM()
		g.VINSERTF128(operand.Imm(1), hi, lo.AsY(), v)
		g.pick(g.VMULPS, g.VMULPD, s, v, v)
		g.move(v, mem{Base: dst, Disp: disp})
	}
	if g.single() {
		var half [2]vec
		for h := range half {
			x := g.XMM()
			g.VMOVSS(at(4*h), x)
			for i := 1; i < 4; i++ {
				g.VINSERTPS(operand.Imm(uint64(i<<4)), at(4*h+i), x, x)
			}
			half[h] = x
		}
		put(half[0], half[1], 0)
	} else {
		for h := range 2 {
			var half [2]vec
			for i := range half {
				x := g.XMM()
				g.VMOVSD(at(4*h+2*i), x)
				g.VMOVHPD(at(4*h+2*i+1), x, x)
				half[i] = x
			}
			put(half[0], half[1], 32*h)
		}
	}
	g.ADDQ(ldd, dst)
	g.ADDQ(operand.Imm(4), idx)
	g.ADDQ(operand.Imm(uint64(g.size)), scale)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("loop"))
	g.ret()
}

// packC copies: the inner dimension lies across the rows of the source.
func (g *gen) packC(sampled bool) {
	name, params := "packC", "n int, src *%s, ld, cols int, dst *%[1]s, ldd int"
	doc := "writes dst[p·ldd+i] = src[p·ld+i] for i < cols ≤ 8 and p < n, and 0 for i from cols to 7."
	if sampled {
		name, params = "packS", params+", idx *int32, scale *%[1]s"
		doc = "writes dst[p·ldd+i] = scale[p]·src[idx[p]·ld+i] for i < cols ≤ 8 and p < n, and 0 for i from cols to 7."
	}
	g.function(name, fmt.Sprintf(params, g.elem), "", doc)
	n, src, ld, cols := g.param("n"), g.param("src"), g.param("ld"), g.param("cols")
	g.SHLQ(g.shift(), ld)
	dst, ldd := g.param("dst"), g.param("ldd")
	g.SHLQ(g.shift(), ldd)
	g.SHLQ(g.shift(), cols)
	var idx, scale reg.Register
	if sampled {
		idx, scale = g.param("idx"), g.param("scale")
	}
	var masks []vec
	for v := range 8 / g.len() {
		masks = append(masks, g.maskOfVector(v, cols))
	}
	row, o := src, g.GP64()
	if sampled {
		row = g.GP64()
	}
	g.Label("loop")
	var s vec
	if sampled {
		g.MOVLQSX(mem{Base: idx}, o)
		g.IMULQ(ld, o)
		g.LEAQ(mem{Base: src, Index: o, Scale: 1}, row)
		// Rows come in no regular distance, so the processor does not fetch them by itself: what
		// lies to the right is for panels some calls ahead.
		g.PREFETCHT0(mem{Base: row, Disp: 256})
		s = g.vec()
		g.spread(mem{Base: scale}, s)
	}
	if !sampled { // for panels some calls ahead, as rows are often further apart than the processor looks
		g.PREFETCHT1(mem{Base: row, Disp: 256})
	}
	for v, mask := range masks {
		x := g.YMM()
		g.masked(mask, mem{Base: row, Disp: v * 32}, x)
		if sampled {
			g.pick(g.VMULPS, g.VMULPD, s, x, x)
		}
		g.move(x, mem{Base: dst, Disp: v * 32})
	}
	if sampled {
		g.ADDQ(operand.Imm(4), idx)
		g.ADDQ(operand.Imm(uint64(g.size)), scale)
	} else {
		g.ADDQ(ld, src)
	}
	g.ADDQ(ldd, dst)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("loop"))
	g.ret()
}

// packRow deals rows of b out to the panels. Going row by row rather than panel by panel
// reads memory in order, which spares address translations.
func (g *gen) packRow(lines int) {
	name := "packRow64"
	if lines == 2 {
		name = "packRow128"
	}
	g.function(name, fmt.Sprintf("rows, panels int, src *%s, ld int, dst *%[1]s, stride int", g.elem), "",
		fmt.Sprintf("copies %d bytes of each row of src to each of the panels, stride elements apart in dst.", 64*lines))
	rows, panels, src, ld := g.param("rows"), g.param("panels"), g.param("src"), g.param("ld")
	dst, stride := g.param("dst"), g.param("stride")
	g.SHLQ(g.shift(), ld)
	g.SHLQ(g.shift(), stride)
	from, to, n := g.GP64(), g.GP64(), g.GP64()
	g.Label("row")
	g.MOVQ(src, from)
	g.MOVQ(dst, to)
	g.MOVQ(panels, n)
	g.Label("panel")
	for v := range 2 * lines {
		x := g.YMM()
		g.VMOVDQU(mem{Base: from, Disp: 32 * v}, x)
		g.VMOVDQU(x, mem{Base: to, Disp: 32 * v})
	}
	g.ADDQ(operand.U32(64*lines), from)
	g.ADDQ(stride, to)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("panel"))
	g.ADDQ(ld, src)
	g.ADDQ(operand.U32(64*lines), dst)
	g.DECQ(rows)
	g.JNZ(operand.LabelRef("row"))
	g.ret()
}

// maskOfVector returns the mask of vector v of some bytes: of as many as are left there, between 0 and 32.
func (g *gen) maskOfVector(v int, bytes reg.Register) vec {
	left, bound := g.GP64(), g.GP64()
	g.MOVQ(bytes, left)
	g.SUBQ(operand.Imm(uint64(v*32)), left)
	g.XORQ(bound, bound)
	g.CMPQ(left, bound)
	g.CMOVQLT(bound, left)
	g.MOVQ(operand.U32(32), bound)
	g.CMPQ(left, bound)
	g.CMOVQGT(bound, left)
	return g.maskOf(left)
}

// padRows copies the rows of an image between zeros.
func (g *gen) padRows() {
	g.function("padRows", fmt.Sprintf("rows int, src *%s, width int, dst *%[1]s, row, left int", g.elem), "",
		"copies rows of width elements to rows of row elements, from element left on, with zeros\n"+
			"on both sides, at most a vector of them on each. Up to a vector is written past the last row.")
	rows, src, width := g.param("rows"), g.param("src"), g.param("width")
	dst, row, left := g.param("dst"), g.param("row"), g.param("left")
	g.inBytes(width, row, left)
	whole, tail := g.GP64(), g.GP64()
	g.MOVQ(width, whole)
	g.ANDQ(operand.I32(-g.bytes), whole)
	g.MOVQ(width, tail)
	g.SUBQ(whole, tail)
	zero, mask, x := g.zeros(), g.maskOf(tail), g.YMM()
	to, i := g.GP64(), g.GP64()
	g.Label("row")
	g.LEAQ(mem{Base: dst, Index: left, Scale: 1}, to)
	g.PREFETCHT0(mem{Base: src, Disp: 1024})
	g.PREFETCHT0(mem{Base: src, Disp: 1088})
	g.move(zero, mem{Base: dst})
	g.move(zero, mem{Base: to, Index: width, Scale: 1})
	g.XORQ(i, i)
	g.CMPQ(i, whole)
	g.JEQ(operand.LabelRef("tail"))
	g.Label("vector")
	g.move(mem{Base: src, Index: i, Scale: 1}, x)
	g.move(x, mem{Base: to, Index: i, Scale: 1})
	g.ADDQ(operand.Imm(uint64(g.bytes)), i)
	g.CMPQ(i, whole)
	g.JLT(operand.LabelRef("vector"))
	g.Label("tail")
	g.masked(mask, mem{Base: src, Index: i, Scale: 1}, x)
	g.move(x, mem{Base: to, Index: i, Scale: 1})
	g.ADDQ(width, src)
	g.ADDQ(row, dst)
	g.nextRow(rows, "row")
}
