package amp

import (
	"math"

	"trivium/core/optim"
	"trivium/core/random"
	"trivium/core/tensor"
)

// params are the parameters of one node with all that changes them. Only the worker that hosts
// the node touches them while a run goes on.
type params struct {
	shapes  []shape
	weights []float32
	grads   []float32

	// A table's gradient is rows, of which few are touched between two updates: only those
	// are changed. Other nodes have rowLen 0.
	rowLen  int
	touched []int32
	isOn    []bool

	optimizer optim.Optimizer
	rate      float64
	clip      float64
	most      int       // gradients that make an update
	memory    []float32 // of the optimiser: for tables row by row
	version   int       // number of updates
	pending   int       // gradients since the last one
	norm      float64   // of the last gradient
	fix       fixer     // correction of staleness; nil for none
	dry       bool      // a plan's: counts and computes nothing
}

// A shape is one parameter: its name, length and the deviation of its first values.
type shape struct {
	name   string
	len    int
	spread float64 // uniform from -spread to spread; negative: normal of that deviation
}

// xavier is the shape of a matrix with the uniform values of Glorot, Bengio, AISTATS 2010.
func xavier(name string, in, out int) shape {
	return shape{name, in * out, math.Sqrt(6 / float64(in+out))}
}

// he is the shape of a matrix with the normal values of He et al., ICCV 2015.
func he(name string, in, out int) shape { return shape{name, in * out, -math.Sqrt(2 / float64(in))} }

func (p *params) count() int {
	n := 0
	for _, s := range p.shapes {
		n += s.len
	}
	return n
}

// fill gives the parameters their first values, which follow from seed and names.
func (p *params) fill(n *Node, seed uint64) {
	if len(p.shapes) == 0 {
		return
	}
	if p.weights == nil {
		p.weights, p.grads = make([]float32, p.count()), make([]float32, p.count())
	}
	at := 0
	for _, s := range p.shapes {
		r, w := random.New(seed).Split(n.Name).Split(s.name), p.weights[at:at+s.len]
		switch {
		case s.spread > 0:
			r.Uniform32(w, -s.spread, s.spread)
		case s.spread < 0:
			r.Normal32(w, 0, -s.spread)
		default:
			clear(w)
		}
		at += s.len
	}
}

// prepare sets what an optimiser needs; it forgets an earlier run's.
func (p *params) prepare(o optim.Optimizer, rate, clip float64, most int, fix fixer) {
	p.optimizer, p.rate, p.clip, p.most, p.fix = o, rate, clip, most, fix
	p.version, p.pending, p.touched = 0, 0, p.touched[:0]
	p.memory = make([]float32, o.Memory()*len(p.weights))
	if p.rowLen > 0 {
		p.isOn = make([]bool, len(p.weights)/p.rowLen)
	}
	clear(p.grads)
}

// room is how many gradients are missing to the next update.
func (p *params) room() int { return max(1, p.most-p.pending) }

// first reports whether the next gradient is the first since an update, and so may be written
// over what is there.
func (p *params) first() bool { return p.pending == 0 }

// update takes a step if there are gradients enough and the correction has nothing against it.
func (p *params) update(factor float64) bool {
	if p.pending < p.most || p.fix != nil && !p.fix.may(p) {
		return false
	}
	p.step(factor)
	return true
}

func (p *params) step(factor float64) {
	if p.fix != nil {
		p.fix.before(p)
	}
	p.version++
	if p.dry {
		p.pending = 0
		return
	}
	rate := p.rate * factor
	if p.rowLen == 0 {
		if p.clip > 0 {
			p.norm = optim.ClipNorm(p.grads, p.clip)
		}
		p.optimizer.Step32(p.weights, p.grads, p.memory, rate, p.version)
	} else {
		p.rows(rate)
	}
	p.pending = 0
	if p.fix != nil {
		p.fix.after(p)
	}
}

// rows takes a step of the touched rows of a table and clears their gradients.
func (p *params) rows(rate float64) {
	n, k := p.rowLen, p.optimizer.Memory()
	if p.clip > 0 {
		sum := 0.0
		for _, r := range p.touched {
			sum += float64(tensor.SumSquares(p.grads[int(r)*n:][:n]))
		}
		if p.norm = math.Sqrt(sum); p.norm > p.clip {
			for _, r := range p.touched {
				g := p.grads[int(r)*n:][:n]
				tensor.Scale(g, float32(p.clip/p.norm), g)
			}
		}
	}
	for _, r := range p.touched {
		at := int(r) * n
		p.optimizer.Step32(p.weights[at:at+n], p.grads[at:at+n], p.memory[at*k:(at+n)*k], rate, p.version)
		clear(p.grads[at : at+n])
		p.isOn[r] = false
	}
	p.touched = p.touched[:0]
}

// touch adds a gradient to a row of a table.
func (p *params) touch(row int, d []float32) {
	if p.isOn != nil && !p.isOn[row] {
		p.isOn[row] = true
		p.touched = append(p.touched, int32(row))
	}
	g := p.grads[row*p.rowLen:][:p.rowLen]
	tensor.Add(g, g, d)
}
