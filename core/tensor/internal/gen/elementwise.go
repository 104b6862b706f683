package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An access reads and writes the vector that a loop has come to.
type access struct {
	load  func(p reg.Register) vec
	store func(p reg.Register, v vec)
	fetch func(p reg.Register, far int) // what is far bytes on, to the first cache
	mask  vec                           // of the elements that exist, nil where all do
}

// each goes over n elements of the operands behind pointers, unroll vectors at a time, then
// one at a time, then the rest of fewer than a vector under a mask.
func (g *gen) each(n reg.Register, unroll int, body func(u int, a access)) {
	i, end := g.GP64(), g.GP64()
	g.SHLQ(g.shift(), n)
	g.XORQ(i, i)
	full := func(disp int) access {
		at := func(p reg.Register) mem { return mem{Base: p, Index: i, Scale: 1, Disp: disp} }
		return access{
			load: func(p reg.Register) vec {
				v := g.vec()
				g.move(at(p), v)
				return v
			},
			store: func(p reg.Register, v vec) { g.move(v, at(p)) },
			fetch: func(p reg.Register, far int) {
				if disp%64 == 0 { // once for what comes together
					g.PREFETCHT0(mem{Base: p, Index: i, Scale: 1, Disp: disp + far})
				}
			},
		}
	}
	if unroll > 1 {
		g.MOVQ(n, end)
		g.SUBQ(operand.U32(unroll*g.bytes), end)
		g.JLT(operand.LabelRef("single"))
		g.Label("unrolled")
		for u := range unroll {
			body(u, full(u*g.bytes))
		}
		g.ADDQ(operand.U32(unroll*g.bytes), i)
		g.CMPQ(i, end)
		g.JLE(operand.LabelRef("unrolled"))
	}
	g.Label("single")
	g.MOVQ(n, end)
	g.SUBQ(i, end)
	g.CMPQ(end, operand.U32(g.bytes))
	g.JLT(operand.LabelRef("tail"))
	body(0, full(0))
	g.ADDQ(operand.U32(g.bytes), i)
	g.JMP(operand.LabelRef("single"))
	g.Label("tail")
	g.TESTQ(end, end)
	g.JZ(operand.LabelRef("done"))
	m := g.maskOf(end)
	body(0, access{
		load: func(p reg.Register) vec {
			v := g.vec()
			g.masked(m, mem{Base: p, Index: i, Scale: 1}, v)
			return v
		},
		store: func(p reg.Register, v vec) { g.masked(m, v, mem{Base: p, Index: i, Scale: 1}) },
		fetch: func(p reg.Register, far int) { g.PREFETCHT0(mem{Base: p, Index: i, Scale: 1, Disp: far}) },
		mask:  m,
	})
	g.Label("done")
}

// A simple function goes over vectors and scalars; names are separated by blanks.
type simple struct {
	name, doc string
	pointers  string
	scalars   string
	unroll    int
	body      func(a access, p map[string]reg.Register, s map[string]vec)
}

func (g *gen) simple(f simple) {
	params := "n int, " + strings.ReplaceAll(f.pointers, " ", ", ") + " *" + g.elem
	if f.scalars != "" {
		params += ", " + strings.ReplaceAll(f.scalars, " ", ", ") + " " + g.elem
	}
	g.function(f.name, params, "", f.doc)
	n := g.param("n")
	p, s := map[string]reg.Register{}, map[string]vec{}
	for _, name := range strings.Fields(f.pointers) {
		p[name] = g.param(name)
	}
	for _, name := range strings.Fields(f.scalars) {
		s[name] = g.broadcast(name)
	}
	g.each(n, max(f.unroll, 1), func(_ int, a access) { f.body(a, p, s) })
	g.ret()
}

type (
	regs = map[string]reg.Register
	vecs = map[string]vec
)

// constant returns a vector in memory with x in every element.
func (g *gen) constant(x float64) mem {
	var bits uint64
	if g.single() {
		b := uint64(math.Float32bits(float32(x)))
		bits = b | b<<32
	} else {
		bits = math.Float64bits(x)
	}
	return g.bits(bits)
}

// bits returns a vector in memory with b in every 64 bits.
func (g *gen) bits(b uint64) mem {
	name := fmt.Sprintf("splat%016x", b)
	if m, ok := g.constants[name]; ok {
		return m
	}
	m := g.StaticGlobal(name)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 4 {
		g.AddDatum(8*i, operand.U64(b))
	}
	if g.constants == nil {
		g.constants = map[string]mem{}
	}
	g.constants[name] = m
	return m
}

// in copies a constant to a register, where an instruction cannot read it from memory or overwrites it.
func (g *gen) in(m op) vec {
	v := g.vec()
	g.move(m, v)
	return v
}

// signBit and the other bits, in every element.
func (g *gen) signBit() mem {
	if g.single() {
		return g.bits(0x8000000080000000)
	}
	return g.bits(1 << 63)
}

func (g *gen) magnitudeBits() mem {
	if g.single() {
		return g.bits(0x7fffffff7fffffff)
	}
	return g.bits(1<<63 - 1)
}

const greaterThan = 30 // false where either is NaN

// elementwise writes the functions of a few instructions an element.
func (g *gen) elementwise(l lane) {
	g.lane = l
	list := []simple{
		{name: "copyAhead", doc: "computes dst = x and fetches next.", pointers: "dst x next", unroll: 4, body: func(a access, p regs, s vecs) {
			a.fetch(p["next"], 0)
			a.store(p["dst"], a.load(p["x"]))
		}},
		{name: "add", doc: "computes dst = x + y.", pointers: "dst x y", unroll: 4, body: func(a access, p regs, s vecs) {
			a.store(p["dst"], g.add(a.load(p["x"]), a.load(p["y"])))
		}},
		{name: "sub", doc: "computes dst = x - y.", pointers: "dst x y", unroll: 4, body: func(a access, p regs, s vecs) {
			a.store(p["dst"], g.sub(a.load(p["x"]), a.load(p["y"])))
		}},
		{name: "mul", doc: "computes dst = x·y.", pointers: "dst x y", unroll: 4, body: func(a access, p regs, s vecs) {
			a.store(p["dst"], g.mul(a.load(p["x"]), a.load(p["y"])))
		}},
		{name: "mulAdd", doc: "computes dst += x·y.", pointers: "dst x y", unroll: 4, body: func(a access, p regs, s vecs) {
			d := a.load(p["dst"])
			g.fma(d, a.load(p["x"]), a.load(p["y"]))
			a.store(p["dst"], d)
		}},
		{name: "axpy", doc: "computes y += alpha·x.", pointers: "x y", scalars: "alpha", unroll: 4, body: func(a access, p regs, s vecs) {
			y := a.load(p["y"])
			g.fma(y, a.load(p["x"]), s["alpha"])
			a.store(p["y"], y)
		}},
		{name: "axpby", doc: "computes dst = alpha·x + beta·y.", pointers: "dst x y", scalars: "alpha beta", unroll: 4, body: func(a access, p regs, s vecs) {
			v := g.mul(s["beta"], a.load(p["y"]))
			g.fma(v, a.load(p["x"]), s["alpha"])
			a.store(p["dst"], v)
		}},
		{name: "scale", doc: "computes dst = alpha·x.", pointers: "dst x", scalars: "alpha", unroll: 4, body: func(a access, p regs, s vecs) {
			a.store(p["dst"], g.mul(s["alpha"], a.load(p["x"])))
		}},
		{name: "affine", doc: "computes dst = alpha·x + beta.", pointers: "dst x", scalars: "alpha beta", unroll: 4, body: func(a access, p regs, s vecs) {
			v := a.load(p["x"])
			g.mulAdd(v, s["alpha"], s["beta"])
			a.store(p["dst"], v)
		}},
		{name: "relu", doc: "computes dst = max(x, 0); NaN stays NaN.", pointers: "dst x", unroll: 4, body: func(a access, p regs, s vecs) {
			a.store(p["dst"], g.max(g.zeros(), a.load(p["x"])))
		}},
		{name: "addRelu", doc: "computes dst = max(x + y, 0); NaN stays NaN.", pointers: "dst x y", unroll: 4, body: func(a access, p regs, s vecs) {
			a.store(p["dst"], g.max(g.zeros(), g.add(a.load(p["x"]), a.load(p["y"]))))
		}},
		{name: "affineRelu", doc: "computes dst = max(alpha·x + beta, 0); NaN stays NaN.", pointers: "dst x", scalars: "alpha beta", unroll: 4, body: func(a access, p regs, s vecs) {
			v := a.load(p["x"])
			g.mulAdd(v, s["alpha"], s["beta"])
			a.store(p["dst"], g.max(g.zeros(), v))
		}},
		{name: "reluGrad", doc: "computes dst = dy where y > 0, and 0 elsewhere.", pointers: "dst dy y", unroll: 4, body: func(a access, p regs, s vecs) {
			a.store(p["dst"], g.and(g.compare(greaterThan, a.load(p["y"]), g.zeros()), a.load(p["dy"])))
		}},
		{name: "sigmoidGrad", doc: "computes dst = dy·y·(1-y).", pointers: "dst dy y", unroll: 4, body: func(a access, p regs, s vecs) {
			y := a.load(p["y"])
			a.store(p["dst"], g.mul(g.mul(a.load(p["dy"]), y), g.sub(g.in(g.constant(1)), y)))
		}},
		{name: "tanhGrad", doc: "computes dst = dy·(1-y²).", pointers: "dst dy y", unroll: 4, body: func(a access, p regs, s vecs) {
			y := a.load(p["y"])
			v := g.in(g.constant(1))
			g.fnma(v, y, y)
			a.store(p["dst"], g.mul(a.load(p["dy"]), v))
		}},
		{name: "addSquares", doc: "computes dst += x².", pointers: "dst x", unroll: 4, body: func(a access, p regs, s vecs) {
			d, x := a.load(p["dst"]), a.load(p["x"])
			g.fma(d, x, x)
			a.store(p["dst"], d)
		}},
		{name: "larger", doc: "computes dst = max(x, y); NaN where either is.", pointers: "dst x y", unroll: 2, body: func(a access, p regs, s vecs) {
			x := a.load(p["x"])
			y := a.load(p["y"])
			a.store(p["dst"], g.where(g.compare(unordered, x, x), g.max(x, y), x))
		}},
	}
	for _, f := range list {
		g.simple(f)
	}
}

const unordered = 3

func (g *gen) zeros() vec {
	v := g.vec()
	g.zero(v)
	return v
}
