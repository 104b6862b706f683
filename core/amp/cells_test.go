package amp

import (
	"math"
	"testing"

	"trivium/core/random"
	"trivium/core/tensor"
)

// TestCellGradients compares every cell's backward with finite differences of Σ y·c in both parameters and
// input. Differences are of order h² + ε/h with h = 1e-2 and ε = 6e-8, so about 1e-3 of the largest.
func TestCellGradients(t *testing.T) {
	for name, c := range map[string]struct {
		cell Cell
		in   int
	}{
		"linear":         {Linear{Out: 5}, 7},
		"linear tanh":    {Linear{Out: 5, Act: Tanh}, 7},
		"linear sigmoid": {Linear{Out: 5, Act: Sigmoid, NoBias: true}, 7},
		"rnn":            {RNN{Out: 4}, 7},
		"gru":            {GRU{Out: 4}, 7},
		"lstm":           {LSTM{Out: 3}, 9},
		"leaf":           {TreeLeaf{Out: 4}, 6},
		"branch":         {TreeBranch{Out: 3}, 12},
		"readout":        {Readout{}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := c.cell.plan(c.in)
			if err != nil {
				t.Fatal(err)
			}
			p := &params{shapes: plan.shapes}
			p.fill(&Node{Name: name}, 3)
			r := random.New(8)
			r.Normal32(p.weights, 0, 0.5)
			const rows = 6
			x, by := tensor.New[float32](rows, c.in), tensor.New[float32](rows, plan.out)
			r.Normal32(x.Data, 0, 1)
			r.Normal32(by.Data, 0, 1)
			y, tape := tensor.New[float32](rows, plan.out), tensor.New[float32](rows, plan.tape)
			value := func() float64 {
				c.cell.forward(&calc{w: p.weights, p: p, buf: make([]float32, 1000)}, x, y, tape)
				sum := 0.0
				for i, v := range y.Data {
					sum += float64(v) * float64(by.Data[i])
				}
				return sum
			}
			value()
			dx, dy := tensor.New[float32](rows, c.in), by.Clone()
			k := calc{w: p.weights, grads: p.grads, p: p, first: true, buf: make([]float32, 1000)}
			c.cell.backward(&k, x, y, tape, dy, dx)
			if k.err != nil {
				t.Fatal(k.err)
			}
			compare := func(what string, at, grad []float32) {
				const h = 1e-2
				size := 0.0
				for _, g := range grad {
					size = max(size, math.Abs(float64(g)))
				}
				for i := range at {
					old := at[i]
					at[i] = old + h
					up := value()
					at[i] = old - h
					down := value()
					at[i] = old
					if want := (up - down) / (2 * h); math.Abs(want-float64(grad[i])) > 3e-3*size {
						t.Fatalf("%s[%d]: gradient %v, by differences %v", what, i, grad[i], want)
					}
				}
			}
			compare("parameter", p.weights, p.grads)
			compare("input", x.Data, dx.Data)
		})
	}
}

// TestCacheIsAMap compares the table with the library's map over random puts and takes.
func TestCacheIsAMap(t *testing.T) {
	r := random.New(1)
	var c cache[int]
	want := map[State]int{}
	key := func() State {
		return State{Instance: r.IntN(4), Node: r.IntN(8), Step: r.IntN(3), Kind: r.IntN(2)}
	}
	for i := range 20000 {
		k := key()
		if r.IntN(2) == 0 {
			v, existed := c.put(&k)
			if _, had := want[k]; had != existed {
				t.Fatalf("put %v: existed %v, want %v", k, existed, had)
			}
			*v = i
			want[k] = i
		} else {
			v, found := c.take(&k)
			w, had := want[k]
			if found != had || v != w {
				t.Fatalf("take %v: %d %v, want %d %v", k, v, found, w, had)
			}
			delete(want, k)
		}
		if c.n != len(want) {
			t.Fatalf("%d entries, want %d", c.n, len(want))
		}
	}
	for k, w := range want {
		if v := c.get(&k); v == nil || *v != w {
			t.Fatalf("get %v: %v, want %d", k, v, w)
		}
	}
}
