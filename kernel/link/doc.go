// Package link joins the kernel process with its evaluator process.
//
// In Go a panic in any goroutine, a stack overflow, a concurrent map write or running out
// of memory ends the process, and nothing can catch it. So the interpreter, the variables
// and the engine live in a process of their own, which may die without taking the notebook's
// connection, history and queue with it. This package holds both ends of what lies between:
//
//   - [Conn]: typed frames over two pipes, one per direction. A frame is a [Kind], the number
//     of the cell or request that it belongs to, a small JSON head, and a body of raw bytes,
//     so that a picture crosses without being encoded again.
//   - [Process]: the kernel's end. It starts the evaluator, reads its frames and whatever it
//     writes to its standard output and standard error, and says how it died.
//   - [Inherited]: the evaluator's end, over the descriptors it was started with.
//
// # Order
//
// Text goes through other pipes than frames, so a frame could overtake text that was printed
// before it. [Process.Drain] takes out of the text pipes what was in them when it was called;
// the kernel calls it before it handles a frame that shows something, and then acknowledges
// the frame with [Ack]. A cell that shows a value waits for that, so what it prints next
// comes after.
package link
