package amp

import (
	"errors"
	"fmt"
)

// A NodeError says which node could not go on with which message. What goes wrong where the data is sent into the graph
// is of the node "controller".
type NodeError struct {
	Node  string
	State State
	Why   string
	Err   error // what a layer said, or a panic in a function of the graph; nil if it is all in Why
}

func (e *NodeError) Error() string {
	if e.Node == controllerName { // which nobody has put into the graph
		return fmt.Sprintf("amp: sending the data, state %v: %s", e.State, e.Why)
	}
	return fmt.Sprintf("amp: node %s, state %v: %s", e.Node, e.State, e.Why)
}

func (e *NodeError) Unwrap() error { return e.Err }

// A DeadlockError says that an instance cannot be finished: no message of it is on its way, and
// something still waits for one.
type DeadlockError struct {
	Instance int
	Waits    []string // "group children, state {…}: 1 of 2 messages"
}

func (e *DeadlockError) Error() string {
	s := fmt.Sprintf("amp: instance %d stands still: none of its messages can move", e.Instance)
	for i, w := range e.Waits {
		if i == 8 {
			return s + fmt.Sprintf("\n\tand %d more", len(e.Waits)-i)
		}
		s += "\n\t" + w
	}
	return s
}

// unwind is what a worker's loop is left with when a node cannot go on.
type unwind struct{ err error }

func (w *worker) fail(n *node, s State, format string, args ...any) {
	panic(unwind{&NodeError{Node: n.Name, State: s, Why: fmt.Sprintf(format, args...)}})
}

func (w *worker) failErr(n *node, s State, err error) {
	panic(unwind{&NodeError{Node: n.Name, State: s, Why: err.Error(), Err: err}})
}

func (w *worker) failTwice(n *node, s State) {
	w.fail(n, s, "a message with this state is in the node already: a loop has to change the state, by an Isu for instance")
}

func (w *worker) failUnknown(n *node, s State) {
	w.fail(n, s, "a gradient came back with a state that did not go forward here")
}

var (
	errNothing = errors.New("amp: the data has no instances")
	errNoEach  = errors.New("amp: Samples.Each is nil: it is the function that sends the messages of an instance")
)
