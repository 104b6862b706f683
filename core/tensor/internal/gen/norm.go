package main

import (
	"fmt"
	"strings"
)

// norms writes what a batch norm does to a channel of an image: as single operations it would go through
// memory three times as often.
func (g *gen) norms(l lane) {
	g.lane = l
	g.sums(sums{name: "moments", pointers: "x next", scalars: "shift", results: "sum squares",
		doc: "returns Σ (x-shift) and Σ (x-shift)², and fetches next.",
		body: func(acc []vec, a access, p regs, s vecs) {
			a.fetch(p["next"], 0)
			d := g.existing(a, g.sub(a.load(p["x"]), s["shift"]))
			g.sumInto(acc[0], d)
			g.fma(acc[1], d, d)
		}})
	for _, relu := range []bool{false, true} {
		name, scalars, doc := "", "", " and g = dy."
		if relu {
			name, scalars, doc = "Relu", "alpha beta ", ", and g = dy where alpha·x+beta > 0, 0 elsewhere."
		}
		let := func(a access, p regs, s vecs) (x, dy vec) {
			x, dy = a.load(p["x"]), a.load(p["dy"])
			if relu {
				y := g.in(s["alpha"])
				g.mulAdd(y, x, s["beta"]) // as affineRelu rounds it
				dy = g.and(g.compare(greaterThan, y, g.zeros()), dy)
			}
			return x, dy
		}
		g.sums(sums{name: "normSums" + name, pointers: "dy x nextDy nextX", scalars: scalars + "mean", results: "sum dot",
			doc: "fetches nextDy and nextX and returns Σ g and Σ g·d, where d = x-mean" + doc,
			body: func(acc []vec, a access, p regs, s vecs) {
				a.fetch(p["nextDy"], 0)
				a.fetch(p["nextX"], 0)
				x, dy := let(a, p, s)
				g.sumInto(acc[0], dy) // 0 beyond the end, as is the product below
				g.fma(acc[1], dy, g.existing(a, g.sub(x, s["mean"])))
			}})
		g.simple(simple{name: "normGrad" + name, pointers: "dst dy x", scalars: scalars + "mean a b c", unroll: 2,
			doc: "computes dst = a·g + b·d + c, where d = x-mean" + doc,
			body: func(a access, p regs, s vecs) {
				x, dy := let(a, p, s)
				v := g.sub(x, s["mean"])
				g.mulAdd(v, s["b"], s["c"])
				g.fma(v, dy, s["a"])
				a.store(p["dst"], v)
			}})
	}
	g.sums(sums{name: "affineReluSquares", pointers: "dst x", scalars: "alpha beta", results: "squares",
		doc: "computes dst = max(alpha·x + beta, 0), NaN stays NaN, and returns Σ dst².",
		body: func(acc []vec, a access, p regs, s vecs) {
			v := a.load(p["x"])
			g.mulAdd(v, s["alpha"], s["beta"])
			y := g.max(g.zeros(), v)
			a.store(p["dst"], y)
			y = g.existing(a, y)
			g.fma(acc[0], y, y)
		}})
	g.sums(sums{name: "reluGradSum", pointers: "dst dy y", results: "sum",
		doc: "computes dst = dy where y > 0, and 0 elsewhere, and returns its sum.",
		body: func(acc []vec, a access, p regs, s vecs) {
			v := g.and(g.compare(greaterThan, a.load(p["y"]), g.zeros()), a.load(p["dy"]))
			a.store(p["dst"], v)
			g.sumInto(acc[0], v)
		}})
}

// existing clears the elements of v that do not exist.
func (g *gen) existing(a access, v vec) vec {
	if a.mask == nil {
		return v
	}
	return g.and(v, a.mask)
}

// A sums function goes over vectors once and returns some sums; names are separated by blanks.
type sums struct {
	name, doc         string
	pointers, scalars string
	results           string
	body              func(acc []vec, a access, p regs, s vecs)
}

// sums keeps two running vectors for each result, which with two results hide the time of an addition.
func (g *gen) sums(f sums) {
	const unroll = 2
	list := func(names string) string { return strings.Join(strings.Fields(names), ", ") }
	params := fmt.Sprintf("n int, %s *%s", list(f.pointers), g.elem)
	if f.scalars != "" {
		params += fmt.Sprintf(", %s %s", list(f.scalars), g.elem)
	}
	g.function(f.name, params, fmt.Sprintf(" (%s %s)", list(f.results), g.elem), f.doc)
	n := g.param("n")
	p, s := regs{}, vecs{}
	for _, name := range strings.Fields(f.pointers) {
		p[name] = g.param(name)
	}
	for _, name := range strings.Fields(f.scalars) {
		s[name] = g.broadcast(name)
	}
	results := strings.Fields(f.results)
	var acc [unroll][]vec
	for u := range acc {
		for range results {
			acc[u] = append(acc[u], g.zeros())
		}
	}
	g.each(n, unroll, func(u int, a access) { f.body(acc[u], a, p, s) })
	for i, name := range results {
		for u := 1; u < unroll; u++ {
			g.sumInto(acc[0][i], acc[u][i])
		}
		g.Store(g.horizontal(acc[0][i], g.VADDPS, g.VADDPD), g.Return(name))
	}
	g.ret()
}
