// Package zmtp speaks ZMTP 3.1, the protocol of ZeroMQ sockets, as far as a Jupyter kernel
// needs it: the listening sockets ROUTER, XPUB and REP, and for programs that drive a kernel
// the connecting sockets DEALER, SUB and REQ. Security mechanism NULL, over tcp and ipc
// (Unix domain sockets). Standard library only.
//
// A message is a list of frames. [ListenRouter] receives messages with the identity of the
// peer that sent them and sends to an identity; [ListenXPub] broadcasts to subscribers;
// [ListenEcho] answers every message with itself; [Dial] connects to any of them.
//
// Nothing that a peer sends, or fails to send or read, ends the process or stops another
// peer: sizes, counts and times are bounded by [Options], and a peer that breaks a bound or
// the protocol is cut, with a line in the log. Each peer has a queue and a goroutine that
// writes from it. A subscriber whose queue is full gets time to catch up as long as it
// really reads; one that does not is cut. So it never sees a gap in an open connection: it has
// to connect anew, and is told so by the welcome message of its new subscription.
//
// The protocol is described in RFC 37 of the ZeroMQ project (https://rfc.zeromq.org/spec/37/).
package zmtp
