package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// skips writes the row kernels: rows of a product for whose left factor the elements that are not 0
// are listed. Where half of them are 0, as after a ReLU, that is half the arithmetic, at one
// load for each multiplication, which processors with two of each a cycle keep up with.
func (g *gen) skips(l lane) {
	g.lane = l
	for panels := 1; panels <= 4; panels++ {
		g.skip(panels, false)
		g.skip(panels, true)
	}
	if l.bytes == 64 {
		g.nonzeroVector()
	} else {
		g.nonzeroScalar()
	}
}

// skip is for rows of some panels, of two vectors each, of which with end set the last may be cut.
func (g *gen) skip(panels int, end bool) {
	name, params := fmt.Sprintf("skip%d", panels), "rows int, count *int32, val *%s, off *int32, b, c *%[1]s, ldc, add int, next *%[1]s, step int"
	doc := fmt.Sprintf("computes c = a·b, or c += a·b where add is not 0, for rows of a of which elements are\n"+
		"listed, one row after the other, count[i] of row i. Each is for the step of b that begins off[…]\n"+
		"bytes into it and has %d vectors. With each row it fetches as many at next, and moves that step on.", 2*panels)
	if end {
		name, params = fmt.Sprintf("skipEnd%d", panels), params+", left int"
		doc = fmt.Sprintf("is skip%d that reads and writes only left columns of the last two vectors of a row.", panels)
	}
	g.function(name, fmt.Sprintf(params, g.elem), "", doc)
	var cut [2]op
	if end {
		cut = g.cuts(g.param("left"))
	}
	rows, count, val, off := g.param("rows"), g.param("count"), g.param("val"), g.param("off")
	b, c, ldc, add := g.param("b"), g.param("c"), g.param("ldc"), g.param("add")
	next, nextStep := g.param("next"), g.param("step")
	g.inBytes(ldc, nextStep)
	acc := make([]vec, 2*panels)
	for j := range acc {
		acc[j] = g.vec()
	}
	at := func(j int) mem { return mem{Base: c, Disp: j * g.bytes} }
	cutAt := func(j int) op { return cut[max(0, j-2*panels+2)] }
	isCut := func(j int) bool { return end && j >= 2*panels-2 }
	t, n, o := g.vec(), g.GP64(), g.GP64()
	g.Label("row")
	for d := 0; d < len(acc)*g.bytes; d += 64 {
		g.PREFETCHT1(mem{Base: next, Disp: d})
	}
	g.ADDQ(nextStep, next)
	g.MOVLQSX(mem{Base: count}, n)
	g.TESTQ(add, add)
	g.JNZ(operand.LabelRef("more"))
	for _, a := range acc {
		g.zero(a)
	}
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef("store"))
	g.JMP(operand.LabelRef("begin"))
	g.Label("more")
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef("next"))
	for j, a := range acc {
		if isCut(j) {
			g.cutLoad(cutAt(j), at(j), a)
		} else {
			g.move(at(j), a)
		}
	}
	g.Label("begin")
	g.LEAQ(mem{Base: val, Index: n, Scale: uint8(g.size)}, val)
	g.LEAQ(mem{Base: off, Index: n, Scale: 4}, off)
	g.NEGQ(n)
	g.Label("step")
	g.MOVLQSX(mem{Base: off, Index: n, Scale: 4}, o)
	g.ADDQ(b, o)
	g.spread(mem{Base: val, Index: n, Scale: uint8(g.size)}, t)
	for j, a := range acc {
		g.fma(a, t, mem{Base: o, Disp: j * g.bytes})
	}
	g.INCQ(n)
	g.JNZ(operand.LabelRef("step"))
	g.Label("store")
	for j, a := range acc {
		if isCut(j) {
			g.cutStore(cutAt(j), a, at(j))
		} else {
			g.move(a, at(j))
		}
	}
	g.Label("next")
	g.ADDQ(ldc, c)
	g.ADDQ(operand.Imm(4), count)
	g.nextRow(rows, "row")
}

// cuts returns the masks of the first left elements of two vectors.
func (g *gen) cuts(left reg.Register) (masks [2]op) {
	if g.bytes == 64 {
		bits := g.GP64()
		g.firstBits(left, bits)
		for v := range masks {
			k := g.K()
			g.KMOVW(bits.As32(), k)
			g.SHRQ(operand.Imm(uint64(g.len())), bits)
			masks[v] = k
		}
		return masks
	}
	g.SHLQ(g.shift(), left)
	for v := range masks {
		masks[v] = g.maskOfVector(v, left)
	}
	return masks
}

// firstBits sets the lowest n bits of a register and clears the others.
func (g *gen) firstBits(n, bits reg.Register) {
	g.MOVQ(operand.U32(1), bits)
	g.MOVQ(n, reg.RCX)
	g.SHLQ(reg.CL, bits)
	g.DECQ(bits)
}

// cutLoad loads the elements whose mask is set, and 0 for the others.
func (g *gen) cutLoad(mask op, from mem, to vec) {
	switch {
	case g.bytes == 32:
		g.masked(mask, from, to)
	case g.single():
		g.VMOVUPS_Z(from, mask, to)
	default:
		g.VMOVUPD_Z(from, mask, to)
	}
}

// cutStore stores the elements whose mask is set.
func (g *gen) cutStore(mask op, from vec, to mem) {
	switch {
	case g.bytes == 32:
		g.masked(mask, from, to)
	case g.single():
		g.VMOVUPS(from, mask, to)
	default:
		g.VMOVUPD(from, mask, to)
	}
}

const (
	nonzeroParams = "n int, x *%s, alpha %[1]s, step int, val *%[1]s, off *int32"
	nonzeroDoc    = "writes alpha·x[p] to val and p·step to off, one after the other, for each x[p] that is not 0, and\n" +
		"returns how many these are. Up to a vector is written past the last."
)

// nonzeroVector moves what is not 0 together, a vector at a time.
func (g *gen) nonzeroVector() {
	g.function("nonzero", fmt.Sprintf(nonzeroParams, g.elem), " int", nonzeroDoc)
	n, x := g.param("n"), g.param("x")
	alpha := g.broadcast("alpha")
	step, val, off := g.param("step"), g.param("val"), g.param("off")
	lanes := g.len()
	at, by := g.ZMM(), g.ZMM()
	table := operand.NewDataAddr(operand.NewStaticSymbol(countName), 0)
	g.VPBROADCASTD(step.(reg.GPVirtual).As32(), by)
	g.VPMULLD(table, by, at)
	g.IMUL3Q(operand.Imm(uint64(lanes)), step, step)
	g.VPBROADCASTD(step.(reg.GPVirtual).As32(), by)
	total, some, bits := g.GP64(), g.GP64(), g.GP64()
	g.XORQ(total, total)
	mask, zero := g.K(), g.vec()
	g.zero(zero)
	v, o := g.ZMM(), g.ZMM()
	// take appends what of v is not 0.
	take := func() {
		g.pick(g.VCMPPS, g.VCMPPD, operand.Imm(4), zero, v, mask)
		g.KMOVW(mask, some.As32())
		g.pick(g.VMULPS, g.VMULPD, alpha, v, v)
		if g.single() {
			g.VCOMPRESSPS_Z(v, mask, v)
		} else {
			g.VCOMPRESSPD_Z(v, mask, v)
		}
		g.VPCOMPRESSD_Z(at, mask, o)
		g.move(v, mem{Base: val, Index: total, Scale: uint8(g.size)})
		g.VMOVUPS(o, mem{Base: off, Index: total, Scale: 4})
		g.POPCNTL(some.As32(), some.As32())
		g.ADDQ(some, total)
		g.VPADDD(by, at, at)
	}
	g.Label("whole")
	g.SUBQ(operand.Imm(uint64(lanes)), n)
	g.JLT(operand.LabelRef("rest"))
	g.move(mem{Base: x}, v)
	take()
	g.ADDQ(operand.Imm(uint64(g.bytes)), x)
	g.JMP(operand.LabelRef("whole"))
	g.Label("rest")
	g.ADDQ(operand.Imm(uint64(lanes)), n)
	g.JZ(operand.LabelRef("done"))
	g.firstBits(n, bits)
	tail := g.K()
	g.KMOVW(bits.As32(), tail)
	g.cutLoad(tail, mem{Base: x}, v)
	take()
	g.Label("done")
	g.Store(total, g.ReturnIndex(0))
	g.ret()
}

// nonzeroScalar writes every element and steps on where it is not 0, without a branch, since nobody
// can tell which are.
func (g *gen) nonzeroScalar() {
	g.function("nonzero", fmt.Sprintf(nonzeroParams, g.elem), " int", nonzeroDoc)
	n, x := g.param("n"), g.param("x")
	alpha := g.XMM()
	g.Load(g.Param("alpha"), alpha)
	step, val, off := g.param("step"), g.param("val"), g.param("off")
	total, at, bits := g.GP64(), g.GP64(), g.GP64()
	g.XORQ(total, total)
	g.XORQ(at, at)
	v := g.XMM()
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef("done"))
	g.Label("element")
	g.pick(g.VMULSS, g.VMULSD, mem{Base: x}, alpha, v)
	to := mem{Base: val, Index: total, Scale: uint8(g.size)}
	if g.single() {
		g.VMOVSS(v, to)
		g.MOVL(mem{Base: x}, bits.As32())
		g.ADDL(bits.As32(), bits.As32()) // without the sign
	} else {
		g.VMOVSD(v, to)
		g.MOVQ(mem{Base: x}, bits)
		g.ADDQ(bits, bits)
	}
	g.MOVL(at.As32(), mem{Base: off, Index: total, Scale: 4})
	g.CMPQ(bits, operand.Imm(1))
	g.SBBQ(operand.I8(-1), total)
	g.ADDQ(step, at)
	g.ADDQ(operand.Imm(uint64(g.size)), x)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("element"))
	g.Label("done")
	g.Store(total, g.ReturnIndex(0))
	g.ret()
}

const countName = "counting"

// countTable writes the numbers from 0 to 15.
func (g *gen) countTable() {
	g.StaticGlobal(countName)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		g.AddDatum(4*i, operand.U32(i))
	}
}
