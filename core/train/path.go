package train

import (
	"slices"

	"trivium/core/nn"
)

// A Path keeps the weights of a network as a training goes on, for [LossPlane]:
//
//	path := &train.Path{Net: net}
//	r := train.Start(ctx, net, split, train.Options{OnStep: path.Step})
//
// It keeps at most 256 vectors of weights: when there are more, every second is dropped and
// from then on half as many are taken.
type Path struct {
	Net     *nn.Net
	Every   int         // steps from one to the next; 0 means 1
	Weights [][]float32 // the last one is that of the latest step taken note of

	steps int
}

const longestPath = 256

// Step is the hook for Options.OnStep.
func (p *Path) Step(StepInfo) {
	p.Every = max(p.Every, 1)
	if p.steps++; (p.steps-1)%p.Every != 0 {
		return
	}
	if len(p.Weights) == longestPath {
		kept := p.Weights[:0]
		for i := 0; i < longestPath; i += 2 {
			kept = append(kept, p.Weights[i])
		}
		clear(p.Weights[len(kept):])
		p.Weights, p.Every = kept, 2*p.Every
		if (p.steps-1)%p.Every != 0 {
			return
		}
	}
	p.Weights = append(p.Weights, slices.Clone(p.Net.Weights()))
}
