package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A lane is what a vector register holds.
type lane struct {
	name  string // ends the name of a function
	elem  string // the Go type of an element
	size  int    // bytes of an element
	bytes int    // bytes of a vector
	rows  int    // the most rows of a tile that the registers have room for
	step  int    // tiles exist for multiples of step rows
}

var (
	float32AVX2   = lane{name: "F32AVX2", elem: "float32", size: 4, bytes: 32, rows: 6, step: 1}
	float64AVX2   = lane{name: "F64AVX2", elem: "float64", size: 8, bytes: 32, rows: 6, step: 1}
	float32AVX512 = lane{name: "F32AVX512", elem: "float32", size: 4, bytes: 64, rows: 14, step: 2}
	float64AVX512 = lane{name: "F64AVX512", elem: "float64", size: 8, bytes: 64, rows: 14, step: 2}
)

func (l lane) len() int     { return l.bytes / l.size }
func (l lane) single() bool { return l.size == 4 }
func (l lane) shift() operand.Op {
	if l.single() {
		return operand.Imm(2)
	}
	return operand.Imm(3)
}

// A gen writes functions for one lane after the other.
type gen struct {
	*build.Context
	lane
	constants map[string]mem
	shiftBy   vec // of expSum
}

type (
	op  = operand.Op
	mem = operand.Mem
	vec = reg.VecVirtual
)

// function begins a function; name is completed with the lane's.
func (g *gen) function(name, params, result, doc string) {
	g.Function(name + g.lane.name)
	g.Attributes(attr.NOSPLIT)
	g.Pragma("noescape")
	g.SignatureExpr(fmt.Sprintf("func(%s)%s", params, result))
	g.Doc(strings.Split(name+g.lane.name+" "+doc, "\n")...)
}

func (g *gen) param(name string) reg.Register { return g.Load(g.Param(name), g.GP64()) }

// broadcast loads the scalar parameter to all elements of a vector.
func (g *gen) broadcast(name string) vec {
	p, err := g.Param(name).Resolve()
	if err != nil {
		panic(err) // a name that the signature does not have
	}
	v := g.vec()
	g.spread(p.Addr, v)
	return v
}

func (g *gen) ret() {
	g.VZEROUPPER()
	g.RET()
}

func (g *gen) vec() vec {
	if g.bytes == 64 {
		return g.ZMM()
	}
	return g.YMM()
}

// pick calls the instruction for the element type.
func (g *gen) pick(ps, pd func(...op), ops ...op) {
	if g.single() {
		ps(ops...)
	} else {
		pd(ops...)
	}
}

// The arithmetic below computes d = a op b and returns d, a new register. b may be in memory.
func (g *gen) add(a, b op) vec { return g.binary(g.VADDPS, g.VADDPD, a, b) }
func (g *gen) sub(a, b op) vec { return g.binary(g.VSUBPS, g.VSUBPD, a, b) }
func (g *gen) mul(a, b op) vec { return g.binary(g.VMULPS, g.VMULPD, a, b) }
func (g *gen) div(a, b op) vec { return g.binary(g.VDIVPS, g.VDIVPD, a, b) }
func (g *gen) and(a, b op) vec { return g.binary(g.VANDPS, g.VANDPD, a, b) }
func (g *gen) or(a, b op) vec  { return g.binary(g.VORPS, g.VORPD, a, b) }

// max and min give b where either is NaN.
func (g *gen) max(a, b op) vec { return g.binary(g.VMAXPS, g.VMAXPD, a, b) }
func (g *gen) min(a, b op) vec { return g.binary(g.VMINPS, g.VMINPD, a, b) }

// compare gives a mask of a ? b; the predicates are those of CMPPS.
func (g *gen) compare(predicate uint8, a, b op) vec {
	d := g.vec()
	if g.single() {
		g.VCMPPS(operand.Imm(uint64(predicate)), b, a, d)
	} else {
		g.VCMPPD(operand.Imm(uint64(predicate)), b, a, d)
	}
	return d
}

// where gives b where the mask is set and a elsewhere.
func (g *gen) where(mask, a, b op) vec {
	d := g.vec()
	if g.single() {
		g.VBLENDVPS(mask, b, a, d)
	} else {
		g.VBLENDVPD(mask, b, a, d)
	}
	return d
}

func (g *gen) sqrt(a op) vec {
	d := g.vec()
	if g.single() {
		g.VSQRTPS(a, d)
	} else {
		g.VSQRTPD(a, d)
	}
	return d
}

func (g *gen) binary(ps, pd func(...op), a, b op) vec {
	d := g.vec()
	g.pick(ps, pd, b, a, d)
	return d
}

// fma computes d += a*b.
func (g *gen) fma(d, a, b op) { g.pick(g.VFMADD231PS, g.VFMADD231PD, b, a, d) }

// fnma computes d -= a*b.
func (g *gen) fnma(d, a, b op) { g.pick(g.VFNMADD231PS, g.VFNMADD231PD, b, a, d) }

// mulAdd computes d = d*a + b.
func (g *gen) mulAdd(d, a, b op) { g.pick(g.VFMADD213PS, g.VFMADD213PD, b, a, d) }

func (g *gen) zero(v vec) {
	if g.bytes == 64 {
		g.VPXORQ(v, v, v)
	} else {
		g.VXORPS(v, v, v)
	}
}

func (g *gen) move(from, to op) {
	if g.single() {
		g.VMOVUPS(from, to)
	} else {
		g.VMOVUPD(from, to)
	}
}

func (g *gen) spread(from, to op) {
	if g.single() {
		g.VBROADCASTSS(from, to)
	} else {
		g.VBROADCASTSD(from, to)
	}
}

// masked moves the elements whose mask is set; the others are read as 0 and not written.
func (g *gen) masked(mask, from, to op) {
	if g.single() {
		g.VMASKMOVPS(from, mask, to)
	} else {
		g.VMASKMOVPD(from, mask, to)
	}
}

const maskName = "tailMasks"

// maskTable writes 64 bytes set and then 64 clear: a mask of the first n elements starts
// 64 - n·size bytes into it.
func (g *gen) maskTable() {
	g.StaticGlobal(maskName)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		v := operand.U64(0)
		if i < 8 {
			v = ^v
		}
		g.AddDatum(8*i, v)
	}
}

// maskOf returns a mask of the first n bytes of a vector, 0 ≤ n ≤ 32.
func (g *gen) maskOf(n reg.Register) vec {
	p := g.GP64()
	g.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(maskName), 64), p)
	g.SUBQ(n, p)
	m := g.YMM()
	g.VMOVDQU(mem{Base: p}, m)
	return m
}
