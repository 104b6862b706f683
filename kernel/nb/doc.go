// Package nb is what the cells of a notebook call.
//
// A value that is the last line of a cell is shown without it. [Show] shows more than one,
// [ShowHTML], [ShowMarkdown] and [ShowLatex] show text as what it is, [Await] waits for runs
// with a progress bar each, [Check] ends a cell where an error is not expected, [Runs] and
// [StopAll] look after what goes on in the background, and [Help] tells about a package or a
// name. [Interact] puts sliders and buttons above what a function returns for their values, and
// [Play] makes a slider through pictures that needs no kernel.
//
// The package knows the notebook's display and nothing of the engine: a run is whatever has
// the methods of [Run].
package nb
