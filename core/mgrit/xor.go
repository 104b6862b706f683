package mgrit

import "math"

// XOROptions sets the network and its training. The zero value trains 3-4-1 at rate 1.
type XOROptions struct {
	Hidden int     // hidden units; 0 means 4
	Rate   float64 // learning rate of one training step; 0 means 1
	Seed   uint32  // of the first weights; 0 means 12345
	Single bool    // one of the four examples per training step, in turn; false: all four
}

// The four examples of XOR. The third input is constant and stands for a bias.
var (
	xorInputs  = [4][3]float64{{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}}
	xorTargets = [4]float64{0, 1, 1, 0}
)

// XOR is the training of a small sigmoid network, 3-Hidden-1, on the four examples of
// exclusive or by gradient descent on half the sum of squared errors. The vector holds the
// 3×Hidden input weights row by row, then the Hidden output weights.
func XOR(o XOROptions) Problem {
	if o.Hidden <= 0 {
		o.Hidden = 4
	}
	if o.Rate == 0 {
		o.Rate = 1
	}
	if o.Seed == 0 {
		o.Seed = 12345
	}
	h, rate := o.Hidden, o.Rate
	p := Problem{
		Name: "XOR",
		Init: lcgWeights(4*h, o.Seed),
		Step: func(dst, src []float64, s Step) { xorStep(dst, src, h, rate*s.Scale) },
		Loss: func(w []float64) float64 { return xorLoss(w, h) },

		// Of products: forward 4h, gradients of weights as many, of hidden units h, for each example.
		Flops: 4 * 2 * 9 * float64(h),
	}
	if o.Single {
		p.Flops /= 4
		p.Step = func(dst, src []float64, s Step) { xorExample(dst, src, h, rate*s.Scale, s.Index%4) }
	}
	return p
}

// lcgWeights draws n weights from [-1, 1) with a 32-bit linear congruential generator, so
// that the same problem can be set up in any language.
func lcgWeights(n int, seed uint32) []float64 {
	w := make([]float64, n)
	for i := range w {
		seed = seed*1664525 + 1013904223
		w[i] = 2*float64(seed)/(1<<32) - 1
	}
	return w
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// xorStep takes one gradient step on all four examples. While it runs, column j of dst
// (its 4 entries j, h+j, 2h+j, 3h+j) holds the activations of hidden unit j for the 4
// examples; the weights of unit j, which have the same places, then replace them. So the
// step needs no memory of its own and any number of workers may call it at once.
func xorStep(dst, src []float64, h int, rate float64) {
	w0, w1, w2, v := src[:h], src[h:2*h], src[2*h:3*h], src[3*h:4*h]
	d0, d1, d2, d3 := dst[:h], dst[h:2*h], dst[2*h:3*h], dst[3*h:4*h]
	var o0, o1, o2, o3 float64
	for j, b := range w2 {
		a0, a1, a2, a3 := sigmoid(b), sigmoid(w1[j]+b), sigmoid(w0[j]+b), sigmoid(w0[j]+w1[j]+b)
		d0[j], d1[j], d2[j], d3[j] = a0, a1, a2, a3
		o0 += v[j] * a0
		o1 += v[j] * a1
		o2 += v[j] * a2
		o3 += v[j] * a3
	}
	o0, o1, o2, o3 = sigmoid(o0), sigmoid(o1), sigmoid(o2), sigmoid(o3)
	e0 := (o0 - xorTargets[0]) * o0 * (1 - o0)
	e1 := (o1 - xorTargets[1]) * o1 * (1 - o1)
	e2 := (o2 - xorTargets[2]) * o2 * (1 - o2)
	e3 := (o3 - xorTargets[3]) * o3 * (1 - o3)
	for j := range v {
		a0, a1, a2, a3 := d0[j], d1[j], d2[j], d3[j]
		g0 := e0 * v[j] * a0 * (1 - a0)
		g1 := e1 * v[j] * a1 * (1 - a1)
		g2 := e2 * v[j] * a2 * (1 - a2)
		g3 := e3 * v[j] * a3 * (1 - a3)
		d0[j] = w0[j] - rate*(g2+g3)
		d1[j] = w1[j] - rate*(g1+g3)
		d2[j] = w2[j] - rate*(g0+g1+g2+g3)
		d3[j] = v[j] - rate*(e0*a0+e1*a1+e2*a2+e3*a3)
	}
}

// xorExample takes one gradient step on example k alone.
func xorExample(dst, src []float64, h int, rate float64, k int) {
	x, o := xorInputs[k], 0.0
	v := src[3*h : 4*h]
	for j := range v {
		a := sigmoid(x[0]*src[j] + x[1]*src[h+j] + src[2*h+j])
		dst[j] = a
		o += v[j] * a
	}
	o = sigmoid(o)
	e := (o - xorTargets[k]) * o * (1 - o)
	for j := range v {
		a := dst[j]
		g := rate * e * v[j] * a * (1 - a)
		dst[j] = src[j] - x[0]*g
		dst[h+j] = src[h+j] - x[1]*g
		dst[2*h+j] = src[2*h+j] - g
		dst[3*h+j] = v[j] - rate*e*a
	}
}

func xorLoss(w []float64, h int) float64 {
	sum := 0.0
	for k, x := range xorInputs {
		o := 0.0
		for j := range h {
			o += w[3*h+j] * sigmoid(x[0]*w[j]+x[1]*w[h+j]+w[2*h+j])
		}
		d := sigmoid(o) - xorTargets[k]
		sum += d * d / 2
	}
	return sum
}
