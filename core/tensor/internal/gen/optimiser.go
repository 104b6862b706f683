package main

// optimisers writes the updates of weights, each one pass over its operands. Before anything
// else they add decay·w to the gradient grad.
func (g *gen) optimisers(l lane) {
	g.lane = l
	grad := func(a access, p regs, s vecs) (w, d vec) {
		w, d = a.load(p["w"]), a.load(p["grad"])
		g.fma(d, w, s["decay"])
		return w, d
	}
	quotient := func(w, d, lr, s, eps vec) { g.fnma(w, lr, g.div(d, g.add(g.sqrt(s), eps))) }
	list := []simple{
		{name: "sgd", doc: "computes w -= lr·grad.", pointers: "w grad", scalars: "lr decay", unroll: 2, body: func(a access, p regs, s vecs) {
			w, d := grad(a, p, s)
			g.fnma(w, d, s["lr"])
			a.store(p["w"], w)
		}},
		{name: "momentum", doc: "computes v = mu·v + grad, w -= lr·v.", pointers: "w v grad", scalars: "lr mu decay", unroll: 2, body: func(a access, p regs, s vecs) {
			w, d := grad(a, p, s)
			v := a.load(p["v"])
			g.mulAdd(v, s["mu"], d)
			a.store(p["v"], v)
			g.fnma(w, v, s["lr"])
			a.store(p["w"], w)
		}},
		{name: "nesterov", doc: "computes v = mu·v + grad, w -= lr·(grad + mu·v).", pointers: "w v grad", scalars: "lr mu decay", unroll: 2, body: func(a access, p regs, s vecs) {
			w, d := grad(a, p, s)
			v := a.load(p["v"])
			g.mulAdd(v, s["mu"], d)
			a.store(p["v"], v)
			g.fma(d, v, s["mu"])
			g.fnma(w, d, s["lr"])
			a.store(p["w"], w)
		}},
		{name: "adagrad", doc: "computes s += grad², w -= lr·grad/(√s + eps).", pointers: "w s grad", scalars: "lr eps decay", body: func(a access, p regs, s vecs) {
			w, d := grad(a, p, s)
			sum := a.load(p["s"])
			g.fma(sum, d, d)
			a.store(p["s"], sum)
			quotient(w, d, s["lr"], sum, s["eps"])
			a.store(p["w"], w)
		}},
		{name: "rmsprop", doc: "computes s = rho·s + (1-rho)·grad², w -= lr·grad/(√s + eps); rest is 1-rho.", pointers: "w s grad", scalars: "lr rho rest eps decay", body: func(a access, p regs, s vecs) {
			w, d := grad(a, p, s)
			sum := g.mul(s["rho"], a.load(p["s"]))
			g.fma(sum, s["rest"], g.mul(d, d))
			a.store(p["s"], sum)
			quotient(w, d, s["lr"], sum, s["eps"])
			a.store(p["w"], w)
		}},
		{name: "adam", doc: "computes m = b1·m + rest1·grad, v = b2·v + rest2·grad², w = shrink·w - lr·m/(corr·√v + eps).",
			pointers: "w m v grad", scalars: "lr b1 rest1 b2 rest2 corr eps decay shrink", body: func(a access, p regs, s vecs) {
				w, d := grad(a, p, s)
				m := g.mul(s["b1"], a.load(p["m"]))
				g.fma(m, s["rest1"], d)
				a.store(p["m"], m)
				v := g.mul(s["b2"], a.load(p["v"]))
				g.fma(v, s["rest2"], g.mul(d, d))
				a.store(p["v"], v)
				root := g.sqrt(v)
				g.mulAdd(root, s["corr"], s["eps"])
				w = g.mul(w, s["shrink"])
				g.fnma(w, s["lr"], g.div(m, root))
				a.store(p["w"], w)
			}},
	}
	for _, f := range list {
		g.simple(f)
	}
}
