package mgrit

// The presets are our reading of the three solvers in Schroder, "Parallelizing over
// artificial neural network training runs with multigrid", whose exact settings
// are not at hand: plain; learning rate growing on coarse levels; and the same with
// F-cycles. Each returns the options for a number of training steps.

// Solver1 is the plain solver: V-cycles, and the same learning rate on all levels.
func Solver1(steps int) Options {
	return Options{Steps: steps, Coarse: Same{}}
}

// Solver2 lets the learning rate grow by a quarter from level to level.
func Solver2(steps int) Options {
	return Options{Steps: steps, Coarse: Growing{By: 1.25}}
}

// Solver3 is Solver2 with F-cycles, whose number hardly grows with the training's length.
func Solver3(steps int) Options {
	return Options{Steps: steps, Coarse: Growing{By: 1.25}, Cycle: FCycle}
}
