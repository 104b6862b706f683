package amp

import (
	"fmt"

	"trivium/core/tensor"
)

// A Correction does something about gradients that come back to parameters which have changed since
// their forward pass. nil does nothing, which is the paper's way and usually enough.
type Correction interface {
	check() error
	start(p *params) fixer
	String() string
}

// A fixer is a correction at work in one node.
type fixer interface {
	forward(p *params)                     // a message went forward
	together(kept []tape) int              // how many of the first can be computed as one
	begin(p *params, c *calc, kept []tape) // a backward pass begins
	gradient(p *params, version int)       // and has ended
	may(p *params) bool                    // an update is due: is it allowed?
	before(p *params)                      // around an update
	after(p *params)                       //
	weights(p *params) []float32           // to go forward with; nil means the current ones
}

// usual is a fixer that does nothing.
type usual struct{}

func (usual) forward(*params)              {}
func (usual) together(kept []tape) int     { return len(kept) }
func (usual) begin(*params, *calc, []tape) {}
func (usual) gradient(*params, int)        {}
func (usual) may(*params) bool             { return true }
func (usual) before(*params)               {}
func (usual) after(*params)                {}
func (usual) weights(*params) []float32    { return nil }

// Bound holds updates back, and goes on gathering gradients, as long as an update would make a message on its way
// back more than Staleness updates old. So no gradient is older than that.
type Bound struct{ Staleness int }

func (b Bound) check() error {
	if b.Staleness < 0 {
		return fmt.Errorf("amp: Bound.Staleness is %d: it must be at least 0", b.Staleness)
	}
	return nil
}

func (b Bound) String() string      { return fmt.Sprintf("staleness at most %d", b.Staleness) }
func (b Bound) start(*params) fixer { return &bounded{most: b.Staleness} }

type bounded struct {
	usual
	most int
	out  versions
}

// versions counts messages on their way by the version of the parameters that they saw.
type versions struct {
	first int // version of n[0]
	n     []int
}

func (v *versions) add(version, by int) {
	if len(v.n) == 0 {
		v.first = version
	}
	for version-v.first >= len(v.n) {
		v.n = append(v.n, 0)
	}
	v.n[version-v.first] += by
	drop := 0
	for drop < len(v.n) && v.n[drop] == 0 {
		drop++
	}
	if drop > 0 {
		v.n = v.n[:copy(v.n, v.n[drop:])]
		v.first += drop
	}
}

func (b *bounded) forward(p *params) { b.out.add(p.version, 1) }

func (b *bounded) begin(_ *params, _ *calc, kept []tape) {
	for i := range kept {
		b.out.add(kept[i].version, -1)
	}
}

func (b *bounded) may(p *params) bool {
	return len(b.out.n) == 0 || p.version+1-b.out.first <= b.most
}

// Predict goes forward with the parameters that are expected when the gradient comes back: the
// current ones moved on by an average update, times the average staleness so far. Backward
// uses the current ones. This is the idea of SpecTrain (Chen, Yang, Cheng, 2018).
type Predict struct {
	Past float64 // weight of the past in both averages; 0 means 0.9
}

func (c Predict) check() error {
	if c.Past < 0 || c.Past >= 1 {
		return fmt.Errorf("amp: Predict.Past is %v: it must be from 0 to below 1", c.Past)
	}
	return nil
}

func (c Predict) String() string { return "weight prediction" }

func (c Predict) start(p *params) fixer {
	if p.rowLen > 0 {
		return usual{} // of a table, few rows change at a time
	}
	if c.Past == 0 {
		c.Past = 0.9
	}
	n := len(p.weights)
	return &predicted{past: float32(c.Past), old: make([]float32, n), speed: make([]float32, n), ahead: make([]float32, n)}
}

type predicted struct {
	usual
	past              float32
	old, speed, ahead []float32
	stale             float32 // average
	made              bool    // ahead is that of the current version
}

func (c *predicted) begin(p *params, _ *calc, kept []tape) {
	for i := range kept {
		c.stale = c.past*c.stale + (1-c.past)*float32(p.version-kept[i].version)
	}
}

func (c *predicted) before(p *params) { copy(c.old, p.weights) }

func (c *predicted) after(p *params) {
	tensor.Sub(c.old, p.weights, c.old)
	tensor.Axpby(c.speed, c.past, c.speed, 1-c.past, c.old)
	c.made = false
}

func (c *predicted) weights(p *params) []float32 {
	if !c.made {
		tensor.Axpby(c.ahead, 1, p.weights, c.stale, c.speed)
		c.made = true
	}
	return c.ahead
}

// Compensate corrects each gradient g to first order for the way the parameters have gone since:
// g + Lambda·g⊙g⊙(w - w₀), with w₀ the parameters of the forward pass (DC-ASGD: Zheng et al.,
// ICML 2017). It keeps a copy of the parameters for each version that a message still needs.
type Compensate struct {
	Lambda float64 // 0 means 0.04
}

func (c Compensate) check() error {
	if c.Lambda < 0 {
		return fmt.Errorf("amp: Compensate.Lambda is %v: it must not be negative", c.Lambda)
	}
	return nil
}

func (c Compensate) String() string { return "delay compensation" }

func (c Compensate) start(p *params) fixer {
	if p.rowLen > 0 {
		return usual{}
	}
	if c.Lambda == 0 {
		c.Lambda = 0.04
	}
	return &compensated{lambda: float32(c.Lambda), g: make([]float32, len(p.weights))}
}

type compensated struct {
	usual
	lambda float32
	out    versions
	copies []snapshot
	spare  [][]float32
	g      []float32
}

type snapshot struct {
	version int
	w       []float32
}

func (c *compensated) forward(p *params) { c.out.add(p.version, 1) }

// together is the messages of one version.
func (c *compensated) together(kept []tape) int {
	n := 1
	for n < len(kept) && kept[n].version == kept[0].version {
		n++
	}
	return n
}

// begin makes the pass write to a vector of its own, where the gradient can be corrected.
func (c *compensated) begin(p *params, k *calc, kept []tape) {
	if c.wants(p, kept[0].version) {
		k.grads, k.first = c.g, true
	}
	for i := range kept {
		c.out.add(kept[i].version, -1)
	}
}

func (c *compensated) wants(p *params, version int) bool { return version < p.version }

func (c *compensated) gradient(p *params, version int) {
	if !c.wants(p, version) {
		return
	}
	var old []float32
	for _, s := range c.copies {
		if s.version == version {
			old = s.w
		}
	}
	if p.first() {
		clear(p.grads)
	}
	for i, g := range c.g {
		p.grads[i] += g + c.lambda*g*g*(p.weights[i]-old[i])
	}
	for len(c.copies) > 0 && (len(c.out.n) == 0 || c.copies[0].version < c.out.first) {
		c.spare = append(c.spare, c.copies[0].w)
		c.copies = c.copies[:copy(c.copies, c.copies[1:])]
	}
}

func (c *compensated) before(p *params) {
	if len(c.out.n) == 0 || c.out.first+len(c.out.n) <= p.version {
		return // nobody has seen this version
	}
	var w []float32
	if last := len(c.spare) - 1; last >= 0 {
		w, c.spare = c.spare[last], c.spare[:last]
	} else {
		w = make([]float32, len(p.weights))
	}
	copy(w, p.weights)
	c.copies = append(c.copies, snapshot{p.version, w})
}
