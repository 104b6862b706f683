package amp

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Check looks for what would keep the graph from running: outputs that go nowhere, nodes that no
// message reaches, loops that cannot be entered or left or do not change the state, an Isu whose
// inverse does not invert. Starting a run does it too.
func (g *Graph) Check() error {
	errs := append([]error(nil), g.errs...)
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("amp: %s: "+format, append([]any{g.Name}, args...)...))
	}
	inputs, losses := 0, 0
	for _, n := range g.nodes {
		if n.Kind == "input" {
			inputs++
		}
		if n.Kind == "loss" {
			losses++
		}
		if n.Kind != "input" && len(n.ins) == 0 {
			bad("%s %s has no input", n.Kind, n.Name)
		}
		for i, o := range n.outs {
			if o.to == nil {
				bad("output %s goes nowhere: a loss or a Drop has to end each way", n.port(i))
			}
		}
	}
	if inputs == 0 {
		bad("no Input: nothing can enter")
	}
	if losses == 0 {
		bad("no Classify or Regress: nothing would go backward")
	}
	reached := g.from(func(n *Node) bool { return n.Kind == "input" }, false)
	open := g.from(func(n *Node) bool { return !complete(n) }, true) // it has been said already where those lead
	ends := g.from(func(n *Node) bool { return n.Kind == "loss" || n.Kind == "drop" }, true)
	for _, n := range g.nodes {
		if !reached[n] && len(n.ins) > 0 {
			bad("%s %s is reached from no Input", n.Kind, n.Name)
		}
		if !ends[n] && !open[n] {
			bad("%s %s leads to no loss: a loop that is never left", n.Kind, n.Name)
		}
	}
	for _, loop := range g.loops() {
		if why := loopFault(loop); why != "" {
			bad("the loop %s %s", names(loop), why)
		}
	}
	for _, n := range g.nodes {
		if o, ok := n.op.(*isuOp); ok {
			if s, back, wrong := o.probe(); wrong {
				bad("isu %s: the inverse does not invert: %v becomes %v and then %v", n.Name, s, o.f(s), back)
			}
		}
	}
	return errors.Join(errs...)
}

func complete(n *Node) bool {
	for _, o := range n.outs {
		if o.to == nil {
			return false
		}
	}
	return true
}

// from returns all nodes that can be reached from some, or with back set, that reach some.
func (g *Graph) from(start func(*Node) bool, back bool) map[*Node]bool {
	seen := map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		if back {
			for _, p := range n.ins {
				visit(p.node)
			}
			return
		}
		for _, o := range n.outs {
			visit(o.to)
		}
	}
	for _, n := range g.nodes {
		if start(n) {
			visit(n)
		}
	}
	return seen
}

// loops returns the strongly connected parts of more than one node (Tarjan, 1972).
func (g *Graph) loops() (found [][]*Node) {
	index, low := map[*Node]int{}, map[*Node]int{}
	on := map[*Node]bool{}
	var stack []*Node
	var visit func(n *Node)
	visit = func(n *Node) {
		index[n] = len(index) + 1
		low[n] = index[n]
		stack = append(stack, n)
		on[n] = true
		self := false
		for _, o := range n.outs {
			switch {
			case o.to == nil:
			case o.to == n:
				self = true
			case index[o.to] == 0:
				visit(o.to)
				low[n] = min(low[n], low[o.to])
			case on[o.to]:
				low[n] = min(low[n], index[o.to])
			}
		}
		if low[n] != index[n] {
			return
		}
		var part []*Node
		for {
			m := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			on[m] = false
			part = append(part, m)
			if m == n {
				break
			}
		}
		if len(part) > 1 || self {
			sort.Slice(part, func(i, j int) bool { return part[i].id < part[j].id })
			found = append(found, part)
		}
	}
	for _, n := range g.nodes {
		if index[n] == 0 {
			visit(n)
		}
	}
	return found
}

// loopFault says what a loop lacks.
func loopFault(loop []*Node) string {
	in := map[*Node]bool{}
	for _, n := range loop {
		in[n] = true
	}
	entry, exit, changes := false, false, false
	for _, n := range loop {
		if n.Kind == "phi" {
			for _, p := range n.ins {
				entry = entry || !in[p.node]
			}
		}
		if n.Kind == "cond" {
			for _, o := range n.outs {
				exit = exit || o.to != nil && !in[o.to]
			}
		}
		switch n.Kind {
		case "isu", "group", "flatmap", "ungroup":
			changes = true
		}
	}
	switch {
	case !entry:
		return "cannot be entered: it needs a Phi with an input from outside"
	case !exit:
		return "cannot be left: it needs a Cond with a way out"
	case !changes:
		return "does not change the state, so that its second turn looks like its first: it needs an Isu"
	}
	return ""
}

func names(loop []*Node) string {
	var s []string
	for _, n := range loop {
		s = append(s, n.Name)
	}
	return strings.Join(s, ", ")
}

// probe tries some states. Functions that need a state's Data are left to the run, which tries
// them with the first messages.
func (o *isuOp) probe() (s, back State, wrong bool) {
	_ = guard(func() {
		for k := range 8 {
			t := State{Instance: 1, Sample: k, Step: k, Node: 2*k + 1, Kind: k % 3, Count: 9}
			if b := o.inverse(o.f(t)); !b.same(&t) {
				s, back, wrong = t, b, true
				return
			}
		}
	})
	return s, back, wrong
}
