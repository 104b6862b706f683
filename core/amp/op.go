package amp

// An op is what a node does. The runtime calls it on the one worker that hosts the node, so it
// needs no locks. Messages in m are for that node and in one direction; the op takes over their
// payloads.
type op interface {
	forward(w *worker, n *node, m []message)
	backward(w *worker, n *node, m []message)

	// fresh returns the same operation with empty caches, for another run of the graph.
	// Parameters are shared.
	fresh() op

	// held calls f for everything in the caches: what instance and state, and, for what cannot
	// go on without another message, what that is.
	held(f func(s State, waits string))
}

// A message is on its way to a port of a node: an input port forward, an output port backward.
type message struct {
	to   *node
	port int
	back bool
	inst *instance
	s    State
	x    payload
}

// A node is a [Node] at work in an engine.
//
// A node that learns nothing can have a twin on every worker, each with a cache of its own, because all
// messages of an instance meet at its home. Then control does not send messages of one replica to the
// other's worker and back.
type node struct {
	*Node
	op     op
	worker int
	twins  []*node // one for each worker while the node is everywhere, nil while it is in one place
	spare  []*node // those twins at all times, nil if it never has any
	light  bool    // costs less than a queue: done at once where it follows on the same worker
	learns bool    // it, or something that sends to it, has parameters: gradients must be numbers
	in     []link
	out    []link
	fwd    fifo
	bwd    fifo
	stats  nodeStats

	spanNames [2]string // forward, backward
}

// A link is the other end of an edge.
type link struct {
	node *node
	port int
}

// A fifo is a queue of messages that uses its memory again.
type fifo struct {
	m    []message
	head int
}

func (q *fifo) len() int { return len(q.m) - q.head }

func (q *fifo) push(m *message) {
	if q.head > 0 && len(q.m) == cap(q.m) {
		n := copy(q.m, q.m[q.head:])
		clear(q.m[n:])
		q.m, q.head = q.m[:n], 0
	}
	q.m = append(q.m, *m)
}

// large is how many rows make a product that gains nothing from more of them: with some tens of rows, reading
// the weights is little beside the arithmetic, and to bring rows together costs as much again.
const large = 64

// take returns up to n messages, valid until the next push. A large one comes alone.
func (q *fifo) take(n int) []message {
	n = min(n, q.len())
	k := 0
	for k < n && q.m[q.head+k].x.rows < large {
		k++
	}
	if k == 0 && n > 0 {
		k = 1
	}
	m := q.m[q.head : q.head+k]
	q.head += k
	return m
}

// tidy makes room after take's messages are done with.
func (q *fifo) tidy() {
	if q.head == len(q.m) {
		q.m, q.head = q.m[:0], 0
	}
}
