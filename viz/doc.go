// Package viz draws runs and data, while the runs go on.
//
// # The idea
//
// A function such as [Curves] or [Residuals] takes runs and returns a [*Figure] at once.
// Put it last in a cell and it is shown, and grows until its runs have ended:
//
//	viz.Curves("loss", exact, half)
//
// So are runs themselves, slices of them, long lists of numbers and large matrices: [Of]
// chooses a picture. What there is to ask for:
//
//   - of any run: [Curves], [Residuals], [Timeline], [Gradients]; of several also [Compare],
//     which tells by when each had reached a target, and [Table];
//   - of data and models: [Samples], [Mistakes], [Confusion], [Weights], [Landscape];
//   - of numbers: [Lines], [Histogram], [Scatter], [Heat], [Function].
//
// How it looks is changed by methods that return the figure:
//
//	viz.Curves("loss", exact, half).X(viz.Seconds).LogY().Smooth(0.9)
//
// Outside of a notebook, [Save] writes the same picture to a file.
//
// # What a figure promises
//
// It never changes its data, never slows a run, and never panics: no data, one point, NaN,
// infinities, zeros on a log axis and runs that failed at once give a picture that says
// so. What cannot be shown leaves a gap and is counted below the axes.
//
// A frame costs what is new since the last one, because each series is kept as its
// smallest and largest value per column of pixels, and brought up to date. No peak is
// lost that way. Three curves of 100,000 points are drawn in about a millisecond and
// 26 kB.
//
// A run has the same colour in every figure. Up to three curves are named at their ends,
// more in a legend above the axes, so neither covers data.
//
// # Forms
//
// [Figure.MIMEBundle] gives SVG and text, which says in words and numbers what is shown;
// the last frame has a PNG besides. With the theme [Auto] there is no background, and
// colours that read on white and on black.
//
// # Names of series
//
// Engines agree on names, so that figures know where to look: "loss", "accuracy" by step;
// "residual" by cycle, the norm on the finest grid before that cycle's correction, with
// "residual/L1", "residual/L2" and so on for the coarser grids; "mgrit/grid", "mgrit/visit", "mgrit/profile", "mgrit/error"
// and "mgrit/spectrum" of a multigrid run, see [Hierarchy], [ErrorHeat] and [Spectrum]; "speedup/model",
// "speedup/simulated" and "speedup/measured" by processors. [Curves] draws any series by its name.
package viz
