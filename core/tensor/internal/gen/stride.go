package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// splitRows deals the pixels of rows to two places, as convolutions with stride 2 see them.
func (g *gen) splitRows(l lane) {
	g.lane = l
	g.function("splitRows", fmt.Sprintf("rows, n int, src *%s, lds int, evens, odds *%[1]s, ldd int", g.elem), "",
		"copies elements 0, 2, 4 … of the first n of each row to evens and those behind it, the others to odds,\n"+
			"lds and ldd elements from one row to the next.")
	rows, n, src, lds := g.param("rows"), g.param("n"), g.param("src"), g.param("lds")
	evens, odds, ldd := g.param("evens"), g.param("odds"), g.param("ldd")
	g.inBytes(n, lds, ldd)
	i, half, end := g.GP64(), g.GP64(), g.GP64()
	g.Label("row")
	g.PREFETCHT0(mem{Base: src, Disp: 1024})
	g.PREFETCHT0(mem{Base: src, Disp: 1088})
	g.XORQ(i, i)
	g.XORQ(half, half)
	// Pairs of vectors, then of halves of vectors, then of elements.
	for _, size := range []int{g.bytes, g.bytes / 2} {
		loop, next := fmt.Sprint("pairs", size), fmt.Sprint("beyond", size)
		g.MOVQ(n, end)
		g.SUBQ(operand.U32(2*size), end)
		g.CMPQ(i, end)
		g.JGT(operand.LabelRef(next))
		g.Label(loop)
		var v [4]reg.VecVirtual
		for k := range v {
			if v[k] = g.YMM(); size == 16 {
				v[k] = g.XMM()
			}
		}
		g.move(mem{Base: src, Index: i, Scale: 1}, v[0])
		g.move(mem{Base: src, Index: i, Scale: 1, Disp: size}, v[1])
		if g.single() {
			g.VSHUFPS(operand.Imm(0x88), v[1], v[0], v[2])
			g.VSHUFPS(operand.Imm(0xdd), v[1], v[0], v[3])
		} else {
			g.VUNPCKLPD(v[1], v[0], v[2])
			g.VUNPCKHPD(v[1], v[0], v[3])
		}
		for k, to := range []reg.Register{evens, odds} {
			if size == 32 { // the instructions above work on each half alone
				g.VPERMPD(operand.Imm(0xd8), v[2+k], v[2+k])
			}
			g.move(v[2+k], mem{Base: to, Index: half, Scale: 1})
		}
		g.ADDQ(operand.Imm(uint64(size)), half)
		g.ADDQ(operand.U32(2*size), i)
		g.CMPQ(i, end)
		g.JLE(operand.LabelRef(loop))
		g.Label(next)
	}
	x := g.GP64()
	g.Label("pair")
	for _, to := range []reg.Register{evens, odds} {
		g.CMPQ(i, n)
		g.JGE(operand.LabelRef("next"))
		g.element(mem{Base: src, Index: i, Scale: 1}, x)
		g.element(x, mem{Base: to, Index: half, Scale: 1})
		g.ADDQ(operand.Imm(uint64(g.size)), i)
	}
	g.ADDQ(operand.Imm(uint64(g.size)), half)
	g.JMP(operand.LabelRef("pair"))
	g.Label("next")
	g.ADDQ(lds, src)
	g.ADDQ(ldd, evens)
	g.ADDQ(ldd, odds)
	g.nextRow(rows, "row")
}

// spreadRows is the way back, for the gradient: one of the two halves of rows. Vectors are mixed with what
// lies between; what is beyond the last element, perhaps another worker's, must not be touched.
func (g *gen) spreadRows(l lane) {
	g.lane = l
	g.function("spreadRows", fmt.Sprintf("rows, n int, src *%s, lds int, dst *%[1]s, ldd int", g.elem), "",
		"copies n elements of each row of src to elements 0, 2, 4 … of a row of dst, lds and ldd elements\n"+
			"from one row to the next.")
	rows, n, src, lds := g.param("rows"), g.param("n"), g.param("src"), g.param("lds")
	dst, ldd := g.param("dst"), g.param("ldd")
	g.inBytes(n, lds, ldd)
	i, end, x, v := g.GP64(), g.GP64(), g.GP64(), g.YMM()
	g.MOVQ(n, end)
	g.SUBQ(operand.U32(g.bytes), end)
	g.Label("row")
	g.XORQ(i, i)
	g.CMPQ(i, end)
	g.JGE(operand.LabelRef("element"))
	g.Label("vector")
	g.move(mem{Base: src, Index: i, Scale: 1}, v)
	for h, twice := range g.twice(v) {
		to := mem{Base: dst, Index: i, Scale: 2, Disp: h * g.bytes}
		d := g.YMM()
		if g.single() {
			g.VBLENDPS(operand.Imm(0xaa), to, twice, d)
		} else {
			g.VBLENDPD(operand.Imm(0xa), to, twice, d)
		}
		g.move(d, to)
	}
	g.ADDQ(operand.Imm(uint64(g.bytes)), i)
	g.CMPQ(i, end)
	g.JLT(operand.LabelRef("vector"))
	g.Label("element")
	g.CMPQ(i, n)
	g.JGE(operand.LabelRef("next"))
	g.element(mem{Base: src, Index: i, Scale: 1}, x)
	g.element(x, mem{Base: dst, Index: i, Scale: 2})
	g.ADDQ(operand.Imm(uint64(g.size)), i)
	g.JMP(operand.LabelRef("element"))
	g.Label("next")
	g.ADDQ(lds, src)
	g.ADDQ(ldd, dst)
	g.nextRow(rows, "row")
}

// copyRows copies rows that are too short for a call each. The last vector of a row may lie over the one before.
func (g *gen) copyRows(l lane) {
	g.lane = l
	g.function("copyRows", fmt.Sprintf("rows, n int, src *%s, lds int, dst *%[1]s, ldd int", g.elem), "",
		"copies n elements of each row of src to a row of dst, lds and ldd elements from one row to the next.")
	rows, n, src, lds := g.param("rows"), g.param("n"), g.param("src"), g.param("lds")
	dst, ldd := g.param("dst"), g.param("ldd")
	g.inBytes(n, lds, ldd)
	i, last := g.GP64(), g.GP64()
	row := func(size int, label string) { // of at least size bytes
		var v reg.VecVirtual = g.YMM()
		if size == 16 {
			v = g.XMM()
		}
		g.MOVQ(n, last)
		g.SUBQ(operand.Imm(uint64(size)), last)
		g.Label("row" + label)
		g.XORQ(i, i)
		g.CMPQ(i, last)
		g.JGE(operand.LabelRef("last" + label))
		g.Label("vector" + label)
		g.move(mem{Base: src, Index: i, Scale: 1}, v)
		g.move(v, mem{Base: dst, Index: i, Scale: 1})
		g.ADDQ(operand.Imm(uint64(size)), i)
		g.CMPQ(i, last)
		g.JLT(operand.LabelRef("vector" + label))
		g.Label("last" + label)
		g.move(mem{Base: src, Index: last, Scale: 1}, v)
		g.move(v, mem{Base: dst, Index: last, Scale: 1})
		g.ADDQ(lds, src)
		g.ADDQ(ldd, dst)
		g.nextRow(rows, "row"+label)
	}
	g.CMPQ(n, operand.Imm(16))
	g.JLT(operand.LabelRef("row"))
	g.CMPQ(n, operand.Imm(32))
	g.JLT(operand.LabelRef("half"))
	row(32, "32")
	g.Label("half")
	row(16, "16")
	x := g.GP64()
	g.Label("row")
	g.XORQ(i, i)
	g.Label("element")
	g.element(mem{Base: src, Index: i, Scale: 1}, x)
	g.element(x, mem{Base: dst, Index: i, Scale: 1})
	g.ADDQ(operand.Imm(uint64(g.size)), i)
	g.CMPQ(i, n)
	g.JLT(operand.LabelRef("element"))
	g.ADDQ(lds, src)
	g.ADDQ(ldd, dst)
	g.nextRow(rows, "row")
}

// inBytes makes bytes of numbers of elements.
func (g *gen) inBytes(counts ...reg.Register) {
	for _, n := range counts {
		g.SHLQ(g.shift(), n)
	}
}

// nextRow ends a loop over rows, and with the last of them the function.
func (g *gen) nextRow(rows reg.Register, label string) {
	g.DECQ(rows)
	g.JNZ(operand.LabelRef(label))
	g.ret()
}

// element moves one element between memory and a general register.
func (g *gen) element(from, to op) {
	half := func(o op) op {
		if r, ok := o.(reg.GPVirtual); ok {
			return r.As32()
		}
		return o
	}
	if g.single() {
		g.MOVL(half(from), half(to))
	} else {
		g.MOVQ(from, to)
	}
}
