// Package display turns values into what a front end can show, in the evaluator process.
//
// [Render] makes a bundle of MIME types of any value: figures, images, values with methods
// such as HTML() string. A text/plain is always there, and short.
//
// A [Manager] shows bundles as output of cells. A value that is still changing (its Done
// channel is open) becomes a live output: it is drawn again as its data grow, at most every
// 250 ms, less often if drawing is slow, skipped while its Version stays the same, and once
// more when it is done. All live outputs together stay under a budget of bytes, because a
// Jupyter server drops what exceeds 1 MB/s.
//
// Package trivium/kernel/nb is what cells call; it works on the manager that the evaluator
// process made with [Use].
package display
