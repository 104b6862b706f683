// Package transport carries Jupyter messages between a kernel and its front ends.
//
// A kernel has five sockets: shell and control take requests, stdin asks the front end for
// input, iopub broadcasts output to everyone who subscribed, and the heartbeat echoes. Their
// addresses and the key that signs messages come in a connection file: [ReadConnection].
// A kernel calls [Listen] and answers what [Server].Requests hands out; a program that drives
// a kernel calls [Dial]. [Pair] connects both in memory, for tests.
package transport
