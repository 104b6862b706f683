package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tiles writes the micro-kernels: a tile of c, some rows by two vectors, that stays in
// registers while the inner dimension runs by. tile reads b in rows some distance apart, packed or
// where it lies; tileHalf computes the first vector of columns alone, for the end of a row; tileP is
// tile and packs what it reads of b, which costs next to nothing beside the arithmetic; tileX
// reads b through a table of byte offsets, which lets a convolution read its image, and tileHalfX
// does so for one vector.
func (g *gen) tiles(l lane) {
	g.lane = l
	for rows := l.step; rows <= l.rows; rows += l.step {
		g.tile(rows, 2, direct)
		g.tile(rows, 2, indirect)
		g.tile(rows, 1, direct)
	}
	for rows := l.step; rows <= l.rows; rows += l.step {
		g.tile(rows, 1, indirect)
	}
	g.tile(l.rows, 2, packing)
}

// How a tile reads b.
type reading int

const (
	direct reading = iota
	packing
	indirect
)

func (g *gen) tile(rows, width int, r reading) {
	name, params := fmt.Sprintf("tile%d", rows), "k int, a *%s, lda int, b *%[1]s, ldb int, c *%[1]s, ldc int, alpha %[1]s, add int, next *%[1]s, step int"
	doc := fmt.Sprintf("computes c = alpha·a·b, or c += alpha·a·b where add is not 0, for %d rows of two\n"+
		"vectors: for each of the k steps a holds %d elements, lda apart from those of the next, and b two\n"+
		"vectors, ldb apart. Every four steps it fetches two vectors at next into the second cache,\n"+
		"and moves it step elements on.", rows, rows)
	if width == 1 {
		name, doc = fmt.Sprintf("tileHalf%d", rows), fmt.Sprintf("is tile%d without the second vector.", rows)
	}
	switch r {
	case packing:
		name, params = fmt.Sprintf("tileP%d", rows), "k int, a *%s, lda int, b *%[1]s, ldb int, c *%[1]s, ldc int, alpha %[1]s, add int, to *%[1]s, far int"
		doc = fmt.Sprintf("is tile%d that copies the vectors of b to to, one after the other, and fetches what\n"+
			"is far elements after each into the second cache.", rows)
	case indirect:
		name, params = fmt.Sprintf("tileX%d", rows), "k int, a, b0, b1 *%s, off *int, c0, c1 *%[1]s, ldc int, alpha %[1]s, add int"
		doc = fmt.Sprintf("is tile%d for packed a with the vectors of step p read off[p] bytes after b0 and b1 and the\n"+
			"results written to c0 and c1.", rows)
		if width == 1 {
			name, params = fmt.Sprintf("tileHalfX%d", rows), "k int, a, b0 *%s, off *int, c0 *%[1]s, ldc int, alpha %[1]s, add int"
			doc = fmt.Sprintf("is tileX%d without the second vector.", rows)
		}
	}
	g.function(name, fmt.Sprintf(params, g.elem), "", doc)
	k, a := g.param("k"), g.param("a")
	var b, c [2]reg.Register
	var lda, ldb, off, next, nextStep, to, far reg.Register
	if r == indirect {
		off = g.param("off")
		for j := range width {
			b[j], c[j] = g.param(fmt.Sprint("b", j)), g.param(fmt.Sprint("c", j))
		}
	} else {
		b[0], c[0] = g.param("b"), g.param("c")
		lda, ldb = g.param("lda"), g.param("ldb")
		g.SHLQ(g.shift(), lda)
		g.SHLQ(g.shift(), ldb)
	}
	ldc := g.param("ldc")
	g.SHLQ(g.shift(), ldc)
	at := func(p [2]reg.Register, j, disp int) mem {
		if r == indirect {
			return mem{Base: p[j], Disp: disp}
		}
		return mem{Base: p[0], Disp: disp + j*g.bytes}
	}

	// The rows of c are touched early so that they are near when the sums are ready: all at once
	// while b is packed, else one every four steps, so that what is read meanwhile need not wait.
	touch := func(t reg.Register) {
		g.PREFETCHT0(mem{Base: t})
		g.PREFETCHT0(mem{Base: t, Disp: width*g.bytes - g.size})
	}
	var row, lastRow reg.GPVirtual
	switch r {
	case packing:
		t := g.GP64()
		g.MOVQ(c[0], t)
		for i := range rows {
			touch(t)
			if i+1 < rows {
				g.ADDQ(ldc, t)
			}
		}
	case direct:
		row, lastRow = g.GP64(), g.GP64()
		g.MOVQ(c[0], row)
		g.MOVQ(ldc, lastRow)
		g.IMUL3Q(operand.Imm(uint64(rows-1)), lastRow, lastRow)
		g.ADDQ(c[0], lastRow)
	}
	switch r {
	case direct:
		next, nextStep = g.param("next"), g.param("step")
		g.SHLQ(g.shift(), nextStep)
	case packing:
		to, far = g.param("to"), g.param("far")
		g.SHLQ(g.shift(), far)
	}
	acc := make([][2]vec, rows)
	for i := range acc {
		for j := range width {
			acc[i][j] = g.vec()
			g.zero(acc[i][j])
		}
	}
	bv := []vec{g.vec(), g.vec()}[:width]
	av := [2]vec{g.vec(), g.vec()}
	var o reg.GPVirtual
	if r == indirect {
		o = g.GP64()
	}
	// step does one step, number u of those between two calls of advance.
	step := func(u int) {
		disp := 0
		if r == indirect {
			disp = u * rows * g.size
			g.MOVQ(mem{Base: off, Disp: 8 * u}, o)
		}
		for j := range bv {
			if r == indirect {
				g.move(mem{Base: b[j], Index: o, Scale: 1}, bv[j])
			} else {
				g.move(mem{Base: b[0], Disp: j * g.bytes}, bv[j])
			}
		}
		if r == packing {
			for j := range bv {
				g.move(bv[j], mem{Base: to, Disp: (2*u + j) * g.bytes})
			}
			for d := 0; d < 2*g.bytes; d += 64 {
				g.PREFETCHT1(mem{Base: b[0], Index: far, Scale: 1, Disp: d})
			}
		}
		for i := range rows {
			t := av[i&1]
			g.spread(mem{Base: a, Disp: disp + i*g.size}, t)
			for j := range bv {
				g.fma(acc[i][j], t, bv[j])
			}
		}
		if r != indirect {
			g.ADDQ(lda, a)
			g.ADDQ(ldb, b[0])
		}
	}
	advance := func(u int) {
		switch r {
		case indirect:
			g.ADDQ(operand.U32(u*rows*g.size), a)
			g.ADDQ(operand.U32(8*u), off)
		case packing:
			g.ADDQ(operand.U32(2*u*g.bytes), to)
		}
	}
	const unroll = 4
	quads := g.GP64()
	g.MOVQ(k, quads)
	g.SHRQ(operand.Imm(2), quads)
	g.JZ(operand.LabelRef("rest"))
	g.Label("loop")
	for u := range unroll {
		step(u)
	}
	advance(unroll)
	if r == direct {
		for d := 0; d < 2*g.bytes; d += 64 {
			g.PREFETCHT1(mem{Base: next, Disp: d})
		}
		g.ADDQ(nextStep, next)
		touch(row)
		g.ADDQ(ldc, row)
		g.CMPQ(row, lastRow)
		g.CMOVQHI(lastRow, row)
	}
	g.DECQ(quads)
	g.JNZ(operand.LabelRef("loop"))
	g.Label("rest")
	g.ANDQ(operand.Imm(unroll-1), k)
	g.JZ(operand.LabelRef("store"))
	g.Label("single")
	step(0)
	advance(1)
	g.DECQ(k)
	g.JNZ(operand.LabelRef("single"))

	g.Label("store")
	add := g.param("add")
	alpha := g.broadcast("alpha")
	each := func(i int, put func(acc vec, m mem)) {
		for j := range bv {
			put(acc[i][j], at(c, j, 0))
		}
		if i+1 == rows {
			return
		}
		g.ADDQ(ldc, c[0])
		if r == indirect && width == 2 {
			g.ADDQ(ldc, c[1])
		}
	}
	g.TESTQ(add, add)
	g.JNZ(operand.LabelRef("accumulate"))
	for i := range rows {
		each(i, func(s vec, m mem) {
			g.pick(g.VMULPS, g.VMULPD, alpha, s, s)
			g.move(s, m)
		})
	}
	g.ret()
	g.Label("accumulate")
	for i := range rows {
		each(i, func(s vec, m mem) {
			g.mulAdd(s, alpha, m)
			g.move(s, m)
		})
	}
	g.ret()
}

// vecMat writes the product of a row vector and a matrix: eight vectors of the result stay in
// registers while the rows of the matrix run by.
func (g *gen) vecMat(l lane) {
	g.lane = l
	g.function("vecMat", fmt.Sprintf("k, n int, x, w *%s, ldw int, y *%[1]s, alpha %[1]s", g.elem), "",
		"computes y[j] += alpha·Σ x[p]·w[p·ldw+j] for j < n, p < k.")
	k, n := g.param("k"), g.param("n")
	x, w, ldw, y := g.param("x"), g.param("w"), g.param("ldw"), g.param("y")
	alpha := g.broadcast("alpha")
	g.SHLQ(g.shift(), ldw)
	g.SHLQ(g.shift(), n)
	block := func(label string, vecs int, mask vec) {
		acc := make([]vec, vecs)
		for i := range acc {
			acc[i] = g.vec()
			g.zero(acc[i])
		}
		xp, wp, kk := g.GP64(), g.GP64(), g.GP64()
		g.MOVQ(x, xp)
		g.MOVQ(w, wp)
		g.MOVQ(k, kk)
		t, m := g.vec(), g.vec()
		g.Label(label + "Loop")
		g.spread(mem{Base: xp}, t)
		for i := range acc {
			if mask != nil {
				g.masked(mask, mem{Base: wp}, m)
				g.fma(acc[i], t, m)
			} else {
				g.fma(acc[i], t, mem{Base: wp, Disp: i * g.bytes})
			}
		}
		g.ADDQ(operand.Imm(uint64(g.size)), xp)
		g.ADDQ(ldw, wp)
		g.DECQ(kk)
		g.JNZ(operand.LabelRef(label + "Loop"))
		for i := range acc {
			p := mem{Base: y, Disp: i * g.bytes}
			if mask != nil {
				g.masked(mask, p, m)
				g.mulAdd(acc[i], alpha, m)
				g.masked(mask, acc[i], p)
			} else {
				g.mulAdd(acc[i], alpha, p)
				g.move(acc[i], p)
			}
		}
		if mask == nil {
			g.ADDQ(operand.U32(vecs*g.bytes), w)
			g.ADDQ(operand.U32(vecs*g.bytes), y)
			g.SUBQ(operand.U32(vecs*g.bytes), n)
		}
	}
	g.TESTQ(k, k)
	g.JZ(operand.LabelRef("done"))
	for _, vecs := range []int{8, 1} {
		label := fmt.Sprintf("block%d", vecs)
		g.Label(label)
		g.CMPQ(n, operand.U32(vecs*g.bytes))
		g.JLT(operand.LabelRef(label + "Done"))
		block(label, vecs, nil)
		g.JMP(operand.LabelRef(label))
		g.Label(label + "Done")
	}
	g.TESTQ(n, n)
	g.JZ(operand.LabelRef("done"))
	block("tail", 1, g.maskOf(n))
	g.Label("done")
	g.ret()
}
