package main

import (
	"context"

	"trivium/core/amp"
	"trivium/core/mgrit"
	"trivium/core/nn"
	"trivium/core/train"
	"trivium/kernel/unblock"
)

// engineCalls are the functions of the engine that start a run and wait for it, by the path of
// their package: an interrupt of the cell that calls one stops the run. A run that a cell started to go on
// in the background is not among them.
func engineCalls(path string) map[string]any {
	switch path {
	case "trivium/core/train":
		return map[string]any{
			"Train": func(ctx context.Context, net *nn.Net, data train.Data, o train.Options) (*train.Result, error) {
				ctx, done := unblock.During(ctx)
				defer done()
				return train.Train(ctx, net, data, o)
			},
			"Train64": func(ctx context.Context, net *nn.Net64, data train.Data, o train.Options) (*train.Result, error) {
				ctx, done := unblock.During(ctx)
				defer done()
				return train.Train64(ctx, net, data, o)
			},
		}
	case "trivium/core/amp":
		return map[string]any{
			"Train": func(ctx context.Context, g *amp.Graph, data any, o amp.Options) (*amp.Result, error) {
				ctx, done := unblock.During(ctx)
				defer done()
				return amp.Train(ctx, g, data, o)
			},
		}
	case "trivium/core/mgrit":
		return map[string]any{
			"Solve": func(ctx context.Context, p mgrit.Problem, o mgrit.Options) (*mgrit.Result, error) {
				ctx, done := unblock.During(ctx)
				defer done()
				return mgrit.Solve(ctx, p, o)
			},
			"Tune": func(ctx context.Context, p mgrit.Problem, o mgrit.TuneOptions) (*mgrit.Proposal, error) {
				ctx, done := unblock.During(ctx)
				defer done()
				return mgrit.Tune(ctx, p, o)
			},
		}
	}
	return nil
}
