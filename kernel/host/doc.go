// Package host is the evaluator process: it runs cells for the kernel process.
//
// [Serve] reads frames from the link (see trivium/kernel/link), runs cells one after the
// other with an Evaluator, answers questions about code meanwhile, and turns what comes of
// them into frames: values into MIME bundles, errors into tracebacks that name the cell and
// its line. It ends when the kernel closes the link.
package host
