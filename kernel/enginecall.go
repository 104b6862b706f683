package main

import (
	"context"

	"trivium/core/amp"
	"trivium/core/mgrit"
	"trivium/core/train"
	"trivium/kernel/unblock"
)

// engineCalls are the functions of the engine that start a run and wait for it, by the path of
// their package: an interrupt of the cell that calls one stops the run. A run that a cell started to go on
// in the background is not among them.
func engineCalls(path string) map[string]any {
	switch path {
	case "trivium/core/train":
		return map[string]any{"Train": stopped3(train.Train), "Train64": stopped3(train.Train64)}
	case "trivium/core/amp":
		return map[string]any{"Train": stopped3(amp.Train)}
	case "trivium/core/mgrit":
		return map[string]any{"Solve": stopped2(mgrit.Solve), "Tune": stopped2(mgrit.Tune)}
	}
	return nil
}

// lend has the goroutines that the calling one starts end with its cell: see [eval.Session.Lend].
var lend = func() (release func()) { return func() {} }

// waiting is for a call that waits for a run: it gives a context that ends when the calling cell is
// interrupted, as the functions of cells do that the run calls. Call done after it.
func waiting(ctx context.Context) (_ context.Context, done func()) {
	ctx, end := unblock.During(ctx)
	release := lend()
	return ctx, func() { release(); end() }
}

// stopped3 is f with a context that ends when the calling cell is interrupted.
func stopped3[A, B, C, R any](f func(context.Context, A, B, C) (R, error)) func(context.Context, A, B, C) (R, error) {
	return func(ctx context.Context, a A, b B, c C) (R, error) {
		ctx, done := waiting(ctx)
		defer done()
		return f(ctx, a, b, c)
	}
}

// stopped2 is stopped3 for functions of one argument fewer.
func stopped2[A, B, R any](f func(context.Context, A, B) (R, error)) func(context.Context, A, B) (R, error) {
	return func(ctx context.Context, a A, b B) (R, error) {
		ctx, done := waiting(ctx)
		defer done()
		return f(ctx, a, b)
	}
}
