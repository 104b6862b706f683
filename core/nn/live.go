package nn

import "trivium/core/tensor"

// A product that has left out some of its inputs leaves no gradient to them: whole channels of the gradient that
// goes on to the layer before are 0, and stay so on their way through a batch norm or a ReLU. Where that is
// known, the products of the layers before need not multiply by them. It is known from one layer of a chain to
// the next only; what else may happen to a gradient, such as in a Residual, is not followed.

// Live returns the channels outside of which the gradient that Backward is given is 0; nil
// means that it may be other than 0 anywhere.
func (p *Pass[T]) Live() []int32 { return p.live }

// LeaveLive tells what Live is to return to the layer before: the gradient that Backward is about to return is 0
// outside of these channels. The index must stay as it is until then.
func (p *Pass[T]) LeaveLive(index []int32) { p.left = index }

// handOn is called between two layers of a chain.
func (p *Pass[T]) handOn() { p.live, p.left = p.left, nil }

// LiveOutputs returns Live as a sample of a layer's output channels, nil for all. It is valid until the next call.
func (p *Pass[T]) LiveOutputs() *tensor.Sample[T] {
	if p.live == nil {
		return nil
	}
	p.liveSample = tensor.Sample[T]{Index: p.live}
	return &p.liveSample
}

// LiveShare returns the share of n output channels that is Live.
func (p *Pass[T]) LiveShare(n int) float64 {
	if p.live == nil || n == 0 {
		return 1
	}
	return float64(len(p.live)) / float64(n)
}

// A channelLoop is work for each channel of a gradient, of which those that are 0 need none.
type channelLoop struct {
	live []int32
	do   func(c int)
	each func(i int) // as it is shared by workers
}

func newChannelLoop(do func(c int)) *channelLoop {
	l := &channelLoop{do: do}
	l.each = func(i int) {
		if l.live != nil {
			i = int(l.live[i])
		}
		l.do(i)
	}
	return l
}

// share calls do for the live ones of n channels, each of so many flops. The gradients of parameters by channel are
// 0 for the others: set to that unless they are added to.
func share[T tensor.Float](p *Pass[T], l *channelLoop, n int, flops float64, grads ...*Param[T]) error {
	if l.live = p.live; l.live != nil {
		n = len(l.live)
		for _, g := range grads {
			if g != nil && !p.Accumulate {
				clear(g.Grad)
			}
		}
	}
	return p.Pool.Share(n, flops*float64(n), l.each)
}
