// Package server is the kernel process: it answers what front ends ask.
//
// It holds what must outlive an evaluator that dies: the connection, the queue of cells, the
// history, and the truth about what the front end was told. Cells themselves run in the
// evaluator process, which it starts, watches and replaces (see trivium/kernel/link).
//
// Start with [New] and [Server.Serve]. One goroutine reads each channel:
//
//   - shell: cells go into a queue and run one after the other. Everything else (completion,
//     inspection, history, comms, ...) is answered at once, also while a cell runs.
//   - control: interrupt and shutdown never wait for a cell.
//   - stdin: what the user typed goes to the cell that asked.
//
// # Order of messages
//
// For a cell, front ends get: busy, execute_input, all output, then error or
// execute_result, the reply, idle. Output goes through one queue (output.go) in the order in which
// it was made; the queue is empty before the reply is sent. Each output carries the header
// of the request whose cell made it, so a figure that goes on growing stays where it is.
package server
