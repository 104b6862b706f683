// Package mgrit takes all steps of a training run, or of a differential equation, at once:
// multigrid in time.
//
// Training looks serial: step i needs the weights that step i-1 made, u_i = Φ(u_{i-1}).
// Here all u_i are unknowns of one system of equations, solved by iteration. Every m-th
// point is a C-point, the others are F-points. Relaxation steps from each C-point over
// the F-points after it, on all intervals in parallel, and leaves errors that change
// slowly from step to step. Those are seen as well on a coarse grid made of the C-points
// alone, whose step stands for m training steps, and whose equations are set up so that
// their solution is a correction of the fine one (the full approximation scheme, FAS).
// Coarse grids are solved in the same way, until a grid is so small that its steps are
// taken one after the other. The iteration ends with the very weights that serial
// training gives, to the tolerance; what it needs more of is processors.
//
// How a coarse level should take a step is the one hard question, because gradient
// descent with m times the learning rate may be unstable: see [Rule]. By default the rate
// is kept as large as is stable, which needs no setting.
//
// Whether a training can be solved so at all, [Lyapunov] says beforehand; [Tune] proposes
// options by short trials; [Result.Forecast] simulates a run on any number of processors, and
// [Measure] times it on those there are. For small networks [Newton] is another [Method] for the same equations.
//
// What saves cycles and what does not, by trials whose tables are in testdata/README.md: the coarse rule decides
// most, then longer relaxation ([FCFCF]), which costs as many more steps as it saves. A weight in C-relaxation
// (Options.Weight), which helps with diffusion and advection, saves gradient descent a cycle at most,
// where the rate is small, and costs many elsewhere. Delta correction, a first-order correction of coarse steps
// that helps with chaotic systems, saves none with vectors carried along the path and a few with the best ones, at a Jacobian for
// each step; it is not here, as for that price Newton's method does more.
//
// Start with [Solve] and [XOR]; notebooks use [Start]. [Training] and [TrainingOf] make a problem of any
// network, with any optimiser, whose coarse steps may see several minibatches at once ([Pooled]) or
// multiply from a sample ([Sampled]). A training step that exists already is wrapped by
// [Problem.Update]; so is the step of any differential equation. [Serial] is the plain way to the same result.
//
// The method for training runs is due to Schroder, "Parallelizing over artificial neural
// network training runs with multigrid"; terms are those of Falgout, Friedhoff, Kolev,
// MacLachlan and Schroder, SIAM J. Sci. Comput. 36 (2014), C635. Iterations and residuals
// are tested to be those of XBraid, a C library for the same method.
package mgrit
